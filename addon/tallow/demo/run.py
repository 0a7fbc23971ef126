# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds a ready scene, bakes it with the add-on and renders frames with Cycles.

    blender -b --factory-startup --python-exit-code 1 --python addon/tallow/demo/run.py -- --scene NAME --out FOLDER
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import addon_utils
import bpy

FOLDER = Path(__file__).resolve().parent.parent  # of the add-on


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run.py")
    parser.add_argument("--scene", default="melting_suzanne", help="name of a ready scene; `list` prints them")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--frames", type=int, help="length of the bake; the scene's own unless given")
    parser.add_argument("--resolution", type=int, help="cells along the longest side; the scene's own unless given")
    parser.add_argument("--step", type=int, help="render every so many frames; 0 renders none; unless given, six of them")
    parser.add_argument("--at", type=int, nargs="+", help="render these frames")
    parser.add_argument("--shape", type=float, help="width of the picture over its height; the scene's own unless given")
    parser.add_argument("--size", type=int, default=480, help="height of the picture in pixels; twice that for tall ones")
    parser.add_argument("--samples", type=int, default=48)
    parser.add_argument("--reuse", action="store_true", help="render the bake that is in the folder already")
    return parser.parse_args(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else [])


def enable_addon() -> None:
    """Use the add-on that this script belongs to, installed or not."""
    if str(FOLDER.parent) not in sys.path:
        sys.path.insert(0, str(FOLDER.parent))
    addon_utils.enable(FOLDER.name, default_set=True)
    if not hasattr(bpy.types.Scene, "tallow"):
        sys.exit("The Tallow add-on does not load; see the messages above")


def module_of(name: str) -> ModuleType:
    """A module of the add-on. Imported by name, since the add-on may be installed in any folder."""
    return importlib.import_module(f"{FOLDER.name}.{name}")


def bake(options: argparse.Namespace) -> None:
    scene, path = bpy.context.scene, options.out / f"{options.scene}.blend"
    scene.tallow.cache_folder = str(options.out / "cache" / options.scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    start = time.perf_counter()
    bpy.ops.tallow.bake()  # raises with the baker's own sentence when it fails
    seconds = time.perf_counter() - start
    frames = scene.frame_end - scene.frame_start
    print(f"MEASURED {options.scene}: {frames} frames in {seconds:.0f} s, {seconds / max(1, frames):.2f} s per frame", flush=True)
    bpy.ops.wm.save_mainfile()


def show_bake(options: argparse.Namespace) -> None:
    """Play the newest bake of this scene, with the light, camera and shaders that the script makes now."""
    scene, bakes = bpy.context.scene, (options.out / "cache" / options.scene).glob("*/bake.json")
    newest = max(bakes, key=lambda path: path.stat().st_mtime, default=None)
    if newest is None:
        sys.exit(f"There is no bake of {options.scene} in {options.out}")
    scene.tallow.bake_path = str(newest.parent)
    roles = module_of("model.roles")
    module_of("model.role_effects").update_sources(roles.with_role(scene, *roles.SOURCES), baked=True)


@contextmanager
def quiet_cycles():
    """Cycles prints forty lines per picture, from C, where Python's own redirection does not reach."""
    sys.stdout.flush()
    kept, nothing = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nothing)


def drop_subsurface() -> None:
    """Light inside the wax only speckles at few samples."""
    for material in bpy.data.materials:
        for node in (material.node_tree.nodes if material.node_tree else ()):
            for name in ("Subsurface Weight", "Subsurface"):
                if node.type == "BSDF_PRINCIPLED" and name in node.inputs:
                    node.inputs[name].default_value = 0.0


def render(options: argparse.Namespace, sheet, shape: float) -> None:
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = options.samples
    scene.cycles.use_denoising = False  # Debian's Blender has no denoiser
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = False  # nothing but noise at few samples
    scene.cycles.sample_clamp_indirect, scene.cycles.max_bounces = 3.0, 6
    if options.samples < 64:
        drop_subsurface()
    scene.view_settings.view_transform = "Standard"
    height = options.size if shape >= 1.0 else 2 * options.size
    if shape > 4.0 / 3.0:  # wider shows more at the sides, not less above and below
        scene.camera.data.sensor_fit, scene.camera.data.sensor_height = "VERTICAL", 27.0
    scene.render.resolution_x, scene.render.resolution_y = round(shape * height), height
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "PNG"
    scene.render.use_motion_blur = True
    last = scene.frame_end
    frames = range(scene.frame_start, last + 1, options.step) if options.step else sorted({min(f, last) for f in sheet})
    for number, frame in enumerate(frames, 1):
        scene.frame_set(frame)
        scene.render.filepath = str(options.out / f"{options.scene}_{frame:04d}.png")
        start = time.perf_counter()
        with quiet_cycles():
            bpy.ops.render.render(write_still=True)
        print(f"Rendered frame {frame}, picture {number} of {len(frames)}, in {time.perf_counter() - start:.0f} s", flush=True)


def main() -> None:
    options = arguments()
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    enable_addon()
    demo = module_of("demo")
    if options.scene == "list":
        for name, module in demo.SCENES.items():
            print(f"{name:18} {module.TEXT}")
        return
    if options.scene not in demo.SCENES:
        sys.exit(f"There is no scene {options.scene}. There are: {', '.join(demo.SCENES)}")
    module = demo.SCENES[options.scene]
    demo.build(options.scene, options.frames, options.resolution)
    if options.reuse:
        show_bake(options)
    else:
        print(f"{module.LABEL}: {module.TEXT}. Baking {bpy.context.scene.frame_end} frames:", flush=True)
        bake(options)
    if options.step != 0:
        render(options, options.at or module.SHEET, options.shape or getattr(module, "SHAPE", 4.0 / 3.0))


main()
