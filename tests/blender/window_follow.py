"""Following a bake never moves the frame of a render. In a Blender of its own: nothing may come after a render."""

import os

import bpy
import scenes
from harness_window import until


def test_a_render_during_a_bake_writes_all_its_frames(folder):
    from tallow.baking import job
    from tallow.model import staging
    gate = folder / "gate"
    gate.write_text("8")
    os.environ["FAKE_GATE"] = str(gate)
    scenes.wax_in_a_box(folder / "cache", frames=60)
    scene = bpy.context.scene
    staging.ensure_camera_and_light(scene)
    assert scene.tallow.follow
    bpy.ops.tallow.bake()
    yield from until(lambda: job.status_of(scene).frame == 8)
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", 2, False
    scene.render.resolution_x = scene.render.resolution_y = 48
    scene.frame_end = 8
    scene.render.filepath = str(folder / "out_")
    bpy.ops.render.render("INVOKE_DEFAULT", animation=True)
    for number in range(9, 61):  # frames land all through the render
        gate.write_text(str(number))
        yield 0.1
    yield from until(lambda: not bpy.app.is_job_running("RENDER"))
    yield from until(lambda: job.current() is None)
    assert [path.name for path in sorted(folder.glob("out_*"))] == [f"out_{n:04d}.png" for n in range(1, 9)]
