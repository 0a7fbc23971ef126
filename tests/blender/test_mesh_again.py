"""Mesh Again: a new bake with other meshes and all else of the old one, or nothing at all."""

import json
import os
from pathlib import Path

import bpy
import scenes


def baked(folder):
    scenes.wax_in_a_box(folder, frames=4)
    scene = bpy.context.scene
    scene.tallow.keep_old = True
    bpy.ops.tallow.bake()
    return scene, Path(scene.tallow.bake_path)


def stale():
    from tallow.baking import staleness
    return staleness.describe(staleness.found_changes(bpy.context.scene))


def test_frames_are_meshed_into_a_new_bake(folder):
    scene, old = baked(folder)
    before = (old / "mesh" / "mesh_000003.ply").read_bytes()
    scene.tallow.mesh_detail, scene.tallow.mesh_smoothing = 2, 4
    assert stale() == ["Files: Surface Detail, Surface Smoothing"]
    from tallow.baking import staleness
    from tallow.ui.panels import baking
    assert {change.member for change in staleness.found_changes(scene)} == set(baking.MESHED)
    assert bpy.ops.tallow.mesh_again() == {"FINISHED"}
    new = Path(scene.tallow.bake_path)
    output = json.loads((new / "scene" / "scene.json").read_text())["output"]
    assert new != old and output["mesh_detail"] == 2 and output["mesh_smoothing"] == 4 and stale() == []
    assert json.loads((old / "scene" / "scene.json").read_text())["output"]["mesh_detail"] == 1
    assert (old / "mesh" / "mesh_000003.ply").read_bytes() == before
    assert not (new / "mesh" / "mesh_000003.ply").samefile(old / "mesh" / "mesh_000003.ply")
    assert json.loads((new / "bake.json").read_text())["finished"]
    from tallow.baking import job
    assert job.status_of(scene).meshing and job.status_of(scene).seconds_left is None


def test_what_fails_or_is_cancelled_leaves_the_old_bake(folder):
    scene, old = baked(folder)
    os.environ["FAKE_BAKER"] = "error"
    scenes.expect_error(bpy.ops.tallow.mesh_again, "Close its holes")
    assert Path(scene.tallow.bake_path) == old and [path.name for path in folder.iterdir()] == [old.name]
    os.environ["FAKE_BAKER"] = "crash"
    assert bpy.ops.tallow.mesh_again.poll()
    scenes.expect_error(bpy.ops.tallow.mesh_again, "")
    assert Path(scene.tallow.bake_path) == old and [path.name for path in folder.iterdir()] == [old.name]


def test_without_a_bake_it_cannot_be_pressed(folder):
    scenes.wax_in_a_box(folder, frames=4)
    assert not bpy.ops.tallow.mesh_again.poll()
