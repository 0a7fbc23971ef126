# SPDX-License-Identifier: GPL-3.0-or-later
"""The surface: one mesh object whose mesh is refilled on every frame."""

from __future__ import annotations

from typing import Dict, Optional

import bpy
import numpy as np

from ..core import colors, ply
from ..core.cache import Cache
from . import fill

NAME = "Tallow Surface"
COLOR = "tallow_color"


def get_object(scene: bpy.types.Scene, create: bool) -> Optional[bpy.types.Object]:
    obj = scene.tallow.surface_object
    if obj and obj.name in scene.objects:
        return obj
    if not create:
        return None
    obj = bpy.data.objects.new(NAME, bpy.data.meshes.new(NAME))
    scene.collection.objects.link(obj)
    scene.tallow.surface_object = obj
    # The handler swaps geometry during a render; a viewport that draws it meanwhile can crash Blender.
    scene.render.use_lock_interface = True
    return obj


def show(scene: bpy.types.Scene, cache: Cache, frame: int, create: bool) -> None:
    obj = get_object(scene, create)
    if obj is None:
        return
    visible = scene.tallow.show_surface
    if obj.hide_viewport == visible:
        obj.hide_viewport = not visible
    if not visible and not bpy.app.background:
        return
    data = cache.mesh(frame)
    if data is None or "vertex" not in data or "face" not in data:
        return  # keep what is shown; the Show panel says which file is missing
    fill_from(obj.data, data, 1.0 / scene.unit_settings.scale_length, scene.tallow.show_color, cache)


def fill_from(mesh: bpy.types.Mesh, data: Dict, scale: float, color: str, cache: Cache) -> None:
    rows = data["vertex"]
    positions, velocity, rest = (ply.columns(rows, *names) for names in (("x", "y", "z"), ("vx", "vy", "vz"),
                                                                         ("rest_x", "rest_y", "rest_z")))
    if scale != 1.0:
        positions, velocity, rest = (array * np.float32(scale) for array in (positions, velocity, rest))
    fill.fill_mesh(mesh, positions, np.ascontiguousarray(data["face"]["vertex_indices"]))
    # Cycles reads `velocity` by its name and blurs the motion with it.
    arrays = {"velocity": velocity, "rest_position": rest}
    arrays.update({name: ply.columns(rows, name) for name in ("temperature", "melt", "material")})
    tint = colors.vertex_colors(color, rows, cache.materials)
    if tint is not None:
        arrays[COLOR] = tint
    fill.set_attributes(mesh, arrays)
    if tint is not None:
        mesh.color_attributes.active_color_index = mesh.color_attributes.find(COLOR)


def clear(scene: bpy.types.Scene) -> None:
    obj = get_object(scene, create=False)
    if obj:
        obj.data.clear_geometry()
        obj.data.update()
