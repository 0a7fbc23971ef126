"""A bake is deleted by itself only when no file can mean it."""

import os
from pathlib import Path

import bpy
import scenes


def saved_and_baked(folder, name="shot.blend"):
    """A file that was saved with its bake. Returns (file, folder of the bake)."""
    scenes.wax_in_a_box(folder)
    bpy.context.scene.tallow.cache_folder = ""
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / name))
    bpy.ops.tallow.bake()
    bpy.ops.wm.save_mainfile()
    return folder / name, Path(bpy.context.scene.tallow.bake_path)


def is_whole(bake):
    return (bake / "bake.json").is_file() and len(list((bake / "mesh").glob("*.ply"))) == 6


def shows(blend, bake):
    from tallow.baking import paths
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    return paths.bake_folder(bpy.context.scene) == bake and is_whole(bake)


def test_bake_again_after_save_as_leaves_the_original_its_bake(folder):
    original, bake = saved_and_baked(folder)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "copy.blend"))
    bpy.ops.tallow.bake()
    bpy.ops.wm.save_mainfile()
    bpy.ops.tallow.bake()
    bpy.ops.wm.save_mainfile()
    assert shows(original, bake)


def test_bake_again_without_saving_loses_nothing(folder):
    original, bake = saved_and_baked(folder)
    bpy.ops.tallow.bake()
    assert Path(bpy.context.scene.tallow.bake_path) != bake
    scenes.set_headless(bpy.context.scene.tallow.bake_path, False)  # the file could have been saved
    assert shows(original, bake)


def test_a_replaced_bake_goes_when_its_file_is_saved_with_another(folder):
    _original, bake = saved_and_baked(folder)
    bpy.ops.tallow.bake()
    assert is_whole(bake)
    bpy.ops.wm.save_mainfile()
    assert not bake.exists() and is_whole(Path(bpy.context.scene.tallow.bake_path))


def test_keep_old_bakes_keeps_them(folder):
    _original, bake = saved_and_baked(folder)
    bpy.context.scene.tallow.keep_old = True
    bpy.ops.tallow.bake()
    bpy.ops.wm.save_mainfile()
    assert is_whole(bake)


def test_a_copy_of_a_scene_does_not_take_the_bake_of_its_original(folder):
    for kind in ("FULL_COPY", "LINK_COPY"):
        (folder / kind).mkdir()
        original, bake = saved_and_baked(folder / kind)
        first = bpy.context.scene
        bpy.ops.scene.new(type=kind)
        assert bpy.context.scene != first
        bpy.ops.tallow.bake()
        assert Path(first.tallow.bake_path) == bake and is_whole(bake), kind
        bpy.ops.wm.save_mainfile()
        assert is_whole(bake), kind


def test_a_saved_copy_of_the_file_keeps_the_bake(folder):
    _original, bake = saved_and_baked(folder)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "backup.blend"), copy=True)
    bpy.ops.tallow.bake()
    bpy.ops.wm.save_mainfile()
    assert shows(folder / "backup.blend", bake)


def test_a_bake_of_an_older_version_is_never_deleted_by_itself(folder):
    _original, bake = saved_and_baked(folder)
    (bake / "owners.json").unlink()
    bpy.ops.wm.save_mainfile()
    bpy.ops.tallow.bake()
    bpy.ops.wm.save_mainfile()
    assert is_whole(bake)


def test_a_list_of_owners_that_is_damaged_keeps_the_bake(folder):
    _original, bake = saved_and_baked(folder)
    (bake / "owners.json").write_text('{"files": 3}')
    bpy.ops.tallow.bake()
    bpy.ops.wm.save_mainfile()
    assert is_whole(bake)


def test_bakes_of_a_session_that_no_file_means_take_no_room(folder):
    scenes.wax_in_a_box(folder)
    bpy.ops.tallow.bake()
    first = Path(bpy.context.scene.tallow.bake_path)
    bpy.ops.tallow.bake()
    assert not first.exists() and len(os.listdir(folder)) == 1


def test_bakes_are_listed_chosen_and_freed(folder):
    from tallow.baking import paths
    from tallow.core import bake_list
    _original, first = saved_and_baked(folder)
    scene = bpy.context.scene
    scene.tallow.resolution = 32
    bpy.ops.tallow.bake()
    second = Path(scene.tallow.bake_path)
    found = bake_list.entries(paths.cache_root(scene))
    assert [entry.folder for entry in found] == [second, first]
    assert all(entry.frames == 6 and entry.when and entry.bytes > 1000 for entry in found)
    assert [entry.cells for entry in found] == [32, 24]
    assert "6 frames, 24 cells" in bake_list.size(found[1])
    assert bpy.ops.tallow.use_bake(folder=str(first)) == {"FINISHED"}
    assert paths.bake_folder(scene) == first
    assert bpy.ops.tallow.free_bake(folder=str(second)) == {"FINISHED"}
    assert not second.exists() and paths.bake_folder(scene) == first
    assert bpy.ops.tallow.use_bake(folder=str(second)) == {"CANCELLED"}
    assert bpy.ops.tallow.free_bake(folder=str(first)) == {"FINISHED"}
    assert paths.bake_folder(scene) is None and not scene.tallow.bake_path


def test_the_panel_of_bakes_says_how_many_there_are_below_its_name(folder):
    from paper import drawn
    from tallow.ui.panels.bakes import TALLOW_PT_bakes
    saved_and_baked(folder)
    assert not hasattr(TALLOW_PT_bakes, "draw_header_preset"), "a usual sidebar has no room for both in one line"
    assert drawn(TALLOW_PT_bakes.draw).texts[1].startswith("1 bake, ")


def test_free_all_bakes_leaves_those_of_other_files(folder):
    scenes.wax_in_a_box(folder)
    shared = folder / "cache"
    bpy.context.scene.tallow.cache_folder = str(shared)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "one.blend"))
    bpy.ops.tallow.bake()
    first = Path(bpy.context.scene.tallow.bake_path)
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "two.blend"))
    bpy.ops.tallow.bake()
    bpy.ops.wm.save_mainfile()
    bpy.ops.tallow.free(all_bakes=True)
    assert is_whole(first) and len(os.listdir(shared)) == 1


def test_bake_again_tells_what_becomes_of_the_old_bake(folder):
    from tallow.ui.operators.baking import again_lines
    scenes.wax_in_a_box(folder)
    bpy.ops.tallow.bake()
    scene = bpy.context.scene
    question, fate, room = again_lines(scene)
    assert question == "Bake again, in place of the bake with 6 frames?"
    assert fate == "No saved file has the old one: it is deleted once the new one is finished."
    assert room.startswith("On the disk now: 1 bake, ") and room.endswith("B.")
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    assert again_lines(scene)[1] == "The old one stays until the new one is finished and this file is saved."
    scene.tallow.keep_old = True
    assert again_lines(scene)[1] == "The old one stays on the disk."
    bpy.ops.tallow.bake()
    assert "On the disk now: 2 bakes, " in again_lines(scene)[2]
    scene.tallow.keep_old = False
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "backup.blend"), copy=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "other.blend"))
    assert again_lines(scene)[1] == "The old one stays: shot.blend may show it."
    (folder / "shot.blend").unlink()
    assert again_lines(scene)[1] == "The old one stays: a copy of this file may show it."
    bpy.ops.scene.new(type="FULL_COPY")
    assert again_lines(scene)[1] == "The old one stays: another scene shows it."


def test_a_project_that_was_moved_gives_its_old_bake_up_as_before(folder):
    from tallow.baking import paths
    from tallow.ui.operators.baking import again_lines
    (folder / "here").mkdir()
    saved_and_baked(folder / "here")
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    (folder / "here").rename(folder / "there")
    bpy.ops.wm.open_mainfile(filepath=str(folder / "there" / "shot.blend"))
    scene = bpy.context.scene
    bake = paths.bake_folder(scene)
    assert again_lines(scene)[1] == "The old one stays until the new one is finished and this file is saved."
    bpy.ops.tallow.bake()
    assert is_whole(bake)
    bpy.ops.wm.save_mainfile()
    assert not bake.exists()
    # A file that is gone may come back, as one on another drive does.
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "there" / "next.blend"))
    (folder / "there" / "shot.blend").unlink()
    assert "shot.blend, which is not there now, may show it" in again_lines(scene)[1]
    present = paths.bake_folder(scene)
    bpy.ops.tallow.bake()
    bpy.ops.wm.save_mainfile()
    assert is_whole(present)


def cancelled_bake():
    """Bake again, and cancel once the first frame is there."""
    from tallow.baking import job
    os.environ["FAKE_GATE"] = str(Path(bpy.app.tempdir) / "gate")
    Path(os.environ["FAKE_GATE"]).write_text("1")
    job.start(bpy.context)
    while job.current().status.frame < 1:
        assert job.current().poll()
    job.cancel()
    assert job.wait().state == "cancelled"
    os.environ.pop("FAKE_GATE")


def saved_then_baked(folder):
    """A file that was saved before its bake was made. Returns (file, folder of the bake)."""
    scenes.wax_in_a_box(folder)
    bpy.context.scene.tallow.cache_folder = ""
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    bpy.ops.tallow.bake()
    return folder / "shot.blend", Path(bpy.context.scene.tallow.bake_path)


def test_a_bake_that_was_never_saved_outlives_a_new_one_that_is_cancelled(folder):
    from tallow.ui.operators.baking import again_lines
    original, bake = saved_then_baked(folder)
    assert "until the new one is finished and this file is saved" in again_lines(bpy.context.scene)[1]
    cancelled_bake()
    assert Path(bpy.context.scene.tallow.bake_path) != bake and is_whole(bake)
    assert shows(original, bake), "the file on the disk finds its bake"


def test_after_a_cancelled_bake_the_panel_says_that_the_one_before_is_kept(folder):
    from paper import drawn
    from tallow.ui.panels import baking

    def told():
        return " ".join(drawn(baking.TALLOW_PT_bake.draw).texts)
    scenes.wax_in_a_box(folder)
    bpy.ops.tallow.bake()
    first = Path(bpy.context.scene.tallow.bake_path)
    assert "earlier bake" not in told()
    for _attempt in range(2):
        cancelled_bake()
        assert "The earlier bake (frames 1 to 6) is kept. Bakes on the Disk shows it." in told()
    bpy.ops.tallow.use_bake(folder=str(first))
    assert "earlier bake" not in told()
    cancelled_bake()
    bpy.ops.tallow.resume()
    assert "earlier bake" not in told()


def test_a_file_that_is_saved_with_an_unfinished_bake_keeps_the_one_before(folder):
    _original, bake = saved_then_baked(folder)
    cancelled_bake()
    bpy.ops.wm.save_mainfile()
    assert is_whole(bake)
    bpy.ops.tallow.resume()
    assert not bake.exists() and is_whole(Path(bpy.context.scene.tallow.bake_path))


def test_a_finished_bake_takes_no_bake_from_a_file_that_may_mean_it(folder):
    _original, bake = saved_then_baked(folder)
    bpy.ops.tallow.bake()
    assert is_whole(bake)
    bpy.ops.wm.save_mainfile()
    assert not bake.exists()


def test_a_bake_of_a_session_outlives_a_new_one_that_is_cancelled(folder):
    scenes.wax_in_a_box(folder)
    bpy.ops.tallow.bake()
    bake = Path(bpy.context.scene.tallow.bake_path)
    cancelled_bake()
    assert is_whole(bake)
    bpy.ops.tallow.bake()
    assert not bake.exists() and len(os.listdir(folder)) == 1


def test_a_replaced_bake_that_the_artist_shows_again_stays(folder):
    _original, first = saved_then_baked(folder)
    bpy.ops.tallow.bake()
    second = bpy.context.scene.tallow.bake_path
    bpy.ops.tallow.use_bake(folder=str(first))
    bpy.ops.tallow.use_bake(folder=second)
    bpy.ops.wm.save_mainfile()
    assert is_whole(first) and is_whole(Path(second))


def test_each_scene_of_a_file_keeps_its_own_until_it_has_a_finished_one(folder):
    _original, first = saved_then_baked(folder)
    one = bpy.context.scene
    bpy.ops.scene.new(type="FULL_COPY")
    bpy.ops.tallow.bake()
    second = Path(bpy.context.scene.tallow.bake_path)
    bpy.ops.tallow.bake()
    bpy.context.window.scene = one
    cancelled_bake()
    bpy.ops.wm.save_mainfile()
    assert is_whole(first) and not second.exists()


def test_the_first_save_takes_old_bakes_along(folder):
    from tallow.baking import paths
    from tallow.core import bake_list
    scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    scene.tallow.cache_folder, scene.tallow.keep_old = "", True
    bpy.ops.tallow.bake()
    first = Path(scene.tallow.bake_path)
    bpy.ops.tallow.bake()
    assert first.parent == paths.temporary_root()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    assert is_whole(folder / "tallow_cache_shot" / first.name) and not first.exists()
    assert len(bake_list.entries(paths.cache_root(scene))) == 2


def test_a_copy_of_a_file_without_a_name_owns_its_bake(folder):
    from tallow.core import owners
    scenes.wax_in_a_box(folder)
    bpy.ops.tallow.bake()
    bake = Path(bpy.context.scene.tallow.bake_path)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "copy.blend"), copy=True)
    assert owners.read(bake) == {owners.UNKNOWN}
