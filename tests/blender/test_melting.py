"""Real Size, Quick Melt and Melt Within the Shot."""

import json
import os

import bpy
import scenes


def exported(folder):
    from tallow.baking.export import export_scene
    bpy.context.view_layer.update()
    export_scene(bpy.context, folder)
    return json.loads((folder / "scene.json").read_text())


def numbers(value, path=""):
    """All numbers of a scene with their places."""
    if isinstance(value, dict):
        return [pair for key, entry in value.items() for pair in numbers(entry, f"{path}.{key}")]
    if isinstance(value, list):
        return [pair for index, entry in enumerate(value) for pair in numbers(entry, f"{path}[{index}]")]
    return [(path, value)] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


def quick(size, unit=1.0, **settings):
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.context.scene.unit_settings.scale_length = unit
    cube = scenes.add_box("Cube", size)
    scenes.select(cube)
    bpy.ops.tallow.quick_melt(frames=24, resolution=32, **settings)
    return cube


def test_the_same_object_in_any_size_and_unit_is_the_same_scene_in_life(folder):
    for heat in ("PLATE", "LAMP"):
        quick(2.0, heat=heat)
        first = dict(numbers(exported(folder / f"{heat}_0")))
        for number, (size, unit) in enumerate(((0.02, 1.0), (0.2, 1.0), (20.0, 1.0), (2.0, 0.001), (0.2, 100.0))):
            quick(size, unit, heat=heat)
            other = dict(numbers(exported(folder / f"{heat}_{number + 1}")))
            assert first.keys() == other.keys()
            for path, value in first.items():
                if not path.startswith(".display"):
                    assert abs(value - other[path]) <= 1e-5 * max(abs(value), 0.12), (size, unit, path, value)


def test_real_size_is_what_the_artist_says(folder):
    from tallow.model import domain, units
    cube = quick(2.0)
    scene = bpy.context.scene
    assert abs(units.get_life_size(scene) - 0.12) < 1e-6
    scene.tallow.life_size = "OWN"
    assert abs(scene.tallow.life_centimetres - 12.0) < 1e-3
    scene.tallow.life_centimetres = 50.0
    assert abs(units.metres_per_unit(scene) - 0.25) < 1e-6
    cube.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    assert abs(scene.tallow.life_centimetres - 100.0) < 1e-3  # it is larger in life, too
    scene.tallow.life_size = "UNITS"
    low, high = domain.bounds(domain.get(scene))
    assert (domain.size(scene) - (high - low)).length < 1e-6


def test_a_bake_keeps_the_size_that_it_was_made_with(folder):
    quick(2.0)
    scene = bpy.context.scene
    scene.tallow.cache_folder = str(folder)
    bpy.ops.tallow.bake()
    scene.frame_set(3)
    before = scenes.positions(scene.tallow.surface_object.data)
    scene.tallow.life_size = "UNITS"
    scene.frame_set(4)
    scene.frame_set(3)
    after = scenes.positions(scene.tallow.surface_object.data)
    assert abs(before - after).max() == 0.0
    assert 1.0 < max(scene.tallow.surface_object.dimensions) < 4.0  # of the cube's own order


def test_files_of_older_versions_stay_in_metres(folder):
    scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    bpy.app.handlers.save_pre[:] = [f for f in bpy.app.handlers.save_pre if "versions" not in f.__module__]
    scene.tallow.property_unset("life_size")
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "old.blend"))
    from tallow.model import versions
    bpy.app.handlers.save_pre.append(versions.on_save)
    bpy.ops.wm.open_mainfile(filepath=str(folder / "old.blend"))
    assert bpy.context.scene.tallow.life_size == "UNITS"
    bpy.context.scene.tallow.life_size = "TABLE"
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "new.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "new.blend"))
    assert bpy.context.scene.tallow.life_size == "TABLE"


def test_melt_within_the_shot_says_what_it_found(folder):
    quick(2.0)
    scene = bpy.context.scene
    scene.tallow.thermal_speed = 1.0
    scene.tallow.melt_frame, scene.tallow.melt_percent = 11, 50
    bpy.ops.tallow.melt_in_shot()
    assert scene.tallow.thermal_speed == 5000.0
    assert "50 %" in scene.tallow.melt_note and "frame 11" in scene.tallow.melt_note
    assert scene.tallow.melt_strength == 0.0 and not bpy.ops.tallow.strengthen_heat.poll()


def test_a_heater_that_is_too_weak_is_named_and_can_be_strengthened(folder):
    quick(2.0, heat="LAMP")
    scene = bpy.context.scene
    lamp = scene.objects["Tallow Lamp"]
    lamp.tallow.power = 1000.0
    os.environ["FAKE_BAKER"] = "weak"
    try:
        scene.tallow.thermal_speed = 7.0
        bpy.ops.tallow.melt_in_shot()
        note = scene.tallow.melt_note
        assert "Tallow Lamp is too weak" in note and "40 %" in note and "3,000 W instead of 1,000" in note
        assert scene.tallow.thermal_speed == 7.0
        bpy.ops.tallow.strengthen_heat()
        assert abs(lamp.tallow.power - 3000.0) < 0.1 and "too weak" not in scene.tallow.melt_note
        assert scene.tallow.thermal_speed > 100.0
        # Quick Melt chose its heater itself, and so chooses a stronger one.
        quick(2.0, heat="PLATE")
        scene = bpy.context.scene
        plate = scene.objects["Tallow Hot Plate"]
        assert plate.tallow.temperature > 300.0 and "too weak" not in scene.tallow.melt_note
    finally:
        del os.environ["FAKE_BAKER"]


def test_a_search_that_fails_says_why(folder):
    cube = quick(2.0)
    os.environ["FAKE_BAKER"] = "error"
    try:
        scenes.expect_error(bpy.ops.tallow.melt_in_shot, "Suzanne is not closed")
    finally:
        del os.environ["FAKE_BAKER"]
    scene = bpy.context.scene
    bpy.data.objects.remove(scene.tallow.domain)
    scenes.expect_error(bpy.ops.tallow.melt_in_shot, "no domain")
    assert cube.tallow.role == "WAX"


def test_quick_melt_gives_thin_parts_the_cells_that_they_need(folder):
    for thickness, expected in ((0.3, (32,)), (0.025, range(40, 100)), (0.001, (128,))):
        scenes.clear()
        bpy.ops.mesh.primitive_cube_add(size=1.0)
        bpy.context.object.scale = (1.0, thickness, 1.0)
        bpy.ops.tallow.quick_melt(resolution=32)
        assert bpy.context.scene.tallow.resolution in expected, (thickness, bpy.context.scene.tallow.resolution)


def test_quick_melt_with_another_heat_takes_the_first_away(folder):
    cube = quick(2.0, heat="PLATE")
    scenes.select(cube)
    bpy.ops.tallow.quick_melt(frames=24, resolution=32, heat="LAMP")
    assert "Tallow Hot Plate" not in bpy.context.scene.objects and "Tallow Lamp" in bpy.context.scene.objects


def test_presets_for_the_look_come_first(folder):
    from tallow.model.materials import all_presets, material_items
    names = [item[0] for item in material_items(None, bpy.context)]
    assert names[:4] == ["", "thick_wax", "candle_wax", "soft_chocolate"]
    life = names[names.index("", 1) + 1:]
    assert "paraffin" in life and "thick_wax" not in life and set(filter(None, names)) == set(all_presets())
    assert quick(2.0).tallow.material == "thick_wax"
