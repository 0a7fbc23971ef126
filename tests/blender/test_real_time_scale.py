"""Slow motion with the native library: where a drop is, and whether its motion blur leads to the next frame."""

import json

import bpy
import numpy as np
import scenes


def library_is_there():
    from tallow.baker import library
    return any(path.is_file() for path in library.candidates())


def drop(folder):
    from mathutils import Vector
    from tallow.model import domain
    scenes.clear()
    scene = bpy.context.scene
    scenes.add_box("Drop", 0.3, (0.0, 0.0, 0.9)).tallow.role = "LIQUID"
    domain.place(domain.ensure(scene), Vector((-0.6, -0.6, -0.1)), Vector((0.6, 0.6, 1.1)))
    scene.tallow.resolution, scene.tallow.cache_folder = 24, str(folder)
    scene.frame_start, scene.frame_end = 1, 12
    return scene


def height_and_speed(scene, frame):
    scene.frame_set(frame)
    mesh = scene.tallow.surface_object.data
    array = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.attributes["velocity"].data.foreach_get("vector", array)
    return centre(mesh), array.reshape(-1, 3).mean(axis=0)[2]


def centre(mesh):
    """Height of the centre of mass."""
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    a, b, c = (scenes.positions(mesh).astype(float)[corners.reshape(-1, 3)[:, i]] for i in range(3))
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c))
    return float((volumes * (a + b + c)[:, 2]).sum() / (4 * volumes.sum()))


def expect_fall(scene, times):
    places = {frame: height_and_speed(scene, frame) for frame in range(1, 13)}
    for frame, seconds in enumerate(times, 1):
        fallen, expected = places[1][0] - places[frame][0], 0.5 * 9.81 * seconds ** 2
        assert abs(fallen - expected) < 0.05 * expected + 0.003, (frame, fallen, expected)
    for frame in range(8, 12):
        # From the frame before to the frame after. Velocities lead by half a step, which is a part of a frame here.
        way, blur = places[frame + 1][0] - places[frame - 1][0], 2.0 * places[frame][1] / 24
        assert abs(blur - way) < 0.1 * abs(way), (frame, way, blur)


def test_slow_motion_shows_half_of_the_time(folder):
    if not library_is_there():
        return "SKIP"
    scene = drop(folder)
    scene.tallow.time_scale = 0.5
    assert bpy.ops.tallow.bake() == {"FINISHED"}
    expect_fall(scene, 0.5 * np.arange(12) / 24)


def test_a_shot_can_slow_down(folder):
    if not library_is_there():
        return "SKIP"
    from tallow.core import animation
    scene = drop(folder)
    for frame, value in ((1, 1.2), (13, 0.3)):
        scene.tallow.time_scale = value
        scene.tallow.keyframe_insert("time_scale", frame=frame)
    for point in animation.find_curve(scene.animation_data, "tallow.time_scale").keyframe_points:
        point.interpolation = "LINEAR"
    assert bpy.ops.tallow.bake() == {"FINISHED"}
    pace = 1.2 - 0.075 * np.arange(13)
    expect_fall(scene, np.concatenate([[0.0], np.cumsum((pace[:-1] + pace[1:]) / 2)])[:12] / 24)
    times = [entry["time"] for entry in json.loads(
        open(scene.tallow.bake_path + "/bake.json", encoding="utf-8").read())["frames"]]
    assert np.allclose(np.diff(times), (pace[:-1] + pace[1:])[:11] / 48, atol=1e-6)
