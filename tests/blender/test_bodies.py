"""Rigid bodies that follow a bake: motion blur, hand moves, names, joints, and Blender's own rigid bodies."""

import json
from pathlib import Path

import bpy
import numpy as np
import scenes


def add_body(name="Ball", location=(0.0, 0.0, 0.3), size=0.1):
    body = scenes.add_box(name, size, location)
    body.tallow.role = "RIGID"
    return body


def written(scene):
    return json.loads((Path(scene.tallow.bake_path) / "scene" / "scene.json").read_text())


def first_place(scene, name):
    return next(o for o in written(scene)["objects"] if o["name"] == name)["keys"][0]["position"]


def warnings():
    from tallow import bake
    return bake.status_of(bpy.context.scene).warnings


def x_at(body, frame, subframe=0.0):
    bpy.context.scene.frame_set(frame, subframe=subframe)
    return body.matrix_world.translation.x


def test_between_two_frames_bodies_are_between_two_places(folder):
    scenes.wax_in_a_box(folder, frames=6)
    scene, ball = bpy.context.scene, add_body()
    bpy.ops.tallow.bake()  # it moves 0.2 a frame along x, and turns about z by 0.4
    for frame, subframe, expected in ((3, 0.0, 0.4), (2, 0.75, 0.35), (3, 0.25, 0.45), (3, 0.5, 0.5), (3, 0.0, 0.4),
                                      (6, 0.25, 1.0), (0, 0.75, 0.0), (9, 0.5, 1.0)):
        assert abs(x_at(ball, frame, subframe) - expected) < 1e-4, (frame, subframe, ball.matrix_world.translation)
    scene.frame_set(2, subframe=0.75)
    assert abs(ball.matrix_world.to_euler().z - 1.75 * 0.4) < 1e-4
    # A frame of which only one neighbour is there.
    (Path(scene.tallow.bake_path) / "rigid" / "rigid_000005.json").unlink()
    assert abs(x_at(ball, 4, 0.25) - 0.6) < 1e-4
    scene.frame_set(3)
    bpy.ops.tallow.bake()
    assert np.allclose(first_place(scene, "Ball"), (0.0, 0.0, 0.3), atol=1e-5)


def test_the_surface_stays_at_the_nearest_frame(folder):
    scenes.wax_in_a_box(folder, frames=6)
    scene = bpy.context.scene
    bpy.ops.tallow.bake()

    def lowest(frame, subframe=0.0):
        scene.frame_set(frame, subframe=subframe)
        return float(scenes.positions(scene.tallow.surface_object.data)[:, 2].min())

    third = lowest(3)
    assert abs(lowest(2) - third) > 1e-3
    assert lowest(2, 0.75) == third and lowest(3, 0.25) == third


def blurred_extent(folder, name, shutter):
    """From and to where along x a glowing body is seen."""
    scene = bpy.context.scene
    scene.render.use_motion_blur, scene.render.motion_blur_shutter = shutter > 0.0, max(shutter, 0.1)
    size = 64
    seen = scenes.render(folder / f"{name}.png", size=size, samples=32).reshape(size, size, 4)[:, :, 0].max(axis=0)
    lit = np.flatnonzero(seen > 0.02)
    return np.array([-0.6 + 2.0 * lit.min() / size, -0.6 + 2.0 * (lit.max() + 1) / size])


def film_alone(body):
    """Look at a glowing body and nothing else, from the front, 2 units wide."""
    scene = bpy.context.scene
    from tallow import staging
    staging.ensure_camera_and_light(scene)
    camera = scene.camera
    camera.data.type, camera.data.ortho_scale = "ORTHO", 2.0
    camera.location, camera.rotation_euler = (0.4, -5.0, 0.3), (np.pi / 2, 0.0, 0.0)
    for obj in scene.objects:
        obj.hide_render = obj.type == "MESH" and obj != body
    scene.world.use_nodes, scene.world.color = False, (0.0, 0.0, 0.0)
    material = bpy.data.materials.new("Glow")
    material.use_nodes = True
    nodes = material.node_tree.nodes
    nodes.clear()
    glow, output = nodes.new("ShaderNodeEmission"), nodes.new("ShaderNodeOutputMaterial")
    material.node_tree.links.new(glow.outputs[0], output.inputs[0])
    body.data.materials.append(material)


def test_a_body_that_follows_the_bake_is_blurred_as_one_with_keyframes(folder):
    scenes.wax_in_a_box(folder, frames=6)
    scene, ball = bpy.context.scene, add_body()
    bpy.ops.tallow.bake()
    scene.frame_set(3)
    film_alone(ball)
    sharp, followed = blurred_extent(folder, "sharp", 0.0), blurred_extent(folder, "follow", 1.0)
    bpy.ops.tallow.bodies_to_keyframes()
    scene.frame_set(3)
    keyed = blurred_extent(folder, "keys", 1.0)
    pixel = 2.0 / 64
    assert np.abs(followed - keyed).max() <= pixel, (followed, keyed)
    assert followed[0] < sharp[0] - pixel and followed[1] > sharp[1] + pixel, (sharp, followed)
