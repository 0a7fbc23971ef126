# SPDX-License-Identifier: GPL-3.0-or-later
"""About how long the scene's wax takes to melt in life: quick enough for every redraw, and blind to the air's cooling. What
melts when is found by baking/melting.py."""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional

import bpy

from ..core import estimate, presets
from ..core.presets import ZERO_CELSIUS
from . import roles, shot, units
from .materials import lookup

MELT_DEPTH = 0.35  # of the height: molten wax runs off, so heat never has to cross all of it
LAMP_SHARE = 0.2  # of a lamp's power that falls on the wax
BOX_SHARE = 0.5  # of the box around the wax that it fills
SHARE = 0.8  # of the shot, in which it melts
ABOVE_MELTING = 5.0  # degrees, of warm air
PATIENCE = 20.0  # shots; what takes longer than so many is not seen to melt at all


class Melting(NamedTuple):
    name: str  # of the wax
    seconds: float  # in life
    speed: float  # that makes it melt within the shot


def warm_air(scene: bpy.types.Scene, waxes: List[bpy.types.Object]) -> None:
    """Make the air so warm that nothing of these hardens again."""
    materials = [lookup(scene, obj.tallow.material) for obj in waxes]
    molten = [material["liquidus"] - ZERO_CELSIUS for material in materials if material and presets.freezes(material)]
    if molten:
        scene.tallow.ambient = max(molten) + ABOVE_MELTING


def slowest(scene: bpy.types.Scene) -> Optional[Melting]:
    """The wax that takes longest, at the heat that melts it fastest."""
    heaters = roles.with_role(scene, *roles.HEATERS)
    found = []
    for obj in roles.with_role(scene, *roles.FROZEN) if heaters else ():
        material = lookup(scene, obj.tallow.material)
        times = [_melting_time(scene, obj, material, heater) for heater in heaters] if material else []
        seconds = min((time for time in times if time > 0.0), default=None)
        if seconds is not None:
            found.append(Melting(obj.name, seconds, estimate.speed_up(seconds, SHARE * shot.seconds(scene))))
    return max(found, key=lambda melting: melting.seconds, default=None)


def _melting_time(scene: bpy.types.Scene, wax: bpy.types.Object, material: Dict, heater: bpy.types.Object) -> float:
    """Seconds in life; 0 when it never melts. Solid heaters have a temperature, lamps and heated volumes a power."""
    extent = wax.dimensions * units.metres_per_unit(scene)
    start = wax.tallow.temperature + ZERO_CELSIUS
    if heater.tallow.heat_kind == "SOLID":
        return estimate.melting_time(material, start, heater.tallow.temperature + ZERO_CELSIUS, MELT_DEPTH * extent.z)
    if heater.tallow.power <= 0.0 or not presets.freezes(material):
        return 0.0
    energy = estimate.melting_energy(material, start, BOX_SHARE * extent.x * extent.y * extent.z)
    return energy / (heater.tallow.power * (LAMP_SHARE if heater.tallow.heat_kind == "LAMP" else 1.0))


def too_slow(scene: bpy.types.Scene) -> Optional[Melting]:
    """The wax that is far from melting within the shot."""
    melting = slowest(scene)
    if melting and melting.seconds > PATIENCE * shot.seconds(scene) * max(scene.tallow.thermal_speed, 1e-9):
        return melting
    return None
