# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws over the view: the grid cells on three sides of the domain, and what is wrong with the frame on screen."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import bpy
import numpy as np

from .. import playback
from ..model import domain, units

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
    import gpu
    from gpu_extras.batch import batch_for_shader
    if _batch.get("key") != key:
        name = "UNIFORM_COLOR" if bpy.app.version >= (4, 0, 0) else "3D_UNIFORM_COLOR"
        shader = gpu.shader.from_builtin(name)
        points = grid_lines(np.array(low), np.array(high), cell)
        _batch.update(key=key, shader=shader, batch=batch_for_shader(shader, "LINES", {"pos": points}))
    return _batch["shader"], _batch["batch"]


def _draw() -> None:
    scene = bpy.context.scene
    tallow = getattr(scene, "tallow", None)
    if not tallow or not tallow.show_cells or domain.get(scene) is None:
        return
    import gpu
    low, high = domain.bounds(tallow.domain)
    cell = domain.cell_size(scene) / units.metres_per_unit(scene)
    if sum(high[i] - low[i] for i in range(3)) / cell > MOST_LINES:
        return
    shader, batch = _make_batch((tuple(low), tuple(high), cell), low, high, cell)
    gpu.state.blend_set("ALPHA")
    shader.bind()
    shader.uniform_float("color", (1.0, 0.75, 0.4, 0.18))
    batch.draw(shader)
    gpu.state.blend_set("NONE")


def _draw_note() -> None:
    """The sentence of the Show panel at the foot of the view, for an artist who looks at the picture."""
    context = bpy.context
    tallow = getattr(context.scene, "tallow", None)
    text = playback.note(context.scene) if tallow and tallow.bake_path and context.space_data.overlay.show_overlays else ""
    if not text:
        return
    import blf
    scale = context.preferences.system.ui_scale
    size = 14 * scale
    blf.size(0, *((size,) if bpy.app.version >= (4, 0, 0) else (int(size), 72)))
    width, _height = blf.dimensions(0, text)
    sidebar = next((region.width for region in context.area.regions if region.type == "UI"), 0)
    blf.position(0, max(60.0 * scale, (context.region.width - sidebar - width) / 2.0), 24.0 * scale, 0.0)
    blf.enable(0, blf.SHADOW)
    blf.shadow(0, 5, 0.0, 0.0, 0.0, 0.9)
    blf.color(0, 1.0, 0.55, 0.3, 1.0)
    blf.draw(0, text)
    blf.disable(0, blf.SHADOW)


def register() -> None:
    if not bpy.app.background:
        add = bpy.types.SpaceView3D.draw_handler_add
        _handles.extend((add(_draw, (), "WINDOW", "POST_VIEW"), add(_draw_note, (), "WINDOW", "POST_PIXEL")))


def unregister() -> None:
    for handle in _handles:
        bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")
    _handles.clear()
    _batch.clear()
