# SPDX-License-Identifier: GPL-3.0-or-later
"""Domain, world, solver and output members of scene.json from `Scene.tallow`."""

from __future__ import annotations

from typing import Any, Dict

import bpy

from ...core.animation import paths
from ...core.presets import ZERO_CELSIUS
from ...core.scene_file import number, vector
from ...model import domain, units

WORLD = ("gravity", "use_gravity", "tallow.gravity", "tallow.ambient", "tallow.film", "tallow.emissivity", "tallow.thermal_speed",
         "tallow.time_scale")
SIDES = (("-x", "wall_x0"), ("+x", "wall_x1"), ("-y", "wall_y0"), ("+y", "wall_y1"), ("-z", "wall_z0"), ("+z", "wall_z1"))


def domain_member(scene: bpy.types.Scene) -> Dict[str, Any]:
    scale = units.metres_per_unit(scene)
    low, high = domain.bounds(scene.tallow.domain)
    return {"min": vector(low * scale), "max": vector(high * scale), "cell_size": number(domain.cell_size(scene)),
            "walls": {side: getattr(scene.tallow, name).lower() for side, name in SIDES},
            "wall_friction": number(scene.tallow.wall_friction)}


def world_member(scene: bpy.types.Scene) -> Dict[str, Any]:
    tallow = scene.tallow
    if tallow.use_scene_gravity:
        gravity = tuple(scene.gravity) if scene.use_gravity else (0.0, 0.0, 0.0)
    else:
        gravity = tuple(tallow.gravity)
    return {"gravity": vector(gravity), "ambient_temperature": number(tallow.ambient + ZERO_CELSIUS),
            "film_coefficient": number(tallow.film), "emissivity": number(tallow.emissivity),
            "thermal_speed": number(tallow.thermal_speed), "time_scale": number(tallow.time_scale)}


def world_changes(scene: bpy.types.Scene) -> bool:
    """Whether anything of the world is animated or driven."""
    return not paths(scene.animation_data).isdisjoint(WORLD)


def solver_member(scene: bpy.types.Scene) -> Dict[str, Any]:
    tallow = scene.tallow
    return {"transport": tallow.transport.lower(), "coupling": tallow.coupling.lower(),
            "flip_blend": number(tallow.flip_blend), "particles_per_axis": tallow.particles_per_axis,
            "cfl": number(tallow.cfl), "max_substeps": tallow.max_substeps,
            "seed": tallow.seed, "threads": tallow.threads}


def output_member(scene: bpy.types.Scene) -> Dict[str, Any]:
    tallow = scene.tallow
    return {"particles": tallow.save_particles or tallow.show_particles, "vdb": tallow.save_vdb, "mesh": True,
            "compact": tallow.save_compact, "mesh_detail": tallow.mesh_detail, "keep_detail": tallow.keep_detail,
            "checkpoint_every": tallow.checkpoint_every, "keep_every": tallow.keep_every}


def display_member(scene: bpy.types.Scene, scale: float) -> Dict[str, Any]:
    """What the library does not read. A final bake does not mention previews."""
    preview = {"preview": scene.tallow.preview_quality} if domain.is_preview(scene) else {}
    return {"metres_per_unit": number(scale), **preview}
