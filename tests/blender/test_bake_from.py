"""Bake From Here: the frames before stay, those after are baked again, and the old bake is not lost."""

import json
from pathlib import Path

import bpy
import scenes


def frames(folder):
    return [entry["frame"] for entry in json.loads((Path(folder) / "bake.json").read_text())["frames"]]


def test_the_rest_is_baked_again_in_a_new_bake(folder):
    scenes.wax_in_a_box(folder, frames=6)
    scene = bpy.context.scene
    scene.tallow.keep_old = True
    bpy.ops.tallow.bake()
    old = Path(scene.tallow.bake_path)
    kept = (old / "mesh" / "mesh_000003.ply").read_bytes()
    scene.tallow.ambient = 80.0
    scene.frame_set(3)
    assert bpy.ops.tallow.bake_from() == {"FINISHED"}
    new = Path(scene.tallow.bake_path)
    assert new != old and frames(new) == frames(old) == [1, 2, 3, 4, 5, 6]
    assert (new / "mesh" / "mesh_000003.ply").read_bytes() == kept
    assert (new / "mesh" / "mesh_000003.ply").samefile(old / "mesh" / "mesh_000003.ply")
    assert not (new / "mesh" / "mesh_000004.ply").samefile(old / "mesh" / "mesh_000004.ply")
    world = json.loads((new / "scene" / "scene.json").read_text())["world"]
    assert abs(world["ambient_temperature"] - 353.15) < 1e-3


def test_without_a_state_it_says_why(folder):
    scenes.wax_in_a_box(folder, frames=6)
    scene = bpy.context.scene
    bpy.ops.tallow.bake()
    states = Path(scene.tallow.bake_path) / "state"
    for number in (1, 2, 3, 4):
        (states / f"state_{number:06d}.tlw").unlink()
    scene.frame_set(2)
    scenes.expect_error(bpy.ops.tallow.bake_from, "at or before frame 2", "the first one is of frame 5")
    scene.frame_set(6)
    scenes.expect_error(bpy.ops.tallow.bake_from, "nothing to bake after it")
    for path in states.iterdir():
        path.unlink()
    scenes.expect_error(bpy.ops.tallow.bake_from, "Keep State Every")


def test_a_refusal_leaves_the_bake_as_it_was(folder):
    import os
    scenes.wax_in_a_box(folder, frames=6)
    scene = bpy.context.scene
    bpy.ops.tallow.bake()
    old = scene.tallow.bake_path
    os.environ["FAKE_BAKER"] = "error"
    scene.frame_set(3)
    scenes.expect_error(bpy.ops.tallow.bake_from, "Close its holes")
    assert scene.tallow.bake_path == old and frames(old) == [1, 2, 3, 4, 5, 6]
    assert [path.name for path in folder.iterdir()] == [Path(old).name]
