"""In a window of 1920 x 1080: Show and Render are seen without scrolling, and legend, slice and plot are drawn.

What a picture of the window shows is compared with the same window without it.
"""

import shutil
import subprocess

import bpy
import numpy as np
import scenes
from harness_window import until
from window_panels import drawn, open_tab, watch

WINDOW = (1920, 1080)
MARK = (1.0, 0.0, 1.0, 1.0)  # a colour that nothing else has


def picture(folder):
    """The window, rows from the top, (height, width, 3); None where no program takes pictures."""
    if not shutil.which("import"):
        return None
    path = folder / "window.png"
    subprocess.run(["import", "-window", "root", str(path)], check=True)
    found = scenes.pixels(path).reshape(WINDOW[1], WINDOW[0], 4)
    return found[::-1, :, :3]


def view():
    area = next(area for area in bpy.context.window_manager.windows[0].screen.areas if area.type == "VIEW_3D")
    return area, next(region for region in area.regions if region.type == "WINDOW")


def settled():
    """Two draws of everything that is on the way."""
    for _n in range(2):
        drawn.clear()
        for area in bpy.context.window_manager.windows[0].screen.areas:
            area.tag_redraw()
        yield from until(lambda: "TALLOW_PT_object" in drawn)
        yield 0.3


def count(image, color, part, slack=0.02):
    """Pixels of a colour, up to a little."""
    return int(near(image, color, slack)[part].sum())


def near(image, color, slack=0.02):
    return np.abs(image - np.array(color[:3])).max(axis=2) < slack


def put_marks(*panels):
    """A square at the end of each panel."""
    import bpy.utils.previews
    icons = bpy.utils.previews.new()
    icon = icons.new("mark")
    icon.image_size = (32, 32)
    icon.image_pixels_float.foreach_set(np.tile(np.array(MARK, np.float32), 32 * 32))
    for cls in panels:
        cls.draw = with_mark(cls.draw, icon.icon_id)
    return icons


def with_mark(original, icon):
    def draw(self, context):  # exactly these arguments: Blender counts them
        original(self, context)
        self.layout.template_icon(icon, scale=1.0)
    return draw


def bands(rows):
    """How many pieces of rows are marked, one below the other."""
    return int((np.diff(np.concatenate([[0], rows.astype(int)])) == 1).sum())


def test_a_baked_scene_in_a_window(folder):
    from tallow.baking import job
    from tallow.ui.panels import display, render
    bpy.context.preferences.view.show_splash = False
    watch()
    yield from open_tab()
    wax = scenes.wax_in_a_box(folder)
    scenes.select(wax)
    bpy.ops.tallow.bake()
    yield from until(lambda: job.current() is None)
    icons = put_marks(*display.FIRST, *render.FIRST)
    yield from settled()
    area, region = view()
    sidebar = next(region for region in area.regions if region.type == "UI")
    inside = (slice(None), slice(region.x, sidebar.x))
    image = picture(folder)
    if image is not None:
        marked = near(image, MARK)[:, sidebar.x:sidebar.x + sidebar.width].any(axis=1)
        assert bands(marked) == 2, "the ends of Show and Render are not both above the fold"
    bpy.utils.previews.remove(icons)
    yield from slice_and_legend_are_drawn(folder, inside)
    yield from the_plot_is_drawn(folder, inside)


def slice_and_legend_are_drawn(folder, inside):
    from tallow import playback
    from tallow.core import colors
    scene, (area, region) = bpy.context.scene, view()
    scene.frame_set(6)
    area.spaces.active.region_3d.view_distance = 1.0  # cells are small
    yield from settled()
    plain = picture(folder)
    scene.tallow.show_slice, scene.tallow.show_legend = True, False
    yield from until(lambda: playback.cells.current() is not None)
    yield from settled()
    cells = picture(folder)
    scene.tallow.show_legend = True
    yield from settled()
    both = picture(folder)
    scale = playback.cells.scale_of(scene, playback.cache_of(scene), 6)
    scene.tallow.show_slice = False
    if plain is None:
        return
    for value in (300.0, 330.0):  # those of cells of the stand-in baker
        color = colors.to_display(scale.colors(np.array([value])))[0]
        assert count(cells, color, inside) > 30 + count(plain, color, inside), "the slice has no such cell"
    for end in (scale.low, scale.high):
        color = colors.to_display(scale.colors(np.array([end])))[0]
        before = count(cells, color, inside, 0.06)
        assert count(both, color, inside, 0.06) > 20 + before, "the legend has no such colour"


def the_plot_is_drawn(folder, inside):
    from tallow.core import charts
    tallow = bpy.context.scene.tallow
    tallow.show_surface, tallow.show_particles, tallow.show_color = False, True, "TEMPERATURE"
    images = []
    for tallow.keep_plot in (True, False):
        yield from settled()
        images.append(picture(folder))
    for tint in charts.TINTS[:4] if images[0] is not None else ():
        assert count(images[0], tint, inside) > 30 + count(images[1], tint, inside), "the plot has no such line"
