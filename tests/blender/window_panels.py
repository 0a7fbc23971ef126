"""Draws the sidebar in every state; a panel that raises prints a traceback, which the runner takes for a failure."""

import bpy
import scenes

drawn = []


def watch():
    from tallow.ui.panels import CLASSES
    for cls in CLASSES:
        cls.draw = watched(cls.draw, cls.__name__)


def watched(original, name):
    def draw(self, context):  # exactly these arguments: Blender counts them
        drawn.append(name)
        original(self, context)
    return draw


def open_tab():
    import subprocess
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    area.spaces.active.show_region_ui = True
    yield 0.5
    ui = next(region for region in area.regions if region.type == "UI")
    if hasattr(ui, "active_panel_category"):
        try:
            ui.active_panel_category = "Tallow"
            yield 0.5
        except (AttributeError, TypeError):
            pass  # read-only before 4.5
    for y in range(20, 420, 16):
        if drawn:
            return
        subprocess.run(["xdotool", "mousemove", str(ui.x + ui.width - 10), str(window.height - ui.y - ui.height + y), "click", "1"])
        yield 0.3


def test_every_role_and_state_draws(folder):
    watch()
    yield from open_tab()
    assert "TALLOW_PT_object" in drawn
    wax = scenes.wax_in_a_box(folder)
    scenes.select(wax)
    for role in ("WAX", "LIQUID", "INFLOW", "OUTFLOW", "SOLID", "RIGID", "HEAT", "NONE"):
        wax.tallow.role = role
        yield 0.15
    for kind in ("VOLUME", "LAMP"):
        wax.tallow.role, wax.tallow.heat_kind = "HEAT", kind
        yield 0.15
    wax.tallow.role = "WAX"
    bpy.ops.tallow.edit_material()
    yield 0.3
    assert "TALLOW_PT_material" in drawn
    own = bpy.context.scene.tallow.materials[0]
    own.solidus, own.liquidus, own.frozen = 90.0, 10.0, "SOFT"
    yield 0.2
    own.solidus = 5.0
    scenes.select(bpy.context.scene.tallow.domain)
    yield 0.2
    scenes.select()
    yield 0.2
    scenes.select(wax)
    tallow = bpy.context.scene.tallow
    tallow.draft, tallow.use_scene_gravity, tallow.use_scene_range, tallow.transport = True, False, False, "FLIP"
    yield 0.2
    tallow.frame_start, tallow.frame_end = 1, 4
    bpy.ops.tallow.bake()
    from tallow.baking import job
    while job.current():
        yield 0.1
    tallow.show_particles = tallow.show_cells = True
    bpy.context.scene.frame_set(30)
    yield 0.3
    job.fail(bpy.context.scene, "The baker was stopped by the system, most often because memory ran out.")
    yield 0.3
    tallow.domain = None
    yield 0.3
    assert {"TALLOW_PT_bake", "TALLOW_PT_show", "TALLOW_PT_domain", "TALLOW_PT_world"} <= set(drawn)
