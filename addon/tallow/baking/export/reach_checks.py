# SPDX-License-Identifier: GPL-3.0-or-later
"""Heat sources that heat nothing: too far away, turned off, or with something in between. Pairs of a name and a sentence."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

import bpy
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ...core import animation
from ...model import domain, roles, shapes, units
from . import motion, settings

Box = Tuple[Vector, Vector]
Found = List[Tuple[str, str]]
NEAR = 0.05  # of the size of the smaller one: closer is as good as touching


def check_heaters(scene: bpy.types.Scene) -> Found:
    layer = bpy.context.view_layer
    fluids = [obj for obj in roles.with_role(scene, *roles.FLUIDS) if roles.takes_part(obj, layer)]
    if not fluids or scene.tallow.thermal_speed <= 0.0:
        return []
    found = [(obj.name, _why_nothing(scene, obj, fluids) if roles.takes_part(obj, layer) else
              f"{obj.name} is disabled in the viewport or excluded, so it heats nothing. Enable it in the Outliner.")
             for obj in roles.with_role(scene, *roles.HEATERS)]
    return [(name, text) for name, text in found if text]


def _why_nothing(scene: bpy.types.Scene, heater: bpy.types.Object, fluids: List[bpy.types.Object]) -> str:
    tallow = heater.tallow
    if not tallow.enabled and not _is_keyed(heater, "enabled"):
        return f"{heater.name} is turned off, so it heats nothing. Turn it on, or take its role away."
    if tallow.heat_kind != "SOLID" and tallow.power == 0.0 and not _is_keyed(heater, "power"):
        return f"{heater.name} has no power, so it heats nothing. Give it some watts."
    coldest = min(obj.tallow.temperature for obj in fluids)
    if tallow.heat_kind == "SOLID" and tallow.temperature <= coldest and not _is_keyed(heater, "temperature"):
        return (f"{heater.name} heats nothing: it has {tallow.temperature:.0f} °C, and all that can melt is as warm from the start. Raise "
                "its temperature.")
    if motion.moves(heater):
        return ""  # it may come closer
    if tallow.heat_kind == "LAMP":
        return _lamp(scene, heater, fluids)
    if any(roles.of(obj).pours or not roles.of(obj).frozen for obj in fluids):
        return ""  # liquid goes where nobody knows before the bake
    cell = domain.cell_size(scene) / _metres(scene)
    own = shapes.bounds(heater)
    boxes = [(shapes.gap(own, _falling(scene, shapes.bounds(obj))), obj) for obj in fluids]
    gap, nearest = min(boxes, key=lambda entry: entry[0])
    if gap <= (cell if tallow.heat_kind == "SOLID" else 0.0):
        return _beside(scene, heater, fluids, cell) if tallow.heat_kind == "SOLID" else ""
    away = units.as_shown(scene, shapes.gap(own, shapes.bounds(nearest)))
    if tallow.heat_kind == "SOLID":
        return (f"{heater.name} touches nothing that can melt: {nearest.name} is {away} away, more than a cell "
                f"({units.as_shown(scene, cell)}). Move it closer.")
    return f"{heater.name} holds nothing that can melt: {nearest.name} is {away} away. Move it around the wax, or make it larger."


def may_touch(scene: bpy.types.Scene, obj: bpy.types.Object, wax: bpy.types.Object) -> bool:
    """Whether something hot is or comes beside wax, which may fall onto it. What moves or flows may go anywhere."""
    if motion.moves(wax) or motion.moves(obj) or not roles.is_solid(obj):
        return True
    cell = domain.cell_size(scene) / _metres(scene)
    return shapes.gap(shapes.bounds(obj), _falling(scene, shapes.bounds(wax))) <= cell


def _beside(scene: bpy.types.Scene, heater: bpy.types.Object, fluids: List[bpy.types.Object], cell: float) -> str:
    """A plate whose box has wax in it and that does not touch the wax, like a ring around it."""
    gaps = [(_surface_gap(scene, heater, obj), obj) for obj in fluids]
    gap, nearest = min(gaps, key=lambda entry: entry[0])
    # Places are some hundred: the nearest two may be a little farther from each other than the surfaces are.
    if gap <= max(2.0 * cell, NEAR * min(max(heater.dimensions), max(nearest.dimensions))):
        return ""
    return (f"{heater.name} touches nothing that can melt: {nearest.name} is about {units.as_shown(scene, gap)} away. "
            "Move it closer.")


def _surface_gap(scene: bpy.types.Scene, heater: bpy.types.Object, wax: bpy.types.Object) -> float:
    """The distance between two surfaces; 0 where they cross, where one is inside of the other or the wax falls onto the heater."""
    hot, cold = shapes.tree(heater), shapes.tree(wax)
    if hot.overlap(cold) or _is_inside(hot, shapes.places(wax)) or _is_inside(cold, shapes.places(heater)):
        return 0.0
    down = Vector(settings.world_member(scene)["gravity"])
    if down.length > 0.0 and any(hot.ray_cast(place, down.normalized())[0] for place in shapes.places(wax)):
        return 0.0
    found = [tree.find_nearest(place)[3] for tree, other in ((hot, wax), (cold, heater)) for place in shapes.places(other)]
    return min((gap for gap in found if gap is not None), default=0.0)


def _is_inside(tree: BVHTree, places: List[Vector]) -> bool:
    """Whether the first place is. A ray that goes out crosses the surface an odd number of times. Both ways, since an open bowl has
    no inside."""
    return bool(places) and all(_crossings(tree, places[0], Vector((0.0317, 0.0113, up))) % 2 for up in (1.0, -1.0))


def _lamp(scene: bpy.types.Scene, lamp: bpy.types.Object, fluids: List[bpy.types.Object]) -> str:
    """A lamp shines from the middle of its mesh to all sides."""
    low, high = shapes.bounds(lamp)
    place = (low + high) / 2.0
    gaps = [(shapes.gap((place, place), shapes.bounds(obj)), obj) for obj in fluids]
    gap, nearest = min(gaps, key=lambda entry: entry[0])
    reach = lamp.tallow.heat_range
    if reach > 0.0 and gap > reach and not any(roles.of(obj).pours or not roles.of(obj).frozen for obj in fluids):
        lengths = [units.as_shown(scene, length) for length in (gap, reach)]
        return (f"{lamp.name} heats nothing: {nearest.name} is {lengths[0]} away and its Range is {lengths[1]}. Raise Range, or "
                "move it closer.")
    inside = _holder(scene, place)
    if inside:
        return f"{lamp.name} shines from inside {inside.name}, which keeps its heat in. Move it out."
    shade = _shade(scene, place, fluids)
    return f"{lamp.name} heats nothing: {shade.name} stands between it and what can melt. Move one of them." if shade else ""


def _shade(scene: bpy.types.Scene, place: Vector, fluids: List[bpy.types.Object]) -> Optional[bpy.types.Object]:
    """The still solid that keeps all light of a lamp away from wax that stays where it is."""
    if any(roles.of(obj).pours or not roles.of(obj).frozen or motion.moves(obj) for obj in fluids):
        return None
    layer = bpy.context.view_layer
    walls = [obj for obj in roles.with_role(scene, *roles.OBSTACLES) if roles.takes_part(obj, layer) and not motion.moves(obj)]
    shades: Dict[str, bpy.types.Object] = {}
    for target in (target for obj in fluids for target in shapes.places(obj)):
        ray = target - place
        reach = ray.length * (1.0 - 1e-4)
        shade = next((obj for obj in walls if shapes.tree(obj).ray_cast(place, ray.normalized(), reach)[0]), None)
        if shade is None:
            return None
        shades[shade.name] = shade
    return next(iter(shades.values()), None)


def _holder(scene: bpy.types.Scene, place: Vector) -> Optional[bpy.types.Object]:
    """A solid that a place is inside of."""
    for obj in roles.with_role(scene, *roles.OBSTACLES):
        low, high = shapes.bounds(obj)
        if obj.type != "MESH" or obj.mode != "OBJECT" or any(not low[i] < place[i] < high[i] for i in range(3)):
            continue
        if _is_inside(shapes.tree(obj), [place]):
            return obj
    return None


def _crossings(tree: BVHTree, start: Vector, direction: Vector) -> int:
    count, direction = 0, direction.normalized()
    step = 1e-5 * max(1e-6, start.length, *((tree.find_nearest(start)[3] or 0.0),))
    while count < 64:
        where = tree.ray_cast(start, direction)[0]
        if where is None:
            break
        count, start = count + 1, where + direction * step
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


def _is_keyed(obj: bpy.types.Object, name: str) -> bool:
    return animation.is_keyed(obj.animation_data, f"tallow.{name}")


def _metres(scene: bpy.types.Scene) -> float:
    return units.metres_per_unit(scene)
