# SPDX-License-Identifier: GPL-3.0-or-later
"""What a copy of the add-on that cannot bake says before anything else."""

import bpy

from ...baking import installation
from .common import Sidebar, wrapped


def draw_problem(context: bpy.types.Context, layout: bpy.types.UILayout) -> None:
    """A red box with what is missing; nothing when all is there."""
    text = installation.problem()
    if text:
        box = layout.box()
        box.alert = True
        wrapped(context, box, text, "ERROR", inset=60)


class TALLOW_PT_incomplete(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_incomplete"
    bl_label = "Not Ready to Bake"

    @classmethod
    def poll(cls, _context):
        return installation.problem() is not None

    def draw(self, context):
        draw_problem(context, self.layout)


CLASSES = (TALLOW_PT_incomplete,)
