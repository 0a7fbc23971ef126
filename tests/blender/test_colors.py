"""Colour By: what it colours, by which range, and that it leaves the artist's materials alone."""

import bpy
import numpy as np
import scenes


def baked(folder, **settings):
    scenes.wax_in_a_box(folder)
    tallow = bpy.context.scene.tallow
    tallow.save_particles = True
    for name, value in settings.items():
        setattr(tallow, name, value)
    bpy.ops.tallow.bake()
    return bpy.context.scene


def colors_of(obj):
    data = obj.data.attributes["tallow_color"].data
    found = np.empty(4 * len(data), np.float32)
    data.foreach_get("color", found)
    return found.reshape(-1, 4)


def scale_of(scene):
    from tallow import playback
    return playback.coloring.scale_of(scene, playback.cache_of(scene), scene.frame_current)


def test_surface_and_particles_have_the_colours_of_one_scale(folder):
    scene = baked(folder, show_particles=True, particle_percent=100)
    scene.frame_set(6)
    scene.tallow.show_color = "TEMPERATURE"
    scale = scale_of(scene)
    for obj in (scene.tallow.surface_object, scene.tallow.particles_object):
        kelvin = np.empty(len(obj.data.vertices), np.float32)
        obj.data.attributes["temperature"].data.foreach_get("value", kelvin)
        assert np.allclose(colors_of(obj), scale.colors(kelvin), atol=1e-3), obj.name
    from tallow import playback
    places, tint, radius = playback.particles.colored(scene)
    assert len(places) == len(tint) == len(scene.tallow.particles_object.data.vertices) and radius > 0.0
    scene.tallow.show_color = "NONE"
    assert playback.particles.colored(scene) is None


def test_the_range_is_that_of_the_bake_of_the_frame_or_own(folder):
    scene = baked(folder)
    tallow = scene.tallow
    scene.frame_set(3)
    tallow.show_color = "TEMPERATURE"
    whole = scale_of(scene)
    tallow.color_range = "FRAME"
    assert scale_of(scene).high < whole.high
    tallow.color_range = "OWN"
    # It begins with that of the bake.
    assert np.allclose(tallow.temperature_range, (whole.low - 273.15, whole.high - 273.15), atol=1e-3)
    tallow.temperature_range = (10.0, 30.0)
    own = scale_of(scene)
    assert abs(own.low - 283.15) < 1e-3 and abs(own.high - 303.15) < 1e-3
    before = colors_of(tallow.surface_object)
    tallow.temperature_range = (10.0, 90.0)
    assert not np.allclose(before, colors_of(tallow.surface_object))
    tallow.show_color = "SPEED"
    assert scale_of(scene).mode == "SPEED" and tallow.speed_range[1] > 0.0


def test_the_legend_says_what_the_colours_mean(folder):
    scene = baked(folder)
    from tallow.ui import legend
    assert legend.scale_of(scene) is None
    scene.tallow.show_color = "TEMPERATURE"
    scale = legend.scale_of(scene)
    assert legend.title(scale) == "Temperature (°C)" and legend.subtitle(scene, scale) == "of the whole bake"
    assert legend.marks(scale)[0] == (0.0, "20") and legend.marks(scale)[-1] == (1.0, "100")
    scene.tallow.show_legend = False
    assert legend.scale_of(scene) is None
    scene.tallow.show_legend, scene.tallow.show_color, scene.tallow.show_slice = True, "NONE", True
    assert legend.scale_of(scene).mode == "TEMPERATURE"  # cells have no material to show


def seen(obj):
    return [slot.material.name if slot.material else None for slot in obj.material_slots]


def test_renders_have_the_artists_materials_unless_they_ask(folder):
    scene = baked(folder)
    surface, tallow = scene.tallow.surface_object, scene.tallow
    for name in ("Own", "Other"):
        surface.data.materials.append(bpy.data.materials.new(name))
    tallow.show_color = "MELT"
    assert seen(surface) == ["Own", "Other"]
    tallow.render_colors = True
    assert seen(surface) == ["Tallow Colours"] * 2
    assert [material.name for material in surface.data.materials] == ["Own", "Other"]
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "a.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "a.blend"))
    tallow = bpy.context.scene.tallow
    assert seen(tallow.surface_object) == ["Tallow Colours"] * 2
    tallow.render_colors = False
    assert seen(tallow.surface_object) == ["Own", "Other"]
    tallow.render_colors = True
    tallow.show_color = "NONE"
    assert seen(tallow.surface_object) == ["Own", "Other"]


def test_a_surface_without_a_material_gets_none_back(folder):
    scene = baked(folder, show_particles=True)
    tallow = scene.tallow
    tallow.show_color, tallow.render_colors = "MELT", True
    assert seen(tallow.surface_object) == seen(tallow.particles_object) == ["Tallow Colours"]
    tallow.render_colors = False
    assert not any(seen(tallow.surface_object) + seen(tallow.particles_object))


def test_a_material_that_the_artist_linked_to_the_object_stays(folder):
    scene = baked(folder)
    surface, own = scene.tallow.surface_object, bpy.data.materials.new("Own")
    surface.data.materials.append(None)
    surface.material_slots[0].link, surface.material_slots[0].material = "OBJECT", own
    scene.tallow.show_color, scene.tallow.render_colors = "MELT", True
    scene.tallow.render_colors = False
    assert seen(surface) == ["Own"]


def test_colours_are_rendered_when_asked(folder):
    scene = baked(folder)
    scene.frame_set(6)
    bpy.data.objects["Wax"].hide_render = True
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    scene.camera, camera.data.type, camera.data.ortho_scale = camera, "ORTHO", 1.0
    camera.location = (0.0, 0.0, 5.0)
    scene.view_settings.view_transform = "Standard"
    scene.tallow.show_color, scene.tallow.render_colors, scene.tallow.color_range = "TEMPERATURE", True, "OWN"
    scene.tallow.temperature_range = (-200.0, -100.0)  # all is hotter: the last colour
    picture = scenes.render(folder / "a.png").reshape(64, 64, 4)
    from tallow.core import colors
    expected = colors.to_display(np.array([*colors.COLD_TO_HOT[-1], 1.0]))
    assert np.allclose(picture[32, 32], expected, atol=0.02)


def test_a_slice_asks_for_the_plane_that_the_artist_chose(folder):
    scene = baked(folder, save_vdb=True)
    from tallow import playback
    cache = playback.cache_of(scene)
    low, high = cache.info["domain_min"], cache.info["domain_max"]
    scene.tallow.slice_axis, scene.tallow.slice_place = "X", 25.0
    path, axis, place = playback.cells.request_of(scene, cache, 3)
    assert path == str(cache.surface_path(3)) and axis == 0
    assert abs(place - (low[0] + 0.25 * (high[0] - low[0]))) < 1e-6
    scene.tallow.slice_axis, scene.tallow.slice_place = "Z", 100.0
    assert low[2] < playback.cells.request_of(scene, cache, 3)[2] < high[2]  # within the last cell
    cache.info.pop("domain_min")
    assert playback.cells.request_of(scene, cache, 3) is None


def test_cells_are_drawn_as_squares_in_their_plane(folder):
    from tallow.ui import slices
    cells = np.array([[1.0, 2.0, 3.0, 0, 0, 0]], np.float32)
    found = slices.squares(cells, 1, 0.5)
    assert found.shape == (6, 3) and np.allclose(found[:, 1], 2.0)
    assert np.allclose(np.ptp(found[:, (0, 2)], axis=0), 0.5 * (1.0 - slices.GAP))


def test_without_a_window_nothing_is_drawn(folder):
    scene = baked(folder, save_vdb=True, show_slice=True, show_color="SPEED")
    from tallow import playback
    from tallow.ui import overlay
    scene.frame_set(4)
    assert not overlay._handles and playback.cells.current() is None
