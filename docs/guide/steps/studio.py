"""Table, light and camera of the guide's pictures. The ready scenes' own studio does most of it."""

from __future__ import annotations

import bpy
from tallow.demo import kit
from tallow.playback import shading

WARM = {"light": 0.9, "sky": 0.35, "air": (0.55, 0.42, 0.32), "table": (0.42, 0.33, 0.27)}
COOL = kit.STUDIO


def film(target, size, direction, floor=None, **light) -> None:
    kit.film(target, size, direction, floor=floor, **light)
    camera = bpy.context.scene.camera.data
    camera.sensor_fit, camera.sensor_height = "VERTICAL", 27.0  # wide pictures show more at the sides


def hide(*names: str) -> None:
    """Part of the shot and not of the picture: the studio's table is in its place."""
    for name in names:
        if name in bpy.data.objects:
            bpy.data.objects[name].hide_render = True


def paint(name: str, color, roughness=0.5, metal=0.0) -> None:
    kit.paint(bpy.data.objects[name], color, roughness, metal)


def surface() -> bpy.types.Object:
    return bpy.context.scene.tallow.surface_object


def drop_subsurface() -> None:
    for material in bpy.data.materials:
        for node in (material.node_tree.nodes if material.node_tree else ()):
            if node.type == "BSDF_PRINCIPLED":
                shading.set_value(node, "subsurface", 0.0)


def clear_amber() -> None:
    """Honey in which one sees what is inside, at few samples too."""
    kit.tank_water((0.98, 0.72, 0.28), (0.85, 0.45, 0.06))
