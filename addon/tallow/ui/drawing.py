# SPDX-License-Identifier: GPL-3.0-or-later
"""Rectangles, lines and words over the view, for every Blender from 3.4 on. Colours are as the screen shows them."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Sequence, Tuple

import bpy
import numpy as np

Color = Sequence[float]
BACK = (0.06, 0.06, 0.07, 0.8)
INK = (0.95, 0.95, 0.95, 1.0)
QUIET = (0.72, 0.72, 0.72, 1.0)
POINTS_SINCE = (4, 5, 0)  # Blender that has shaders of their own for points
_shaders: Dict[str, Any] = {}


class Room(NamedTuple):
    """The part of the view that no other region covers, in pixels, and how large things are drawn."""

    left: float
    right: float
    bottom: float
    top: float
    scale: float


def room_of(context: bpy.types.Context) -> Room:
    """Sidebar and toolbar lie over the view or beside it, as the artist chose."""
    window = context.region
    left, right, top = 0, window.width, window.height
    for region in context.area.regions:
        if region.width <= 1 or region.height <= 1:
            continue
        if region.type == "TOOLS":
            left = max(left, region.x + region.width - window.x)
        elif region.type == "UI":
            right = min(right, region.x - window.x)
        elif region.type in ("HEADER", "TOOL_HEADER") and region.y > window.y + window.height // 2:
            top = min(top, region.y - window.y)
    return Room(left, right, 0.0, top, context.preferences.system.ui_scale)


def shader(kind: str):
    """`UNIFORM_COLOR`, `FLAT_COLOR`, `POINT_FLAT_COLOR` or `POLYLINE_UNIFORM_COLOR`. They take places of three numbers."""
    import gpu
    if kind not in _shaders:
        name = kind if bpy.app.version >= POINTS_SINCE else kind.replace("POINT_", "")
        _shaders[kind] = gpu.shader.from_builtin(name if bpy.app.version >= (4, 0, 0) else "3D_" + name)
    return _shaders[kind]


def batch_of(kind: str, primitive: str, **arrays):
    from gpu_extras.batch import batch_for_shader
    indices = arrays.pop("indices", None)
    return batch_for_shader(shader(kind), primitive, arrays, indices=indices)


def set_point_size(pixels: float) -> None:
    """Of the shader `POINT_FLAT_COLOR`, which is bound then."""
    import gpu
    drawn = shader("POINT_FLAT_COLOR")
    drawn.bind()
    if bpy.app.version >= POINTS_SINCE:
        drawn.uniform_float("size", pixels)
    else:
        gpu.state.point_size_set(pixels)


def rectangles(boxes: np.ndarray, colors: np.ndarray) -> None:
    """Boxes are rows of left, bottom, right and top; colours one of each, (n, 4)."""
    import gpu
    boxes = np.asarray(boxes, np.float32).reshape(-1, 4)
    colors = np.broadcast_to(np.asarray(colors, np.float32), (len(boxes), 4))
    if not len(boxes):
        return
    corners = np.zeros((len(boxes), 6, 3), np.float32)
    corners[:, :, 0] = boxes[:, (0, 2, 2, 0, 2, 0)]
    corners[:, :, 1] = boxes[:, (1, 1, 3, 1, 3, 3)]
    batch = batch_of("FLAT_COLOR", "TRIS", pos=corners.reshape(-1, 3), color=np.repeat(colors, 6, axis=0))
    gpu.state.blend_set("ALPHA")
    shader("FLAT_COLOR").bind()
    batch.draw(shader("FLAT_COLOR"))
    gpu.state.blend_set("NONE")


def line(points: np.ndarray, color: Color, width: float) -> None:
    """Through places of two numbers."""
    import gpu
    if len(points) < 2:
        return
    places = np.zeros((len(points), 3), np.float32)
    places[:, :2] = points
    drawn = shader("POLYLINE_UNIFORM_COLOR")
    batch = batch_of("POLYLINE_UNIFORM_COLOR", "LINE_STRIP", pos=places)
    gpu.state.blend_set("ALPHA")
    drawn.bind()
    drawn.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    drawn.uniform_float("lineWidth", width)
    drawn.uniform_float("color", color)
    batch.draw(drawn)
    gpu.state.blend_set("NONE")


def _set_size(size: float) -> None:
    import blf
    blf.size(0, *((size,) if bpy.app.version >= (4, 0, 0) else (int(round(size)), 72)))


def width_of(words: str, size: float) -> float:
    import blf
    _set_size(size)
    return blf.dimensions(0, words)[0]


def shortened(words: str, size: float, width: float) -> str:
    """The words, or as many of their letters as there is room for."""
    if width_of(words, size) <= width:
        return words
    while words and width_of(words + "…", size) > width:
        words = words[:-1]
    return words.rstrip() + "…"


def write(words: str, place: Tuple[float, float], size: float, color: Color = INK, align: float = 0.0, shadow: bool = False) -> None:
    """`align`: 0 begins at the place, 1 ends there, 0.5 has it in the middle."""
    import blf
    _set_size(size)
    blf.position(0, round(place[0] - align * blf.dimensions(0, words)[0]), round(place[1]), 0.0)
    if shadow:
        blf.enable(0, blf.SHADOW)
        blf.shadow(0, 5, 0.0, 0.0, 0.0, 0.9)
    blf.color(0, *color)
    blf.draw(0, words)
    if shadow:
        blf.disable(0, blf.SHADOW)


def forget() -> None:
    _shaders.clear()
