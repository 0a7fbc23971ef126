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
    from tallow.baking import job
    return job.status_of(bpy.context.scene).warnings


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
    from tallow.model import staging
    staging.ensure_camera_and_light(scene)
    camera = scene.camera
    camera.data.type, camera.data.ortho_scale = "ORTHO", 2.0
    camera.location, camera.rotation_euler = (0.4, -5.0, 0.3), (np.pi / 2, 0.0, 0.0)
    for obj in scene.objects:
        obj.hide_render = obj.type == "MESH" and obj != body
    from tallow.model.nodes import tree_of
    for node in tree_of(scene.world).nodes:
        if node.type == "BACKGROUND":
            node.inputs["Strength"].default_value = 0.0
    material = bpy.data.materials.new("Glow")
    nodes = tree_of(material).nodes
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


def add_joint(kind, holder, first, second=None):
    scene = bpy.context.scene
    if not scene.rigidbody_world:
        bpy.ops.rigidbody.world_add()
        scene.rigidbody_world.constraints = bpy.data.collections.new("Constraints")
    scenes.select(holder)
    bpy.ops.rigidbody.constraint_add(type=kind)
    constraint = holder.rigid_body_constraint
    constraint.object1, constraint.object2 = first, second
    return constraint


def add_empty(name, location, parent=None):
    empty = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(empty)
    empty.location = location
    if parent:
        empty.parent, empty.matrix_parent_inverse = parent, parent.matrix_world.inverted()
    bpy.context.view_layer.update()
    return empty


def test_joints_stay_where_the_artist_put_them_after_playback(folder):
    scenes.wax_in_a_box(folder, frames=6)
    scene, ball, arm = bpy.context.scene, add_body(), add_body("Arm", (0.15, 0.0, 0.3), 0.05)
    axle = add_empty("Axle", (0.0, 0.0, 0.35), parent=ball)
    axle.rotation_euler.y = 0.5
    add_joint("HINGE", axle, ball)
    add_joint("HINGE", arm, arm)
    rail = add_empty("Rail", (0.1, 0.1, 0.1))  # animated: the first frame counts
    for frame, x in ((1, 0.1), (6, 0.2)):
        rail.location.x = x
        rail.keyframe_insert("location", frame=frame)
    add_joint("SLIDER", rail, ball)
    tray = scenes.add_box("Tray", 0.05, (0.0, 0.0, 0.45))  # a solid that is a child of a body
    tray.tallow.role, tray.parent, tray.matrix_parent_inverse = "SOLID", ball, ball.matrix_world.inverted()
    bpy.ops.tallow.bake()
    before = written(scene)
    assert [joint["name"] for joint in before["joints"]] == ["Arm", "Axle", "Rail"]
    assert np.allclose(before["joints"][1]["anchor"], (0.0, 0.0, 0.35)), before["joints"]
    assert np.allclose(before["joints"][2]["anchor"], (0.1, 0.1, 0.1)), before["joints"]
    assert np.allclose(first_place(scene, "Tray"), (0.0, 0.0, 0.45))
    scene.frame_set(6)
    assert axle.matrix_world.translation.x > 0.5
    bpy.ops.tallow.resume()
    bpy.ops.tallow.bake()
    after = written(scene)
    for old, new in zip(before["joints"], after["joints"]):
        assert np.allclose(old["anchor"], new["anchor"], atol=1e-5), (old, new)
        assert np.allclose(old["axis"], new["axis"], atol=1e-5), (old, new)
    assert np.allclose(first_place(scene, "Tray"), (0.0, 0.0, 0.45), atol=1e-5)


def test_a_joint_names_its_solid_and_what_it_cannot_hold(folder):
    scenes.wax_in_a_box(folder, frames=2)
    scene, ball, gone = bpy.context.scene, add_body(), add_body("Gone", (0.1, 0.1, 0.3))
    gone.hide_viewport = True
    crank, table = scenes.add_box("Crank", 0.05, (0.0, 0.0, 0.45)), scenes.add_box("Table", 0.05, (0.1, 0.0, 0.1))
    crank.tallow.role = "SOLID"
    add_joint("POINT", add_empty("Pin", (0.0, 0.0, 0.4)), crank, ball)
    add_joint("POINT", add_empty("Screw", (0.0, 0.0, 0.2)), ball, table)
    add_joint("FIXED", add_empty("Glue", (0.0, 0.0, 0.2)), ball, gone)
    add_joint("FIXED", add_empty("Tape", (0.0, 0.0, 0.2)), crank, table)  # none of our bodies
    hinge = add_joint("HINGE", add_empty("Door", (0.0, 0.0, 0.2)), ball)
    hinge.use_limit_ang_z, hinge.use_breaking = True, True
    slider = add_joint("SLIDER", add_empty("Drawer", (0.0, 0.0, 0.2)), ball)
    slider.use_limit_lin_x = True
    bpy.ops.tallow.bake()
    ties = {joint["name"]: (joint["a"], joint["b"]) for joint in written(scene)["joints"]}
    assert ties == {"Pin": ("Ball", "Crank"), "Screw": ("Ball", None), "Door": ("Ball", None),
                    "Drawer": ("Ball", None)}, ties
    said = warnings()
    for words in (("Glue", "Ball and Gone", "Gone is left out"), ("Screw", "Table is neither", "Ball in place"),
                  ("Door", "hinges have no limits"), ("Door", "do not break"), ("Drawer", "sliders have no limits")):
        assert sum(all(word in text for word in words) for text in said) == 1, (words, said)
    assert not any("Pin" in text or "Tape" in text for text in said), said


def test_a_body_that_blender_simulates_too_follows_the_bake(folder):
    scenes.wax_in_a_box(folder, frames=6)
    scene, ball, own = bpy.context.scene, add_body(), add_body("Own", (0.1, 0.1, 0.3))
    for body in (ball, own):
        scenes.select(body)
        bpy.ops.rigidbody.object_add(type="ACTIVE")
    own.rigid_body.kinematic = True
    bpy.ops.tallow.bake()
    for frame in range(1, 7):
        scene.frame_set(frame)
        shown = ball.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation
        assert np.allclose(shown, (0.2 * (frame - 1), 0.0, 0.3), atol=1e-4), (frame, shown)
    assert ball.rigid_body.kinematic
    bpy.ops.tallow.free()
    assert not ball.rigid_body.kinematic and own.rigid_body.kinematic
    scene.frame_set(1)  # where that simulation starts
    # Keyframes need Blender's own simulation to keep away as well, also after the bake is gone.
    bpy.ops.tallow.bake()
    bpy.ops.tallow.bodies_to_keyframes()
    bpy.ops.tallow.free()
    scene.frame_set(1)
    scene.frame_set(2)
    shown = ball.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation
    assert np.allclose(shown, (0.2, 0.0, 0.3), atol=1e-4), shown


def test_a_hand_move_counts_whatever_else_is_animated(folder):
    scenes.wax_in_a_box(folder, frames=6)
    scene, ball = bpy.context.scene, add_body()
    ball.color = (1.0, 0.0, 0.0, 1.0)
    ball.keyframe_insert("color", frame=1)
    bpy.ops.tallow.bake()
    scene.frame_set(6)
    ball.location = (-0.1, 0.1, 0.4)
    bpy.context.view_layer.update()
    bpy.ops.tallow.bake()
    assert np.allclose(first_place(scene, "Ball"), (-0.1, 0.1, 0.4), atol=1e-5), first_place(scene, "Ball")


def test_a_keyed_body_starts_where_it_was_keyed(folder):
    scenes.wax_in_a_box(folder, frames=6)
    scene, ball = bpy.context.scene, add_body()
    ball.keyframe_insert("location", frame=1)
    bpy.ops.tallow.bake()
    scene.frame_set(6)
    assert abs(ball.matrix_world.translation.x - 1.0) < 1e-4
    bpy.ops.tallow.bake()
    assert np.allclose(first_place(scene, "Ball"), (0.0, 0.0, 0.3), atol=1e-5), first_place(scene, "Ball")


def test_a_body_that_is_renamed_still_follows_the_bake(folder):
    scenes.wax_in_a_box(folder, frames=6)
    scene, ball, cork = bpy.context.scene, add_body(), add_body("Cork", (0.0, 0.1, 0.3))
    bpy.ops.tallow.bake()
    ball.name = "Boat"
    assert abs(x_at(ball, 6) - 1.0) < 1e-4 and abs(x_at(ball, 2) - 0.2) < 1e-4
    # A copy, and a body that got the old name, stay where they are; names that were swapped do not mix bodies up.
    copy = ball.copy()
    scene.collection.objects.link(copy)
    other = add_body("Ball", (-0.1, -0.1, 0.3))
    assert abs(x_at(ball, 4) - 0.6) < 1e-4
    assert abs(copy.matrix_world.translation.x - 0.2) < 1e-4 and abs(other.matrix_world.translation.x + 0.1) < 1e-4
    ball.name, cork.name = "Cork.tmp", "Boat"
    ball.name = "Cork"
    scene.frame_set(5)
    assert abs(ball.location.y) < 1e-4 and abs(cork.location.y - 0.1) < 1e-4
    # The next bake goes by the names of its own time.
    for extra in (copy, other):
        bpy.data.objects.remove(extra)
    bpy.ops.tallow.bake()
    assert np.allclose(first_place(scene, "Cork"), (0.0, 0.0, 0.3), atol=1e-5)
    assert abs(x_at(ball, 6) - 1.0) < 1e-4


def test_children_that_are_bodies_follow_the_bake_whatever_their_names(folder):
    scenes.wax_in_a_box(folder, frames=6)
    scene, parent = bpy.context.scene, add_body("Parent", (0.0, 0.0, 0.3))
    child = add_body("Child", (0.0, 0.1, 0.3), 0.05)
    child.parent, child.matrix_parent_inverse = parent, parent.matrix_world.inverted()
    bpy.context.view_layer.update()
    bpy.ops.tallow.bake()
    for frame in (1, 4, 6, 2):
        scene.frame_set(frame)
        place = (0.2 * (frame - 1), 0.1, 0.3)
        assert np.allclose(child.matrix_world.translation, place, atol=1e-4), (frame, child.matrix_world)
    bpy.ops.tallow.bake()
    assert np.allclose(first_place(scene, "Child"), (0.0, 0.1, 0.3), atol=1e-5), first_place(scene, "Child")


def test_a_parent_that_moves_is_no_hand_move(folder):
    scenes.wax_in_a_box(folder, frames=6)
    scene, ball, ship = bpy.context.scene, add_body(), add_empty("Ship", (0.0, 0.0, 0.0))
    for frame, y in ((1, 0.0), (6, 0.1)):
        ship.location.y = y
        ship.keyframe_insert("location", frame=frame)
    scene.frame_set(1)
    ball.parent = ship
    bpy.context.view_layer.update()
    bpy.ops.tallow.bake()
    for frame in (3, 6, 2):
        scene.frame_set(frame)
        assert np.allclose(ball.matrix_world.translation, (0.2 * (frame - 1), 0.0, 0.3), atol=1e-4)
    bpy.ops.tallow.bake()
    assert np.allclose(first_place(scene, "Ball"), (0.0, 0.0, 0.3), atol=1e-5), first_place(scene, "Ball")


def test_a_body_under_a_stretched_parent_is_named_and_keeps_its_start(folder):
    scenes.wax_in_a_box(folder, frames=6)
    scene, ball = bpy.context.scene, add_body("Ball", (0.0, 0.0, 0.1), 0.06)
    straight = add_body("Straight", (0.1, 0.1, 0.3), 0.06)
    stretch = add_empty("Stretch", (0.0, 0.0, 0.0))
    stretch.scale = (1.0, 1.0, 3.0)
    bpy.context.view_layer.update()
    ball.parent, ball.rotation_euler.x = stretch, 0.6
    straight.parent, straight.matrix_parent_inverse = stretch, stretch.matrix_world.inverted()
    bpy.context.view_layer.update()
    start = ball.matrix_world.copy()
    bpy.ops.tallow.bake()
    assert any("Ball" in text and "Stretch" in text for text in warnings()), warnings()
    assert not any("Straight" in text for text in warnings()), warnings()
    scene.frame_set(1)
    assert np.allclose(ball.matrix_world.translation, start.translation, atol=1e-5)
    for frame in (3, 6, 2):
        scene.frame_set(frame)
    bpy.ops.tallow.bake()
    assert np.allclose(first_place(scene, "Ball"), start.translation, atol=1e-5), first_place(scene, "Ball")
    bpy.ops.tallow.free()
    assert np.allclose(ball.matrix_world, start, atol=1e-5), ball.matrix_world


def test_the_domain_is_fitted_to_where_bodies_start(folder):
    scenes.wax_in_a_box(folder, frames=6)
    scene, _ball = bpy.context.scene, add_body()
    from tallow.model import domain

    def fitted():
        scenes.select()
        bpy.ops.tallow.fit_domain()
        return np.array(domain.bounds(scene.tallow.domain))

    before = fitted()
    bpy.ops.tallow.bake()
    scene.frame_set(6)
    assert np.allclose(fitted(), before, atol=1e-4), (fitted(), before)


def test_a_body_may_start_above_an_open_top(folder):
    scenes.wax_in_a_box(folder, frames=2)
    scene, rain = bpy.context.scene, add_body("Rain", (0.0, 0.0, 1.5))
    scene.tallow.wall_z1 = "SLIP"
    scenes.expect_error(bpy.ops.tallow.bake, "Rain", "outside the domain")
    scene.tallow.wall_z1 = "OPEN"
    bpy.ops.tallow.bake()
    assert first_place(scene, "Rain")[2] == 1.5
    assert not any("sticks out" in text for text in warnings()), warnings()
    rain.location = (2.0, 0.0, 1.5)  # beyond a closed side as well
    bpy.context.view_layer.update()
    scenes.expect_error(bpy.ops.tallow.bake, "Rain", "outside the domain")
    bpy.data.objects["Wax"].location.z = 1.5  # liquid has to be inside
    rain.location.x = 0.0
    bpy.context.view_layer.update()
    scenes.expect_error(bpy.ops.tallow.bake, "Wax", "outside the domain")


def test_what_moves_is_judged_by_its_first_frame(folder):
    scenes.wax_in_a_box(folder, frames=6)
    scene, tap = bpy.context.scene, scenes.add_box("Tap", 0.1, (0.0, 0.0, 0.3))
    tap.tallow.role = "INFLOW"
    for frame, x in ((1, 0.0), (6, 3.0)):
        tap.location.x = x
        tap.keyframe_insert("location", frame=frame)
    scene.frame_set(6)
    bpy.ops.tallow.bake()
    scene.frame_set(1)
    tap.location.x = 3.0
    tap.keyframe_insert("location", frame=1)
    scene.frame_set(1)
    scenes.expect_error(bpy.ops.tallow.bake, "Tap", "outside the domain")


def opened_again(folder):
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=str(folder / "shot.blend"))
    return bpy.context.scene


def undone(_folder):
    """An edit of everything, and its undo."""
    bpy.ops.ed.undo_push(message="before")
    for obj in bpy.data.objects:
        obj.color[0] = 0.5
    bpy.ops.ed.undo_push(message="edit")
    bpy.ops.ed.undo()
    assert all(obj.color[0] == 1.0 for obj in bpy.data.objects)
    return bpy.context.scene


def test_bodies_start_where_they_did_after_an_undo_and_after_the_file_is_opened_again(folder):
    bpy.ops.ed.undo_push(message="empty")
    scenes.wax_in_a_box(folder, frames=6)
    scene, ship = bpy.context.scene, add_empty("Ship", (0.1, 0.05, 0.02))
    ship.rotation_euler.z = 0.3
    bpy.context.view_layer.update()
    add_body(size=0.06)
    child = add_body("Child", (0.12, 0.1, 0.3), 0.06)
    child.parent, child.matrix_parent_inverse = ship, ship.matrix_world.inverted()
    held = add_body("Held", (0.0, -0.12, 0.3), 0.06)
    held.constraints.new("CHILD_OF").target = ship  # it moves and turns with it
    bpy.context.view_layer.update()
    starts = {name: bpy.data.objects[name].matrix_world.copy() for name in ("Ball", "Child", "Held")}
    bpy.ops.tallow.bake()
    places = {name: first_place(scene, name) for name in starts}
    for frame, replace in ((1, opened_again), (4, opened_again), (4, undone)):  # there, and with the bodies elsewhere
        scene.frame_set(frame)
        shown = {name: bpy.data.objects[name].matrix_world.copy() for name in starts}
        scene = replace(folder)
        bpy.context.view_layer.update()
        for name in starts:
            assert np.allclose(bpy.data.objects[name].matrix_world, shown[name], atol=1e-4), (frame, name)
        bpy.ops.tallow.bake()
        for name in places:
            place = first_place(scene, name)
            assert np.allclose(place, places[name], atol=1e-4), (frame, name, place)
    bpy.ops.tallow.free()
    bpy.context.view_layer.update()
    for name in ("Ball", "Child"):
        assert np.allclose(bpy.data.objects[name].matrix_world, starts[name], atol=1e-4), name


def test_what_is_disabled_in_the_viewport_stays_in_its_place_when_the_file_is_opened_again(folder):
    scenes.wax_in_a_box(folder, frames=6)
    scene, ball, ship = bpy.context.scene, add_body(size=0.06), add_empty("Ship", (0.1, 0.05, 0.02))
    cork = add_body("Cork", (0.12, 0.1, 0.3), 0.06)
    cork.parent, cork.matrix_parent_inverse = ship, ship.matrix_world.inverted()
    add_joint("HINGE", add_empty("Axle", (0.0, 0.0, 0.35), parent=ship), ball)
    bpy.ops.tallow.bake()
    before = written(scene)
    start = cork.matrix_world.copy()
    scene.frame_set(4)
    for obj in (scene.tallow.domain, ball, cork, ship, bpy.data.objects["Axle"]):
        obj.hide_viewport = True
    scene = opened_again(folder)
    scene.frame_set(3)
    cork = bpy.data.objects["Cork"]
    for obj in (bpy.data.objects["Ball"], cork):
        obj.hide_viewport = False
    scene.frame_set(4)
    shown = cork.matrix_world.translation
    assert np.allclose(shown, (0.12 + 0.6, 0.1, 0.3), atol=1e-4), shown
    bpy.ops.tallow.bake()
    after = written(scene)
    for part in ("domain", "joints"):
        assert str(after[part]) == str(before[part]), (before[part], after[part])
    for name in ("Ball", "Cork"):
        old, new = (next(o for o in found["objects"] if o["name"] == name)["keys"] for found in (before, after))
        assert np.allclose(old[0]["position"], new[0]["position"], atol=1e-4), (name, old, new)
    bpy.ops.tallow.free()
    bpy.context.view_layer.update()
    assert np.allclose(cork.matrix_world, start, atol=1e-4)
