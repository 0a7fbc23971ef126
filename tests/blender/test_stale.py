"""After an edit the panel says which settings changed since the bake. Undone, the bake is fresh."""

import time

import bpy
import scenes


def lines():
    from tallow.baking import staleness
    bpy.context.view_layer.update()
    return staleness.describe(staleness.found_changes(bpy.context.scene))


def baked(folder, **arguments):
    wax = scenes.wax_in_a_box(folder, **arguments)
    body = scenes.add_box("Ball", 0.1, (0.15, 0.0, 0.3))
    body.tallow.role = "RIGID"
    plate = scenes.add_box("Plate", 0.3, (0.0, 0.0, -0.06))
    plate.tallow.role = "HEAT"
    scenes.select(wax)
    bpy.ops.tallow.edit_material()
    bpy.ops.tallow.bake()
    assert lines() == []
    return wax, body, plate


def height_curve(obj):
    """The curve of its z, in every Blender."""
    from tallow.core import animation
    return next(curve for curve in animation.curves(obj.animation_data) if curve.array_index == 2)


def test_each_edit_is_named_and_undone_it_is_none(folder):
    wax, body, plate = baked(folder)
    scene = bpy.context.scene
    tallow, own = scene.tallow, scene.tallow.materials[0]
    edits = [
        (wax.tallow, "temperature", 35.0, "Wax: Temperature"), (wax.tallow, "role", "LIQUID", "Wax: Temperature"),
        (plate.tallow, "temperature", 90.0, "Plate: Temperature"), (body.tallow, "density", 2000.0, "Ball: Density"),
        (plate.tallow, "heat_kind", "VOLUME", "Plate: Kind"),
        (tallow, "resolution", 32, "Domain: Resolution"), (tallow, "preview_quality", 50, "Domain: Preview Quality"),
        (tallow, "wall_x0", "OPEN", "Domain: Walls"), (tallow, "ambient", 30.0, "World: Air"),
        (tallow, "thermal_speed", 500.0, "World: Heat Speed-up"), (tallow, "cfl", 1.0, "Solver: Step Length"),
        (tallow, "mesh_detail", 2, "Files: Surface Detail"),
        (tallow, "mesh_smoothing", 3, "Files: Surface Smoothing"), (scene, "frame_start", 3, "Range: First Frame"),
        (scene.render, "fps", 30, "Range: Frame Rate"), (own, "solidus", 50.0, f"Material {own.name}: Melts from"),
        (tallow.domain, "location", (0.1, 0.0, 0.4), "Domain: Place or Size"),
        (wax, "location", (0.05, 0.0, 0.3), "Wax: Place"),
        (wax, "rotation_euler", (0.0, 0.3, 0.0), "Wax: Place"), (wax, "scale", (1.0, 1.0, 1.2), "Wax: Shape or Scale"),
        (wax, "hide_viewport", True, "Wax: Gone")]
    for owner, name, value, expected in edits:
        before = getattr(owner, name)
        before = tuple(before) if hasattr(before, "__len__") and not isinstance(before, str) else before
        setattr(owner, name, value)
        assert [line for line in lines() if line.startswith(expected)], (expected, lines())
        setattr(owner, name, before)
        if name == "role":
            wax.tallow.material, wax.tallow.temperature = f"custom_{own.uid}", 20.0
        assert lines() == [], (name, lines())


def test_another_material_and_an_edited_mesh_are_named(folder):
    wax, body, plate = baked(folder)
    mine = wax.tallow.material
    wax.tallow.material = "chocolate"
    assert "Material" in lines()[0] and lines()[0].startswith("Wax: "), lines()
    wax.tallow.material, wax.tallow.temperature = mine, 20.0
    assert lines() == []
    wax.data.vertices[7].co.x += 0.02
    wax.data.update()
    assert lines() == ["Wax: Shape or Scale"]
    wax.data.vertices[7].co.x -= 0.02
    wax.data.update()
    assert lines() == []
    modifier = wax.modifiers.new("Bevel", "BEVEL")
    assert lines() == ["Wax: Shape or Scale"]
    wax.modifiers.remove(modifier)
    assert lines() == []


def test_objects_that_come_and_go_are_named(folder):
    wax, body, plate = baked(folder)
    other = scenes.add_box("Cup", 0.1, (0.3, 0.0, 0.3))
    assert lines() == []
    other.tallow.role = "SOLID"
    assert lines() == ["Cup: New"]
    bpy.data.objects.remove(other)
    bpy.data.objects.remove(plate)
    assert lines() == ["Plate: Gone"]


def test_several_edits_are_all_listed(folder):
    wax, body, plate = baked(folder)
    bpy.context.scene.tallow.ambient, bpy.context.scene.tallow.film = 40.0, 20.0
    wax.location.x += 0.1
    wax.tallow.velocity = (0.0, 0.0, 1.0)
    assert lines() == ["World: Air, Air Cooling", "Wax: Place, Velocity"] or lines() == [
        "World: Air, Air Cooling", "Wax: Velocity, Place"], lines()


def test_what_playback_moves_is_no_edit(folder):
    wax, body, plate = baked(folder)
    scene = bpy.context.scene
    for frame in (1, 3, 6, 50):
        scene.frame_set(frame)
        assert lines() == [], frame
    assert body.location.x > 0.5
    body.location.z += 0.1  # by hand
    assert lines() == ["Ball: Place"]


def test_an_animation_is_compared_on_the_frames_that_were_baked(folder):
    wax = scenes.wax_in_a_box(folder)
    spoon = scenes.add_box("Spoon", 0.1, (0.2, 0.0, 0.2))
    spoon.tallow.role = "SOLID"
    handle = bpy.data.objects.new("Handle", None)
    bpy.context.scene.collection.objects.link(handle)
    spoon.parent = handle
    for frame, z in ((1, 0.0), (6, 0.1), (20, 0.2)):
        handle.location.z = z
        handle.keyframe_insert("location", frame=frame)
    curve = height_curve(handle)
    for point in curve.keyframe_points:
        point.interpolation = "LINEAR"
    bpy.ops.tallow.bake()
    for frame in (1, 4):
        bpy.context.scene.frame_set(frame)
        assert lines() == []
    curve.keyframe_points[2].co.y = 0.5
    curve.update()
    assert lines() == []
    curve.keyframe_points[0].co.y = 0.05
    curve.update()
    assert lines() == ["Spoon: Animation"]
    curve.keyframe_points[0].co.y = 0.0
    curve.update()
    assert lines() == []
    spoon.location.x += 0.1
    assert lines() == ["Spoon: Animation"]
    spoon.location.x -= 0.1
    handle.animation_data_clear()
    assert lines() == ["Spoon: Animation"] or lines() == ["Spoon: Place, Animation"]
    assert wax.tallow.role == "WAX"


def test_an_animated_world_is_compared_by_its_curves(folder):
    scenes.wax_in_a_box(folder / "cache", frames=8)
    tallow = bpy.context.scene.tallow
    for frame, value in ((1, 20.0), (8, 80.0)):
        tallow.ambient = value
        tallow.keyframe_insert("ambient", frame=frame)
    bpy.ops.tallow.bake()
    assert lines() == []
    bpy.context.scene.frame_set(5)
    assert lines() == [], "playing is no edit"
    tallow.ambient = 60.0
    tallow.keyframe_insert("ambient", frame=5)
    assert lines() == ["World: Animation"]
    tallow.keyframe_delete("ambient", frame=5)
    assert lines() == []
    tallow.film *= 2.0
    assert lines() == ["World: Animation"], "what is not animated counts, too"
    tallow.film *= 0.5
    assert lines() == []
    bpy.context.scene.animation_data_clear()
    assert lines() and lines()[0].startswith("World:")


def test_what_a_bake_writes_beside_its_surface_is_no_edit(folder):
    baked(folder)
    tallow = bpy.context.scene.tallow
    tallow.show_particles = tallow.save_particles = tallow.save_compact = tallow.save_vdb = True
    assert lines() == []


def test_what_moves_may_be_renamed_and_a_moving_wind_counts(folder):
    scenes.wax_in_a_box(folder)
    spoon = scenes.add_box("Spoon", 0.1, (0.2, 0.0, 0.2))
    spoon.tallow.role = "SOLID"
    bpy.ops.object.effector_add(type="WIND")
    wind = bpy.context.object
    wind.name = "Wind"
    for obj in (spoon, wind):
        for frame, z in ((1, 0.2), (20, 0.4)):
            obj.location.z = z
            obj.keyframe_insert("location", frame=frame)
    bpy.ops.tallow.bake()
    assert lines() == []
    spoon.name = "Ladle"
    assert lines() == []
    bpy.context.scene.frame_end = 9
    assert bpy.ops.tallow.resume() == {"FINISHED"}
    assert lines() == []
    height_curve(wind).keyframe_points[0].co.y = 0.0
    height_curve(wind).update()
    assert lines() == ["Wind: Animation"]
    scenes.select(bpy.context.scene.tallow.domain)
    bpy.ops.object.delete()
    assert lines() == ["Domain: Gone"]


def test_a_file_that_is_opened_again_knows(folder):
    wax, body, plate = baked(folder)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    bpy.context.scene.frame_set(4)
    bpy.ops.wm.open_mainfile(filepath=str(folder / "shot.blend"))
    assert lines() == []
    bpy.data.objects["Wax"].tallow.temperature = 10.0
    assert lines() == ["Wax: Temperature"]


def test_names_alone_are_no_edit_and_a_resume_goes_on(folder):
    from tallow import playback
    wax, body, plate = baked(folder)
    wax.name, body.name, plate.name = "Zebra", "Aaa", "Middle"
    bpy.context.scene.tallow.materials[0].name = "Other"
    assert lines() == []
    bpy.context.scene.frame_end = 9
    assert lines() == []
    assert bpy.ops.tallow.resume() == {"FINISHED"}
    assert playback.cache_of(bpy.context.scene).order[-1] == 9
    bpy.context.scene.frame_set(9)
    assert lines() == [] and body.location.x > 1.0
    wax.tallow.temperature = 25.0
    bpy.context.scene.frame_end = 12
    scenes.expect_error(bpy.ops.tallow.resume, "Zebra", "changed")


def test_frames_that_a_longer_range_asks_for_are_named(folder):
    from tallow import playback
    from tallow.ui.panels import baking
    baked(folder)
    cache = playback.cache_of(bpy.context.scene)
    assert baking.missing_range(cache, 6) == baking.missing_range(cache, 4) == ""
    assert baking.missing_range(cache, 7) == "Frame 7 is not baked yet. Resume goes on there."
    assert baking.missing_range(cache, 20).startswith("Frames 7 to 20 are not baked")


def counted(module, name, calls):
    """Let a function count how often it is called. Returns what puts the function back."""
    original = getattr(module, name)

    def call(*arguments, **more):
        calls[name] = calls.get(name, 0) + 1
        return original(*arguments, **more)
    setattr(module, name, call)
    return lambda: setattr(module, name, original)


def test_asking_looks_at_each_object_once_and_at_no_mesh_or_file(folder):
    from tallow.baking import staleness
    from tallow.baking.export import objects
    from tallow.core import ply
    from tallow.model import meshes
    baked(folder)
    scene, calls = bpy.context.scene, {}
    bake = staleness._bake_of(scene)
    watched = ((objects, "object_member"), (meshes, "evaluated"), (ply, "read"), (staleness, "_read"))
    restore = [counted(module, name, calls) for module, name in watched]
    try:
        began = time.perf_counter()
        assert staleness._compare(scene, bake) == []
        print(f"MEASURED stale: settings of three objects compared in {1000 * (time.perf_counter() - began):.2f} ms")
        assert calls == {"object_member": 3}, calls
        calls.clear()
        staleness._compare_slowly(scene, bake)
        assert calls["evaluated"] == calls["read"] == 3, "the counters count nothing"
    finally:
        for put_back in restore:
            put_back()


def test_another_real_size_is_one_line(folder):
    wax = scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    scene.tallow.life_size = "TABLE"
    bpy.ops.tallow.bake()
    assert lines() == []
    scene.tallow.life_size, scene.tallow.life_centimetres = "OWN", 50.0
    assert lines() == ["Domain: Real Size"]
    scene.tallow.life_size = "TABLE"
    assert lines() == []
    wax.scale = (1.2, 1.2, 1.2)  # by which all is measured
    assert lines() == ["Domain: Real Size", "Wax: Shape or Scale"]
