# SPDX-License-Identifier: GPL-3.0-or-later
"""Temperatures that do not go with a role, and wax that nothing melts: allowed, but seldom what the artist wants."""

from __future__ import annotations

from typing import Dict, List, Tuple

import bpy

from ...core import animation, presets, scene_file
from ...core.presets import ZERO_CELSIUS
from ...model import roles
from ...model.materials import lookup
from . import reach_checks


Found = List[Tuple[str, str]]  # names of objects, and sentences


def warnings(scene: bpy.types.Scene) -> Found:
    found: Found = []
    for obj in roles.with_role(scene, *roles.FLUIDS):
        material = lookup(scene, obj.tallow.material)
        if material is None or not roles.takes_part(obj, bpy.context.view_layer):
            continue
        frozen = roles.of(obj).frozen
        wrong = _wrong_wax(obj, material) if frozen else _wrong_liquid(obj, material)
        if not wrong and frozen and (scene.tallow.thermal_speed > 0.0 or _is_keyed(scene, "thermal_speed")):
            wrong = _never_melts(scene, obj, material)
        found += [(obj.name, wrong)] if wrong else []
    return found


def without_heater(scene: bpy.types.Scene) -> Found:
    """What melts wax in a scene that has no heater: the air, or hot solids. That is allowed, and easily done by deleting a lamp."""
    layer = bpy.context.view_layer
    if any(roles.takes_part(obj, layer) for obj in roles.with_role(scene, *roles.HEATERS)) or _is_keyed(scene, "ambient"):
        return []
    found: Found = []
    for wax in roles.with_role(scene, *roles.FROZEN):
        material = lookup(scene, wax.tallow.material)
        if material is None or not presets.freezes(material) or not roles.takes_part(wax, layer):
            continue
        solidus = material["solidus"] - ZERO_CELSIUS
        hot = _hot_objects(scene, wax, solidus)
        if wax.tallow.temperature >= solidus or any(not roles.is_solid(obj) for obj in hot):
            continue
        words = [f"the air ({scene.tallow.ambient:.0f} °C)"] * (scene.tallow.ambient >= solidus)
        words += [f"{obj.name} ({obj.tallow.temperature:.0f} °C)" for obj in hot]
        if words:
            found.append((wax.name, f"There is no heater. {wax.name} is melted by {scene_file.join_words(words, 4)}."))
    return found


def _hot_objects(scene: bpy.types.Scene, wax: bpy.types.Object, celsius: float) -> List[bpy.types.Object]:
    """What is hot enough to melt the wax, and may touch it. Heaters that do not reach it have sentences of their own."""
    others = [obj for obj in roles.with_role(scene) if roles.of(obj).can_warm and roles.takes_part(obj, bpy.context.view_layer)]
    return [obj for obj in others if _may_reach(obj, celsius) and (roles.of(obj).heater or reach_checks.may_touch(scene, obj, wax))]


def _degrees(kelvin: float) -> str:
    return f"{kelvin - ZERO_CELSIUS:.0f} °C"


def _wrong_wax(obj: bpy.types.Object, material: Dict) -> str:
    kelvin = obj.tallow.temperature + ZERO_CELSIUS
    if not presets.freezes(material):
        if presets.viscosity_at(material, kelvin) >= presets.STANDING:
            return ""  # like glass: so thick when it is cold that it stands
        return (f"{obj.name} is Wax and never hardens: {material['label']} has no solid state. Choose a material that melts, or make "
                "it Liquid.")
    if kelvin >= material["liquidus"]:
        return (f"{obj.name} is Wax and liquid from the start: it has {_degrees(kelvin)}, and {material['label']} is molten at "
                f"{_degrees(material['liquidus'])}. Lower its temperature, or make it Liquid.")
    return ""


def _wrong_liquid(obj: bpy.types.Object, material: Dict) -> str:
    kelvin = obj.tallow.temperature + ZERO_CELSIUS
    if not presets.freezes(material) or kelvin >= material["solidus"] or _is_keyed(obj, "temperature"):
        return ""
    does = "pours nothing but solid material" if roles.of(obj).pours else "is a Liquid and starts solid"
    return (f"{obj.name} {does}: it has {_degrees(kelvin)}, and {material['label']} melts from {_degrees(material['solidus'])}. "
            "Raise its temperature, or make it Wax.")


def _never_melts(scene: bpy.types.Scene, wax: bpy.types.Object, material: Dict) -> str:
    """Wax that is colder than it melts, with nothing in the scene that could change that."""
    solidus = material["solidus"] - ZERO_CELSIUS
    if not presets.freezes(material) or _is_keyed(scene, "ambient") or max(wax.tallow.temperature, scene.tallow.ambient) >= solidus:
        return ""
    if _hot_objects(scene, wax, solidus):
        return ""
    heaters = [obj for obj in roles.with_role(scene, *roles.HEATERS) if roles.takes_part(obj, bpy.context.view_layer)]
    plates: List[Tuple[float, str]] = [(obj.tallow.temperature, obj.name) for obj in heaters if obj.tallow.heat_kind == "SOLID"]
    if plates:
        hottest, name = max(plates)
        return (f"{wax.name} melts from {solidus:.0f} °C, and {name}, the hottest heat source, has only {hottest:.0f} °C. Raise its "
                "temperature.")
    return (f"Nothing in the scene can melt {wax.name}: the air has {scene.tallow.ambient:.0f} °C, and {material['label']} melts from "
            f"{solidus:.0f} °C. Make another object a Heater, or warm the air.")


def _may_reach(obj: bpy.types.Object, celsius: float) -> bool:
    tallow = obj.tallow
    if roles.of(obj).heater and tallow.heat_kind != "SOLID":
        return tallow.power > 0.0 or _is_keyed(obj, "power")
    return tallow.temperature >= celsius or _is_keyed(obj, "temperature")


def _is_keyed(obj: bpy.types.Object, name: str) -> bool:
    return animation.is_keyed(obj.animation_data, f"tallow.{name}")
