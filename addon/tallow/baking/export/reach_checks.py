# SPDX-License-Identifier: GPL-3.0-or-later
"""Heat sources that heat nothing: too far away, turned off, or with something in between. Pairs of a name and a sentence."""

from __future__ import annotations

from typing import List, Optional, Tuple

import bpy
from mathutils import Vector

from ...core import animation, estimate
from ...model import domain, roles, shapes, units
from . import motion, settings

Box = Tuple[Vector, Vector]
Found = List[Tuple[str, str]]


def check_heaters(scene: bpy.types.Scene) -> Found:
    layer = bpy.context.view_layer
    fluids = [obj for obj in roles.with_role(scene, *roles.FLUIDS) if roles.takes_part(obj, layer)]
    heaters = [obj for obj in roles.with_role(scene, *roles.HEATERS) if roles.takes_part(obj, layer)]
    if not fluids or scene.tallow.thermal_speed <= 0.0:
        return []
    found = [(obj.name, _why_nothing(scene, obj, fluids)) for obj in heaters]
    return [(name, text) for name, text in found if text]


def _why_nothing(scene: bpy.types.Scene, heater: bpy.types.Object, fluids: List[bpy.types.Object]) -> str:
    tallow = heater.tallow
    if not tallow.enabled and not _is_keyed(heater, "enabled"):
        return f"{heater.name} is turned off, so it heats nothing. Turn it on, or take its role away."
    if tallow.heat_kind != "SOLID" and tallow.power == 0.0 and not _is_keyed(heater, "power"):
        return f"{heater.name} has no power, so it heats nothing. Give it some watts."
    if motion.moves(heater):
        return ""  # it may come closer
    if tallow.heat_kind == "LAMP":
        return _lamp(scene, heater, fluids)
    if any(roles.of(obj).pours or not roles.of(obj).frozen for obj in fluids):
        return ""  # liquid goes where nobody knows before the bake
    cell = domain.cell_size(scene) / _metres(scene)
    own = shapes.bounds(heater)
    boxes = [(_gap(own, _falling(scene, shapes.bounds(obj))), obj) for obj in fluids]
    gap, nearest = min(boxes, key=lambda entry: entry[0])
    if gap <= (cell if tallow.heat_kind == "SOLID" else 0.0):
        return ""
    away = estimate.format_length(_gap(own, shapes.bounds(nearest)) * _metres(scene))
    if tallow.heat_kind == "SOLID":
        return (f"{heater.name} touches nothing that can melt: {nearest.name} is {away} away, more than a cell "
                f"({estimate.format_length(cell * _metres(scene))}). Move it closer.")
    return f"{heater.name} holds nothing that can melt: {nearest.name} is {away} away. Move it around the wax, or make it larger."


def _lamp(scene: bpy.types.Scene, lamp: bpy.types.Object, fluids: List[bpy.types.Object]) -> str:
    """A lamp shines from the middle of its mesh to all sides."""
    low, high = shapes.bounds(lamp)
    place = (low + high) / 2.0
    gaps = [(_gap((place, place), shapes.bounds(obj)), obj) for obj in fluids]
    gap, nearest = min(gaps, key=lambda entry: entry[0])
    reach = lamp.tallow.heat_range
    if reach > 0.0 and gap > reach and not any(roles.of(obj).pours or not roles.of(obj).frozen for obj in fluids):
        lengths = [estimate.format_length(length * _metres(scene)) for length in (gap, reach)]
        return (f"{lamp.name} heats nothing: {nearest.name} is {lengths[0]} away and its Range is {lengths[1]}. Raise Range, or "
                "move it closer.")
    inside = _holder(scene, place)
    if inside:
        return f"{lamp.name} shines from inside {inside.name}, which keeps its heat in. Move it out."
    return ""


def _holder(scene: bpy.types.Scene, place: Vector) -> Optional[bpy.types.Object]:
    """A solid that a place is inside of."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    for obj in roles.with_role(scene, *roles.OBSTACLES):
        low, high = shapes.bounds(obj)
        if obj.type != "MESH" or obj.mode != "OBJECT" or any(not low[i] < place[i] < high[i] for i in range(3)):
            continue
        local = obj.matrix_world.inverted_safe() @ place
        # A ray that goes out crosses the surface an odd number of times. Both ways, since an open bowl has no inside.
        if all(_crossings(obj.evaluated_get(depsgraph), local, Vector((0.0317, 0.0113, up))) % 2 for up in (1.0, -1.0)):
            return obj
    return None


def _crossings(obj: bpy.types.Object, start: Vector, direction: Vector) -> int:
    count = 0
    while count < 64:
        met, where, _normal, _face = obj.ray_cast(start, direction)
        if not met:
            break
        count, start = count + 1, where + direction * 1e-5 * max(obj.dimensions)
    return count


def _falling(scene: bpy.types.Scene, box: Box) -> Box:
    """A box down to the side of the domain to which things fall: wax that hangs in the air comes down on what is below."""
    gravity = settings.world_member(scene)["gravity"]
    if not any(gravity):
        return box
    low, high = box[0].copy(), box[1].copy()
    down = max(range(3), key=lambda i: abs(gravity[i]))
    ends = domain.bounds(domain.get(scene))
    if gravity[down] < 0.0:
        low[down] = min(low[down], ends[0][down])
    else:
        high[down] = max(high[down], ends[1][down])
    return low, high


def _gap(a: Box, b: Box) -> float:
    """The distance between two boxes; 0 where they overlap."""
    return Vector([max(0.0, a[0][i] - b[1][i], b[0][i] - a[1][i]) for i in range(3)]).length


def _is_keyed(obj: bpy.types.Object, name: str) -> bool:
    return animation.is_keyed(obj.animation_data, f"tallow.{name}")


def _metres(scene: bpy.types.Scene) -> float:
    return units.metres_per_unit(scene)
