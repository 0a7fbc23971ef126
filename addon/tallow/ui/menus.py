# SPDX-License-Identifier: GPL-3.0-or-later
"""Add > Tallow: the quick buttons and the ready scenes, where artists look for new things."""

from __future__ import annotations

import bpy

from ..model import icons


class TALLOW_MT_add(bpy.types.Menu):
    bl_idname = "TALLOW_MT_add"
    bl_label = "Tallow"
    bl_description = "Melt or pour the selected mesh, or build a scene that is ready to bake"

    def draw(self, _context) -> None:
        layout = self.layout
        layout.operator("tallow.quick_melt", icon=icons.name("LIGHT_SUN"))
        layout.operator("tallow.quick_liquid", icon=icons.name("MATFLUID"))
        layout.separator()
        layout.operator_menu_enum("tallow.ready_scene", "name", text="Ready Scenes", icon="SCENE_DATA")


def _draw(self, context) -> None:
    if context.mode == "OBJECT":
        self.layout.menu(TALLOW_MT_add.bl_idname, icon=icons.name("MATFLUID"))


def register() -> None:
    bpy.utils.register_class(TALLOW_MT_add)
    bpy.types.VIEW3D_MT_add.append(_draw)


def unregister() -> None:
    bpy.types.VIEW3D_MT_add.remove(_draw)
    bpy.utils.unregister_class(TALLOW_MT_add)
