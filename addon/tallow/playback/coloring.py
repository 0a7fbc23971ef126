# SPDX-License-Identifier: GPL-3.0-or-later
"""What the colours of surface, particles and cells mean at the moment: one scale for all three."""

from __future__ import annotations

from typing import Dict, Optional, Union

import bpy

from ..core import colors
from ..core.cache import Cache
from ..core.colors import Scale
from ..core.presets import ZERO_CELSIUS
from . import shading

# Modes whose range the artist can set, the setting, and how far it is from SI units.
OWN = {"TEMPERATURE": ("temperature_range", ZERO_CELSIUS), "SPEED": ("speed_range", 0.0), "VISCOSITY": ("viscosity_range", 0.0)}


def scale_of(scene: bpy.types.Scene, cache: Cache, frame: int) -> Union[str, Scale]:
    """The scale by which a frame is coloured; `NONE` when it has the colours of its material."""
    tallow = scene.tallow
    mode = tallow.show_color
    if mode == "NONE":
        return mode
    if tallow.color_range == "OWN" and mode in OWN:
        name, offset = OWN[mode]
        return colors.make_scale(mode, *(value + offset for value in getattr(tallow, name)))
    entries = [cache.frames[frame]] if tallow.color_range == "FRAME" and frame in cache.frames else cache.frames.values()
    return colors.find_scale(mode, entries, cache.materials)


def start_own_range(scene: bpy.types.Scene, cache: Optional[Cache]) -> None:
    """An own range begins with that of the bake."""
    tallow = scene.tallow
    if cache is None or tallow.color_range != "OWN" or tallow.show_color not in OWN:
        return
    name, offset = OWN[tallow.show_color]
    if not tallow.is_property_set(name):
        scale = colors.find_scale(tallow.show_color, cache.frames.values(), cache.materials)
        setattr(tallow, name, (scale.low - offset, scale.high - offset))


def paint(scene: bpy.types.Scene, create: bool = True) -> None:
    """Colours in the render where the artist asked for them, else the materials of the mesh.

    The colours are linked to the object, and the materials of the mesh stay where they are.
    """
    tallow = scene.tallow
    wanted = tallow.render_colors and tallow.show_color != "NONE"
    material = bpy.data.materials.get(shading.COLORS)
    if wanted and material is None and create:
        material = shading.color_material()
    if material is None:
        return
    for obj in (tallow.surface_object, tallow.particles_object):
        if obj is None or obj.name not in scene.objects:
            continue
        if wanted and not obj.data.materials:
            obj.data.materials.append(None)  # a place to link to
        for slot in obj.material_slots:
            if wanted and (slot.link == "DATA" or slot.material is None):
                slot.link, slot.material = "OBJECT", material
            elif not wanted and slot.link == "OBJECT" and slot.material == material:
                slot.material, slot.link = None, "DATA"


_solid: Dict[int, str] = {}  # what solid views showed before they showed colours


def show_in_viewports(on: bool) -> None:
    """Solid shading shows vertex colours only when asked to."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type != "VIEW_3D":
                continue
            shading_of, key = area.spaces.active.shading, area.as_pointer()
            if on and shading_of.color_type != "VERTEX":
                _solid[key] = shading_of.color_type
                shading_of.color_type = "VERTEX"
            elif not on and shading_of.color_type == "VERTEX" and key in _solid:
                shading_of.color_type = _solid.pop(key)
