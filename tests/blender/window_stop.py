"""A render in a window stops at a missing frame. In a Blender of its own: nothing may come after a render."""

from pathlib import Path

import bpy
import scenes
from harness_window import until


def test_a_render_ends_before_the_missing_frame(folder):
    from tallow import playback
    from tallow.baking import job
    from tallow.model import staging
    scenes.wax_in_a_box(folder / "cache", frames=6)
    scene = bpy.context.scene
    staging.ensure_camera_and_light(scene)
    bpy.ops.tallow.bake()
    yield from until(lambda: job.current() is None)
    (Path(scene.tallow.bake_path) / "mesh" / "mesh_000004.ply").unlink()
    bpy.context.preferences.addons["tallow"].preferences.missing_frames = "STOP"
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", 2, False
    scene.render.resolution_x = scene.render.resolution_y = 48
    scene.render.filepath = str(folder / "out_")
    scene.frame_set(2)
    bpy.ops.render.render("INVOKE_DEFAULT", animation=True)
    yield from until(lambda: playback.missing.why_stopped(scene) and not bpy.app.is_job_running("RENDER"))
    assert [path.name for path in sorted(folder.glob("out_*"))] == [f"out_{n:04d}.png" for n in range(1, 4)]
    assert "Frame 4" in playback.missing.why_stopped(scene) and scene.frame_current == 2
