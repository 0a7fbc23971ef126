# SPDX-License-Identifier: GPL-3.0-or-later
"""How long the scene's wax takes to melt in life, and what speed-up makes a shot of it."""

from __future__ import annotations

from typing import Dict, NamedTuple, Optional

import bpy

from ..core import estimate, presets
from ..core.presets import ZERO_CELSIUS
from . import roles, shot, staging
from .materials import lookup

SHARE = 0.8  # of the shot, in which it melts
PATIENCE = 20.0  # shots; what takes longer than so many is not seen to melt at all


class Melting(NamedTuple):
    name: str  # of the wax
    seconds: float  # in life
    speed: float  # that makes it melt within the shot


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
    extent = wax.dimensions * scene.unit_settings.scale_length
    start = wax.tallow.temperature + ZERO_CELSIUS
    if heater.tallow.heat_kind == "SOLID":
        return estimate.melting_time(material, start, heater.tallow.temperature + ZERO_CELSIUS, staging.MELT_DEPTH * extent.z)
    if heater.tallow.power <= 0.0 or not presets.freezes(material):
        return 0.0
    energy = estimate.melting_energy(material, start, staging.BOX_SHARE * extent.x * extent.y * extent.z)
    return energy / (heater.tallow.power * (staging.LAMP_SHARE if heater.tallow.heat_kind == "LAMP" else 1.0))


def too_slow(scene: bpy.types.Scene) -> Optional[Melting]:
    melting = slowest(scene)
    if melting and melting.seconds > PATIENCE * shot.seconds(scene) * max(scene.tallow.thermal_speed, 1e-9):
        return melting
    return None
