# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluated meshes as numpy arrays. No loop over vertices anywhere."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator, NamedTuple, Optional, Tuple

import bpy
import numpy as np


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
    """Whether the mesh has no inside: a plane, a line, a point."""
    if not len(mesh.indices):
        return True
    extent = np.ptp(mesh.positions, axis=0)
    return bool(extent.min() <= 1e-6 * max(extent.max(), 1e-12))
