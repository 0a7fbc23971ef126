"""Baking with a window: Blender stays usable, frames land on their own, and everything can be stopped."""

import os
import signal

import bpy
import scenes
from harness_window import PATIENCE, until


def status():
    from tallow.baking import job
    return job.status_of(bpy.context.scene)


def running():
    from tallow.baking import job
    return job.current() is not None


def open_gate(folder, last):
    """Let the stand-in baker bake up to a frame."""
    (folder / "gate.new").write_text(str(last))
    (folder / "gate.new").rename(folder / "gate")


def start(folder, frames=12, last=None):
    """Start a bake. It waits after the frame `last` until `open_gate` lets it go on."""
    scenes.wax_in_a_box(folder, frames=frames)
    if last is not None:
        os.environ["FAKE_GATE"] = str(folder / "gate")
        open_gate(folder, last)
    bpy.ops.ed.undo_push(message="Set up")
    assert bpy.ops.tallow.bake() == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Bake")  # which a click does by itself
    assert running()


def test_frames_land_while_blender_goes_on(folder):
    start(folder, frames=16, last=3)
    scene = bpy.context.scene
    yield from until(lambda: status().frame == 3)
    assert running() and scene.frame_current >= 2 and len(scene.tallow.surface_object.data.vertices) == 266
    assert status().seconds_left is not None and 0 < scene.tallow.progress < 100
    open_gate(folder, 16)
    yield from until(lambda: not running())
    assert status().state == "done" and scene.frame_current == 16


def test_pause_resume_and_cancel(folder):
    from tallow.baking import job
    from tallow.core import process
    start(folder, frames=40, last=2)
    yield from until(lambda: status().frame == 2)
    assert not bpy.ops.tallow.bake.poll() and not bpy.ops.tallow.free.poll()
    bpy.ops.tallow.pause()
    yield from until(lambda: status().stage == "paused")  # the baker says so
    open_gate(folder, 4)
    yield 0.5  # for a baker that does not stand still
    assert status().frame == 2 and status().state == "paused"
    bpy.ops.tallow.resume()
    yield from until(lambda: status().frame == 4)
    baker, grace = job.current().process.process, process.GRACE_SECONDS
    process.GRACE_SECONDS = PATIENCE  # a baker that answers late is still one that answers
    bpy.ops.tallow.cancel()
    yield from until(lambda: not running())
    process.GRACE_SECONDS = grace
    assert status().state == "cancelled" and status().frame == 4 and baker.returncode == 2
    open_gate(folder, 40)
    bpy.ops.tallow.resume()
    yield from until(lambda: not running())
    assert status().state == "done" and status().finished == 36


def test_a_killed_baker_is_one_sentence(folder):
    from tallow.baking import job
    start(folder, last=2)
    yield from until(lambda: status().frame == 2)
    os.kill(job.current().process.process.pid, signal.SIGKILL)
    yield from until(lambda: not running())
    assert status().state == "failed" and "memory" in status().error and "kept" in status().error
    assert bpy.ops.tallow.bake.poll() and bpy.ops.tallow.free.poll()


def test_undo_while_baking_does_no_harm(folder):
    start(folder, frames=8, last=2)
    yield from until(lambda: status().frame == 2)
    for step in range(3):
        bpy.ops.ed.undo_push(message="test")
        bpy.context.scene.frame_set(1)
        bpy.ops.ed.undo()
        open_gate(folder, 3 + step)
        yield from until(lambda: status().frame == 3 + step)
    open_gate(folder, 8)
    yield from until(lambda: not running())
    assert status().state == "done"


def test_undo_after_a_bake_keeps_it(folder):
    start(folder, frames=3)
    yield from until(lambda: not running())
    scene = bpy.context.scene
    path = scene.tallow.bake_path
    for step in range(2):  # undone: the move, and then the pressing of Bake
        if step == 0:
            bpy.data.objects["Wax"].location.x = 1.0
            bpy.ops.ed.undo_push(message="Move")
        bpy.ops.ed.undo()
        yield 0.2
        scene = bpy.context.scene
        assert scene.tallow.bake_path == path and bpy.data.objects["Wax"].location.x == 0.0
        assert len(scene.tallow.surface_object.data.vertices) == 266 and bpy.data.objects["Wax"].hide_render
        assert status().state == "done"
    bpy.ops.ed.redo()
    yield 0.2
    scene = bpy.context.scene
    assert scene.tallow.bake_path == path and len(scene.tallow.surface_object.data.vertices) == 266


def test_undo_leaves_what_the_artist_shows(folder):
    start(folder, frames=3)
    yield from until(lambda: not running())
    wax = bpy.data.objects["Wax"]
    wax.display_type = "TEXTURED"
    bpy.ops.ed.undo_push(message="Show")
    wax.location.x = 1.0
    bpy.ops.ed.undo_push(message="Move")
    bpy.ops.ed.undo()
    yield 0.2
    assert bpy.data.objects["Wax"].location.x == 0.0 and bpy.data.objects["Wax"].display_type == "TEXTURED"


def test_a_freed_bake_does_not_come_back_with_undo(folder):
    start(folder, frames=3)
    yield from until(lambda: not running())
    bpy.ops.ed.undo_push(message="Edit")
    bpy.ops.tallow.free()
    bpy.ops.ed.undo_push(message="Free")
    bpy.ops.ed.undo()
    yield 0.2
    assert bpy.context.scene.tallow.bake_path == "" and not bpy.data.objects["Wax"].hide_render


def test_a_scene_that_is_renamed_keeps_its_bake(folder):
    start(folder, frames=8, last=1)
    scene = bpy.context.scene
    before = scene.name
    yield from until(lambda: status().frame == 1)
    scene.name = "Other Name"
    bpy.ops.ed.undo_push(message="Rename")
    bpy.data.scenes.new(before)  # takes the name over
    open_gate(folder, 2)
    yield from until(lambda: status().frame == 2)
    assert bpy.ops.tallow.pause.poll()
    open_gate(folder, 8)
    yield from until(lambda: not running())
    bpy.data.scenes.remove(bpy.data.scenes[before])
    assert status().state == "done" and scene.tallow.bake_path and len(scene.tallow.surface_object.data.vertices) == 266
    scene.name = before


def test_a_frame_that_cannot_be_shown_does_not_end_the_bake(folder):
    from tallow import playback
    start(folder, frames=6, last=0)
    show, broken = playback.surface.show, [2]

    def show_or_fail(*arguments):
        if broken[0]:
            broken[0] -= 1
            raise RuntimeError("no mesh for you")
        show(*arguments)

    playback.surface.show = show_or_fail
    try:
        for frame in range(1, 7):  # one by one: frames that land together are shown together
            open_gate(folder, frame)
            yield from until(lambda: status().frame == frame)
        yield from until(lambda: not running())
    finally:
        playback.surface.show = show
    assert status().state == "done" and status().finished == 6 and not broken[0]
    assert any("cannot be shown" in text and "no mesh for you" in text for text in status().warnings)
    assert playback.note(bpy.context.scene) == ""
    assert len(bpy.context.scene.tallow.surface_object.data.vertices) == 266


def test_another_file_ends_the_bake(folder):
    from tallow.baking import job
    start(folder, frames=40, last=2)
    yield from until(lambda: status().frame == 2)
    process = job.current().process.process
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    yield 0.5
    assert not running() and process.poll() is not None
