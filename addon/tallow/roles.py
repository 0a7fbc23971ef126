# SPDX-License-Identifier: GPL-3.0-or-later
"""What a role does to an object besides being exported: sensible first settings, and how it is displayed."""

from __future__ import annotations

from typing import Iterable, List

import bpy

TYPES = {"MESH", "CURVE", "SURFACE", "FONT", "META"}
SOURCES = ("WAX", "LIQUID")
GHOSTS = ("INFLOW", "OUTFLOW")  # never rendered
FLUIDS = SOURCES + GHOSTS[:1]
DENSE = 300  # faces; a wire of more than that hides what is behind it


def can_have_role(obj: bpy.types.Object) -> bool:
    return obj is not None and obj.type in TYPES and not is_managed(obj)


def is_managed(obj: bpy.types.Object) -> bool:
    """Whether Tallow made it: the domain, the surface, the particles."""
    for scene in bpy.data.scenes:
        tallow = scene.tallow
        if obj in (tallow.domain, tallow.surface_object, tallow.particles_object, tallow.volume_object):
            return True
    return False


def with_role(scene: bpy.types.Scene, *roles: str) -> List[bpy.types.Object]:
    """Objects of the scene that have one of these roles (any role when none is named), by name."""
    found = [obj for obj in scene.objects
             if obj.type in TYPES and obj.tallow.role != "NONE" and (not roles or obj.tallow.role in roles)]
    return sorted(found, key=lambda obj: obj.name)


def takes_part(obj: bpy.types.Object, layer: bpy.types.ViewLayer) -> bool:
    """Whether an object is in a bake at all: not when it is disabled in the viewport or in an excluded collection."""
    return obj.name in layer.objects and not obj.hide_viewport


def on_role_changed(obj: bpy.types.Object) -> None:
    """Called by Blender when a role is set, from the sidebar or from a script."""
    set_defaults(obj)
    update_display(obj)


def set_defaults(obj: bpy.types.Object) -> None:
    from .properties.materials import preset_or
    tallow = obj.tallow
    if tallow.role == "WAX":
        tallow.material, tallow.temperature = preset_or("paraffin", "beeswax"), 20.0
    elif tallow.role in ("LIQUID", "INFLOW"):
        tallow.material, tallow.temperature = preset_or("water"), 20.0
    elif tallow.role == "HEAT":
        tallow.temperature, tallow.conductivity = 200.0, 50.0
    elif tallow.role in ("SOLID", "RIGID"):
        tallow.temperature = 20.0


def update_display(obj: bpy.types.Object, baked: bool = False) -> None:
    """Show the object as its role asks, and remember how it looked."""
    tallow = obj.tallow
    ghost = tallow.role in GHOSTS or (tallow.role == "HEAT" and tallow.heat_kind != "SOLID")
    if ghost or (baked and tallow.role in SOURCES):
        if not tallow.saved_display:
            tallow.saved_display, tallow.saved_hide_render = obj.display_type, obj.hide_render
        dense = obj.type != "MESH" or obj.modifiers or len(obj.data.polygons) > DENSE
        obj.display_type = "BOUNDS" if dense else "WIRE"
        obj.hide_render = True
    elif tallow.saved_display:
        obj.display_type, obj.hide_render = tallow.saved_display, tallow.saved_hide_render
        tallow.saved_display = ""


def update_sources(objects: Iterable[bpy.types.Object], baked: bool) -> None:
    """The meshes that were turned into liquid give way to the baked surface, and come back when it is freed."""
    for obj in objects:
        update_display(obj, baked)
