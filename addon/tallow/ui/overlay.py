# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the grid cells on three sides of the domain, so that the resolution can be judged by eye."""

from __future__ import annotations

from typing import Any, Dict, Tuple

import bpy
import numpy as np

from ..model import domain, units

MOST_LINES = 1200
_handle: Any = None
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


def register() -> None:
    global _handle
    if not bpy.app.background:
        _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    global _handle
    if _handle:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
    _handle = None
    _batch.clear()
