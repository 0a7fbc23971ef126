# SPDX-License-Identifier: GPL-3.0-or-later
"""The plot of a bake in the lower right corner of the view, new with every frame."""

from __future__ import annotations

from typing import Any, Dict, List

import bpy
import numpy as np

from .. import playback
from ..baking import job
from ..core.charts import Chart, make_charts
from . import drawing

WIDTH, HEIGHT, MARGIN, TEXT, SMALL, MARKS = 270.0, 42.0, 10.0, 12.0, 10.0, 44.0  # pixels at scale 1
LEAST_ROOM = 120.0  # that the plot leaves of the view's width
_made: Dict[str, Any] = {}


def is_wanted(scene: bpy.types.Scene) -> bool:
    tallow = scene.tallow
    return tallow.keep_plot or (tallow.show_plot and job.is_baking(scene))


def charts_of(scene: bpy.types.Scene) -> List[Chart]:
    """Of the bake that is shown; empty when no plot is wanted."""
    cache = playback.cache_of(scene) if scene.tallow.bake_path and is_wanted(scene) else None
    if cache is None:
        return []
    key = (str(cache.folder), cache.stamp)
    if _made.get("key") != key:
        _made.update(key=key, charts=make_charts(cache.frames.values()))
    return _made["charts"]


def that_fit(charts: List[Chart], height: float, unit: float) -> List[Chart]:
    """As many from the first on as the view has room for."""
    fitting, used = [], 2.0 * MARGIN * unit
    for chart in charts:
        used += _height(chart) * unit
        if used > height:
            break
        fitting.append(chart)
    return fitting


def _height(chart: Chart) -> float:
    """Pixels at scale 1, with its words."""
    rows = (len(chart.series) + 1) // 2 if len(chart.series) > 1 else 0
    return HEIGHT + 2.2 * TEXT + 1.5 * SMALL * rows


def draw(context: bpy.types.Context) -> None:
    charts = charts_of(context.scene)
    if not charts:
        return
    room = drawing.room_of(context)
    unit = room.scale
    charts = that_fit(charts, 0.85 * (room.top - room.bottom), unit)
    if not charts or room.right - room.left < (WIDTH + LEAST_ROOM) * unit:
        return
    margin = MARGIN * unit
    right, bottom = room.right - margin, room.bottom + margin
    left = right - WIDTH * unit
    top = bottom + (sum(_height(chart) for chart in charts) + MARGIN) * unit
    drawing.rectangles([[left, bottom, right, top]], drawing.BACK)
    top -= 0.5 * margin
    for chart in charts:
        _draw_chart(context, chart, (left + margin, right - margin), top, unit)
        top -= _height(chart) * unit


def _draw_chart(context, chart: Chart, sides, top: float, unit: float) -> None:
    left, right = sides
    text, small = TEXT * unit, SMALL * unit
    y = top - 1.2 * text
    drawing.write(chart.title, (left, y), text)
    drawing.write(chart.text, (right, y), text, align=1.0)
    base = y - 0.5 * text - HEIGHT * unit
    for words, place in zip(chart.marks, (base, base + HEIGHT * unit - 0.75 * small)):
        drawing.write(words, (left + (MARKS - 4.0) * unit, place), small, drawing.QUIET, align=1.0)
    left += MARKS * unit
    drawing.rectangles([[left, base, right, base + HEIGHT * unit]], (1.0, 1.0, 1.0, 0.06))
    first, last = chart.frames[0], max(chart.frames[-1], chart.frames[0] + 1)
    across = left + (chart.frames - first) / (last - first) * (right - left)
    if chart.stacked:
        _draw_columns(chart, (left, right), base, HEIGHT * unit)
    else:
        for series in chart.series:
            _draw_line(chart, series, across, base, HEIGHT * unit, unit)
    shown = left + (context.scene.frame_current - first) / (last - first) * (right - left)
    if left <= shown <= right:
        drawing.rectangles([[shown - 0.5 * unit, base, shown + 0.5 * unit, base + HEIGHT * unit]], (1.0, 1.0, 1.0, 0.5))
    if len(chart.series) > 1:
        _draw_names(chart, sides[0], right, base, small)


def _draw_names(chart: Chart, left: float, right: float, base: float, small: float) -> None:
    """Two in a row."""
    for number, series in enumerate(chart.series):
        x, y = left + (number % 2) * 0.5 * (right - left), base - 1.5 * small * (number // 2 + 1) + 0.2 * small
        drawing.rectangles([[x, y, x + 0.7 * small, y + 0.7 * small]], (*series.color, 1.0))
        words = drawing.shortened(series.label, small, 0.5 * (right - left) - 1.6 * small)
        drawing.write(words, (x + 1.1 * small, y), small, drawing.QUIET)


def _draw_columns(chart: Chart, sides, base: float, height: float) -> None:
    edges = np.linspace(sides[0], sides[1], len(chart.frames) + 1)
    for series, (lower, upper) in zip(chart.series, chart.stack()):
        boxes = np.stack([edges[:-1], base + lower * height, edges[1:], base + upper * height], axis=1)
        drawing.rectangles(boxes, (*series.color, 1.0))


def _draw_line(chart: Chart, series, across: np.ndarray, base: float, height: float, unit: float) -> None:
    """In pieces, where frames have no value."""
    known = np.isfinite(series.values)
    points = np.stack([across, base + chart.place(np.where(known, series.values, chart.low)) * height], axis=1)
    for piece in np.split(np.arange(len(known)), np.flatnonzero(np.diff(known)) + 1):
        if known[piece[0]]:
            drawing.line(points[piece], (*series.color, 1.0), 2.0 * unit)


def forget() -> None:
    _made.clear()
