# SPDX-License-Identifier: GPL-3.0-or-later
"""What a role does to an object besides being exported: sensible first settings, and how it is displayed."""

from __future__ import annotations

from typing import Dict, Iterable, List, Optional

import bpy

from ..core import presets
from .materials import lookup, preset_or

TYPES = {"MESH", "CURVE", "SURFACE", "FONT", "META"}
SOURCES = ("WAX", "LIQUID")
GHOSTS = ("INFLOW", "OUTFLOW")  # never rendered
FLUIDS = SOURCES + GHOSTS[:1]
_automatic = False  # a temperature is being set by us
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


def why_no_role(obj: Optional[bpy.types.Object]) -> str:
    """A sentence about an object that cannot have a role."""
    if obj is None:
        return "Select a mesh first"
    if is_managed(obj):
        return f"{obj.name} was made by Tallow. Select a mesh of your own"
    if obj.type == "LIGHT":
        return f"{obj.name} only gives light. Any small mesh can be a heat lamp: make it a Heater and choose Lamp"
    return f"{obj.name} is not a mesh. Select a mesh first"


def on_role_changed(obj: bpy.types.Object) -> None:
    """Called by Blender when a role is set, from the sidebar or from a script."""
    set_defaults(obj)
    update_display(obj)


def on_material_changed(obj: bpy.types.Object) -> None:
    """A material that was chosen starts solid as wax and molten as a liquid, unless the artist said how warm."""
    if obj.tallow.role in FLUIDS and not obj.tallow.temperature_by_hand:
        _set_temperature(obj, _start_temperature(obj))


def on_temperature_changed(obj: bpy.types.Object) -> None:
    if not _automatic:
        obj.tallow.temperature_by_hand = True


def set_defaults(obj: bpy.types.Object) -> None:
    """What a role starts with. What the artist chose for a similar role stays, as long as it makes sense."""
    tallow = obj.tallow
    role, before = tallow.role, tallow.last_role
    if role == "NONE":
        return
    tallow.last_role = role
    if role in FLUIDS:
        _set_fluid_defaults(obj, before)
    elif not (tallow.temperature_by_hand and before in ("SOLID", "RIGID") and role in ("SOLID", "RIGID")):
        _set_temperature(obj, 200.0 if role == "HEAT" else 20.0)
    if role == "HEAT":
        tallow.conductivity = 50.0


def _set_fluid_defaults(obj: bpy.types.Object, before: str) -> None:
    tallow = obj.tallow
    material = _material(obj) if before in FLUIDS else None
    keep = material is not None and tallow.material != _usual_material(before)
    if not keep or (tallow.role == "WAX" and not presets.freezes(material)):
        tallow.material, keep = _usual_material(tallow.role), before == tallow.role
    if not (keep and tallow.temperature_by_hand) or _contradicts(tallow.role, _material(obj), tallow.temperature + presets.ZERO_CELSIUS):
        _set_temperature(obj, _start_temperature(obj))


def _usual_material(role: str) -> str:
    return preset_or("paraffin", "beeswax") if role == "WAX" else preset_or("water")


def _material(obj: bpy.types.Object) -> Optional[Dict]:
    return lookup(bpy.context.scene, obj.tallow.material)


def _contradicts(role: str, material: Dict, kelvin: float) -> bool:
    """Whether a temperature makes wax liquid or a liquid solid."""
    return presets.freezes(material) and (kelvin >= material["solidus"] if role == "WAX" else kelvin <= material["liquidus"])


def _start_temperature(obj: bpy.types.Object) -> float:
    material = _material(obj)
    if material is None:
        return 20.0
    return presets.solid_temperature(material) if obj.tallow.role == "WAX" else presets.liquid_temperature(material)


def _set_temperature(obj: bpy.types.Object, celsius: float) -> None:
    """Without it counting as set by hand."""
    global _automatic
    _automatic = True
    try:
        obj.tallow.temperature = celsius
    finally:
        _automatic = False
    obj.tallow.temperature_by_hand = False


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
