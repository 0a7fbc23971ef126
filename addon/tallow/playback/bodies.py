# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies follow the bake. Where they stood before is kept, for the next bake and for when it is freed."""

from __future__ import annotations

from typing import Iterator, Optional, Tuple

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
        matrix = Matrix.LocRotScale(position, rotation, _matrix(tallow.rest_matrix).to_scale())
        obj.matrix_world = matrix
        tallow.placed_matrix = _flat(matrix)
        _keep_still(obj)


def _keep_still(obj: bpy.types.Object) -> None:
    """A body that is also one of Blender's own simulation would fall away from the bake: make it one of the animated ones."""
    if obj.rigid_body and obj.rigid_body.type == "ACTIVE" and not obj.rigid_body.kinematic:
        obj.rigid_body.kinematic, obj.tallow.made_kinematic = True, True


def placements(scene: bpy.types.Scene, cache: Cache, frame: int,
               share: float = 0.0) -> Iterator[Tuple[bpy.types.Object, Vector, Quaternion]]:
    """The scene's bodies and where the bake has them at a share of the way to the next frame, in Blender units."""
    scale = 1.0 / scene.unit_settings.scale_length
    coming = {body.get("name"): body for body in cache.bodies(frame + 1)} if share > 0.0 else {}
    for body in cache.bodies(frame):
        obj = scene.objects.get(body.get("name", ""))
        if obj and obj.tallow.role == "RIGID" and obj.tallow.follow_bake:
            try:
                position, rotation = body["position"], body["rotation"]
                if body["name"] in coming:
                    position, rotation = blend.between(body, coming[body["name"]], share, _frame_seconds(scene, cache))
                yield obj, Vector(position) * scale, Quaternion(rotation).normalized()
            except (KeyError, TypeError, ValueError):
                continue


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
    placed = _matrix(obj.tallow.placed_matrix)
    size = max(1.0, placed.translation.length)
    return any(abs(a - b) > TOLERANCE * size for a, b in zip(_flat(placed), _flat(obj.matrix_world)))


def _flat(matrix: Matrix) -> Tuple[float, ...]:
    return tuple(value for row in matrix for value in row)


def _matrix(values) -> Matrix:
    return Matrix([values[i:i + 4] for i in (0, 4, 8, 12)])
