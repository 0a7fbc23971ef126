# SPDX-License-Identifier: GPL-3.0-or-later
"""The particles: a mesh of points with a node modifier that makes them visible and renderable."""

from __future__ import annotations

from typing import Dict, Optional, Tuple

import bpy
import numpy as np

from ..core import colors, frames
from ..core.cache import Cache
from ..model import units
from . import coloring, fill, shown

NAME = "Tallow Particles"
_colored: Dict[str, Tuple[np.ndarray, np.ndarray, float]] = {}


def colored(scene: bpy.types.Scene) -> Optional[Tuple[np.ndarray, np.ndarray, float]]:
    """Places, colours and radius of the particles on screen, in the object's own space; None when they are not coloured.

    Blender's solid view gives points one colour, so the overlay draws these.
    """
    return _colored.get(scene.name)


def get_object(scene: bpy.types.Scene, create: bool) -> Optional[bpy.types.Object]:
    obj = scene.tallow.particles_object
    if obj and obj.name in scene.objects:
        return obj
    if not create or not scene.tallow.show_particles:
        return None
    obj = bpy.data.objects.new(NAME, bpy.data.meshes.new(NAME))
    scene.collection.objects.link(obj)
    scene.tallow.particles_object = obj
    modifier = obj.modifiers.new("Points", "NODES")
    modifier.node_group = point_nodes()
    return obj


def point_nodes() -> bpy.types.NodeTree:
    """Mesh to Points, so that Cycles renders spheres."""
    tree = bpy.data.node_groups.get("Tallow Points")
    if tree:
        return tree
    tree = bpy.data.node_groups.new("Tallow Points", "GeometryNodeTree")
    if hasattr(tree, "interface"):
        tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    else:
        tree.inputs.new("NodeSocketGeometry", "Geometry")
        tree.outputs.new("NodeSocketGeometry", "Geometry")
    entry, points, leave = (tree.nodes.new(kind) for kind in ("NodeGroupInput", "GeometryNodeMeshToPoints", "NodeGroupOutput"))
    points.name = "Points"
    points.location, leave.location = (200, 0), (400, 0)
    tree.links.new(entry.outputs[0], points.inputs["Mesh"])
    tree.links.new(points.outputs[0], leave.inputs[0])
    return tree


def show(scene: bpy.types.Scene, cache: Cache, frame: int, create: bool) -> None:
    obj = get_object(scene, create)
    if obj is None:
        return
    visible = scene.tallow.show_particles
    _colored.pop(scene.name, None)
    if obj.hide_viewport == visible:
        obj.hide_viewport = obj.hide_render = not visible
    data = cache.particles(frame) if visible else None
    if data is None or "vertex" not in data:
        if visible:
            shown.inspector_of(cache).distrust(cache.particles_path(frame))
            clear(scene)  # those of another frame would be wrong; the Show panel says why there are none
        return
    rows = data["vertex"]
    step = max(1, round(100.0 / scene.tallow.particle_percent))
    # By id, not by place in the file, so that the same particles stay on screen from frame to frame.
    rows = np.ascontiguousarray(rows[rows["id"] % step == 0]) if step > 1 else rows
    scale = 1.0 / units.metres_per_unit_of(scene, cache)
    arrays = frames.vertex_attributes(rows, scale, cache.pace(frame))
    arrays.pop("id", None)  # whole numbers up to billions, which a float cannot hold
    places, radius = arrays.pop("position"), 0.3 * float(cache.info.get("cell_size", 0.05)) * scale
    fill.fill_points(obj.data, places)
    tint = colors.vertex_colors(coloring.scale_of(scene, cache, frame), rows, cache.materials)
    if tint is not None:
        arrays["tallow_color"] = tint
        _colored[scene.name] = (places, tint, radius)
    fill.set_attributes(obj.data, arrays)
    _set_radius(obj, radius)


def _set_radius(obj: bpy.types.Object, radius: float) -> None:
    group = obj.modifiers["Points"].node_group if "Points" in obj.modifiers else None
    node = group.nodes.get("Points") if group else None
    if node and abs(node.inputs["Radius"].default_value - radius) > 1e-6 * radius:
        node.inputs["Radius"].default_value = radius


def clear(scene: bpy.types.Scene) -> None:
    obj = get_object(scene, create=False)
    _colored.pop(scene.name, None)
    if obj:
        obj.data.clear_geometry()
        obj.data.update()
