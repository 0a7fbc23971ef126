# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts about the shapes of objects that take a look at their triangles: where they reach, and how thick they are."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Tuple

import bpy
import numpy as np
from mathutils import Matrix, Vector
from mathutils.bvhtree import BVHTree

from . import meshes, placement, updates

RAYS = 400
_known: Dict[Tuple[str, str], Tuple[Any, Any]] = {}


class Thickness(NamedTuple):
    """Of places all over the inside of an object."""
    lengths: np.ndarray  # Blender units, from thin to thick
    shares: np.ndarray  # of the volume, in parts that are at most as thick

    def thinner_than(self, length: float) -> float:
        """The share of the volume in parts that are thinner."""
        place = int(np.searchsorted(self.lengths, length))
        return float(self.shares[place - 1]) if place else 0.0

    def at_share(self, share: float) -> float:
        """The thickness below which there is only that share of the volume."""
        return float(self.lengths[min(int(np.searchsorted(self.shares, share)), len(self.lengths) - 1)])


def place_of(obj: bpy.types.Object) -> Matrix:
    """Where an object stands when a bake starts."""
    return placement.start_matrix(obj) or obj.matrix_world


def _signature(obj: bpy.types.Object) -> Tuple:
    """Differs between shapes, and takes no walk over their vertices."""
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    found = [obj.type, *(round(value, 6) for corner in obj.bound_box for value in corner), *(m.type for m in obj.modifiers)]
    if obj.type == "MESH" and mesh:
        count = len(mesh.vertices)
        found += [count, len(mesh.polygons)]
        found += [tuple(mesh.vertices[i].co) for i in range(0, count, max(1, count // 48))]
    elif obj.type == "FONT":
        found.append(obj.data.body)
    if meshes.has_instances(obj):
        found.append(updates.geometry(obj))  # of which neither vertices nor the box tell
    return tuple(found)


def _remember(obj: bpy.types.Object, kind: str, extra: Tuple, work) -> Any:
    key = (_signature(obj), extra)
    known = _known.get((obj.name, kind))
    if known is None or known[0] != key:
        known = _known[(obj.name, kind)] = (key, work())
    return known[1]


def _triangles(obj: bpy.types.Object, matrix: Matrix) -> meshes.Triangles:
    return meshes.transform(meshes.evaluated(obj, bpy.context.evaluated_depsgraph_get()), np.array(matrix))


def bounds(obj: bpy.types.Object) -> Tuple[Vector, Vector]:
    """The box around its vertices in the world, where a bake starts. That around a turned box may say too much."""
    matrix = place_of(obj)

    def work() -> Tuple[Vector, Vector]:
        points = _triangles(obj, matrix).positions
        if not len(points):
            return matrix.translation.copy(), matrix.translation.copy()
        return Vector(points.min(axis=0).tolist()), Vector(points.max(axis=0).tolist())
    return _remember(obj, "bounds", tuple(round(value, 6) for value in placement.flat(matrix)), work)


def thickness(obj: bpy.types.Object) -> Thickness:
    """How thick an object is, measured by rays at some hundred places inside of it."""
    linear = place_of(obj).to_3x3()
    scale = tuple(round(value, 6) for row in (linear.transposed() @ linear) for value in row)  # turning it changes nothing
    return _remember(obj, "thickness", scale, lambda: _measure(_triangles(obj, linear.to_4x4())))


def _measure(mesh: meshes.Triangles) -> Thickness:
    corners = mesh.positions.astype(np.float64)[mesh.indices]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    if not len(areas) or not np.isfinite(areas).all() or areas.sum() <= 0.0:
        return Thickness(np.array([np.inf]), np.array([1.0]))
    if np.einsum("ij,ij->", corners[:, 0], normals) < 0.0:
        normals = -normals  # it is inside out
    chance = np.random.default_rng(0)
    chosen = np.searchsorted(np.cumsum(areas) / areas.sum(), chance.random(RAYS)).clip(0, len(areas) - 1)
    u, v = chance.random((2, RAYS, 1))
    u, v = np.where(u + v > 1.0, 1.0 - u, u), np.where(u + v > 1.0, 1.0 - v, v)
    starts = corners[chosen, 0] + u * (corners[chosen, 1] - corners[chosen, 0]) + v * (corners[chosen, 2] - corners[chosen, 0])
    inward = -normals[chosen] / areas[chosen, None]
    tree = BVHTree.FromPolygons(mesh.positions.tolist(), mesh.indices.tolist(), all_triangles=True)
    slack = 1e-4 * float(np.ptp(mesh.positions, axis=0).max())
    found = [_chord(tree, Vector(start), Vector(direction), slack, part)
             for start, direction, part in zip(starts, inward, chance.random(RAYS).tolist())]
    lengths, weights = np.array([entry for entry in found if entry] or [(np.inf, 1.0)]).T
    order = np.argsort(lengths)
    return Thickness(lengths[order], np.cumsum(weights[order]) / weights.sum())


def _chord(tree: BVHTree, start: Vector, direction: Vector, slack: float, part: float) -> Optional[Tuple[float, float]]:
    """The thickness at a place somewhere along a ray that goes in, and how much volume the place stands for.

    Such a ray may run along a sheet. Across it is the way to the nearest place of the surface, and on to the other side.
    """
    length = tree.ray_cast(start + slack * direction, direction)[3]
    if length is None:
        return None
    length += slack
    middle = start + direction * (length * (0.1 + 0.8 * part))
    nearest, _normal, _face, near = tree.find_nearest(middle)
    across = (middle - nearest).normalized() if nearest is not None and near > 0.0 else direction
    far = tree.ray_cast(middle, across)[3]
    return (min(length, near + far) if far is not None else length), length
