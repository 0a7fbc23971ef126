# SPDX-License-Identifier: GPL-3.0-or-later
"""How long the scene's wax takes to melt in life, and what speed-up makes a shot of it."""

from __future__ import annotations

from typing import NamedTuple, Optional

import bpy

from . import roles, staging
from .core import estimate
from .core.presets import ZERO_CELSIUS
from .export import settings
from .properties.materials import lookup

SHARE = 0.8  # of the shot, in which it melts
PATIENCE = 20.0  # shots; what takes longer than so many is not seen to melt at all


class Melting(NamedTuple):
    name: str  # of the wax
    seconds: float  # in life
    speed: float  # that makes it melt within the shot


def shot_seconds(scene: bpy.types.Scene) -> float:
    first, last = settings.frame_range(scene)
    return max(1, last - first) / settings.frame_rate(scene)


def slowest(scene: bpy.types.Scene) -> Optional[Melting]:
    """The wax that takes longest at the hottest solid heater; lamps and heated volumes have a power and no temperature."""
    heaters = [obj.tallow.temperature for obj in roles.with_role(scene, "HEAT") if obj.tallow.heat_kind == "SOLID"]
    found = []
    for obj in roles.with_role(scene, "WAX") if heaters else ():
        material = lookup(scene, obj.tallow.material)
        if material is None:
            continue
        known = (material, obj.tallow.temperature + ZERO_CELSIUS, max(heaters) + ZERO_CELSIUS,
                 staging.MELT_DEPTH * obj.dimensions.z * scene.unit_settings.scale_length)
        found.append(Melting(obj.name, estimate.melting_time(*known), estimate.thermal_speed(*known, SHARE * shot_seconds(scene))))
    return max(found, key=lambda melting: melting.seconds, default=None)


def too_slow(scene: bpy.types.Scene) -> Optional[Melting]:
    melting = slowest(scene)
    if melting and melting.seconds > PATIENCE * shot_seconds(scene) * max(scene.tallow.thermal_speed, 1e-9):
        return melting
    return None
