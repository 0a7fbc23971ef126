"""A file that was saved before its bake was made finds the bake again."""

import os
from pathlib import Path

import bpy
import scenes


def saved_shot(folder, name="shot.blend"):
    """A saved file without a bake."""
    scenes.wax_in_a_box(folder)
    bpy.context.scene.tallow.cache_folder = ""
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / name))


def opened(folder, name="shot.blend"):
    bpy.ops.wm.open_mainfile(filepath=str(folder / name))
    return bpy.context.scene


def test_a_file_without_a_bake_shows_the_one_that_was_made_from_it(folder):
    from tallow.baking import newer
    saved_shot(folder)
    opened(folder)
    dirty = bpy.data.is_dirty  # Blender 4.3 says so of every file that a script opens
    assert not dirty or bpy.app.version[:2] == (4, 3)
    bpy.ops.tallow.bake()
    made = bpy.context.scene.tallow.bake_path
    scene = opened(folder)
    assert scene.tallow.bake_path == made and bpy.data.is_dirty == dirty
    scene.frame_set(6)
    assert len(scene.tallow.surface_object.data.vertices) == 266
    assert scene.objects["Wax"].display_type != "TEXTURED", "the wax is hidden behind its own surface"
    assert "Save the file to keep it" in newer.adopted(scene) and newer.newest(scene) is None
    bpy.ops.wm.save_mainfile()
    assert newer.adopted(scene) == ""
    assert opened(folder).tallow.bake_path == made and newer.adopted(bpy.context.scene) == ""


def test_a_newer_bake_is_offered_and_not_forced(folder):
    from tallow.baking import newer, paths
    saved_shot(folder)
    bpy.ops.tallow.bake()
    first = bpy.context.scene.tallow.bake_path
    bpy.ops.wm.save_mainfile()
    bpy.context.scene.frame_end = 4
    bpy.ops.tallow.bake()
    second = bpy.context.scene.tallow.bake_path
    scenes.set_headless(second, False)
    scene = opened(folder)
    assert scene.tallow.bake_path == first
    entry = newer.newest(scene)
    assert str(entry.folder) == second and "4 frames" in newer.words(entry)
    bpy.ops.tallow.use_bake(folder=second)
    assert scene.tallow.bake_path == second and newer.newest(scene) is None
    bpy.ops.tallow.use_bake(folder=first)  # back again, which is a choice
    assert newer.newest(scene) is None
    scene = opened(folder)
    bpy.ops.tallow.keep_shown()
    assert newer.newest(scene) is None and str(paths.bake_folder(scene)) == first
    # Without a window nobody could save: the bake is the one that is meant.
    scenes.set_headless(second, True)
    assert opened(folder).tallow.bake_path == second


def test_an_unfinished_bake_can_be_resumed_by_a_file_that_does_not_know_it(folder):
    from tallow.baking import newer
    saved_shot(folder)
    os.environ["FAKE_BAKER"] = "crash"
    scenes.expect_error(bpy.ops.tallow.bake, "")
    del os.environ["FAKE_BAKER"]
    scene = opened(folder)
    assert "3 frames, unfinished" in newer.adopted(scene)
    bpy.ops.tallow.resume()
    from tallow import playback
    assert playback.cache_of(scene).order[-1] == 6


def test_bakes_of_other_scenes_and_files_and_freed_ones_are_not_taken(folder):
    from tallow.baking import newer
    saved_shot(folder)
    bpy.ops.tallow.bake()
    bpy.ops.tallow.free()
    bpy.ops.tallow.bake()
    bpy.ops.wm.save_mainfile()
    kept = bpy.context.scene.tallow.bake_path
    bpy.context.scene.tallow.keep_old = True
    bpy.ops.tallow.bake()
    bpy.ops.tallow.free()  # the artist wants none, though there is another one
    bpy.ops.wm.save_mainfile()
    assert opened(folder).tallow.bake_path == "" and Path(kept).is_dir()
    # A scene of another name has bakes of its own.
    scene = bpy.context.scene
    scene.name = "Other"
    bpy.ops.wm.save_mainfile()
    scene.name = "Scene"
    bpy.ops.tallow.bake()
    assert opened(folder).tallow.bake_path == "" and bpy.context.scene.name == "Other"
    # So has another file that uses the same cache folder.
    saved_shot(folder, "one.blend")
    bpy.context.scene.tallow.cache_folder = "//shared"
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "two.blend"))
    bpy.ops.tallow.bake()
    assert opened(folder, "one.blend").tallow.bake_path == "" and newer.newest(bpy.context.scene) is None
    assert opened(folder, "two.blend").tallow.bake_path


def test_after_save_as_the_bakes_of_both_files_can_be_chosen(folder):
    from tallow.baking import paths
    from tallow.core import bake_list
    saved_shot(folder)
    bpy.ops.tallow.bake()
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "copy.blend"))
    scene = bpy.context.scene
    assert [path.name for path in paths.roots(scene)] == ["tallow_cache_copy", "tallow_cache_shot"]
    assert len(bake_list.entries(*paths.roots(scene))) == 1
    assert paths.display_root(scene, paths.bake_folder(scene).parent) == "//tallow_cache_shot"


def test_a_moved_project_finds_its_bake(folder):
    (folder / "here").mkdir()
    saved_shot(folder / "here")
    bpy.ops.tallow.bake()
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    (folder / "here").rename(folder / "there")
    assert opened(folder / "there").tallow.bake_path.startswith(str(folder / "there"))
