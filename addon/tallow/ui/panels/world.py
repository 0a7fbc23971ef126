# SPDX-License-Identifier: GPL-3.0-or-later
"""World."""

import bpy

from ...model import roles, shot
from .common import Sidebar, fields, wrapped


class TALLOW_PT_world(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_world"
    bl_label = "World"

    def draw(self, context):
        tallow = context.scene.tallow
        column = fields(self.layout)
        column.prop(tallow, "ambient")
        column.prop(tallow, "thermal_speed")
        if roles.with_role(context.scene, *roles.FROZEN):
            _draw_melting(context, self.layout, tallow)
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


def _draw_melting(context, layout, tallow) -> None:
    column = fields(layout)
    row = column.row(align=True)
    row.scale_y = 1.2
    row.operator("tallow.melt_in_shot", icon="TIME")
    column.prop(tallow, "melt_percent")
    column.prop(tallow, "melt_frame")
    if tallow.melt_note:
        weak = tallow.melt_strength > 0.0
        wrapped(context, layout, tallow.melt_note, "ERROR" if weak else "INFO")
        if weak:
            layout.operator("tallow.strengthen_heat", icon="LIGHT_SUN")


CLASSES = (TALLOW_PT_world,)
