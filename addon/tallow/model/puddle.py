# SPDX-License-Identifier: GPL-3.0-or-later
"""How far what has melted runs over a floor, so that a domain can hold it."""

from __future__ import annotations

import math
from typing import Dict, List, Optional, Tuple

import bpy
from mathutils import Vector

from ..core import presets
from . import amount, shapes, units

HOT = 60.0  # kelvin above its melting point, that melt on a heater reaches
SLIDE = 3.5  # times half its width: how far the core of an object drifts on its melt before it has melted
FALL = 0.75  # of its height, by which an object that does not stand comes to lie beside its foot


def radius(volume: float, material: Dict, gravity: float, seconds: float) -> float:
    """Of the puddle that so much melt becomes on a floor that it sticks to: a thin viscous layer under its own weight (Huppert 1982).
    All in SI units."""
    hot = material["liquidus"] + HOT if presets.freezes(material) else 1e9
    slowness = float(presets.viscosity_at(material, hot)) / material["density"][-1]
    if min(volume, gravity, seconds, slowness) <= 0.0:
        return 0.0
    return 0.894 * (gravity * volume ** 3 * seconds / (3.0 * slowness)) ** 0.125


def of_objects(scene: bpy.types.Scene, objects: List[bpy.types.Object], material: Optional[Dict], seconds: float, cell: float = 0.0) -> float:
    """Radius of the puddle of all objects in Blender units. Layers thinner than half a `cell`, in metres, do not spread."""
    scale = units.metres_per_unit(scene)
    volume = sum(map(amount.filled, objects)) * scale ** 3
    if material is None or not math.isfinite(volume):
        return 0.0
    found = radius(volume, material, _weight(scene), seconds)
    return (min(found, math.sqrt(volume / (math.pi * 0.5 * cell))) if cell > 0.0 else found) / scale


def _weight(scene: bpy.types.Scene) -> float:
    if not scene.tallow.use_scene_gravity:
        return -scene.tallow.gravity[2]
    return -scene.gravity[2] if scene.use_gravity else 0.0


def spread(radius: float, half: Tuple[float, float]) -> Tuple[float, float]:
    """Half axes of the puddle of something that lies on `half` to either side: an ellipse as large as the round puddle, that comes
    equally far beyond all sides."""
    mean, product = 0.5 * (half[0] + half[1]), half[0] * half[1]
    beyond = math.sqrt(max(mean ** 2 - product + radius ** 2, mean ** 2)) - mean
    return half[0] + beyond, half[1] + beyond


def reach(scene: bpy.types.Scene, objects: List[bpy.types.Object], material: Optional[Dict], seconds: float, cell: float = 0.0,
          slides: bool = False) -> Vector:
    """How far melt and what falls over come from the middle of the objects along X and Y, about. `slides`: on a plate, what has not
    melted yet floats on its melt, which runs to all sides, and may drift off to one of them."""
    found = of_objects(scene, objects, material, seconds, cell)
    boxes = [shapes.bounds(obj) for obj in objects]
    sides = [0.5 * (max(box[1][i] for box in boxes) - min(box[0][i] for box in boxes)) for i in range(3)]
    fall = 2.0 * FALL * sides[2] if any(map(shapes.falls, objects)) else 0.0
    slide = SLIDE * min(sides[0], sides[1]) if slides else 0.0
    return Vector([axis + fall + slide for axis in spread(found, (sides[0], sides[1]))] + [0.0])
