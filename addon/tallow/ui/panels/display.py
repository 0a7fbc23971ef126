# SPDX-License-Identifier: GPL-3.0-or-later
"""Show."""

import bpy

from ... import playback
from .common import Sidebar, fields, wrapped


class TALLOW_PT_show(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_show"
    bl_label = "Show"

    def draw(self, context):
        tallow = context.scene.tallow
        row = self.layout.row(align=True)
        row.prop(tallow, "show_surface", toggle=True)
        row.prop(tallow, "show_particles", toggle=True)
        row.prop(tallow, "show_cells", toggle=True)
        column = fields(self.layout, align=False)
        column.prop(tallow, "show_color", text="", icon="COLOR")
        if tallow.show_surface:
            column.prop(tallow, "smoothing")
        if tallow.show_particles:
            column.prop(tallow, "particle_percent")
        note = playback.note(context.scene)
        if note:
            wrapped(context, self.layout, note, "INFO")


CLASSES = (TALLOW_PT_show,)
