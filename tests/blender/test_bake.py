"""Roles, bake, playback and render through the whole path, with the stand-in baker."""

import json
import os
from pathlib import Path

import bpy
import numpy as np
import scenes
from tallow.core import animation


def cache(scene):
    from tallow import playback
    return playback.cache_of(scene)


def test_bake_plays_back_and_renders_a_picture_that_changes(folder):
    scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    scene.render.use_lock_interface = False
    from tallow.model import staging
    staging.ensure_camera_and_light(scene)
    assert bpy.ops.tallow.bake() == {"FINISHED"}
    bpy.ops.tallow.add_material()
    pictures, lows = [], []
    for frame in (1, 6):
        scene.frame_set(frame)
        lows.append(float(scenes.positions(scene.tallow.surface_object.data)[:, 2].min()))
        pictures.append(scenes.render(folder / f"frame_{frame}.png"))
    assert lows[1] < lows[0]
    assert pictures[0].std() > 0.01 and pictures[1].std() > 0.01
    assert np.abs(pictures[0] - pictures[1]).mean() > 0.005
    assert scene.render.use_lock_interface


def test_surface_carries_every_attribute(folder):
    scenes.wax_in_a_box(folder)
    bpy.ops.tallow.bake()
    scene = bpy.context.scene
    scene.frame_set(4)
    mesh = scene.tallow.surface_object.data
    kinds = {name: mesh.attributes[name].data_type
             for name in ("velocity", "rest_position", "temperature", "melt", "material")}
    assert kinds == {"velocity": "FLOAT_VECTOR", "rest_position": "FLOAT_VECTOR", "temperature": "FLOAT",
                     "melt": "FLOAT",
                     "material": "FLOAT"}
    melt = np.empty(len(mesh.vertices), np.float32)
    mesh.attributes["melt"].data.foreach_get("value", melt)
    assert np.allclose(melt, 0.6)
    velocity = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.attributes["velocity"].data.foreach_get("vector", velocity)
    assert np.allclose(velocity.reshape(-1, 3)[:, 2], -0.8)
    assert all(polygon.use_smooth for polygon in mesh.polygons)
    assert len(mesh.edges) == len(mesh.polygons) * 3 // 2


def test_smoothing_rounds_what_is_shown_and_leaves_the_bake(folder):
    scenes.wax_in_a_box(folder)
    bpy.ops.tallow.bake()
    scene = bpy.context.scene
    scene.frame_set(4)
    surface = scene.tallow.surface_object
    baked = scenes.positions(surface.data)

    def shown():
        return scenes.positions(surface.evaluated_get(bpy.context.evaluated_depsgraph_get()).data)

    away = []
    for passes in (2, 6, 0):
        scene.tallow.smoothing = passes
        assert len(surface.modifiers) == (1 if passes else 0)
        away.append(float(np.abs(shown() - baked).max()))
        assert (scenes.positions(surface.data) == baked).all()
    assert 0.0 < away[0] < away[1] and away[2] == 0.0
    surface.modifiers.new("Mine", "SUBSURF")
    scene.tallow.smoothing = 3
    scene.tallow.smoothing = 0
    bpy.ops.tallow.add_material(style="WAX")  # a choice of one's own stays
    assert [modifier.name for modifier in surface.modifiers] == ["Mine"]
    scene.tallow.property_unset("smoothing")
    bpy.ops.tallow.add_material(style="LIQUID")
    assert scene.tallow.smoothing == 0
    bpy.ops.tallow.add_material(style="WAX")
    assert scene.tallow.smoothing == surface.modifiers[-1].iterations == 2
    bpy.ops.tallow.add_material(style="LIQUID")
    assert scene.tallow.smoothing == 0 and [modifier.name for modifier in surface.modifiers] == ["Mine"]


def test_source_gives_way_to_the_surface_and_comes_back(folder):
    wax = scenes.wax_in_a_box(folder)
    bpy.ops.tallow.bake()
    assert wax.hide_render and wax.display_type == "WIRE"
    bpy.ops.tallow.free()
    assert not wax.hide_render and wax.display_type == "TEXTURED"
    assert not bpy.context.scene.tallow.surface_object.data.vertices


def test_a_role_that_is_taken_away_leaves_no_trace(folder):
    scenes.clear()
    box = scenes.add_box("Box")
    box.display_type = "SOLID"
    scenes.select(box)
    bpy.ops.tallow.set_role(role="INFLOW")
    assert box.display_type == "WIRE" and box.hide_render
    bpy.ops.tallow.set_role(role="NONE")
    assert box.display_type == "SOLID" and not box.hide_render


def test_frames_that_are_not_baked_keep_the_last_one(folder):
    scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    bpy.ops.tallow.bake()
    from tallow import playback
    scene.frame_set(6)
    last = scenes.positions(scene.tallow.surface_object.data).copy()
    scene.frame_set(40)
    assert np.array_equal(last, scenes.positions(scene.tallow.surface_object.data))
    assert "40" in playback.note(scene) and "6" in playback.note(scene)
    cache(scene).mesh_path(3).unlink()
    scene.frame_set(3)
    assert len(scene.tallow.surface_object.data.vertices) == len(last)
    cache(scene).mesh_path(4).write_bytes(b"ply\nnonsense")
    scene.frame_set(4)
    scene.frame_set(5)


def test_every_bake_gets_a_new_folder_and_the_old_one_goes(folder):
    scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    bpy.ops.tallow.bake()
    first = Path(scene.tallow.bake_path)
    (first / "notes.txt").write_text("mine")
    bpy.ops.tallow.bake()
    second = Path(scene.tallow.bake_path)
    assert first != second and second.is_dir()
    assert [path.name for path in first.rglob("*") if path.is_file()] == ["notes.txt"]
    scene.tallow.keep_old = True
    bpy.ops.tallow.bake()
    assert (second / "bake.json").is_file()


def test_resume_goes_on_after_the_last_frame(folder):
    scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    bpy.ops.tallow.bake()
    folder_before = scene.tallow.bake_path
    scene.frame_end = 10
    bpy.ops.tallow.resume()
    assert scene.tallow.bake_path == folder_before
    assert cache(scene).order == list(range(1, 11))
    from tallow.baking import job
    assert job.status_of(scene).finished == 4


def test_resume_of_a_longer_range_goes_on_with_what_moves(folder):
    scenes.wax_in_a_box(folder, frames=3)
    scene = bpy.context.scene
    mover, sheet = scenes.add_box("Mover", 0.1, (0.3, 0.0, 0.1)), scenes.add_box("Sheet", 0.1, (-0.3, 0.0, 0.1))
    mover.tallow.role = sheet.tallow.role = "SOLID"
    sheet.shape_key_add(name="Basis")
    shape = sheet.shape_key_add(name="Up")
    shape.data[0].co.z += 0.01
    for frame in (1, 20):
        mover.location.z = shape.value = 0.1 * frame / 20
        mover.keyframe_insert("location", frame=frame)
        shape.keyframe_insert("value", frame=frame)
    bpy.ops.tallow.bake()
    scene.frame_end = 5
    assert bpy.ops.tallow.resume() == {"FINISHED"}
    assert cache(scene).order == [1, 2, 3, 4, 5]
    source = Path(scene.tallow.bake_path) / "scene"
    assert (source / "meshes" / "Sheet_000005.ply").is_file()
    assert json.loads((source / "scene.json").read_text())["frames"]["end"] == 5
    animation.find_curve(mover.animation_data, "location").keyframe_points[0].co.y += 0.1
    scene.frame_end = 6
    scenes.expect_error(bpy.ops.tallow.resume, "the object Mover", "changed")


def test_resume_names_what_changed(folder):
    wax = scenes.wax_in_a_box(folder)
    bpy.ops.tallow.bake()
    wax.location.x += 0.05
    scenes.expect_error(bpy.ops.tallow.resume, "Wax", "changed")
    wax.location.x -= 0.05
    bpy.context.scene.tallow.ambient = 25
    scenes.expect_error(bpy.ops.tallow.resume, "world", "changed")
    bpy.context.scene.tallow.ambient = 20
    assert bpy.ops.tallow.resume() == {"FINISHED"}


def test_killed_baker_is_one_sentence_and_keeps_its_frames(folder):
    scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    os.environ["FAKE_BAKER"] = "crash"
    text = scenes.expect_error(bpy.ops.tallow.bake, "memory", "Frames up to 3 are kept")
    assert text.count("\n") <= 1
    os.environ.pop("FAKE_BAKER")
    assert cache(scene).order == [1, 2, 3]
    bpy.ops.tallow.resume()
    assert cache(scene).order == [1, 2, 3, 4, 5, 6]


def test_error_of_the_baker_reaches_the_artist(folder):
    scenes.wax_in_a_box(folder)
    os.environ["FAKE_BAKER"] = "error"
    scenes.expect_error(bpy.ops.tallow.bake, "Suzanne is not closed")
    from tallow.baking import job
    assert "Suzanne" in job.status_of(bpy.context.scene).error
    assert bpy.context.scene.tallow.bake_path == ""


def test_warnings_of_the_baker_are_kept_for_the_panel(folder):
    scenes.wax_in_a_box(folder)
    bpy.ops.tallow.bake()
    from tallow.baking import job
    assert job.status_of(bpy.context.scene).warnings[-1] == "Suzanne is not closed: 168 open edges; filled"


def test_what_cannot_be_shown_or_freed_is_a_sentence(folder):
    from tallow import playback
    from tallow.baking import job
    from tallow.core import cache as cache_files
    scenes.wax_in_a_box(folder)
    bpy.ops.tallow.bake()
    show, free = playback.surface.show, cache_files.free

    def fail(*_arguments):
        raise PermissionError(13, "Permission denied")

    playback.surface.show = cache_files.free = fail
    try:
        assert bpy.ops.tallow.bake() == {"FINISHED"}
    finally:
        playback.surface.show, cache_files.free = show, free
    status = job.status_of(bpy.context.scene)
    assert status.state == "done" and status.finished == 6 and job.current() is None
    assert any("cannot be shown" in text for text in status.warnings)
    assert any("previous bake" in text and "Permission denied" in text for text in status.warnings)


def test_a_word_that_nobody_understands_does_not_end_the_bake(folder):
    scenes.wax_in_a_box(folder)
    os.environ["FAKE_BAKER"] = "odd"
    assert bpy.ops.tallow.bake() == {"FINISHED"}
    from tallow.baking import job
    status = job.status_of(bpy.context.scene)
    assert status.state == "done" and any("cannot be read" in text for text in status.warnings)


def test_bodies_follow_the_bake_and_return_when_it_is_freed(folder):
    scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    ball = scenes.add_box("Ball", 0.1, (0.1, 0.0, 0.3))
    ball.rotation_euler = (0.0, 0.0, 0.5)
    ball.scale = (2.0, 2.0, 2.0)
    ball.tallow.role = "RIGID"
    bpy.ops.tallow.bake()
    scene.frame_set(6)
    assert abs(ball.matrix_world.translation.x - 1.1) < 1e-4
    assert abs(ball.matrix_world.to_scale().x - 2.0) < 1e-4
    scene.frame_set(1)
    scene.frame_set(6)
    # A second bake starts from where the artist had put the body, not from where playback has it.
    bpy.ops.tallow.bake()
    written = json.loads((Path(scene.tallow.bake_path) / "scene" / "scene.json").read_text())
    key = next(o for o in written["objects"] if o["name"] == "Ball")["keys"][0]
    assert np.allclose(key["position"], (0.1, 0.0, 0.3), atol=1e-5)
    bpy.ops.tallow.free()
    assert abs(ball.matrix_world.translation.x - 0.1) < 1e-5 and abs(ball.rotation_euler.z - 0.5) < 1e-5


def test_a_body_moved_by_hand_starts_the_next_bake_there(folder):
    scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    ball = scenes.add_box("Ball", 0.1, (0.0, 0.0, 0.3))
    ball.tallow.role = "RIGID"
    bpy.ops.tallow.bake()
    scene.frame_set(6)
    ball.location = (-0.1, 0.1, 0.4)
    bpy.context.view_layer.update()
    bpy.ops.tallow.bake()
    written = json.loads((Path(scene.tallow.bake_path) / "scene" / "scene.json").read_text())
    key = next(o for o in written["objects"] if o["name"] == "Ball")["keys"][0]
    assert np.allclose(key["position"], (-0.1, 0.1, 0.4), atol=1e-5)


def test_bodies_become_keyframes(folder):
    scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    ball = scenes.add_box("Ball", 0.1, (0.0, 0.0, 0.3))
    ball.tallow.role = "RIGID"
    bpy.ops.tallow.bake()
    bpy.ops.tallow.bodies_to_keyframes()
    assert not ball.tallow.follow_bake and ball.animation_data.action
    scene.frame_set(6)
    assert abs(ball.location.x - 1.0) < 1e-4
    scene.frame_set(1)
    assert abs(ball.location.x) < 1e-4


def test_particles_show_the_chosen_share(folder):
    scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    bpy.ops.tallow.bake()
    scene.tallow.particle_percent = 100
    scene.tallow.show_particles = True
    obj = scene.tallow.particles_object
    everything = len(obj.data.vertices)
    scene.tallow.particle_percent = 25
    assert everything == 266 and len(obj.data.vertices) == 67
    points = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    assert points is not None and "temperature" in obj.data.attributes


def test_colours_follow_the_display_choice(folder):
    scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    bpy.ops.tallow.bake()
    scene.frame_set(1)
    for mode in ("TEMPERATURE", "MELT", "VISCOSITY", "SPEED"):
        scene.tallow.show_color = mode
        mesh = scene.tallow.surface_object.data
        color = np.empty(4 * len(mesh.vertices), np.float32)
        mesh.attributes["tallow_color"].data.foreach_get("color", color)
        assert np.all(np.isfinite(color)) and color.max() > 0
    scene.tallow.show_color = "MELT"
    cold = scene.tallow.surface_object.data.attributes["tallow_color"].data[0].color[:]
    scene.frame_set(6)
    assert scene.tallow.surface_object.data.attributes["tallow_color"].data[0].color[:] != cold


def test_quick_melt_is_ready_to_bake(folder):
    scene = bpy.context.scene
    scenes.select(bpy.data.objects["Cube"])
    assert bpy.ops.tallow.quick_melt(frames=5) == {"FINISHED"}
    roles = {obj.name: obj.tallow.role for obj in scene.objects}
    assert roles["Cube"] == "WAX" and roles["Tallow Floor"] == "SOLID" and roles["Tallow Hot Plate"] == "HEAT"
    count = len(scene.objects)
    scenes.select(bpy.data.objects["Cube"])
    bpy.ops.tallow.quick_melt(frames=5)
    assert len(scene.objects) == count
    scene.tallow.cache_folder = str(folder)
    assert bpy.ops.tallow.bake() == {"FINISHED"}


def test_quick_liquid_is_ready_to_bake(folder):
    scenes.clear()
    scenes.select(scenes.add_box("Drop", 0.5))
    assert bpy.ops.tallow.quick_liquid(frames=3) == {"FINISHED"}
    assert bpy.context.scene.camera is not None
    bpy.context.scene.tallow.cache_folder = str(folder)
    assert bpy.ops.tallow.bake() == {"FINISHED"}


def test_particles_are_written_only_when_something_uses_them(folder):
    from tallow import playback
    scenes.wax_in_a_box(folder, frames=2)
    scene = bpy.context.scene
    assert settings_output(scene)["particles"] is False and settings_output(scene)["compact"] is True
    bpy.ops.tallow.bake()
    for path in (Path(scene.tallow.bake_path) / "particles").iterdir():
        path.unlink()  # the stand-in for the baker writes them always
    scene.tallow.show_particles = True
    assert "no particles" in playback.note(scene)
    assert settings_output(scene)["particles"] is True
    bpy.ops.tallow.bake()
    assert playback.note(scene) == "" and len(scene.tallow.particles_object.data.vertices)


def settings_output(scene):
    from tallow.baking.export import settings
    return settings.output_member(scene)
