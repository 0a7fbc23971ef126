# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts about the shapes of objects that take a look at their triangles: where they reach, and how thick they are."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import bpy
import numpy as np
from mathutils import Matrix, Vector
from mathutils.bvhtree import BVHTree

from . import meshes, placement, updates

RAYS = 400
FOOT = 0.05  # of the height: the lowest part of an object, on which it rests
STEADY = 0.15  # of the height: an object whose foot reaches as far beyond its centre of mass stands
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
    return placement.start_matrix(obj) or placement.world(obj)


def signature(obj: bpy.types.Object) -> Tuple:
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
    key = (signature(obj), extra)
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


def gap(a: Tuple[Vector, Vector], b: Tuple[Vector, Vector]) -> float:
    """The distance between two boxes; 0 where they overlap."""
    return Vector([max(0.0, a[0][i] - b[1][i], b[0][i] - a[1][i]) for i in range(3)]).length


def falls(obj: bpy.types.Object) -> bool:
    """Whether an object that rests on its lowest part falls over."""
    matrix = place_of(obj)
    return _remember(obj, "falls", tuple(round(value, 6) for value in placement.flat(matrix)), lambda: _falls(_triangles(obj, matrix)))


def _falls(mesh: meshes.Triangles) -> bool:
    points = mesh.positions.astype(np.float64)
    if not len(mesh.indices) or not np.isfinite(points).all():
        return False
    low, high = points.min(axis=0), points.max(axis=0)
    corners = (points - low)[mesh.indices]
    weights = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    height, total = high[2] - low[2], float(weights.sum())
    if abs(total) <= 1e-9 * float(np.prod(high - low)):
        return False  # a sheet
    centre = low + 0.25 * (corners.sum(axis=1) * weights[:, None]).sum(axis=0) / total
    foot = points[points[:, 2] <= low[2] + FOOT * height]
    room = np.minimum(centre - foot.min(axis=0), foot.max(axis=0) - centre)
    return bool(room[:2].min() < STEADY * height)


def substance(obj: bpy.types.Object) -> Tuple[bool, bool]:
    """Whether its mesh with modifiers has faces, and whether it is flat."""
    def work() -> Tuple[bool, bool]:
        mesh = meshes.evaluated(obj, bpy.context.evaluated_depsgraph_get())
        return len(mesh.indices) > 0, meshes.is_flat(mesh)
    return _remember(obj, "substance", (), work)


def thickness(obj: bpy.types.Object) -> Thickness:
    """How thick an object is, measured by rays at some hundred places inside of it."""
    linear = place_of(obj).to_3x3()
    scale = tuple(round(value, 6) for row in (linear.transposed() @ linear) for value in row)  # turning it changes nothing
    return _remember(obj, "thickness", scale, lambda: _measure(_triangles(obj, linear.to_4x4())))


def tree(obj: bpy.types.Object) -> BVHTree:
    """Its surface in the world, where a bake starts, for rays and distances."""
    matrix = place_of(obj)

    def work() -> BVHTree:
        mesh = _triangles(obj, matrix)
        return BVHTree.FromPolygons(mesh.positions.tolist(), mesh.indices.tolist(), all_triangles=True)
    return _remember(obj, "tree", tuple(round(value, 6) for value in placement.flat(matrix)), work)


def places(obj: bpy.types.Object) -> List[Vector]:
    """Some hundred places all over its surface in the world, where a bake starts, and corners."""
    matrix = place_of(obj)

    def work() -> List[Vector]:
        mesh = _triangles(obj, matrix)
        corners = mesh.positions.astype(np.float64)[mesh.indices]
        areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        if not len(areas) or not np.isfinite(areas).all() or areas.sum() <= 0.0:
            return []
        points = mesh.positions[::max(1, len(mesh.positions) // RAYS)].tolist()
        return [Vector(point) for point in _spread(corners, areas, np.random.default_rng(0))[1].tolist() + points]
    return _remember(obj, "places", tuple(round(value, 6) for value in placement.flat(matrix)), work)


def _spread(corners: np.ndarray, areas: np.ndarray, chance: np.random.Generator) -> Tuple[np.ndarray, np.ndarray]:
    """Triangles and places on them, all over a surface."""
    chosen = np.searchsorted(np.cumsum(areas) / areas.sum(), chance.random(RAYS)).clip(0, len(areas) - 1)
    u, v = chance.random((2, RAYS, 1))
    u, v = np.where(u + v > 1.0, 1.0 - u, u), np.where(u + v > 1.0, 1.0 - v, v)
    return chosen, corners[chosen, 0] + u * (corners[chosen, 1] - corners[chosen, 0]) + v * (corners[chosen, 2] - corners[chosen, 0])


def _measure(mesh: meshes.Triangles) -> Thickness:
    corners = mesh.positions.astype(np.float64)[mesh.indices]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    if not len(areas) or not np.isfinite(areas).all() or areas.sum() <= 0.0:
        return Thickness(np.array([np.inf]), np.array([1.0]))
    if np.einsum("ij,ij->", corners[:, 0], normals) < 0.0:
        normals = -normals  # it is inside out
    chance = np.random.default_rng(0)
    chosen, starts = _spread(corners, areas, chance)
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
