"""Mesh Again with the native library."""

from pathlib import Path

import bpy
import numpy as np
import scenes
from test_real_bake import library_is_there
from test_real_carry import decorate


def volume(mesh):
    places, corners = scenes.positions(mesh).astype(np.float64), np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    a, b, c = (places[corners.reshape(-1, 3)[:, n]] for n in range(3))
    return float((np.cross(a, b) * c).sum() / 6.0)


def test_a_finer_mesh_has_the_same_volume_and_the_same_textures(folder):
    if not library_is_there():
        return "SKIP"
    decorate(scenes.wax_in_a_box(folder, frames=3))
    scene = bpy.context.scene
    assert bpy.ops.tallow.bake() == {"FINISHED"}
    scene.frame_set(3)
    obj = scene.tallow.surface_object
    count, before, names = len(obj.data.polygons), volume(obj.data), [layer.name for layer in obj.data.uv_layers]
    scene.tallow.mesh_detail = 2
    assert bpy.ops.tallow.mesh_again() == {"FINISHED"}
    mesh = scene.tallow.surface_object.data
    assert len(mesh.polygons) > 2.5 * count and abs(volume(mesh) / before - 1.0) < 0.01
    assert [layer.name for layer in mesh.uv_layers] == names and len(mesh.materials) == 2
    uv = np.empty(2 * len(mesh.loops), np.float32)
    mesh.uv_layers["Sides"].data.foreach_get("uv", uv)
    side = np.floor(uv.reshape(-1, 3, 2)[:, :, 0] / 10.0 + 0.05).astype(int)
    assert (side == side[:, :1]).all() and set(side[:, 0]) == set(range(6))


def test_a_bake_without_volumes_says_what_to_do(folder):
    if not library_is_there():
        return "SKIP"
    scenes.wax_in_a_box(folder, frames=2)
    scene = bpy.context.scene
    scene.tallow.save_vdb = False
    assert bpy.ops.tallow.bake() == {"FINISHED"}
    kept = scene.tallow.bake_path
    scenes.expect_error(bpy.ops.tallow.mesh_again, "Frame 1 cannot be meshed again", "OpenVDB Volumes")
    assert scene.tallow.bake_path == kept and len(list(Path(kept).parent.iterdir())) == 1
