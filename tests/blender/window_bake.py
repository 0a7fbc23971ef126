"""Baking with a window: Blender stays usable, frames land on their own, and everything can be stopped."""

import os
import signal
import time

import bpy
import scenes


def until(condition, seconds=30.0):
    """Let Blender run until something is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "took too long"
        yield 0.05


def status():
    from tallow import bake
    return bake.status_of(bpy.context.scene)


def running():
    from tallow import bake
    return bake.current() is not None


def start(folder, frames=12, mode="slow"):
    scenes.wax_in_a_box(folder, frames=frames)
    os.environ["FAKE_BAKER"] = mode
    assert bpy.ops.tallow.bake() == {"FINISHED"}
    assert running()


def test_frames_land_while_blender_goes_on(folder):
    start(folder, frames=16)
    scene = bpy.context.scene
    yield from until(lambda: status().frame >= 3)
    assert running() and scene.frame_current >= 2 and len(scene.tallow.surface_object.data.vertices) == 266
    assert status().seconds_left is not None and 0 < scene.tallow.progress < 100
    yield from until(lambda: not running())
    assert status().state == "done" and scene.frame_current == 16


def test_pause_resume_and_cancel(folder):
    start(folder, frames=40)
    yield from until(lambda: status().frame >= 2)
    assert not bpy.ops.tallow.bake.poll() and not bpy.ops.tallow.free.poll()
    bpy.ops.tallow.pause()
    yield 1.0
    frame = status().frame
    yield 1.0
    assert status().frame == frame and status().state == "paused"
    bpy.ops.tallow.resume()
    yield from until(lambda: status().frame > frame)
    began = time.monotonic()
    bpy.ops.tallow.cancel()
    yield from until(lambda: not running())
    assert status().state == "cancelled" and time.monotonic() - began < 2.0
    last = status().frame
    os.environ["FAKE_BAKER"] = ""
    bpy.ops.tallow.resume()
    yield from until(lambda: not running())
    assert status().state == "done" and status().finished == 40 - last


def test_a_killed_baker_is_one_sentence(folder):
    from tallow import bake
    start(folder)
    yield from until(lambda: status().frame >= 2)
    os.kill(bake.current().process.process.pid, signal.SIGKILL)
    yield from until(lambda: not running())
    assert status().state == "failed" and "memory" in status().error and "kept" in status().error
    assert bpy.ops.tallow.bake.poll() and bpy.ops.tallow.free.poll()


def test_undo_while_baking_does_no_harm(folder):
    start(folder, frames=8)
    yield from until(lambda: status().frame >= 2)
    for _ in range(3):
        bpy.ops.ed.undo_push(message="test")
        bpy.context.scene.frame_set(1)
        bpy.ops.ed.undo()
        yield 0.3
    yield from until(lambda: not running())
    assert status().state == "done"


def test_another_file_ends_the_bake(folder):
    from tallow import bake
    start(folder, frames=40)
    yield from until(lambda: status().frame >= 2)
    process = bake.current().process.process
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    yield 0.5
    assert not running() and process.poll() is not None


def test_scrubbing_and_rendering_do_not_crash(folder):
    start(folder, frames=8, mode="")
    yield from until(lambda: not running())
    scene = bpy.context.scene
    from tallow import staging
    staging.ensure_camera_and_light(scene)
    for color in ("TEMPERATURE", "VISCOSITY", "NONE"):
        scene.tallow.show_color = color
        for frame in (1, 5, 8, 3):
            scene.frame_set(frame)
            yield 0.1
    scene.tallow.show_particles = scene.tallow.show_cells = True
    yield 0.3
    for area in bpy.context.window_manager.windows[0].screen.areas:
        if area.type == "VIEW_3D":
            area.spaces.active.overlay.show_wireframes = True
    scene.frame_set(6)
    yield 0.3
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", 2, False
    scene.render.resolution_x = scene.render.resolution_y = 48
    scene.frame_end = 3
    scene.render.filepath = str(folder / "out_")
    bpy.ops.render.render("INVOKE_DEFAULT", animation=True)
    yield from until(lambda: (folder / "out_0003.png").is_file() and not bpy.app.is_job_running("RENDER"))
    yield 0.5
