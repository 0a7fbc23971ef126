# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluated meshes as numpy arrays. No loop over vertices anywhere."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

import bpy
import numpy as np


SHAPES = {"MESH", "CURVE", "SURFACE", "FONT", "META"}


class Triangles(NamedTuple):
    positions: np.ndarray  # (n, 3) float32
    indices: np.ndarray  # (m, 3) int32


EMPTY = Triangles(np.empty((0, 3), np.float32), np.empty((0, 3), np.int32))


def evaluated(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Triangles:
    """The object's mesh in object space with its modifiers, as triangles."""
    with evaluated_mesh(obj, depsgraph) as mesh:
        return triangles(mesh) if mesh is not None else EMPTY


@contextmanager
def evaluated_mesh(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Iterator[Optional[bpy.types.Mesh]]:
    """The object's mesh with its modifiers; None for text without letters, or curves without thickness."""
    result = obj.evaluated_get(depsgraph)
    if has_instances(obj):
        return join([_evaluated(obj, result), *_instances(obj, depsgraph)])
    return _evaluated(obj, result)


def _evaluated(obj: bpy.types.Object, result: bpy.types.Object) -> Triangles:
    if obj.type == "MESH" and not obj.modifiers and not obj.data.shape_keys and result.mode == "OBJECT":
        yield obj.data  # nothing to evaluate, so nothing to copy
        return
    try:
        mesh = result.to_mesh()
    except RuntimeError:
        mesh = None
    try:
        yield mesh
    finally:
        result.to_mesh_clear()


def _instances(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Iterator[Triangles]:
    """What geometry nodes put there as instances, which are no part of the evaluated mesh."""
    back = np.array(obj.evaluated_get(depsgraph).matrix_world.inverted_safe())
    kept: Dict[int, Triangles] = {}
    for instance in depsgraph.object_instances:
        source = instance.object
        if not instance.is_instance or instance.parent is None or instance.parent.original != obj or source.type not in SHAPES:
            continue
        key = source.data.as_pointer() if source.data else 0
        if key not in kept:
            kept[key] = triangles(source.data) if source.type == "MESH" else _evaluated(source.original, source)
        yield transform(kept[key], back @ np.array(instance.matrix_world))


def has_instances(obj: bpy.types.Object) -> bool:
    """Whether it may hold more than Blender counts into its box."""
    return any(modifier.type == "NODES" and modifier.show_viewport for modifier in obj.modifiers)


def join(parts: List[Triangles]) -> Triangles:
    """One mesh of several."""
    parts = [part for part in parts if len(part.indices)]
    if len(parts) < 2:
        return parts[0] if parts else EMPTY
    starts = np.cumsum([0] + [len(part.positions) for part in parts[:-1]])
    return Triangles(np.concatenate([part.positions for part in parts]),
                     np.concatenate([part.indices + start for part, start in zip(parts, starts)]).astype(np.int32))


def triangles(mesh: bpy.types.Mesh) -> Triangles:
    if not mesh.polygons:
        return EMPTY
    positions = np.empty(3 * len(mesh.vertices), np.float32)
    attribute = mesh.attributes.get("position") if bpy.app.version >= (3, 5, 0) else None
    if attribute:
        attribute.data.foreach_get("vector", positions)
    else:
        mesh.vertices.foreach_get("co", positions)
    corners = corner_vertices(mesh)
    if len(corners) == 3 * len(mesh.polygons):
        indices = corners  # every polygon is a triangle already
    else:
        mesh.calc_loop_triangles()
        # Unsigned: Blender copies whole blocks only when the signedness matches, and the difference is fivefold.
        loops = np.empty(3 * len(mesh.loop_triangles), np.uint32)
        mesh.loop_triangles.foreach_get("loops", loops)
        indices = corners[loops]
    return Triangles(positions.reshape(-1, 3), indices.astype(np.int32).reshape(-1, 3))


def triangle_corners(mesh: bpy.types.Mesh) -> Tuple[np.ndarray, np.ndarray]:
    """The corners of every triangle, (m, 3), and the polygon that it is of. In the order of `triangles`."""
    if len(mesh.loops) == 3 * len(mesh.polygons):
        return np.arange(len(mesh.loops)).reshape(-1, 3), np.arange(len(mesh.polygons))
    mesh.calc_loop_triangles()
    loops, polygons = np.empty(3 * len(mesh.loop_triangles), np.uint32), np.empty(len(mesh.loop_triangles), np.uint32)
    mesh.loop_triangles.foreach_get("loops", loops)
    mesh.loop_triangles.foreach_get("polygon_index", polygons)
    return loops.reshape(-1, 3), polygons


def corner_vertices(mesh: bpy.types.Mesh) -> np.ndarray:
    """The vertex of every face corner."""
    attribute = mesh.attributes.get(".corner_vert")
    if attribute:
        corners = np.empty(len(mesh.loops), np.int32)
        attribute.data.foreach_get("value", corners)
    else:
        corners = np.empty(len(mesh.loops), np.uint32)
        mesh.loops.foreach_get("vertex_index", corners)
    return corners


def transform(mesh: Triangles, matrix: np.ndarray) -> Triangles:
    """Apply a 4x4 or 3x3 matrix. A mirrored mesh gets its triangles turned, so that they still face outwards."""
    linear = np.asarray(matrix, np.float64)[:3, :3]
    positions = mesh.positions @ linear.T
    if np.shape(matrix) == (4, 4):
        positions = positions + np.asarray(matrix)[:3, 3]
    indices = mesh.indices[:, ::-1] if np.linalg.det(linear) < 0.0 else mesh.indices
    return Triangles(positions.astype(np.float32), indices)


def is_flat(mesh: Triangles) -> bool:
    """Whether the mesh has no inside: a plane, a line, a point. Planes may lie askew."""
    if not len(mesh.indices):
        return True
    extent = np.ptp(mesh.positions, axis=0)
    if not np.isfinite(extent).all():
        return False
    if extent.min() <= 1e-6 * max(extent.max(), 1e-12):
        return True
    normal = plane_normal(mesh)
    heights = mesh.positions.astype(np.float64) @ normal
    return bool(np.ptp(heights) <= 1e-5 * extent.max())


def plane_normal(mesh: Triangles) -> np.ndarray:
    """The direction in which a mesh is thinnest, on the side to which most of its area faces."""
    points = mesh.positions.astype(np.float64)
    _values, axes = np.linalg.eigh(np.cov((points - points.mean(axis=0)).T))
    normal = axes[:, 0]
    return -normal if _area_vector(mesh) @ normal < 0.0 else normal


def _area_vector(mesh: Triangles) -> np.ndarray:
    corners = mesh.positions.astype(np.float64)[mesh.indices]
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]).sum(axis=0)


def thicken(mesh: Triangles, offset: np.ndarray) -> Triangles:
    """A closed slab of a flat mesh: the mesh, a copy of it at `offset`, and walls along its borders."""
    corners = mesh.positions.astype(np.float64)[mesh.indices]
    facing = np.einsum("ij,j->i", np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), -np.asarray(offset))
    top = np.where((facing < 0.0)[:, None], mesh.indices[:, ::-1], mesh.indices)[facing != 0.0]
    count = len(mesh.positions)
    edges = np.concatenate([top[:, [0, 1]], top[:, [1, 2]], top[:, [2, 0]]])
    keys = edges[:, 0].astype(np.int64) * count + edges[:, 1]
    border = edges[~np.isin(keys, edges[:, 1].astype(np.int64) * count + edges[:, 0])]
    a, b = border[:, 0], border[:, 1]
    walls = np.concatenate([np.stack([b, a, a + count], axis=1), np.stack([b, a + count, b + count], axis=1)])
    return Triangles(np.concatenate([mesh.positions, mesh.positions + np.asarray(offset, np.float32)]).astype(np.float32),
                     np.concatenate([top, top[:, ::-1] + count, walls]).astype(np.int32))
