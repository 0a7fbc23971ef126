# SPDX-License-Identifier: GPL-3.0-or-later
"""Add-on preferences: what renders do without a frame, and where the native library and a Python for the baker are."""

import bpy
from bpy.props import EnumProperty, StringProperty

from .panels.incomplete import draw_problem


class TallowPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__.rpartition(".")[0]  # of the add-on itself

    library: StringProperty(
        name="Native library", subtype="FILE_PATH",
        description="Tallow's native library, if it is not inside the add-on. Empty: look in the usual places")
    python: StringProperty(
        name="Python", subtype="FILE_PATH",
        description="A Python 3.9 or newer that runs the baker. Empty: find one")

    missing_frames: EnumProperty(
        name="Missing frames", default="REPEAT",
        description="What a render does at a frame that is not baked, or whose files are gone or damaged",
        items=(("REPEAT", "Repeat the last one", "Show the last frame that is there, and say so on the console"),
               ("STOP", "Stop the render", "End the render and name the frame. Without a window, Blender ends with code 3")))

    def draw(self, context) -> None:
        draw_problem(context, self.layout)
        column = self.layout.column()
        column.use_property_split = True
        column.prop(self, "missing_frames")
        column.prop(self, "library")
        column.prop(self, "python")


def register() -> None:
    bpy.utils.register_class(TallowPreferences)


def unregister() -> None:
    bpy.utils.unregister_class(TallowPreferences)
