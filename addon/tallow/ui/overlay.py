# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws over the view: the grid cells on three sides of the domain, the slice, the legend, the plot of the bake, and what is
wrong with the frame on screen."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import bpy
import numpy as np

from .. import playback
from ..model import domain, units
from . import drawing, legend, live_plot, slices

MOST_LINES = 1200
_handles: List[Any] = []
_batch: Dict[str, Any] = {}


def grid_lines(low: np.ndarray, high: np.ndarray, cell: float) -> np.ndarray:
    """Ends of the lines of the bottom, left and back sides, (n, 3) float32."""
    lines = []
    for normal, corner in ((2, low), (0, low), (1, high)):
        a, b = [axis for axis in range(3) if axis != normal]
        for along, across in ((a, b), (b, a)):
            steps = np.arange(low[across], high[across] + 0.5 * cell, cell)
            ends = np.zeros((len(steps), 2, 3))
            ends[..., normal] = corner[normal]
            ends[:, 0, along], ends[:, 1, along] = low[along], high[along]
            ends[..., across] = steps[:, None]
            lines.append(ends.reshape(-1, 3))
    return np.concatenate(lines).astype(np.float32)


def _make_batch(key: Tuple, low, high, cell: float):
    if _batch.get("key") != key:
        _batch.update(key=key, batch=drawing.batch_of("UNIFORM_COLOR", "LINES", pos=grid_lines(np.array(low), np.array(high), cell)))
    return _batch["batch"]


def _draw() -> None:
    scene = bpy.context.scene
    tallow = getattr(scene, "tallow", None)
    if tallow and bpy.context.space_data.overlay.show_overlays:
        slices.draw_particles(bpy.context)
        slices.draw(scene)
        _draw_grid(scene)


def _draw_grid(scene: bpy.types.Scene) -> None:
    tallow = scene.tallow
    if not tallow.show_cells or domain.get(scene) is None:
        return
    import gpu
    low, high = domain.bounds(tallow.domain)
    cell = domain.cell_size(scene) / units.metres_per_unit(scene)
    if sum(high[i] - low[i] for i in range(3)) / cell > MOST_LINES:
        return
    batch, shader = _make_batch((tuple(low), tuple(high), cell), low, high, cell), drawing.shader("UNIFORM_COLOR")
    gpu.state.blend_set("ALPHA")
    shader.bind()
    shader.uniform_float("color", (1.0, 0.75, 0.4, 0.18))
    batch.draw(shader)
    gpu.state.blend_set("NONE")


def _draw_note(context: bpy.types.Context) -> None:
    """The sentence of the Show panel at the foot of the view, for an artist who looks at the picture."""
    text = playback.note(context.scene)
    if text:
        room = drawing.room_of(context)
        size = 14 * room.scale
        place = max(room.left + 10.0 * room.scale, (room.left + room.right - drawing.width_of(text, size)) / 2.0)
        drawing.write(text, (place, 24.0 * room.scale), size, (1.0, 0.55, 0.3, 1.0), shadow=True)


def _draw_words() -> None:
    context = bpy.context
    tallow = getattr(context.scene, "tallow", None)
    if tallow and tallow.bake_path and context.space_data.overlay.show_overlays:
        _draw_note(context)
        legend.draw(context)
        live_plot.draw(context)


def register() -> None:
    if not bpy.app.background:
        add = bpy.types.SpaceView3D.draw_handler_add
        _handles.extend((add(_draw, (), "WINDOW", "POST_VIEW"), add(_draw_words, (), "WINDOW", "POST_PIXEL")))


def unregister() -> None:
    for handle in _handles:
        bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")
    _handles.clear()
    _batch.clear()
    slices.forget()
    live_plot.forget()
    drawing.forget()
