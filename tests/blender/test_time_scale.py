"""Slow motion: what the shot shows of the simulated time, and motion blur that is right for it."""

import json

import bpy
import numpy as np
import scenes


def export(folder):
    from tallow.baking.export import export_scene
    export_scene(bpy.context, folder / "scene")
    return json.loads((folder / "scene" / "scene.json").read_text())


def velocities():
    mesh = bpy.context.scene.tallow.surface_object.data
    array = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.attributes["velocity"].data.foreach_get("vector", array)
    return array.reshape(-1, 3)


def test_the_time_scale_is_written_and_can_be_keyed(folder):
    scenes.wax_in_a_box(folder, frames=11)
    scene = bpy.context.scene
    scene.tallow.time_scale = 0.25
    assert export(folder)["world"]["time_scale"] == 0.25
    from tallow.model import shot
    assert abs(shot.seconds(scene) - 0.25 * 10 / 24) < 1e-6
    scene.tallow.keyframe_insert("time_scale", frame=1)
    scene.tallow.time_scale = 1.0
    scene.tallow.keyframe_insert("time_scale", frame=11)
    from tallow.core import animation
    for point in animation.find_curve(scene.animation_data, "tallow.time_scale").keyframe_points:
        point.interpolation = "LINEAR"
    keys = export(folder)["world"]["keys"]
    assert keys[0]["time_scale"] == 0.25 and abs(keys[5]["time_scale"] - 0.625) < 1e-6 and keys[10]["time_scale"] == 1.0
    assert abs(shot.seconds(scene) - 0.625 * 10 / 24) < 1e-6


def test_blur_is_that_of_the_shot(folder):
    scenes.wax_in_a_box(folder, frames=6)
    scene = bpy.context.scene
    bpy.ops.tallow.bake()
    scene.frame_set(3)
    plain = velocities()[:, 2]
    scene.tallow.time_scale = 0.25
    bpy.ops.tallow.bake()
    scene.frame_set(3)
    assert np.allclose(velocities()[:, 2], 0.25 * plain)
    scene.tallow.show_particles = True
    mesh = scene.tallow.particles_object.data
    array = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.attributes["velocity"].data.foreach_get("vector", array)
    assert np.allclose(array.reshape(-1, 3)[:, 2], 0.25 * plain[0])


def test_bodies_turn_by_simulated_time_between_frames(folder):
    from tallow.core.cache import Cache
    scenes.wax_in_a_box(folder, frames=6)
    scene = bpy.context.scene
    scene.tallow.time_scale = 0.5
    bpy.ops.tallow.bake()
    from tallow import playback
    cache = playback.cache_of(scene)
    assert isinstance(cache, Cache) and abs(cache.frame_seconds(3) - 0.5 / 24) < 1e-9 and cache.frame_seconds(6) == 0.0
    assert cache.pace(3) == 0.5 and cache.pace(99) == 1.0
