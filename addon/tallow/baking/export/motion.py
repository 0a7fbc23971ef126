# SPDX-License-Identifier: GPL-3.0-or-later
"""What moves, sampled once per frame: transforms, animated settings, and meshes that change their shape."""

from __future__ import annotations

from typing import Dict, List, Optional, Set

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from ...core.presets import ZERO_CELSIUS
from ...core.scene_file import merge_keys, number, vector
from ...model import meshes, roles


def is_animated(id_data) -> bool:
    animation = getattr(id_data, "animation_data", None)
    return bool(animation and (animation.action or animation.drivers or animation.nla_tracks))


def moves(obj: bpy.types.Object, seen: Optional[Set[str]] = None) -> bool:
    """Whether the object's place or settings may change over time, by itself, its parents or constraints."""
    seen = seen if seen is not None else set()
    if obj.name in seen:
        return False
    seen.add(obj.name)
    if is_animated(obj) or is_animated(obj.data) or obj.constraints or obj.parent_type in ("BONE", "VERTEX", "VERTEX_3"):
        return True
    if obj.rigid_body and obj.rigid_body.type == "ACTIVE" and not (roles.of(obj).body or roles.of(obj).source):
        return True
    return bool(obj.parent and moves(obj.parent, seen))


def may_deform(obj: bpy.types.Object) -> bool:
    """Whether the shape itself may change over time."""
    keys = getattr(obj.data, "shape_keys", None)
    return bool(obj.modifiers and (is_animated(obj) or any(_is_lively(m) for m in obj.modifiers))
                or (keys and is_animated(keys)) or is_animated(obj.data) or obj.soft_body)


def _is_lively(modifier: bpy.types.Modifier) -> bool:
    return modifier.type in {
        "ARMATURE", "CLOTH", "SOFT_BODY", "HOOK", "LATTICE", "MESH_CACHE", "MESH_SEQUENCE_CACHE", "WAVE", "CURVE",
        "SHRINKWRAP", "OCEAN", "NODES", "SURFACE_DEFORM", "MESH_DEFORM", "EXPLODE", "CAST", "DISPLACE", "WARP",
        "SIMPLE_DEFORM", "DYNAMIC_PAINT"}


class Track:
    """The samples of one object."""

    def __init__(self, obj: bpy.types.Object) -> None:
        self.obj = obj
        self.matrices: List[Matrix] = []
        self.settings: List[Dict] = []
        self.times: List[float] = []

    def sample(self, depsgraph: bpy.types.Depsgraph, time: float, matrix: Optional[Matrix] = None) -> None:
        evaluated = self.obj.evaluated_get(depsgraph)
        self.matrices.append((matrix or evaluated.matrix_world).copy())
        self.settings.append(read_settings(evaluated))
        self.times.append(time)

    @property
    def constant_scale(self) -> bool:
        first = self.matrices[0].to_scale()
        return all((m.to_scale() - first).length <= 1e-5 * first.length for m in self.matrices[1:])

    def inner_matrix(self) -> np.ndarray:
        """The part of the transform that goes into the mesh: scale and shear, which a key cannot hold as well."""
        if not self.constant_scale:
            return np.identity(3)
        return np.array(rotation_of(self.matrices[0]).to_matrix().transposed() @ self.matrices[0].to_3x3())

    def keys(self, scale: float, with_place: bool = True) -> List[Dict]:
        """Keys for scene.json; `scale` turns Blender units into metres."""
        keep_scale = with_place and not self.constant_scale
        keys: List[Dict] = []
        last: Optional[Quaternion] = None
        for time, matrix, settings in zip(self.times, self.matrices, self.settings):
            key: Dict = {"time": number(time)}
            rotation = rotation_of(matrix)
            if last is not None and rotation.dot(last) < 0.0:
                rotation.negate()  # the short way round
            last = rotation
            if with_place:
                key["position"] = vector(matrix.translation * scale)
                key["rotation"] = vector(rotation)
            if keep_scale:
                key["scale"] = vector(matrix.to_scale())
            key.update(_key_settings(self.obj, settings, rotation, scale))
            keys.append(key)
        return merge_keys(keys)


def rotation_of(matrix: Matrix) -> Quaternion:
    """The rotation alone; of a mirrored matrix, the one that is left when the mirroring is taken out."""
    return matrix.to_quaternion().normalized()


def read_settings(evaluated: bpy.types.Object) -> Dict:
    """Settings that can be animated, as they are on this frame."""
    tallow = evaluated.tallow
    found = {name: getattr(tallow, name) for name in roles.of(evaluated).keyed}
    if "velocity" in found:
        found["velocity"] = tuple(found["velocity"])
    field = evaluated.field
    if field and field.type != "NONE":
        found["strength"] = field.linear_drag if field.type == "DRAG" else field.strength
    return found


def _key_settings(obj: bpy.types.Object, settings: Dict, rotation: Quaternion, scale: float) -> Dict:
    key: Dict = {}
    for name in roles.of(obj).keyed:
        value = settings[name]
        if name == "temperature":
            key[name] = number(value + ZERO_CELSIUS)
        elif name == "velocity":
            key[name] = vector((rotation @ Vector(value) if obj.tallow.local_velocity else Vector(value)) * scale)
        else:
            key[name] = value if isinstance(value, bool) else number(value)
    return key


class Deformation:
    """World-space meshes of a solid that changes its shape, written as they are sampled."""

    def __init__(self, obj: bpy.types.Object, stem: str) -> None:
        self.obj = obj
        self.stem = stem
        self.first: Optional[meshes.Triangles] = None  # object space
        self.changed = False
        self.frames: List[int] = []
        self.broken = False  # the triangles themselves change

    def sample(self, writer, depsgraph: bpy.types.Depsgraph, frame: int, scale: float) -> None:
        mesh = meshes.evaluated(self.obj, depsgraph)
        if self.first is None:
            self.first = mesh
        same = mesh.indices.shape == self.first.indices.shape and len(mesh.positions) == len(self.first.positions)
        if not same:
            self.broken = True
            return
        self.changed = self.changed or not np.allclose(mesh.positions, self.first.positions, atol=1e-6)
        matrix = np.array(self.obj.evaluated_get(depsgraph).matrix_world) * scale
        world = meshes.transform(meshes.Triangles(mesh.positions, mesh.indices), matrix)
        writer.write_mesh(f"{self.stem}_{frame:06d}", world.positions, world.indices)
        self.frames.append(frame)

    def discard(self, writer) -> None:
        """It turned out to be stiff: take the numbered files away again."""
        for frame in self.frames:
            (writer.meshes / f"{self.stem}_{frame:06d}.ply").unlink(missing_ok=True)
