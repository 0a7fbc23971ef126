"""What the sidebar tells of a bake follows edits, in a window where meshes are compared a moment later."""

from pathlib import Path

import bpy
import scenes
from harness_window import until


def lines():
    from tallow.baking import staleness
    return staleness.describe(staleness.found_changes(bpy.context.scene))


def test_edits_and_their_undo_are_noticed(folder):
    from tallow.baking import job
    wax = scenes.wax_in_a_box(folder, frames=4)
    bpy.ops.tallow.bake()
    yield from until(lambda: job.current() is None)
    bpy.ops.ed.undo_push(message="Before")
    yield 0.8
    assert lines() == []
    wax.data.vertices[0].co.x -= 0.05
    wax.data.update()
    yield from until(lambda: lines() == ["Wax: Shape or Scale"])
    wax.data.vertices[0].co.x += 0.05
    wax.data.update()
    yield from until(lambda: lines() == [])
    wax.location.x += 0.1
    wax.tallow.temperature = 30.0
    bpy.ops.ed.undo_push(message="After")
    yield from until(lambda: lines() == ["Wax: Temperature, Place"] or lines() == ["Wax: Place, Temperature"])
    bpy.ops.ed.undo()
    yield from until(lambda: lines() == [])


def test_a_missing_frame_is_drawn_in_the_view(folder):
    from tallow import playback
    from tallow.baking import job
    from tallow.ui import overlay
    scenes.wax_in_a_box(folder, frames=4)
    scene = bpy.context.scene
    bpy.ops.tallow.bake()
    yield from until(lambda: job.current() is None)
    (Path(scene.tallow.bake_path) / "mesh" / "mesh_000003.ply").unlink()
    asked, original = [], playback.note
    playback.note = lambda scene: asked.append(original(scene)) or asked[-1]
    try:
        scene.frame_set(3)
        for area in bpy.context.window_manager.windows[0].screen.areas:
            area.tag_redraw()
        yield from until(lambda: any("Frame 3: its surface" in text for text in asked))
    finally:
        playback.note = original
    assert overlay._handles
