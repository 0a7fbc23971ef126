# SPDX-License-Identifier: GPL-3.0-or-later
"""Flat planes as floors and walls. The simulation knows solids by their inside, so a plane becomes the top of a slab."""

from __future__ import annotations

from typing import List

import bpy
import numpy as np

from ...model import domain, meshes, roles
from . import motion

CELLS = 4.0  # thickness of a plane that moves, or has something behind it
CLOSE = 2.0  # the same, where that would reach what is behind it


def thicken(scene: bpy.types.Scene, mesh: meshes.Triangles, track: motion.Track, others: List[bpy.types.Object],
            scale: float) -> meshes.Triangles:
    """A slab behind a flat mesh, as seen from what flows. `mesh` is in metres, turned back as its keys turn it.

    A plane that stays where it is becomes a half-space: the slab goes to the far side of the domain, unless something is there.
    """
    matrix = track.matrices[0]
    normal = meshes.plane_normal(mesh)
    outward = np.array(motion.rotation_of(matrix).to_matrix()) @ normal
    height = float(np.array(matrix.translation) @ outward * scale + mesh.positions.astype(np.float64).mean(axis=0) @ normal)

    def heights(obj: bpy.types.Object) -> np.ndarray:
        low, high = (np.array(corner) * scale for corner in domain.bounds(obj))
        corners = np.array([[(low, high)[bit >> axis & 1][axis] for axis in range(3)] for bit in range(8)])
        return corners @ outward - height

    fluids = [obj for obj in others if roles.of(obj).fluid] or [obj for obj in others if roles.of(obj).body]
    side = -1.0 if sum(float(heights(obj).mean()) for obj in fluids) < 0.0 else 1.0  # where the liquid is
    cell = domain.cell_size(scene)
    behind = [float(-(side * heights(obj)).min()) for obj in others]
    deepest = float(-(side * heights(scene.tallow.domain)).min()) + 2.0 * cell
    if len(track.matrices) > 1 or any(depth > cell for depth in behind):
        nearest = min((float(-(side * heights(obj)).max()) for obj, depth in zip(others, behind) if depth > cell), default=np.inf)
        deepest = (CLOSE if nearest < CELLS * cell else CELLS) * cell
    return meshes.thicken(mesh, -side * max(deepest, CLOSE * cell) * normal)
