"""The list of bakes tells in what each of them differs from the one that is shown."""

from pathlib import Path

import bpy
import scenes


def baked(folder):
    """A scene that keeps its bakes. Returns (wax, folder of the bake)."""
    wax = scenes.wax_in_a_box(folder)
    bpy.context.scene.tallow.keep_old = True
    scenes.select(wax)
    bpy.ops.tallow.edit_material()
    return wax, again()


def again():
    bpy.ops.tallow.bake()
    return Path(bpy.context.scene.tallow.bake_path)


def unfolded(folder):
    """What the panel draws after a click."""
    from tallow.baking import comparing, paths
    shown = paths.bake_folder(bpy.context.scene)
    assert comparing.lines(folder, shown) is None
    assert bpy.ops.tallow.compare_bake(folder=str(folder)) == {"FINISHED"}
    found = comparing.lines(folder, shown)
    bpy.ops.tallow.compare_bake(folder=str(folder))
    assert comparing.lines(folder, shown) is None
    return found


def test_two_bakes_of_one_scene_differ_in_nothing(folder):
    _wax, first = baked(folder)
    again()
    assert unfolded(first) == ["Nothing differs but when they were made."]


def test_settings_frames_and_cells_are_named(folder):
    wax, first = baked(folder)
    scene, own = bpy.context.scene, bpy.context.scene.tallow.materials[0]
    scene.tallow.ambient, wax.tallow.temperature, own.solidus = 40.0, 25.0, 50.0
    scene.tallow.resolution, scene.frame_end, scene.tallow.save_vdb = 32, 4, not scene.tallow.save_vdb
    wax.location.x += 0.01
    again()
    found = unfolded(first)
    assert found == [
        "Resolution: 24 cells (shown: 32 cells)", "Frames: 1 to 6 (shown: 1 to 4)", "World: Air",
        "Files: OpenVDB Volumes", f"Material {own.name}: Melts from", "Wax: Place, Temperature"], found
    bpy.ops.tallow.use_bake(folder=str(first))
    scene.tallow.preview_quality = 50
    again()
    assert "Resolution: 24 cells (shown: 16 cells, preview 50 %)" in unfolded(first)


def test_objects_shapes_and_materials_are_named(folder):
    wax, first = baked(folder)
    cup = scenes.add_box("Cup", 0.1, (0.3, 0.0, 0.3))
    cup.tallow.role = "SOLID"
    wax.data.vertices[0].co.x += 0.02
    wax.data.update()
    second = again()
    assert unfolded(first) == ["Cup: Only in the shown one", "Wax: Shape or Scale"] or unfolded(first) == [
        "Wax: Shape or Scale", "Cup: Only in the shown one"], unfolded(first)
    bpy.ops.tallow.use_bake(folder=str(first))
    assert "Cup: Only in this one" in unfolded(second)


def test_a_longer_range_is_no_other_animation(folder):
    wax, _first = baked(folder)
    spoon = scenes.add_box("Spoon", 0.1, (0.2, 0.0, 0.2))
    spoon.tallow.role = "SOLID"
    for frame, z in ((1, 0.2), (20, 0.4)):
        spoon.location.z = z
        spoon.keyframe_insert("location", frame=frame)
    first = again()
    bpy.context.scene.frame_end = 9
    again()
    assert unfolded(first) == ["Frames: 1 to 6 (shown: 1 to 9)"], unfolded(first)
    spoon.location.z = 0.3
    spoon.keyframe_insert("location", frame=1)
    again()
    assert unfolded(first) == ["Frames: 1 to 6 (shown: 1 to 9)", "Spoon: Animation"], unfolded(first)


def test_another_real_size_is_one_line(folder):
    _wax, first = baked(folder)
    bpy.context.scene.tallow.life_size, bpy.context.scene.tallow.life_centimetres = "OWN", 50.0
    again()
    assert unfolded(first) == ["Domain: Real Size"], unfolded(first)


def test_a_damaged_bake_is_said_and_another_shown_one_folds_the_list(folder):
    from tallow.baking import comparing
    _wax, first = baked(folder)
    second = again()
    comparing.toggle(first, second)
    bpy.ops.tallow.use_bake(folder=str(first))
    assert comparing.lines(first, second) is None
    (second / "scene" / "scene.json").unlink()
    assert unfolded(second) == ["These bakes cannot be compared: files are missing."]


def test_asking_again_reads_no_file(folder):
    from tallow.baking import comparing
    _wax, first = baked(folder)
    second = again()
    comparing.toggle(first, second)
    found = comparing.lines(first, second)
    for path in (*first.rglob("*.json"), *second.rglob("*.json")):
        path.unlink()
    assert found and comparing.lines(first, second) is found
