"""Bake From Here with the native library: a tap that is opened in the middle of a shot, and what is refused."""

import json
from pathlib import Path

import bpy
import scenes


def library_is_there():
    from tallow.baker import library
    return any(path.is_file() for path in library.candidates())


def particles(folder):
    return [entry["particles"] for entry in json.loads((Path(folder) / "bake.json").read_text())["frames"]]


def test_a_tap_is_opened_in_the_middle_of_the_shot(folder):
    if not library_is_there():
        return "SKIP"
    wax = scenes.wax_in_a_box(folder, frames=8, resolution=16)
    scene = bpy.context.scene
    tap = scenes.add_box("Tap", 0.15, (0.0, 0.0, 0.75))
    tap.tallow.role, tap.tallow.enabled, tap.tallow.velocity = "INFLOW", False, (0.0, 0.0, -1.0)
    scenes.select(wax, tap)
    bpy.ops.tallow.fit_domain()
    scene.tallow.resolution, scene.tallow.keep_every = 16, 2
    assert bpy.ops.tallow.bake() == {"FINISHED"}
    before = particles(scene.tallow.bake_path)
    tap.tallow.enabled = True
    scene.frame_set(6)
    assert bpy.ops.tallow.bake_from() == {"FINISHED"}
    after = particles(scene.tallow.bake_path)
    assert after[:5] == before[:5] and after[-1] > before[-1]
    kept = scene.tallow.bake_path
    scene.tallow.resolution = 20
    scenes.expect_error(bpy.ops.tallow.bake_from, "the domain, its cells")
    assert scene.tallow.bake_path == kept and particles(kept) == after
