# SPDX-License-Identifier: GPL-3.0-or-later
"""How much liquid a bake will have, and so how much memory and room on the disk it will take."""

from __future__ import annotations

import math
from typing import Dict, Tuple

import bpy
import numpy as np
from mathutils import Vector

from ..core import animation, estimate
from . import domain, meshes, placement, roles, shot, units


def memory(scene: bpy.types.Scene) -> int:
    """Bytes that the baker will take at its peak, about."""
    return estimate.memory(liquid_volume(scene), domain.cell_size(scene))


def disk(scene: bpy.types.Scene) -> int:
    """Bytes that the bake will take on the disk, about."""
    tallow = scene.tallow
    first, last = shot.frame_range(scene)
    files = estimate.Files(frames=max(0, last - first + 1), particles_per_cell=tallow.particles_per_axis ** 3,
                           particles=tallow.save_particles or tallow.show_particles, volumes=tallow.save_vdb,
                           compact=tallow.save_compact, detail=tallow.mesh_detail, states=_states(tallow, last - first + 1))
    return estimate.disk(liquid_volume(scene), domain.cell_size(scene), files)


def _states(tallow, frames: int) -> int:
    newest = min(frames, 2) if tallow.checkpoint_every else 0
    return newest + (max(0, frames - newest + tallow.keep_every - 1) // tallow.keep_every if tallow.keep_every else 0)


def liquid_volume(scene: bpy.types.Scene) -> float:
    """About how much liquid there will be, m3: cheap enough for every redraw."""
    volumes = [_volume(scene, obj) for obj in roles.with_role(scene, *roles.SOURCES)]
    volumes += [_inflow_volume(scene, obj) for obj in roles.with_role(scene, *roles.POURING)]
    total = sum(volume for volume in volumes if math.isfinite(volume))  # coordinates may be no numbers, which checks say
    extent = domain.size(scene)
    return min(total, extent.x * extent.y * extent.z) if extent else total


def local_velocity(obj: bpy.types.Object) -> Vector:
    """Of an inflow, along its own axes."""
    velocity = Vector(obj.tallow.velocity)
    return velocity if obj.tallow.local_velocity else placement.world(obj).to_quaternion().inverted() @ velocity


def filled(obj: bpy.types.Object) -> float:
    """Volume of an object in cubic Blender units, about."""
    return _share_of_box(obj) * obj.dimensions.x * obj.dimensions.y * obj.dimensions.z


def _volume(scene: bpy.types.Scene, obj: bpy.types.Object) -> float:
    return filled(obj) * units.metres_per_unit(scene) ** 3


def _inflow_volume(scene: bpy.types.Scene, obj: bpy.types.Object) -> float:
    """What it gives during the bake: itself whenever it opens, and speed x outlet area x the time that it is open."""
    scale = units.metres_per_unit(scene)
    first, last = shot.frame_range(scene)
    is_open = [obj.tallow.enabled] * (last - first)
    curve = animation.find_curve(obj.animation_data, "tallow.enabled")
    if curve:
        is_open = [curve.evaluate(frame) > 0.5 for frame in range(first, last)]
    opened = sum(now and not before for before, now in zip([False] + is_open, is_open))
    velocity = local_velocity(obj)
    side = obj.dimensions * scale
    flow = sum(abs(velocity[i]) * side[(i + 1) % 3] * side[(i + 2) % 3] for i in range(3)) * scale
    # Without velocity it empties about as fast as liquid falls through its own height.
    if velocity.length < 1e-9:
        flow = side.x * side.y * (9.81 * side.z) ** 0.5
    seconds = shot.time_scale(scene) * sum(is_open) / shot.frame_rate(scene)
    return _volume(scene, obj) * opened + _share_of_box(obj) * flow * seconds


_shares: Dict[Tuple[str, int, int], float] = {}


def _share_of_box(obj: bpy.types.Object) -> float:
    """Share of its box that an object fills. Kept, since it takes a look at every triangle."""
    mesh = obj.data
    if obj.type != "MESH" or not mesh.polygons:
        return 0.5
    key = (mesh.name_full, len(mesh.vertices), len(mesh.polygons))
    if key not in _shares:
        positions, indices = meshes.triangles(mesh)
        points = positions.astype(np.float64)[indices]
        volume = abs(float(np.einsum("ij,ij->i", points[:, 0], np.cross(points[:, 1], points[:, 2])).sum())) / 6.0
        spread = np.ptp(points.reshape(-1, 3), axis=0)
        share = float(np.clip(volume / max(float(np.prod(spread)), 1e-30), 0.1, 1.0))
        if not math.isfinite(share):  # of coordinates that are no numbers, which may be put right
            return share
        _shares[key] = share
    return _shares[key]
