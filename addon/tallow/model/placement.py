# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bodies stand for a new bake. Playback moves them, so their first place is kept beside the object."""

from __future__ import annotations

from typing import Optional, Tuple

import bpy
from mathutils import Matrix

from ..core import animation
from . import roles

TOLERANCE = 1e-4


def world(obj: bpy.types.Object) -> Matrix:
    """Where an object is.

    Files of Blender 4 and newer do not hold `matrix_world`. It is right once Blender has evaluated the object, which it does
    after the load handlers, and never for an object that is disabled in the viewport. So settings and parents say it here.
    """
    if not _tells_its_place(obj):
        return obj.matrix_world
    return parent_space(obj) @ obj.matrix_basis


def is_evaluated_only(obj: bpy.types.Object) -> bool:
    """Whether only an evaluation tells where an object is: its own settings and those of its parents do not."""
    return not _tells_its_place(obj) or bool(obj.parent and is_evaluated_only(obj.parent))


def _tells_its_place(obj: bpy.types.Object) -> bool:
    """Whether settings say where an object is in the space of its parent."""
    body = obj.rigid_body
    simulated = body and body.type == "ACTIVE" and not body.kinematic
    return not (obj.constraints or simulated) and (obj.parent is None or _hangs_on_object(obj))


def _hangs_on_object(obj: bpy.types.Object) -> bool:
    """Whether it keeps its place relative to its parent: not to a bone, a vertex or a path of it."""
    return obj.parent_type == "OBJECT" and not (obj.parent.type == "CURVE" and obj.parent.data.use_path)


def put(obj: bpy.types.Object, matrix: Matrix) -> None:
    """Move an object to a place in the world, also where Blender has not evaluated its parent yet."""
    if not _tells_its_place(obj):
        obj.matrix_world = matrix
        # Not always what was asked for: under a stretched parent a turned object cannot be shown.
        obj.matrix_world = parent_space(obj) @ obj.matrix_basis
        return
    space = parent_space(obj)
    back = space.inverted_safe()
    obj.matrix_basis = back @ matrix
    shown = space @ obj.matrix_basis
    obj.matrix_world = shown  # right before the next redraw
    obj.matrix_basis = back @ shown  # Blender took it back from where it believes the parent to be


def start_matrix(obj: bpy.types.Object) -> Optional[Matrix]:
    """Where an object stands for a new bake, if playback has moved it: a body, or what hangs on one as its child."""
    if roles.of(obj).body and obj.tallow.has_rest and obj.tallow.follow_bake:
        return rest_matrix(obj)
    start = start_matrix(obj.parent) if obj.parent else None
    return start @ world(obj.parent).inverted_safe() @ world(obj) if start else None


def rest_matrix(obj: bpy.types.Object) -> Optional[Matrix]:
    """Where a body stands for a new bake, if playback has moved it away from there."""
    if not obj.tallow.has_rest or not obj.tallow.follow_bake or was_moved(obj):
        return None
    return matrix_of(obj.tallow.rest_matrix)


def parent_space(obj: bpy.types.Object) -> Matrix:
    """What location, rotation and scale of an object are relative to."""
    if obj.parent is None:
        return Matrix()
    if _hangs_on_object(obj):
        return world(obj.parent) @ obj.matrix_parent_inverse
    return obj.matrix_world @ obj.matrix_basis.inverted_safe()


def was_moved(obj: bpy.types.Object) -> bool:
    if animation.moves_place(obj.animation_data):
        return False  # its own animation moves it back on every frame
    if _is_carried(obj.parent) or is_evaluated_only(obj):
        return _differ(matrix_of(obj.tallow.placed_basis), obj.matrix_basis)
    return _differ(matrix_of(obj.tallow.placed_matrix), world(obj))


def _is_carried(parent: Optional[bpy.types.Object]) -> bool:
    """Whether what hangs on a parent moves without the artist's hand."""
    if parent is None:
        return False
    return bool(animation.moves_place(parent.animation_data) or parent.constraints or parent.tallow.has_rest or _is_carried(parent.parent))


def _differ(placed: Matrix, now: Matrix) -> bool:
    size = max(1.0, placed.translation.length)
    return any(abs(a - b) > TOLERANCE * size for a, b in zip(flat(placed), flat(now)))


def flat(matrix: Matrix) -> Tuple[float, ...]:
    return tuple(value for row in matrix for value in row)


def matrix_of(values) -> Matrix:
    return Matrix([values[i:i + 4] for i in (0, 4, 8, 12)])
