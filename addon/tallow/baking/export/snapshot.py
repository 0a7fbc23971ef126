# SPDX-License-Identifier: GPL-3.0-or-later
"""What an export would write now, without meshes and without going through the frames: cheap enough while an artist works."""

from __future__ import annotations

import zlib
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Set

import bpy
from mathutils import Matrix

from ...core import animation, presets, scene_file
from ...model import placement, roles, shot
from ...model.materials import lookup
from . import motion, objects, settings


class Snapshot(NamedTuple):
    scene: Dict[str, Any]  # as scene.json, with materials inside of objects; keys of what moves are left out
    found: Dict[str, bpy.types.Object]  # its objects, by name
    fields: Dict[str, bpy.types.Object]  # its force fields


def take(scene: bpy.types.Scene, layer: bpy.types.ViewLayer, scale: float) -> Snapshot:
    first, last = shot.frame_range(scene)
    taking_part = [obj for obj in roles.with_role(scene) if roles.takes_part(obj, layer)]
    fields = [obj for obj in scene.objects if objects.is_force(obj) and roles.takes_part(obj, layer)]
    joints = [_joint(obj, taking_part, scale) for obj in scene.objects if objects.is_joint(obj)]
    return Snapshot({
        "frames": {"start": first, "end": last, "fps": shot.frame_rate(scene)},
        "domain": settings.domain_member(scene), "world": _world(scene), "solver": settings.solver_member(scene),
        "output": settings.output_member(scene), "objects": [_object(scene, obj, scale) for obj in taking_part],
        "forces": [_force(obj, scale) for obj in fields],
        "joints": [joint for joint in joints if joint],
    }, {obj.name: obj for obj in taking_part}, {obj.name: obj for obj in fields})


def _world(scene: bpy.types.Scene) -> Dict[str, Any]:
    """As one key says it; empty when it is animated."""
    return {} if settings.world_changes(scene) else scene_file.world_with_keys([{"time": 0.0, **settings.world_member(scene)}])


def _track(obj: bpy.types.Object) -> motion.Track:
    track = motion.Track(obj)
    track.matrices, track.times = [_place(obj)], [0.0]
    track.settings = [motion.read_settings(obj)]
    return track


def _place(obj: bpy.types.Object) -> Matrix:
    return placement.start_matrix(obj) or placement.world(obj)


def _object(scene: bpy.types.Scene, obj: bpy.types.Object, scale: float) -> Dict:
    keys = [] if motion.moves(obj) else _track(obj).keys(scale)
    member = objects.object_member(obj, None, keys, None, scale)
    if roles.of(obj).fluid:
        material = lookup(scene, obj.tallow.material)
        if material:
            member["material"] = presets.scene_member(material, material["label"])
    return member


def _force(obj: bpy.types.Object, scale: float) -> Dict:
    member = objects.force_member(_track(obj), scale)
    return {**member, "keys": []} if motion.moves(obj) else member


def _joint(obj: bpy.types.Object, taking_part: List[bpy.types.Object], scale: float) -> Optional[Dict]:
    held = [body for body in (obj.rigid_body_constraint.object1, obj.rigid_body_constraint.object2) if body]
    if any(objects.is_held(body) and body not in taking_part for body in held):
        return None
    member = objects.joint_member(obj, held, _place(obj), scale, [])
    return {**member, "anchor": [], "axis": []} if member and motion.moves(obj) else member


def inner_matrix(obj: bpy.types.Object):
    """The part of an object's place that goes into its mesh."""
    return _track(obj).inner_matrix()


def digests(scene: bpy.types.Scene, moving: Iterable[bpy.types.Object]) -> Dict[str, Any]:
    """A number per frame for every object that moves, which changes when its animation on that frame does."""
    first, last = shot.frame_range(scene)
    found = {"first": first, "objects": {obj.name: _digest(obj, first, last) for obj in moving}}
    return {**found, "world": _world_digest(scene, first, last)} if settings.world_changes(scene) else found


def _world_digest(scene: bpy.types.Scene, first: int, last: int) -> List[int]:
    data = scene.animation_data
    curves = [curve for curve in animation.all_curves(data) if curve.data_path in settings.WORLD]
    keyed = animation.paths(data)
    words = [f"{path} {_value(scene, path)}" for path in settings.WORLD + ("tallow.use_scene_gravity",) if path not in keyed]
    return _frame_digests(curves, words + _animation_words(data), first, last)


def _value(scene: bpy.types.Scene, path: str) -> str:
    value = scene.path_resolve(path)
    return str(value) if isinstance(value, bool) else " ".join(f"{part:.6g}" for part in getattr(value, "to_tuple", lambda: (value,))())


def _digest(obj: bpy.types.Object, first: int, last: int) -> List[int]:
    curves: List[Any] = []
    still: List[str] = []
    for found in _sources(obj, set()):
        curves += animation.all_curves(found.animation_data)
        still += _still_words(found)
    return _frame_digests(curves, still, first, last)


def _frame_digests(curves: List[Any], still: List[str], first: int, last: int) -> List[int]:
    start = zlib.crc32("\n".join(still).encode())
    return [zlib.crc32(" ".join(f"{curve.evaluate(frame):.6g}" for curve in curves).encode(), start)
            for frame in range(first, last + 1)]


def _sources(obj: bpy.types.Object, seen: Set[Any]) -> List[Any]:
    """All that has a say in where an object is and what shape it has: itself, its data, parents and targets of constraints."""
    if obj is None or obj in seen:
        return []
    seen.add(obj)
    data = obj.data
    found = [obj] + [part for part in (data, getattr(data, "shape_keys", None)) if part is not None]
    for other in [obj.parent, *(getattr(constraint, "target", None) for constraint in obj.constraints),
                  *(getattr(modifier, "object", None) for modifier in obj.modifiers)]:
        if isinstance(other, bpy.types.Object):
            found += _sources(other, seen)
    return [part for part in found if hasattr(part, "animation_data")]


def _still_words(found: Any) -> List[str]:
    """What curves do not tell: expressions, strips, constraints, and where something stands that has no curves of its own."""
    data = found.animation_data
    words = _animation_words(data)
    if isinstance(found, bpy.types.Object):
        words += [f"{constraint.type} {constraint.influence:.6g} {constraint.mute}" for constraint in found.constraints]
        if not roles.of(found).body and not animation.moves_place(data):
            words += [f"{round(value, 5) + 0.0:.6g}" for value in placement.flat(found.matrix_basis)]
    return words


def _animation_words(data: Any) -> List[str]:
    if not data:
        return []
    strips = [strip for track in data.nla_tracks for strip in track.strips]
    return [curve.driver.expression for curve in data.drivers] + [f"{strip.frame_start:.6g} {strip.scale:.6g}" for strip in strips]
