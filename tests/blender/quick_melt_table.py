"""Runs inside Blender for tests/quick-melt: bakes what is asked for and prints one line of JSON for each bake."""

import json
import os
import sys
import tempfile
from pathlib import Path

import addon_utils
import bpy

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "addon"), str(Path(__file__).resolve().parent)]

import quick_melts  # noqa: E402  (found by the line above)

PICTURE = (320, 240)


def render(path, frame):
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", 16, False
    scene.render.resolution_x, scene.render.resolution_y = PICTURE
    scene.render.resolution_percentage = 100
    scene.render.filepath = str(path)
    scene.frame_set(frame)
    bpy.ops.render.render(write_still=True)


def main():
    asked = json.loads(sys.argv[sys.argv.index("--") + 1])
    addon_utils.enable("tallow", default_set=True)
    for shape, size, heat in asked["melts"]:
        with tempfile.TemporaryDirectory(prefix="tallow_quick_melt_") as folder:
            found = quick_melts.melt(folder, shape, size, heat, asked["frames"], asked["resolution"], asked["threads"])
            print("MELT " + json.dumps([found, found.faults()]), flush=True)
            if asked["pictures"]:
                name = f"{shape}_{size:g}_{heat.lower()}".replace(" ", "_")
                for frame in (found.goal // 2, found.goal):
                    render(os.path.join(asked["pictures"], f"{name}_{frame:03d}.png"), frame)


main()
