# SPDX-License-Identifier: GPL-3.0-or-later
"""The domain: a wire box that the artist moves and scales, and the numbers that follow from it."""

from __future__ import annotations

from typing import Iterable, List, Optional, Tuple

import bpy
from mathutils import Matrix, Vector

from ..core import estimate
from . import meshes, placement, roles, shapes, units

NAME = "Tallow Domain"
COARSE = 14  # cells along the longest side
Bounds = Tuple[Vector, Vector]
FACES = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
CORNERS = ((-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1))


def bounds(obj: bpy.types.Object, matrix: Optional[Matrix] = None) -> Bounds:
    """World-space box around an object where a bake starts, in Blender units; `matrix` puts it somewhere else."""
    if matrix is None and meshes.has_instances(obj):
        return shapes.bounds(obj)  # Blender's box does not hold them
    matrix = matrix or placement.start_matrix(obj) or placement.world(obj)
    corners = [matrix @ Vector(corner) for corner in obj.bound_box]
    return (Vector(tuple(min(c[i] for c in corners) for i in range(3))),
            Vector(tuple(max(c[i] for c in corners) for i in range(3))))


def bounds_of(objects: Iterable[bpy.types.Object]) -> Optional[Bounds]:
    boxes = [bounds(obj) for obj in objects]
    if not boxes:
        return None
    return (Vector(tuple(min(box[0][i] for box in boxes) for i in range(3))),
            Vector(tuple(max(box[1][i] for box in boxes) for i in range(3))))


def get(scene: bpy.types.Scene) -> Optional[bpy.types.Object]:
    """The scene's domain; None also when the artist deleted it, which leaves the pointer behind."""
    obj = scene.tallow.domain
    return obj if obj and obj.name in scene.objects else None


def ensure(scene: bpy.types.Scene) -> bpy.types.Object:
    """The scene's domain, made when there is none."""
    obj = get(scene)
    if obj:
        return obj
    mesh = bpy.data.meshes.new(NAME)
    mesh.from_pydata([tuple(float(v) for v in corner) for corner in CORNERS], [], FACES)
    obj = bpy.data.objects.new(NAME, mesh)
    obj.display_type = "WIRE"
    obj.hide_render = True
    obj.lock_rotation = (True, True, True)  # cells are axis-aligned
    for ray in ("camera", "diffuse", "glossy", "transmission", "volume_scatter", "shadow"):
        if hasattr(obj, "visible_" + ray):
            setattr(obj, "visible_" + ray, False)
    scene.collection.objects.link(obj)
    scene.tallow.domain = obj
    return obj


def place(obj: bpy.types.Object, low: Vector, high: Vector) -> None:
    """Make the box span from one corner to the other."""
    obj.parent = None
    obj.rotation_euler = (0.0, 0.0, 0.0)
    obj.location = (low + high) / 2.0
    obj.scale = [max((high[i] - low[i]) / 2.0, 1e-4) for i in range(3)]
    obj.matrix_world = obj.matrix_basis  # bounds are right before the next redraw


def is_turned(obj: bpy.types.Object) -> bool:
    """Whether its sides are not along the axes, as those of cells are. A quarter of a turn is as good as none."""
    for axis in placement.world(obj).to_3x3().col:
        if sorted(abs(value) for value in axis)[1] > 1e-4 * axis.length:
            return True
    return False


def straighten(obj: bpy.types.Object) -> None:
    """The same box where it is, with its sides along the axes that they are nearest to."""
    matrix = placement.world(obj)
    corners = [Vector(corner) for corner in obj.bound_box]
    low, high = (Vector(tuple(pick(corner[i] for corner in corners) for i in range(3))) for pick in (min, max))
    columns = matrix.to_3x3().col
    half = Vector((0.0, 0.0, 0.0))
    left = {0, 1, 2}
    for i in sorted(range(3), key=lambda i: -max(abs(value) for value in columns[i].normalized())):
        axis = max(left, key=lambda axis: abs(columns[i].normalized()[axis]))
        left.discard(axis)
        half[axis] = columns[i].length * (high[i] - low[i]) / 2.0
    middle = matrix @ ((low + high) / 2.0)
    place(obj, middle - half, middle + half)


def fit(scene: bpy.types.Scene, objects: List[bpy.types.Object], padding: float) -> bpy.types.Object:
    """Put the domain around objects, with room to flow at the sides and little below, where liquid comes to rest."""
    low, high = bounds_of(objects)
    room = padding * max(high - low)
    low, high = low - Vector((room, room, 0.1 * room)), high + Vector((room, room, 0.5 * room))
    # A floor or plate needs a cell of its own inside, also in the coarse copies in which heat is searched for.
    cell = max(high - low) / COARSE
    low.z = min([low.z] + [bounds(obj)[1].z - cell for obj in objects if roles.of(obj).deforms])
    obj = ensure(scene)
    place(obj, low, high)
    return obj


def size(scene: bpy.types.Scene) -> Optional[Vector]:
    """Metres."""
    box = get(scene)
    if box is None:
        return None
    low, high = bounds(box)
    return (high - low) * units.metres_per_unit(scene)


def resolution(scene: bpy.types.Scene) -> int:
    """Cells along the longest side of a bake, which may be a preview."""
    tallow = scene.tallow
    return max(4, round(tallow.resolution * tallow.preview_quality / 100.0)) if is_preview(scene) else tallow.resolution


def is_preview(scene: bpy.types.Scene) -> bool:
    """Whether a bake would have fewer cells than the final one."""
    return scene.tallow.preview_quality < 100


def cell_size(scene: bpy.types.Scene) -> float:
    """Metres; 0 without a domain."""
    extent = size(scene)
    return estimate.cell_size(extent, resolution(scene)) if extent else 0.0
