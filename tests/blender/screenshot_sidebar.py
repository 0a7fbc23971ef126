"""Runs in a Blender window: builds a demo scene, opens the sidebar at the Tallow tab and takes a picture of the window.

    blender --factory-startup --python screenshot_sidebar.py -- OUT.png [state]

States: `ready` (before a bake), `baking`, `baked`, `start` (nothing set up), `material` (the material editor).
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import addon_utils
import bpy

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "addon"), str(Path(__file__).resolve().parent)]
OUT = Path(sys.argv[sys.argv.index("--") + 1])
STATE = sys.argv[sys.argv.index("--") + 2] if len(sys.argv) > sys.argv.index("--") + 2 else "ready"
drawn = {"panel": 0}


def build():
    addon_utils.enable("tallow", default_set=True)
    bpy.context.preferences.view.show_splash = False
    scene = bpy.context.scene
    for obj in list(bpy.data.objects):
        if obj.type == "MESH":
            bpy.data.objects.remove(obj)
    bpy.ops.mesh.primitive_monkey_add(size=0.2, location=(0, 0, 0.12))
    suzanne = bpy.context.object
    suzanne.modifiers.new("Subdivision", "SUBSURF").levels = 2
    bpy.ops.object.shade_smooth()
    if STATE == "start":
        return
    bpy.ops.tallow.quick_melt(frames=48, resolution=48)
    folder = Path(tempfile.mkdtemp(prefix="tallow_picture_"))
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "melting_suzanne.blend"))
    if STATE == "material":
        bpy.ops.tallow.edit_material()
        suzanne.tallow.velocity = (0, 0, 0)
    for obj in scene.objects:
        obj.select_set(obj is suzanne)
    bpy.context.view_layer.objects.active = suzanne


def count_draws():
    from tallow.ui.panels.objects import TALLOW_PT_object
    original = TALLOW_PT_object.draw

    def draw(self, context):
        drawn["panel"] += 1
        original(self, context)
    TALLOW_PT_object.draw = draw


def view():
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    return window, area, {region.type: region for region in area.regions if region.width > 1}


def mouse(*words):
    subprocess.run(["xdotool", *[str(word) for word in words]], check=True)


def steps():
    """Each yield lets Blender draw; the number is the pause in seconds."""
    window, area, _ = view()
    with bpy.context.temp_override(window=window, area=area):
        bpy.ops.screen.screen_full_area(use_hide_panels=False)
    yield 0.5
    window, area, regions = view()
    area.spaces.active.show_region_ui = True
    area.spaces.active.shading.type = "SOLID"
    area.spaces.active.overlay.show_floor = False
    yield 1.0
    window, area, regions = view()
    chosen = [obj for obj in bpy.context.scene.objects if obj.select_get()]
    for obj in bpy.context.scene.objects:
        obj.select_set(obj.type == "MESH")
    with bpy.context.temp_override(window=window, area=area, region=regions["WINDOW"]):
        bpy.ops.view3d.view_selected()
    for obj in bpy.context.scene.objects:
        obj.select_set(obj in chosen)
    ui = regions["UI"]
    height = window.height
    try:
        ui.active_panel_category = "Tallow"
        yield 0.5
    except AttributeError:
        pass  # read-only in older Blenders
    # Else click down the column of tabs until ours is drawn.
    for y in range(20, 420, 16):
        if drawn["panel"]:
            break
        mouse("mousemove", ui.x + ui.width - 10, height - (ui.y + ui.height) + y, "click", 1)
        yield 0.25
    mouse("mousemove", ui.x - 200, height // 2)
    if STATE in ("baking", "baked"):
        bpy.ops.tallow.bake()
        from tallow.baking import job
        while job.current() and not (STATE == "baking" and job.status_of(bpy.context.scene).frame > 20):
            yield 0.2
        bpy.context.scene.frame_set(20)
    yield 1.5
    OUT.parent.mkdir(parents=True, exist_ok=True)
    # Not Blender's own screenshot: newer versions read back a black window here.
    subprocess.run(["import", "-window", "root", str(OUT)], check=True)
    if not drawn["panel"]:
        print("FAIL the Tallow tab was not drawn", flush=True)
    else:
        print(f"SIDEBAR {view()[2]['UI'].x} {view()[2]['UI'].width} {window.width} {window.height}", flush=True)
    from tallow.baking import job
    if job.current():
        bpy.ops.tallow.cancel()
        while job.current():
            yield 0.2
    os._exit(0 if drawn["panel"] else 1)  # a regular quit asks about unsaved changes


def run():
    build()
    count_draws()
    walk = steps()

    def tick():
        try:
            return next(walk)
        except Exception:  # noqa: B902  (a hanging window would hold up the tests)
            import traceback
            traceback.print_exc()
            os._exit(1)
    bpy.app.timers.register(tick, first_interval=1.5)


run()
