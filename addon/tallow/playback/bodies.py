# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies follow the bake. Where they stood before is kept, for the next bake and for when it is freed."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

import bpy
from mathutils import Matrix, Quaternion, Vector

from ..core import animation, blend
from ..core.cache import Cache

TOLERANCE = 1e-4


def moment(cache: Cache, frame: int, subframe: float) -> Tuple[Optional[int], float]:
    """The baked frame, and the share of the way to the next one, at which bodies are shown."""
    shown = cache.nearest(frame)
    return shown, subframe if shown == frame and frame + 1 in cache.frames else 0.0


def show(scene: bpy.types.Scene, cache: Cache, frame: int, share: float = 0.0) -> None:
    for obj, position, rotation in placements(scene, cache, frame, share):
        tallow = obj.tallow
        if not tallow.has_rest or _was_moved(obj):
            # First time, or the artist moved it by hand: that is where the next bake starts from.
            tallow.rest_matrix, tallow.has_rest = _flat(obj.matrix_world), True
        rest = _matrix(tallow.rest_matrix)
        turn = rotation @ rest.to_quaternion().inverted()
        obj.matrix_world = Matrix.Translation(position) @ (turn.to_matrix() @ rest.to_3x3()).to_4x4()
        # Not always what was asked for: under a stretched parent a turned object cannot be shown.
        obj.matrix_world = parent_space(obj) @ obj.matrix_basis
        tallow.placed_matrix, tallow.placed_basis = _flat(obj.matrix_world), _flat(obj.matrix_basis)
        _keep_still(obj)


def parent_space(obj: bpy.types.Object) -> Matrix:
    """What location, rotation and scale of an object are relative to."""
    if obj.parent is None:
        return Matrix()
    if obj.parent_type == "OBJECT":
        return obj.parent.matrix_world @ obj.matrix_parent_inverse
    return obj.matrix_world @ obj.matrix_basis.inverted_safe()


def _keep_still(obj: bpy.types.Object) -> None:
    """A body that is also one of Blender's own simulation would fall away from the bake: make it one of the animated ones."""
    if obj.rigid_body and obj.rigid_body.type == "ACTIVE" and not obj.rigid_body.kinematic:
        obj.rigid_body.kinematic, obj.tallow.made_kinematic = True, True


def placements(scene: bpy.types.Scene, cache: Cache, frame: int,
               share: float = 0.0) -> List[Tuple[bpy.types.Object, Vector, Quaternion]]:
    """The scene's bodies and where the bake has them at a share of the way to the next frame, in Blender units."""
    baked = cache.bodies(frame)
    if not baked:
        return []
    scale, objects = 1.0 / scene.unit_settings.scale_length, _find_bodies(scene, cache)
    coming = {body.get("name"): body for body in cache.bodies(frame + 1)} if share > 0.0 else {}
    found = []
    for body in baked:
        obj = objects.get(body.get("name", ""))
        if obj and obj.tallow.follow_bake:
            try:
                position, rotation = body["position"], body["rotation"]
                if body["name"] in coming:
                    position, rotation = blend.between(body, coming[body["name"]], share, _frame_seconds(scene, cache))
                found.append((obj, Vector(position) * scale, Quaternion(rotation).normalized()))
            except (KeyError, TypeError, ValueError):
                continue
    return sorted(found, key=lambda placement: _depth(placement[0]))  # parents first: children are placed relative to them


def _find_bodies(scene: bpy.types.Scene, cache: Cache) -> Dict[str, bpy.types.Object]:
    """Bodies by their names in the bake. Each keeps that name, since the artist may give it another one."""
    bake, found = cache.folder.name, {}
    bodies = sorted((obj for obj in scene.objects if obj.tallow.role == "RIGID"), key=lambda obj: obj.name)
    for obj in bodies:
        if obj.tallow.baked_in == bake:
            if found.setdefault(obj.tallow.baked_name, obj) != obj:
                obj.tallow.baked_in, obj.tallow.has_rest = "", False  # a copy of a body, which is not in the bake
    known = set(found.values())
    for obj in bodies:
        if obj not in known and found.setdefault(obj.name, obj) == obj:
            obj.tallow.baked_in, obj.tallow.baked_name = bake, obj.name
    return found


def _depth(obj: bpy.types.Object) -> int:
    return 1 + _depth(obj.parent) if obj.parent else 0


def _frame_seconds(scene: bpy.types.Scene, cache: Cache) -> float:
    return 1.0 / (cache.info.get("fps") or scene.render.fps / scene.render.fps_base)


def rest_matrix(obj: bpy.types.Object) -> Optional[Matrix]:
    """Where a body stands for a new bake, if playback has moved it away from there."""
    if not obj.tallow.has_rest or not obj.tallow.follow_bake or _was_moved(obj):
        return None
    return _matrix(obj.tallow.rest_matrix)


def start_matrix(obj: bpy.types.Object) -> Optional[Matrix]:
    """Where an object stands for a new bake, if playback has moved it: a body, or what hangs on one as its child."""
    if obj.tallow.role == "RIGID" and obj.tallow.has_rest and obj.tallow.follow_bake:
        return rest_matrix(obj)
    start = start_matrix(obj.parent) if obj.parent else None
    return start @ obj.parent.matrix_world.inverted_safe() @ obj.matrix_world if start else None


def restore(scene: bpy.types.Scene) -> None:
    for obj in scene.objects:
        if obj.tallow.has_rest:
            if obj.tallow.follow_bake and not _was_moved(obj):
                obj.matrix_world = _matrix(obj.tallow.rest_matrix)
            if obj.tallow.follow_bake and obj.tallow.made_kinematic and obj.rigid_body:
                obj.rigid_body.kinematic, obj.tallow.made_kinematic = False, False
            obj.tallow.has_rest = False


def _was_moved(obj: bpy.types.Object) -> bool:
    if animation.moves_place(obj.animation_data):
        return False  # its own animation moves it back on every frame
    if _is_carried(obj.parent):
        return _differ(_matrix(obj.tallow.placed_basis), obj.matrix_basis)
    return _differ(_matrix(obj.tallow.placed_matrix), obj.matrix_world)


def _is_carried(parent: Optional[bpy.types.Object]) -> bool:
    """Whether what hangs on a parent moves without the artist's hand."""
    if parent is None:
        return False
    return bool(animation.moves_place(parent.animation_data) or parent.constraints or parent.tallow.has_rest or _is_carried(parent.parent))


def _differ(placed: Matrix, now: Matrix) -> bool:
    size = max(1.0, placed.translation.length)
    return any(abs(a - b) > TOLERANCE * size for a, b in zip(_flat(placed), _flat(now)))


def _flat(matrix: Matrix) -> Tuple[float, ...]:
    return tuple(value for row in matrix for value in row)


def _matrix(values) -> Matrix:
    return Matrix([values[i:i + 4] for i in (0, 4, 8, 12)])
