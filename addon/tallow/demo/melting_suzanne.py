# SPDX-License-Identifier: GPL-3.0-or-later
"""Melting Suzanne: builds the scene, bakes it with the add-on and renders frames with Cycles.

    blender -b --factory-startup --python-exit-code 1 --python melting_suzanne.py -- --out FOLDER [--frames 72]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import addon_utils
import bpy
from mathutils import Vector


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="melting_suzanne")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--frames", type=int, default=72, help="length of the bake")
    parser.add_argument("--resolution", type=int, default=64, help="cells along the longest side")
    parser.add_argument("--step", type=int, default=6, help="render every so many frames; 0 renders none")
    parser.add_argument("--size", type=int, default=480, help="height of the picture in pixels")
    parser.add_argument("--samples", type=int, default=48)
    return parser.parse_args(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else [])


def enable_addon() -> None:
    """Use the add-on that this script belongs to, installed or not."""
    folder = Path(__file__).resolve().parent.parent
    if str(folder.parent) not in sys.path:
        sys.path.insert(0, str(folder.parent))
    addon_utils.enable(folder.name, default_set=True)
    if not hasattr(bpy.types.Scene, "tallow"):
        sys.exit("The Tallow add-on does not load; see the messages above")


def build(options: argparse.Namespace) -> None:
    """Suzanne of wax, 20 cm tall, on a hot plate."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    bpy.ops.mesh.primitive_monkey_add(size=0.2)
    suzanne = bpy.context.object
    suzanne.modifiers.new("Subdivision", "SUBSURF").levels = 2
    bpy.ops.object.shade_smooth()
    # Looking up a little, and standing on z = 0.
    suzanne.rotation_euler = (-0.35, 0.0, 0.3)
    bpy.context.view_layer.update()
    suzanne.location.z -= min((suzanne.matrix_world @ Vector(corner)).z for corner in suzanne.bound_box)
    bpy.ops.tallow.quick_melt(frames=options.frames, resolution=options.resolution, seconds=0.75 * options.frames / 24.0)
    scene = bpy.context.scene
    scene.tallow.cache_folder = str(options.out / "cache")
    light_the_set(scene)


def light_the_set(scene: bpy.types.Scene) -> None:
    """Warm key, cool fill and a dim sky, so that the wax glows."""
    target = Vector((0.0, 0.0, 0.07))
    for name, place, energy, size, color in (
            ("Key", (-0.5, -0.6, 0.8), 26.0, 0.35, (1.0, 0.88, 0.74)),
            ("Rim", (0.5, 0.7, 0.6), 22.0, 0.3, (0.65, 0.8, 1.0))):
        data = bpy.data.lights.new(name, "AREA")
        data.energy, data.size, data.color = energy, size, color
        light = bpy.data.objects.new(name, data)
        light.location = place
        light.rotation_euler = (Vector(place) - target).to_track_quat("Z", "Y").to_euler()
        scene.collection.objects.link(light)
    for obj in scene.objects:
        if obj.name.startswith("Tallow Light"):
            bpy.data.objects.remove(obj)
            break
    camera = scene.camera
    camera.location = (0.30, -0.72, 0.34)
    camera.rotation_euler = (camera.location - target).to_track_quat("Z", "Y").to_euler()
    camera.data.lens = 58.0
    world = scene.world or bpy.data.worlds.new("World")
    scene.world = world
    world.use_nodes = True
    background = next((node for node in world.node_tree.nodes if node.type == "BACKGROUND"), None)
    if background:
        background.inputs["Color"].default_value = (0.05, 0.06, 0.08, 1.0)
        background.inputs["Strength"].default_value = 0.7


def render(options: argparse.Namespace) -> None:
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = options.samples
    scene.cycles.use_denoising = False  # Debian's Blender has no denoiser
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = False  # nothing but noise at few samples
    scene.render.resolution_x, scene.render.resolution_y = options.size * 4 // 3, options.size
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "PNG"
    scene.render.use_motion_blur = True
    for frame in range(scene.frame_start, scene.frame_end + 1, options.step):
        scene.frame_set(frame)
        scene.render.filepath = str(options.out / f"melting_suzanne_{frame:04d}.png")
        bpy.ops.render.render(write_still=True)


def main() -> None:
    options = arguments()
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    enable_addon()
    build(options)
    bpy.ops.tallow.bake()  # raises with the baker's own sentence when it fails
    bpy.ops.wm.save_as_mainfile(filepath=str(options.out / "melting_suzanne.blend"))
    if options.step:
        render(options)


main()
