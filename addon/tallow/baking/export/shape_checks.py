# SPDX-License-Identifier: GPL-3.0-or-later
"""What the shapes of a scene give away before a bake: a turned domain, closed sides, parts thinner than a cell.

Each check gives pairs of an object's name and a sentence.
"""

from __future__ import annotations

import math
from typing import List, Optional, Tuple

import bpy
from mathutils import Vector

from ...core import estimate, scene_file
from ...model import domain, meshes, roles, shapes, shot, units
from . import motion, settings

THIN = 0.05  # share of the volume in parts that are too thin, from which on it is told
FINE_CELLS, FINE = 1.5, 0.02  # cells that a part needs for its edges, and the share from which on it is told
MOST_CELLS = 512  # along a side, that can be advised
Found = List[Tuple[str, str]]
NAMES = {"wall_z0": "the bottom", "wall_z1": "the top"}


def check_shot(scene: bpy.types.Scene) -> Found:
    first, last = shot.frame_range(scene)
    if last == first:
        return [("", f"The shot has one frame ({first}), which only shows the start. Raise the last frame to see something "
                     "move.")]
    return []


def check_domain(scene: bpy.types.Scene) -> Found:
    box = domain.get(scene)
    if not domain.is_turned(box):
        return []
    return [(box.name, f"{box.name} is turned, and cells are not: the bake would take the straight box around it, which is "
                       "larger. Press Straighten Domain.")]


def why_unfit(obj: bpy.types.Object, role: roles.Role, mesh: Optional[meshes.Triangles] = None) -> str:
    """Why an object cannot have a role; empty when it can. `mesh`: its own at the start, where it is known."""
    if not all(math.isfinite(side) for side in obj.dimensions):
        return f"Coordinates of {obj.name} are not numbers. Undo what moved its vertices, or give it another mesh."
    if mesh is None:
        has_faces, is_flat = shapes.substance(obj)
        is_flat = is_flat or (not motion.moves(obj) and obj.matrix_world.to_3x3().determinant() == 0.0)
    else:
        has_faces, is_flat = len(mesh.indices) > 0, meshes.is_flat(mesh)
    if not has_faces:
        otherwise = "select another object" if roles.of(obj).identifier == "NONE" else "set its role to None"
        return f"{obj.name} has no faces, so it cannot be {role.words}. Give it a mesh with faces, or {otherwise}."
    if is_flat and (role.fluid or role.body):
        return f"{obj.name} is flat, so it cannot be {role.words}. Give it thickness, for example with a Solidify modifier."
    if is_flat and role.heater and obj.tallow.heat_kind == "VOLUME":
        return f"{obj.name} is flat, so there is nothing inside of it to heat. Give it thickness, or make it a hot solid."
    return ""


def check_object(scene: bpy.types.Scene, obj: bpy.types.Object, low: Vector, high: Vector) -> Found:
    found = _check_sides(scene, obj, low, high)
    return found + (_check_thickness(scene, obj) if roles.of(obj).source else [])


def _check_sides(scene: bpy.types.Scene, obj: bpy.types.Object, low: Vector, high: Vector) -> Found:
    near = 0.5 * domain.cell_size(scene) / _metres(scene)
    box_low, box_high = domain.bounds(obj)
    if all(box_low[i] > low[i] + near and box_high[i] < high[i] - near for i in range(3)):
        return []  # the box around it is enough to know
    box_low, box_high = shapes.bounds(obj)
    if any(box_low[i] >= high[i] or box_high[i] <= low[i] for i in range(3)):
        return []  # outside altogether, which is said elsewhere
    if any(box_low[i] < low[i] - 1e-5 or box_high[i] > high[i] + 1e-5 for i in range(3)):
        what = ("closed walls push it in, and no liquid acts on it outside." if roles.of(obj).body else
                "the part outside is cut off.")
        return [(obj.name, f"{obj.name} sticks out of the domain; {what}")]
    if not roles.of(obj).source:
        return []
    touched = [(box_low[i] < low[i] + near, box_high[i] > high[i] - near)[side] for i in range(3) for side in range(2)]
    gravity = settings.world_member(scene)["gravity"]
    down = max(range(3), key=lambda i: abs(gravity[i]))
    floor = 2 * down + (gravity[down] > 0.0) if any(gravity) else -1  # things lie there
    if floor >= 0 and touched[floor] and not roles.of(obj).frozen:
        return []  # a pool that the domain holds like a tank
    closed = [NAMES.get(wall, f"{side.upper()}") for number, (side, wall) in enumerate(settings.SIDES)
              if touched[number] and number != floor and getattr(scene.tallow, wall) != "OPEN"]
    if not closed:
        return []
    many = len(closed) > 1
    sides, hold, them = ("sides", "hold", "them") if many else ("side", "holds", "it")
    return [(obj.name, f"{obj.name} reaches the closed {sides} {scene_file.join_words(closed, 6)} of the domain, which {hold} it like "
                       f"a wall. Press Fit Domain, or open {them} under Walls.")]


def _check_thickness(scene: bpy.types.Scene, obj: bpy.types.Object) -> Found:
    cell = domain.cell_size(scene)
    side = max(obj.dimensions) * _metres(scene)
    if not math.isfinite(sum(obj.dimensions)) or obj.mode != "OBJECT" or side < cell or cell <= 0.0:
        return []  # said elsewhere
    share = shapes.thickness(obj).thinner_than(cell / _metres(scene))
    if share < THIN:
        return []
    needed = resolution_for(scene, obj)
    todo = f"Raise the resolution to {needed}" if needed <= MOST_CELLS else "Make it thicker, or the domain smaller"
    return [(obj.name, f"{100.0 * share:.0f} % of {obj.name} is thinner than a cell ({estimate.format_length(cell)}), so its shape "
                       f"and its volume would not be kept. {todo}{', or make it thicker.' if needed <= MOST_CELLS else '.'}")]


def fine_parts(scene: bpy.types.Scene, obj: bpy.types.Object) -> str:
    """What more cells would do for parts that are kept, and too thin to keep their edges. Thinner ones have a warning."""
    cell = domain.cell_size(scene)
    if not math.isfinite(sum(obj.dimensions)) or obj.mode != "OBJECT" or cell <= 0.0 or domain.is_preview(scene):
        return ""
    thickness, length = shapes.thickness(obj), cell / _metres(scene)
    share = thickness.thinner_than(FINE_CELLS * length)
    if share < FINE or thickness.thinner_than(length) >= THIN:
        return ""
    needed = resolution_for(scene, obj, FINE, FINE_CELLS)
    ways = [f"the resolution to {needed}, for its full shape"] if needed <= MOST_CELLS else []
    ways += ["Surface Detail to 2, for finer edges in the same cells"] if scene.tallow.mesh_detail < 2 else []
    todo = f"Raise {'; or '.join(ways)}" if ways else "Make it thicker, or the domain smaller"
    return (f"{100.0 * share:.0f} % of {obj.name} is thinner than one and a half cells ({estimate.format_length(FINE_CELLS * cell)}), so it "
            f"looks worn from the first frame on. {todo}.")


def resolution_for(scene: bpy.types.Scene, obj: bpy.types.Object, share: float = THIN, cells: float = 1.0) -> int:
    """The least resolution at which only that share of an object is thinner than so many cells."""
    thinnest = max(shapes.thickness(obj).at_share(share) * _metres(scene), 1e-9)
    return math.ceil(scene.tallow.resolution * cells * domain.cell_size(scene) / thinnest * 1.001)


def _metres(scene: bpy.types.Scene) -> float:
    return units.metres_per_unit(scene)
