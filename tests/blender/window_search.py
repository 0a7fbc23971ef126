"""The window stays alive while heat's speed-up is searched for, and Esc ends the search."""

import os

import bpy
import scenes
from harness_window import until

EVENTS = True


def set_up(folder):
    """A cube to melt, and a baker that waits for its turn. Returns the gate and what overrides the context."""
    gate = folder / "gate"
    gate.write_text("0")
    os.environ["FAKE_GATE"] = str(gate)
    scenes.clear()
    cube = scenes.add_box("Cube", 2.0)
    scenes.select(cube)
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    return gate, {"window": window, "area": area, "region": region}


def press(window, key):
    for value in ("PRESS", "RELEASE"):
        window.event_simulate(type=key, value=value, x=200, y=200)


def test_the_window_lives_during_a_search_and_esc_ends_it(folder):
    from tallow.baking.session import is_searching
    gate, override = set_up(folder)
    scene = bpy.context.scene
    with bpy.context.temp_override(**override):
        assert bpy.ops.tallow.quick_melt("INVOKE_DEFAULT", frames=24, resolution=32) == {"RUNNING_MODAL"}
    for _ in range(10):
        yield 0.1  # Blender runs on: else the test would not get here
    assert is_searching(scene)  # which the panels say
    assert scene.objects["Tallow Hot Plate"] and scene.tallow.melt_note == "" and scene.tallow.thermal_speed < 2.0
    gate.write_text("1")
    yield from until(lambda: scene.tallow.melt_note)
    assert scene.tallow.thermal_speed > 1000.0
    yield 0.3
    assert not is_searching(scene)
    gate.write_text("0")
    scene.tallow.thermal_speed = 7.0
    with bpy.context.temp_override(**override):
        assert bpy.ops.tallow.melt_in_shot("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield 0.5
    press(override["window"], "ESC")
    yield 0.5
    assert not is_searching(scene)
    with bpy.context.temp_override(**override):
        # Nothing is left of the first one.
        assert bpy.ops.tallow.melt_in_shot("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    gate.write_text("1")
    yield from until(lambda: scene.tallow.melt_note)
    assert scene.tallow.thermal_speed > 1000.0
