# SPDX-License-Identifier: GPL-3.0-or-later
"""Render."""

import bpy

from ... import playback
from .common import AfterBake, BeforeBake, fields, wrapped


class _Render:
    bl_label = "Render"

    def draw(self, context):
        scene = context.scene
        stopped = playback.missing.why_stopped(scene)
        if stopped:
            box = self.layout.box()
            box.alert = True
            wrapped(context, box, stopped, "ERROR", inset=60)
        column = self.layout.column(align=True)
        column.operator("tallow.add_material", icon="MATERIAL").style = "WAX"
        column.operator("tallow.add_material", text="Add Liquid Material", icon="MATFLUID").style = "LIQUID"
        column.operator("tallow.own_materials", icon="TEXTURE")
        column.operator("tallow.add_volume", icon="VOLUME_DATA")
        column.operator("tallow.bodies_to_keyframes", icon="KEYTYPE_KEYFRAME_VEC")
        column = fields(self.layout)
        # Eevee had a switch of its own before 4.2.
        own = scene.render.engine == "BLENDER_EEVEE" and hasattr(scene.eevee, "use_motion_blur")
        column.prop(scene.eevee if own else scene.render, "use_motion_blur")


class TALLOW_PT_render(_Render, BeforeBake, bpy.types.Panel):
    bl_idname = "TALLOW_PT_render"


class TALLOW_PT_render_baked(_Render, AfterBake, bpy.types.Panel):
    bl_idname = "TALLOW_PT_render_baked"


FIRST = (TALLOW_PT_render_baked,)
CLASSES = (TALLOW_PT_render,)
