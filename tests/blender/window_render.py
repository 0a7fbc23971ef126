"""Scrubbing and rendering with a window, in a Blender of its own.

After a render in a window, Blender 3.4 on a busy machine may refuse whatever a script writes ("Writing to ID classes in
this context is not allowed") until it ends. So nothing comes after the render.
"""

import bpy
import scenes
from harness_window import until


def test_scrubbing_and_rendering_do_not_crash(folder):
    from tallow.baking import job
    from tallow.model import staging
    scenes.wax_in_a_box(folder, frames=8)
    bpy.ops.tallow.bake()
    yield from until(lambda: job.current() is None)
    scene = bpy.context.scene
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
