# SPDX-License-Identifier: GPL-3.0-or-later
"""What a role does to an object besides being exported: sensible first settings, and how it is displayed."""

from __future__ import annotations

from typing import Dict, Iterable, Optional

import bpy

from ..core import presets
from . import roles
from .materials import chosen, first_preset, lookup
from .roles import Role

_automatic = False  # a temperature is being set by us
DENSE = 300  # faces; a wire of more than that hides what is behind it


def on_role_changed(obj: bpy.types.Object) -> None:
    """Called by Blender when a role is set, from the sidebar or from a script."""
    set_defaults(obj)
    update_display(obj)


def on_material_changed(obj: bpy.types.Object) -> None:
    """A material that was chosen starts solid as wax and molten as a liquid, unless the artist said how warm."""
    obj.tallow.kept_material = ""
    chosen = _material(obj)
    obj.tallow.material_name = chosen["label"] if chosen else ""
    if roles.of(obj).fluid and not obj.tallow.temperature_by_hand:
        _set_temperature(obj, _start_temperature(obj))


def on_temperature_changed(obj: bpy.types.Object) -> None:
    if not _automatic:
        obj.tallow.temperature_by_hand = True


def set_defaults(obj: bpy.types.Object) -> None:
    """What a role starts with. What the artist chose for a role of the same family stays, as long as it makes sense."""
    tallow, role = obj.tallow, roles.of(obj)
    if role.identifier == "NONE":
        return
    before = roles.BY_NAME.get(tallow.last_role)
    tallow.last_role = role.identifier
    if role.fluid:
        _set_fluid_defaults(obj, role, before)
    elif not (tallow.temperature_by_hand and role.family and before and before.family == role.family):
        _set_temperature(obj, role.temperature)
    for name, value in role.first.items():
        setattr(tallow, name, value)


def _set_fluid_defaults(obj: bpy.types.Object, role: Role, before: Optional[Role]) -> None:
    tallow = obj.tallow
    material = _material(obj) if before and before.fluid else None
    keep = material is not None and tallow.material != first_preset(*before.materials)
    if not keep or (role.frozen and not presets.freezes(material)):
        keep = before is role
        choose_material(obj, first_preset(*role.materials))
    if not (keep and tallow.temperature_by_hand) or _contradicts(role, _material(obj), tallow.temperature + presets.ZERO_CELSIUS):
        _set_temperature(obj, _start_temperature(obj))


def choose_material(obj: bpy.types.Object, name: str) -> None:
    """No name, no material: the checks then say what is missing. Any other material would melt in a way that nobody asked for."""
    if name:
        obj.tallow.material = name
    else:
        obj.tallow.property_unset("material")


def _material(obj: bpy.types.Object) -> Optional[Dict]:
    return lookup(bpy.context.scene, chosen(obj))


def _contradicts(role: Role, material: Optional[Dict], kelvin: float) -> bool:
    """Whether a temperature makes wax liquid or a liquid solid."""
    return material is not None and presets.freezes(material) and (kelvin >= material["solidus"] if role.frozen else kelvin <= material["liquidus"])


def _start_temperature(obj: bpy.types.Object) -> float:
    material = _material(obj)
    if material is None:
        return 20.0
    return presets.solid_temperature(material) if roles.of(obj).frozen else presets.liquid_temperature(material)


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
    tallow, role = obj.tallow, roles.of(obj)
    if roles.holds(role.ghost, obj) or (baked and role.source):
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
