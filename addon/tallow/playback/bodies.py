# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies follow the bake. Where they stood before is kept, for the next bake and for when it is freed."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

import bpy
from mathutils import Matrix, Quaternion, Vector

from ..core import blend
from ..core.cache import Cache
from ..model import placement, roles, units
from . import shown


def moment(cache: Cache, frame: int, subframe: float) -> Tuple[Optional[int], float]:
    """The baked frame, and the share of the way to the next one, at which bodies are shown."""
    nearest = cache.nearest(frame)
    seen = shown.whole(cache, nearest, "bodies") if nearest is not None and cache.has_bodies else None
    seen = nearest if seen is None else seen
    return seen, subframe if seen == frame and frame + 1 in cache.frames else 0.0


def show(scene: bpy.types.Scene, cache: Cache, frame: int, share: float = 0.0) -> None:
    for obj, position, rotation in placements(scene, cache, frame, share):
        tallow = obj.tallow
        if not tallow.has_rest or placement.was_moved(obj):
            # First time, or the artist moved it by hand: that is where the next bake starts from.
            tallow.rest_matrix, tallow.has_rest = placement.flat(placement.world(obj)), True
        rest = placement.matrix_of(tallow.rest_matrix)
        turn = rotation @ rest.to_quaternion().inverted()
        placement.put(obj, Matrix.Translation(position) @ (turn.to_matrix() @ rest.to_3x3()).to_4x4())
        tallow.placed_matrix, tallow.placed_basis = placement.flat(placement.world(obj)), placement.flat(obj.matrix_basis)
        _keep_still(obj)


def prepare(scene: bpy.types.Scene) -> None:
    """Let Blender work out where bodies are that hang on a bone or have a constraint. Neither a file nor a step of undo says it."""
    bodies = (obj for obj in scene.objects if roles.of(obj).body and obj.tallow.follow_bake)
    if any(placement.is_evaluated_only(obj) for obj in bodies):
        scene.view_layers[0].update()


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
    scale, objects = 1.0 / units.metres_per_unit_of(scene, cache), _find_bodies(scene, cache)
    coming = {body.get("name"): body for body in cache.bodies(frame + 1)} if share > 0.0 else {}
    found = []
    for body in baked:
        obj = objects.get(body.get("name", ""))
        if obj and obj.tallow.follow_bake:
            try:
                position, rotation = body["position"], body["rotation"]
                if body["name"] in coming:
                    position, rotation = blend.between(body, coming[body["name"]], share, cache.frame_seconds(frame))
                found.append((obj, Vector(position) * scale, Quaternion(rotation).normalized()))
            except (KeyError, TypeError, ValueError):
                continue
    return sorted(found, key=lambda entry: _depth(entry[0]))  # parents first: children are placed relative to them


def _find_bodies(scene: bpy.types.Scene, cache: Cache) -> Dict[str, bpy.types.Object]:
    """Bodies by their names in the bake. Each keeps that name, since the artist may give it another one."""
    bake, found = cache.folder.name, {}
    bodies = sorted((obj for obj in scene.objects if roles.of(obj).body), key=lambda obj: obj.name)
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


def restore(scene: bpy.types.Scene) -> None:
    for obj in scene.objects:
        if obj.tallow.has_rest:
            if obj.tallow.follow_bake and not placement.was_moved(obj):
                placement.put(obj, placement.matrix_of(obj.tallow.rest_matrix))
            if obj.tallow.follow_bake and obj.tallow.made_kinematic and obj.rigid_body:
                obj.rigid_body.kinematic, obj.tallow.made_kinematic = False, False
            obj.tallow.has_rest = False
