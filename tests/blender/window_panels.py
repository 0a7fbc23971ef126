"""Draws the sidebar in every state; a panel that raises prints a traceback, which the runner takes for a failure."""

import subprocess

import bpy
import scenes
from harness_window import until

drawn = []


def watch():
    from tallow.ui.panels import CLASSES
    for cls in CLASSES:
        cls.draw = watched(cls.draw, cls.__name__)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
    for cls in CLASSES:
        cls.bl_options = set(getattr(cls, "bl_options", set())) - {"DEFAULT_CLOSED"}  # a closed panel is not drawn
        bpy.utils.register_class(cls)


def watched(original, name):
    def draw(self, context):  # exactly these arguments: Blender counts them
        drawn.append(name)
        original(self, context)
    return draw


def click(x, y):
    subprocess.run(["xdotool", "mousemove", str(x), str(y), "click", "1"], check=True)


def open_tab():
    """Click down the column of tabs until ours is drawn. A busy machine may need more than one round."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    area.spaces.active.show_region_ui = True
    ui = next(region for region in area.regions if region.type == "UI")
    yield from until(lambda: ui.width > 1)
    if hasattr(ui, "active_panel_category"):
        try:
            ui.active_panel_category = "Tallow"
            yield 0.5
        except (AttributeError, TypeError):
            pass  # read-only before 4.5
    for _round in range(50):
        for y in range(20, 420, 16):
            if drawn:
                return
            click(ui.x + ui.width - 10, window.height - ui.y - ui.height + y)
            yield 0.3


def redrawn(*names):
    """Let Blender draw the sidebar as things are now, with these panels."""
    drawn.clear()
    for area in bpy.context.window_manager.windows[0].screen.areas:
        area.tag_redraw()
    yield from until(lambda: {"TALLOW_PT_object", *names} <= set(drawn))


def test_every_role_and_state_draws(folder):
    from tallow.baking import job
    from tallow.model import roles
    watch()
    yield from open_tab()
    yield from redrawn()
    wax = scenes.wax_in_a_box(folder)
    scenes.select(wax)
    for role in roles.TABLE[1:] + roles.TABLE[:1]:
        wax.tallow.role = role.identifier
        yield from redrawn()
    for kind in ("VOLUME", "LAMP"):
        wax.tallow.role, wax.tallow.heat_kind = "HEAT", kind
        yield from redrawn()
    wax.tallow.role = "WAX"
    bpy.ops.tallow.edit_material()
    yield from redrawn("TALLOW_PT_material")
    own = bpy.context.scene.tallow.materials[0]
    own.solidus, own.liquidus, own.frozen = 90.0, 10.0, "SOFT"
    yield from redrawn("TALLOW_PT_material")
    own.solidus = 5.0
    scenes.select(bpy.context.scene.tallow.domain)
    yield from redrawn()
    scenes.select()
    yield from redrawn()
    scenes.select(wax)
    tallow = bpy.context.scene.tallow
    tallow.preview_quality, tallow.transport = 50, "FLIP"
    tallow.use_scene_gravity = tallow.use_scene_range = False
    yield from redrawn()
    tallow.frame_start, tallow.frame_end = 1, 4
    bpy.ops.tallow.bake()
    yield from redrawn("TALLOW_PT_bake")
    yield from until(lambda: job.current() is None)
    first, tallow.keep_old = tallow.bake_path, True
    tallow.ambient += 20.0
    bpy.ops.tallow.bake()
    yield from until(lambda: job.current() is None)
    bpy.ops.tallow.compare_bake(folder=first)
    yield from redrawn("TALLOW_PT_bakes")
    tallow.show_particles = tallow.show_cells = tallow.show_slice = tallow.keep_plot = True
    tallow.show_color, tallow.color_range = "TEMPERATURE", "OWN"
    bpy.context.scene.frame_set(30)
    yield from redrawn("TALLOW_PT_bake", "TALLOW_PT_show_baked", "TALLOW_PT_render_baked")
    job.fail(bpy.context.scene, "The baker was stopped by the system, most often because memory ran out.")
    yield from redrawn("TALLOW_PT_bake", "TALLOW_PT_domain", "TALLOW_PT_melting", "TALLOW_PT_world")
    tallow.melt_note, tallow.melt_strength, tallow.life_size = "Lamp is too weak. Enough would be 3,000 W.", 3.0, "OWN"
    yield from redrawn("TALLOW_PT_domain", "TALLOW_PT_melting")
    tallow.domain = None
    yield from redrawn("TALLOW_PT_bake", "TALLOW_PT_domain", "TALLOW_PT_world", "TALLOW_PT_show_baked")
    yield from _draws_what_is_missing()


def _draws_what_is_missing():
    from tallow.baking import installation
    whole = installation.problem
    installation.problem = lambda: "This copy of Tallow cannot bake: its native library is missing."
    try:
        yield from redrawn("TALLOW_PT_incomplete")
    finally:
        installation.problem = whole
