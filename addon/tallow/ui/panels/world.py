# SPDX-License-Identifier: GPL-3.0-or-later
"""When does it melt? And the world around it."""

import bpy

from ...model import roles, shot
from ...playback import outcome
from .common import Sidebar, fields, wrapped


class TALLOW_PT_melting(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_melting"
    bl_label = "When does it melt?"

    @classmethod
    def poll(cls, context):
        return bool(roles.with_role(context.scene, *roles.FROZEN))

    def draw(self, context):
        layout, tallow = self.layout, context.scene.tallow
        column = fields(layout)
        row = column.row(align=True)
        row.scale_y = 1.2
        row.operator("tallow.melt_in_shot", icon="TIME")
        column.prop(tallow, "melt_percent")
        column.prop(tallow, "melt_frame", text="By Frame" if tallow.melt_frame else "By the Last Frame")
        known = outcome.of(context.scene)
        if known.text:
            wrapped(context, layout, known.text, "ERROR" if known.is_bad else "INFO")
        if known.is_weak:
            layout.operator("tallow.strengthen_heat", icon="LIGHT_SUN")
        if known.may_warm:
            layout.operator("tallow.warm_air", icon="WORLD")
        fields(layout).prop(tallow, "thermal_speed")


class TALLOW_PT_world(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_world"
    bl_label = "World"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        tallow = context.scene.tallow
        column = fields(self.layout)
        column.prop(tallow, "ambient")
        if not roles.with_role(context.scene, *roles.FROZEN):
            column.prop(tallow, "thermal_speed")
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


CLASSES = (TALLOW_PT_melting, TALLOW_PT_world)
