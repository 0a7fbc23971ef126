"""Follows the steps of a page of the guide in Blender's own first scene, bakes, and renders the page's pictures.

    blender -b --factory-startup --python-exit-code 1 --python docs/guide/steps/run.py -- PAGE --out FOLDER

`steps()` of a page's script does what the numbered steps say and nothing else. `look()` puts table, light and camera of the
picture around it.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path

import addon_utils
import bpy

HERE = Path(__file__).resolve().parent
ADDON = HERE.parents[2] / "addon"
FULL = 256  # samples from which on light may go into the wax: with fewer it speckles


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run.py")
    parser.add_argument("page", help="name of a script beside this one")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--reuse", action="store_true", help="render the bake that is in the folder already")
    parser.add_argument("--at", type=int, nargs="+", help="render these frames; those of the page unless given")
    parser.add_argument("--width", type=int, default=480)
    parser.add_argument("--height", type=int, default=360)
    parser.add_argument("--samples", type=int, default=64)
    return parser.parse_args(sys.argv[sys.argv.index("--") + 1:])


def enable_addon() -> None:
    sys.path[:0] = [str(ADDON), str(HERE)]
    addon_utils.enable("tallow", default_set=True)


def save(folder: Path) -> None:
    """A saved file has its bake beside itself."""
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))


def report() -> None:
    """What the Bake panel says of the shot."""
    checks = importlib.import_module("tallow.baking.export.checks")
    for text in [problem.text for problem in checks.check_scene(bpy.context.scene)] + [bpy.context.scene.tallow.melt_note]:
        if text:
            print("PANEL", text, flush=True)


def prepare_render(options: argparse.Namespace) -> None:
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples = options.samples
    scene.cycles.use_denoising = False  # Debian's Blender has no denoiser
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = False  # nothing but noise at few samples
    scene.cycles.sample_clamp_indirect, scene.cycles.max_bounces = 3.0, 8
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x, scene.render.resolution_y = options.width, options.height
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "PNG"
    if options.samples < FULL:
        importlib.import_module("studio").drop_subsurface()


def main() -> None:
    options = arguments()
    folder = options.out.resolve() / options.page
    folder.mkdir(parents=True, exist_ok=True)
    enable_addon()
    page = importlib.import_module(options.page)
    if options.reuse:
        bpy.ops.wm.open_mainfile(filepath=str(folder / "shot.blend"))
    else:
        save(folder)
        start = time.perf_counter()
        page.steps()
        print(f"STEPS {options.page} {time.perf_counter() - start:.0f} s", flush=True)
        report()
        save(folder)
    page.look()
    prepare_render(options)
    for frame in options.at or page.FRAMES:
        bpy.context.scene.frame_set(frame)
        bpy.context.scene.render.filepath = str(folder / f"{frame:04d}.png")
        bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    main()
