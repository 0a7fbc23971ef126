# SPDX-License-Identifier: GPL-3.0-or-later
"""The legend of Colour By at the left of the view: the colours, and the values that they stand for."""

from __future__ import annotations

from typing import List, Optional, Tuple

import bpy
import numpy as np

from .. import playback
from ..core.colors import Scale, to_display
from . import drawing

MARKS = 5
STEPS = 64  # rectangles of the bar
HEIGHT, BAR, MARGIN, TEXT = 170.0, 16.0, 10.0, 12.0  # pixels at scale 1
RANGES = {"BAKE": "of the whole bake", "FRAME": "of this frame", "OWN": "own range"}


def scale_of(scene: bpy.types.Scene) -> Optional[Scale]:
    """What the legend explains; None when nothing is coloured."""
    tallow = scene.tallow
    cache = playback.cache_of(scene) if tallow.bake_path and tallow.show_legend else None
    frame = cache.nearest(scene.frame_current) if cache else None
    if frame is None:
        return None
    if tallow.show_slice:
        return playback.cells.scale_of(scene, cache, frame)
    scale = playback.coloring.scale_of(scene, cache, frame)
    return scale if isinstance(scale, Scale) else None


def marks(scale: Scale) -> List[Tuple[float, str]]:
    """Places from 0 to 1 and the values there, in the unit of the title."""
    places = [n / (MARKS - 1) for n in range(MARKS)]
    return [(place, scale.text(place)) for place in places]


def title(scale: Scale) -> str:
    return f"{scale.kind.label} ({scale.kind.unit})"


def subtitle(scene: bpy.types.Scene, scale: Scale) -> str:
    """Where the range comes from. That of the molten part is always 0 to 100 %."""
    return "" if scale.mode == "MELT" else RANGES[scene.tallow.color_range]


def draw(context: bpy.types.Context) -> None:
    scale = scale_of(context.scene)
    if scale is None:
        return
    room = drawing.room_of(context)
    unit = room.scale
    head, below = title(scale), subtitle(context.scene, scale)
    text, margin, bar = TEXT * unit, MARGIN * unit, BAR * unit
    lines = [head] + ([below] if below else [])
    height = min(HEIGHT * unit, room.top - room.bottom - (len(lines) + 5) * text * 1.5)
    width = max([drawing.width_of(words, text) for words in lines]
                + [bar + margin + drawing.width_of(words, text) for _place, words in marks(scale)])
    if height < 3 * text or width + 2 * margin > room.right - room.left:
        return  # the view is too small to be read
    left = room.left + 1.5 * margin
    bottom = (room.top + room.bottom - height) / 2.0
    top = bottom + height + (0.6 + 1.5 * len(lines)) * text
    drawing.rectangles([[left, bottom - text, left + width + 2 * margin, top + 0.5 * text]], drawing.BACK)
    inner = left + margin
    for number, words in enumerate(lines):
        drawing.write(words, (inner, top - (1.0 + 1.5 * number) * text), text, drawing.QUIET if number else drawing.INK)
    _draw_bar(scale, inner, bottom, bar, height)
    for place, words in marks(scale):
        y = bottom + place * height
        drawing.rectangles([[inner + bar, y - 0.5 * unit, inner + bar + 0.4 * margin, y + 0.5 * unit]], drawing.INK)
        drawing.write(words, (inner + bar + 0.8 * margin, y - 0.36 * text), text)


def _draw_bar(scale: Scale, left: float, bottom: float, width: float, height: float) -> None:
    edges = bottom + np.linspace(0.0, 1.0, STEPS + 1) * height
    boxes = np.stack([np.full(STEPS, left), edges[:-1], np.full(STEPS, left + width), edges[1:]], axis=1)
    values = np.array([scale.at(place) for place in (np.arange(STEPS) + 0.5) / STEPS])
    drawing.rectangles(boxes, to_display(scale.colors(values)))
