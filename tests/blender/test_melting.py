"""Real Size, Quick Melt and Melt Within the Shot."""

import json
import os

import bpy
import scenes
from mathutils import Vector


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
    assert scene.tallow.thermal_speed == 6300.0  # 5000 and a margin, rounded upwards
    assert "50 %" in scene.tallow.melt_note and "frame 11" in scene.tallow.melt_note
    assert scene.tallow.melt_strength == 0.0 and not bpy.ops.tallow.strengthen_heat.poll()


def test_a_promise_goes_with_the_scene_that_it_was_made_for(folder):
    from tallow.playback import outcome
    cube = quick(2.0)
    scene = bpy.context.scene
    tallow, plate = scene.tallow, scene.objects["Tallow Hot Plate"]
    promise = outcome.of(scene).text
    assert promise == tallow.melt_note and "About 95 %" in promise

    def edits():
        yield tallow, "thermal_speed", 7.0
        yield tallow, "ambient", 12.0
        yield tallow, "melt_percent", 40
        yield tallow, "melt_frame", 9
        yield tallow, "time_scale", 0.5
        yield plate, "location", (6.0, 0.0, 0.0)
        yield plate.tallow, "temperature", 90.0
        yield cube, "scale", (1.0, 1.0, 2.0)
        yield cube.tallow, "material", "soft_chocolate"
        yield cube.data.vertices[0], "co", (-2.0, -1.0, -1.0)
        yield tallow.domain, "scale", tuple(2.0 * value for value in tallow.domain.scale)
    for owner, name, value in edits():
        before = getattr(owner, name)
        before = tuple(before) if hasattr(before, "__len__") and not isinstance(before, str) else before
        temperature = cube.tallow.temperature
        setattr(owner, name, value)
        bpy.context.view_layer.update()
        assert "press" in outcome.of(scene).text.lower() and promise not in outcome.of(scene).text, name
        setattr(owner, name, before)
        cube.tallow.temperature = temperature
        bpy.context.view_layer.update()
        assert outcome.of(scene).text == promise, name
    # What has no part in it does not count.
    tallow.resolution, tallow.save_vdb, cube.name = 40, not tallow.save_vdb, "Renamed"
    scene.frame_set(7)
    assert outcome.of(scene).text == promise


def test_after_a_bake_the_panel_says_what_it_came_to(folder):
    from tallow.playback import outcome
    quick(2.0)
    scene = bpy.context.scene
    scene.tallow.cache_folder = str(folder)
    bpy.ops.tallow.bake()
    known = outcome.of(scene)  # the stand-in melts evenly
    assert "78 % are molten by frame 19" in known.text and "aimed at 95 %" in known.text and known.is_bad
    scene.tallow.melt_frame, scene.tallow.melt_percent = 24, 95
    assert outcome.of(scene).text == "In this bake 100 % are molten by frame 24."
    scene.objects["Tallow Hot Plate"].tallow.temperature = 90.0
    bpy.context.view_layer.update()
    assert "another one" in outcome.of(scene).text  # neither the bake nor the search is of this scene


def test_a_search_without_an_answer_names_the_heater_and_what_helps(folder):
    from tallow.baking import melting
    from tallow.baking.export import checks
    from tallow.playback import outcome
    cube = quick(2.0)
    scene = bpy.context.scene
    plate = scene.objects["Tallow Hot Plate"]
    scene.tallow.ambient = 20.0
    melting.apply(scene, melting.Plan(False, 0.0, 0.01, 0.0))
    known = outcome.of(scene)
    assert known.is_bad and known.may_warm and not known.is_weak
    assert "The heater Tallow Hot Plate cannot melt enough of the wax" in known.text and "overlap more" in known.text
    told = [problem.text for problem in checks.check_scene(scene)]
    assert known.text in told and not any("Press Melt Within the Shot" in text for text in told)
    plate.location.z -= 3.0
    bpy.context.view_layer.update()
    melting.apply(scene, melting.Plan(False, 0.0, 0.01, 0.0))
    assert "Cube is 3 m away" in outcome.of(scene).text, outcome.of(scene).text
    assert bpy.ops.tallow.warm_air() == {"FINISHED"}
    assert scene.tallow.ambient > 60.0 and "About 95 %" in outcome.of(scene).text
    assert cube.tallow.role == "WAX"


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


def test_a_heater_that_heats_nothing_is_not_called_weak(folder):
    quick(2.0, heat="LAMP")
    scene = bpy.context.scene
    far = scenes.add_box("Far", 0.1, (40.0, 0.0, 0.0))
    far.tallow.role, far.tallow.heat_kind, far.tallow.temperature = "HEAT", "SOLID", 90.0
    bpy.context.view_layer.update()
    os.environ["FAKE_BAKER"] = "weak"
    try:
        bpy.ops.tallow.melt_in_shot()
        note = scene.tallow.melt_note
        assert note.startswith("The heater Tallow Lamp is too weak") and "Far" not in note
        bpy.ops.tallow.strengthen_heat()
        assert far.tallow.temperature == 90.0
        scene.objects["Tallow Lamp"].tallow.enabled, scene.objects["Tallow Lamp"].tallow.power = False, 1000.0
        bpy.ops.tallow.melt_in_shot()
        assert scene.tallow.melt_note.startswith("Nothing heats the wax") and "turned off" in scene.tallow.melt_note
    finally:
        del os.environ["FAKE_BAKER"]


def test_while_a_search_runs_nobody_is_told_to_start_one(folder):
    from paper import drawn
    from tallow.baking import melting
    from tallow.ui.panels import baking, world
    quick(2.0)
    scene = bpy.context.scene
    scene.tallow.thermal_speed = 1.0
    bpy.context.view_layer.update()

    def told():
        return " ".join(drawn(baking.TALLOW_PT_bake.draw).texts), " ".join(drawn(world.TALLOW_PT_melting.draw).texts)
    assert "Press Melt Within the Shot" in told()[0] and "is running" not in "".join(told())
    gate = folder / "gate"
    gate.write_text("0")
    os.environ["FAKE_GATE"] = str(gate)
    search = melting.Search(bpy.context)
    try:
        for text in told():
            assert melting.SEARCHING in text and "Press Melt Within the Shot" not in text, text
    finally:
        search.close()
        search.close()  # as an operator does that takes a plan
        del os.environ["FAKE_GATE"]
    assert "Press Melt Within the Shot" in told()[0] and "is running" not in "".join(told())


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
    from tallow.model import domain
    usual = 0.0
    for thickness, least, most in ((0.3, 1.0, 1.0), (0.025, 1.2, 3.5), (0.001, 3.5, 5.0)):
        scenes.clear()
        bpy.ops.mesh.primitive_cube_add(size=1.0)
        bpy.context.object.scale = (1.0, thickness, 1.0)
        bpy.ops.tallow.quick_melt(resolution=32)
        cell = domain.cell_size(bpy.context.scene)
        usual = usual or cell
        assert 0.98 * least < usual / cell < 1.02 * most, (thickness, usual / cell)


def test_floor_and_plate_of_quick_melt_end_where_cells_do(folder):
    from tallow.model import domain
    for heat in ("PLATE", "LAMP"):
        for scale in ((1.0, 1.0, 1.0), (1.0, 0.7, 0.1), (0.2, 0.3, 1.7), (1.0, 0.02, 0.4), (0.03, 0.03, 1.0)):
            scenes.clear()
            bpy.ops.mesh.primitive_cube_add(size=2.3, location=(0.3, 0.1, -0.2))
            bpy.context.object.scale = scale
            bpy.ops.tallow.quick_melt(resolution=40, heat=heat)
            scene = bpy.context.scene
            bottom, top = domain.bounds(scene.tallow.domain)
            cell = max(top - bottom) / scene.tallow.resolution
            solids = [scene.objects["Tallow Floor"]] + ([scene.objects["Tallow Hot Plate"]] if heat == "PLATE" else [])
            for number, obj in enumerate(solids):
                height = (domain.bounds(obj)[1].z - bottom.z) / cell
                assert abs(height - 3 * (number + 1)) < 1e-3, (heat, scale, obj.name, height)


def test_the_camera_of_quick_melt_sees_all_of_scenes_of_any_size(folder):
    for size in (0.02, 2.0, 200.0):
        quick(size)
        camera = bpy.context.scene.camera
        shown = [obj for obj in bpy.context.scene.objects if obj.type == "MESH"]
        corners = [obj.matrix_world @ corner.co for obj in shown for corner in obj.data.vertices]
        away = [(camera.location - corner).length for corner in corners]
        near, far = min(away), max(away)
        assert camera.data.clip_start < 0.5 * near and far < camera.data.clip_end, (size, near, far)


def test_what_falls_off_the_plate_finds_a_hot_floor(folder):
    for warm, heat, expected in ((True, "PLATE", 123.0), (False, "PLATE", 20.0), (True, "LAMP", 65.0)):
        quick(2.0, warm_air=warm, heat=heat)
        floor, air = bpy.context.scene.objects["Tallow Floor"], bpy.context.scene.tallow.ambient
        assert abs(floor.tallow.temperature - expected) < 1.0 and floor.tallow.temperature >= air, (warm, heat)


def test_wax_that_will_run_against_closed_sides_is_told(folder):
    from tallow.baking.export import checks
    from tallow.model import domain

    def told():
        bpy.context.view_layer.update()
        found = [problem.text for problem in checks.check_scene(bpy.context.scene)]
        return [text for text in found if "once it has melted" in text]
    for heat in ("PLATE", "LAMP"):
        cube = quick(2.0, heat=heat)
        box, tallow = bpy.context.scene.tallow.domain, bpy.context.scene.tallow
        low, high = domain.bounds(box)
        assert told() == []
        domain.place(box, Vector((-1.4, -1.4, low.z)), Vector((1.4, 1.4, high.z)))
        found = told()
        assert len(found) == 1 and "Cube will run about" in found[0] and "-X, +X, -Y and +Y" in found[0], found
        tallow.wall_x0 = tallow.wall_x1 = tallow.wall_y0 = "OPEN"
        assert "closed side +Y of the domain, which holds it" in told()[0]
        tallow.wall_y1 = "OPEN"
        assert told() == []
        tallow.wall_y1, tallow.melt_speed = "SLIP", 0.0  # nobody knows how much melts
        assert told() == []
        tallow.melt_speed = tallow.thermal_speed
        bowl = scenes.add_box("Bowl", 2.4)
        bowl.tallow.role = "SOLID"
        assert told() == [] and cube.tallow.role == "WAX"


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


def test_quick_melt_builds_nothing_around_what_cannot_melt(folder):
    from tallow.baking.export import checks
    for quick_button in (bpy.ops.tallow.quick_melt, bpy.ops.tallow.quick_liquid):
        scenes.clear()
        void = bpy.data.objects.new("Void", bpy.data.meshes.new("Void"))
        bpy.context.scene.collection.objects.link(void)
        bpy.ops.mesh.primitive_plane_add(size=2.0)
        plane, squashed = bpy.context.object, scenes.add_box("Squashed")
        squashed.scale = (0.0, 0.0, 0.0)
        count = len(bpy.data.objects)
        for obj, word in ((void, "Void has no faces"), (plane, "Plane is flat"), (squashed, "Squashed is flat")):
            scenes.select(obj)
            scenes.expect_error(quick_button, word, "it cannot be")
            assert obj.tallow.role == "NONE" and bpy.context.scene.tallow.domain is None
            assert len(bpy.data.objects) == count
    # With a role by hand, the panel says so before Bake is pressed.
    box = scenes.add_box("Box")
    scenes.select(box, plane)
    box.tallow.role = plane.tallow.role = "WAX"
    bpy.ops.tallow.fit_domain()
    bpy.context.view_layer.update()
    told = [problem for problem in checks.check_scene(bpy.context.scene) if problem.concerns(plane)]
    assert told and told[0].fatal and "Plane is flat, so it cannot be wax" in told[0].text, told
    plane.tallow.role = "SOLID"
    assert not any(problem.fatal for problem in checks.check_scene(bpy.context.scene))


def test_an_error_of_an_earlier_attempt_goes_once_quick_melt_has_made_what_was_missing(folder):
    from paper import drawn
    from tallow.baking import job
    from tallow.ui.panels import baking

    def told():
        return " ".join(drawn(baking.TALLOW_PT_bake.draw).texts)
    scenes.clear()
    cube = scenes.add_box("Cube", 2.0)
    scenes.select(cube)
    cube.tallow.role = "WAX"
    scenes.expect_error(bpy.ops.tallow.bake, "no domain")
    assert "There is no domain yet" in told()
    bpy.ops.tallow.fit_domain()
    assert "There is no domain yet" not in told()
    job.fail(bpy.context.scene, "The cache folder cannot be written.")
    assert "cannot be written" in told()
    bpy.ops.tallow.quick_melt(frames=24, resolution=32)
    assert "cannot be written" not in told()


def test_the_dialog_of_quick_melt_shows_what_belongs_to_the_heat(folder):
    from types import SimpleNamespace
    from paper import Paper
    from tallow.ui.operators.quick import TALLOW_OT_quick_melt
    settings = set(bpy.ops.tallow.quick_melt.get_rna_type().properties.keys()) - {"rna_type"}
    for heat, hidden in (("PLATE", set()), ("LAMP", {"temperature"})):
        paper = Paper()
        TALLOW_OT_quick_melt.draw(SimpleNamespace(layout=paper, heat=heat), bpy.context)
        assert set(paper.names) == settings - hidden, (heat, paper.names, settings)
