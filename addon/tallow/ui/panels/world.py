# SPDX-License-Identifier: GPL-3.0-or-later
"""World."""

import bpy

from ...core.events import format_seconds
from ...model import heating, shot
from .common import Sidebar, fields, wrapped


class TALLOW_PT_world(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_world"
    bl_label = "World"

    def draw(self, context):
        tallow = context.scene.tallow
        column = fields(self.layout)
        column.prop(tallow, "ambient")
        column.prop(tallow, "thermal_speed")
        melting = heating.too_slow(context.scene)
        if melting:
            if melting.speed > tallow.thermal_speed:
                column.operator("tallow.melt_in_shot", icon="TIME")
            wrapped(context, column, f"In life {melting.name} takes about {format_seconds(melting.seconds)} to melt.", "INFO")
        column = fields(self.layout)
        column.prop(tallow, "film")
        column.prop(tallow, "emissivity")
        column = fields(self.layout)
        column.prop(tallow, "use_scene_gravity")
        if not tallow.use_scene_gravity:
            column.prop(tallow, "gravity", text="")
        column = fields(self.layout)
        column.prop(tallow, "time_scale")
        if shot.time_scale(context.scene) != 1.0:
            wrapped(context, column, f"The shot shows {shot.seconds(context.scene):.3g} s of what happens.", "INFO")


CLASSES = (TALLOW_PT_world,)
