# SPDX-License-Identifier: GPL-3.0-or-later
"""Wax that will run as far as closed sides of the domain once it has melted. Pairs of a name and a sentence."""

from __future__ import annotations

from typing import List, Tuple

import bpy
from mathutils import Vector

from ...core import animation, scene_file
from ...model import domain, puddle, roles, shapes, shot, units
from ...model.materials import lookup
from . import settings

BEYOND = 1.15  # times: a puddle that would come only a little farther than the side is not worth a warning
Found = List[Tuple[str, str]]


def check_sides(scene: bpy.types.Scene) -> Found:
    """Only of wax on a plain floor: bowls and tanks keep their own counsel."""
    if scene.tallow.thermal_speed <= 0.0 or not _is_promised(scene):
        return []
    low, high = domain.bounds(domain.get(scene))
    closed = [(number, side) for number, (side, wall) in enumerate(settings.SIDES[:4]) if getattr(scene.tallow, wall) != "OPEN"]
    found: Found = []
    for obj in roles.with_role(scene, *roles.FROZEN):
        material = lookup(scene, obj.tallow.material)
        if material is None or not roles.takes_part(obj, bpy.context.view_layer) or _is_held(scene, obj):
            continue
        box = shapes.bounds(obj)
        middle = (box[0] + box[1]) / 2.0
        radius = puddle.of_objects(scene, [obj], material, shot.seconds(scene), domain.cell_size(scene))
        axes = puddle.spread(radius, (middle.x - box[0].x, middle.y - box[0].y))
        room = [(middle[i] - low[i], high[i] - middle[i])[side] for i in range(2) for side in range(2)]
        reached = [side.upper() for number, side in closed if 0.0 < BEYOND * room[number] < axes[number // 2]]
        if reached:
            found.append((obj.name, _sentence(scene, obj, max(axes), reached)))
    return found


def _sentence(scene: bpy.types.Scene, obj: bpy.types.Object, radius: float, reached: List[str]) -> str:
    many = len(reached) > 1
    return (f"{obj.name} will run about {units.as_shown(scene, radius)} to all sides once it has melted, as far as the closed "
            f"{'sides' if many else 'side'} {scene_file.join_words(reached, 4)} of the domain, which {'hold' if many else 'holds'} it like "
            f"an invisible wall. Make the domain wider, or open {'them' if many else 'it'} under Walls.")


def _is_promised(scene: bpy.types.Scene) -> bool:
    """Whether most of the wax is expected to melt: else it does not become a puddle of all its volume."""
    keyed = animation.is_keyed(scene.animation_data, "tallow.thermal_speed")
    return not keyed and scene.tallow.melt_speed > 0.0 and not scene.tallow.melt_missed and scene.tallow.melt_percent >= 60 \
        and scene.tallow.thermal_speed >= 0.5 * scene.tallow.melt_speed


def _is_held(scene: bpy.types.Scene, wax: bpy.types.Object) -> bool:
    """Whether a solid reaches around the wax, as a bowl does."""
    low, high = shapes.bounds(wax)
    for obj in roles.with_role(scene, *roles.OBSTACLES):
        if obj == wax or not roles.takes_part(obj, bpy.context.view_layer):
            continue
        box: Tuple[Vector, Vector] = shapes.bounds(obj)
        around = all(box[0][i] <= low[i] and box[1][i] >= high[i] for i in range(2))
        if around and box[1].z > low.z + 0.1 * (high.z - low.z):
            return True
    return False
