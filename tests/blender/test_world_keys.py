"""Keyframes on the world: air, gravity, heat and cooling."""

import json

import bpy
import numpy as np
import scenes


def export(folder, name="scene"):
    from tallow.baking.export import export_scene
    export_scene(bpy.context, folder / name)
    return json.loads((folder / name / "scene.json").read_text())


def key(name, *values, owner=None, index=-1):
    """Values on frames 1, 6, 11, ... in straight lines."""
    owner = owner or bpy.context.scene.tallow
    for number, value in enumerate(values):
        setattr(owner, name, value)
        assert owner.keyframe_insert(name, frame=1 + 5 * number)
    from tallow.core import animation
    for curve in animation.curves(bpy.context.scene.animation_data):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def test_a_still_world_has_no_keys(folder):
    scenes.wax_in_a_box(folder, frames=6)
    world = export(folder)["world"]
    assert "keys" not in world and "time_scale" not in world
    bpy.context.scene.view_settings.keyframe_insert("exposure", frame=1)  # an animation of something else
    assert "keys" not in export(folder)["world"]


def test_every_value_of_the_world_can_be_keyed(folder):
    scenes.wax_in_a_box(folder, frames=11)
    tallow = bpy.context.scene.tallow
    tallow.use_scene_gravity = False
    key("ambient", 20.0, 70.0, 120.0)
    key("film", 10.0, 20.0)
    key("emissivity", 0.9, 0.4)
    key("thermal_speed", 0.0, 100.0)
    key("gravity", (0.0, 0.0, -10.0), (5.0, 0.0, 0.0))
    bpy.context.scene.frame_set(4)
    world = export(folder)["world"]
    assert bpy.context.scene.frame_current == 4
    keys = world["keys"]
    assert len(keys) == 12 and keys[0]["time"] == 0.0 and abs(keys[5]["time"] - 5 / 24) < 1e-6
    assert np.allclose([k["ambient_temperature"] for k in keys[:11]], 293.15 + 10.0 * np.arange(11), atol=1e-3)
    assert abs(keys[2]["film_coefficient"] - 14.0) < 1e-4 and abs(keys[5]["emissivity"] - 0.4) < 1e-6
    assert abs(keys[3]["thermal_speed"] - 60.0) < 1e-4 and np.allclose(keys[1]["gravity"], (1, 0, -8), atol=1e-5)
    assert abs(world["ambient_temperature"] - 293.15) < 1e-3 and world["thermal_speed"] == 0.0


def test_gravity_of_the_scene_and_drivers_count_too(folder):
    scenes.wax_in_a_box(folder, frames=6)
    scene = bpy.context.scene
    key("gravity", (0.0, 0.0, -9.81), (0.0, 0.0, 0.0), owner=scene)
    keys = export(folder)["world"]["keys"]
    assert keys[0]["gravity"][2] < -9.8 and abs(keys[5]["gravity"][2]) < 1e-6
    scene.animation_data_clear()
    driver = scene.tallow.driver_add("ambient").driver
    driver.type, driver.expression = "SCRIPTED", "10 * frame"
    keys = export(folder, "driven")["world"]["keys"]
    assert abs(keys[2]["ambient_temperature"] - 303.15) < 1e-3


def test_keys_of_an_inflow_are_written(folder):
    scenes.wax_in_a_box(folder, frames=6)
    tap = scenes.add_box("Tap", 0.1, (0.0, 0.0, 0.6))
    tap.tallow.role = "INFLOW"
    for frame, on, speed, heat in ((1, True, 0.0, 90.0), (3, False, 0.5, 20.0)):
        tap.tallow.enabled, tap.tallow.velocity, tap.tallow.temperature = on, (0.0, 0.0, -speed), heat
        for name in ("enabled", "velocity", "temperature"):
            tap.tallow.keyframe_insert(name, frame=frame)
    keys = next(o for o in export(folder)["objects"] if o["name"] == "Tap")["keys"]
    assert keys[0]["enabled"] and not keys[2]["enabled"]
    assert abs(keys[2]["velocity"][2] + 0.5) < 1e-6 and abs(keys[2]["temperature"] - 293.15) < 1e-3


def test_keys_after_the_bake_are_no_change(folder):
    from tallow.core import scene_file
    scenes.wax_in_a_box(folder, frames=6)
    export(folder, "old")
    scene = bpy.context.scene
    scene.frame_end = 16
    key("ambient", 20.0, 20.0, 20.0, 80.0)
    export(folder, "new")
    assert scene_file.difference(folder / "old", folder / "new") is None
    scene_file.go_on(folder / "old", folder / "new")
    world = json.loads((folder / "old" / "scene.json").read_text())["world"]
    assert abs(world["keys"][-1]["ambient_temperature"] - 353.15) < 1e-3
    assert abs(np.interp(10 / 24, [k["time"] for k in world["keys"]], [k["ambient_temperature"] for k in world["keys"]])
               - 293.15) < 1e-3
    key("ambient", 20.0, 30.0)
    export(folder, "other")
    assert scene_file.difference(folder / "new", folder / "other") == "the world"


def test_warmed_air_can_melt_wax_and_the_button_says_when_keys_win(folder):
    from tallow.baking.export import heat_checks
    scenes.wax_in_a_box(folder, frames=6)
    scene = bpy.context.scene
    assert any("Nothing in the scene can melt" in text for _name, text in heat_checks.warnings(scene))
    key("ambient", 20.0, 200.0)
    scene.frame_set(1)
    assert not heat_checks.warnings(scene)
    plate = scenes.add_box("Plate", 0.5, (0.0, 0.0, -0.2))
    plate.tallow.role, plate.tallow.temperature = "HEAT", 200.0
    key("thermal_speed", 1.0, 100.0)
    scenes.expect_error(bpy.ops.tallow.melt_in_shot, "Heat Speed-up is animated")
