# SPDX-License-Identifier: GPL-3.0-or-later
"""The slice of cells: asks for that of the frame on screen, and keeps the last one that came."""

from __future__ import annotations

from typing import Optional, Union

import bpy

from ..baking import command
from ..core import colors
from ..core.cache import Cache
from ..core.cell_reader import CellReader, Request, Slice
from ..core.colors import Scale
from . import coloring

INTERVAL = 0.03  # seconds between looks for an answer
_reader: Optional[CellReader] = None
_trouble = ""


def request_of(scene: bpy.types.Scene, cache: Cache, frame: int) -> Optional[Request]:
    """The slice that belongs to a frame; None when the bake does not tell where its domain is."""
    low, high, cell = (cache.info.get(name) for name in ("domain_min", "domain_max", "cell_size"))
    axis = "XYZ".index(scene.tallow.slice_axis)
    try:
        low, high, half = float(low[axis]), float(high[axis]), 0.5 * float(cell)
    except (TypeError, ValueError, IndexError):
        return None
    place = low + (high - low) * scene.tallow.slice_place / 100.0
    return str(cache.surface_path(frame)), axis, min(max(place, low + half), max(high - half, low + half))


def scale_of(scene: bpy.types.Scene, cache: Cache, frame: int) -> Scale:
    """Cells have no material to show: without a choice they show how warm they are."""
    scale: Union[str, Scale] = coloring.scale_of(scene, cache, frame)
    return colors.find_scale("TEMPERATURE", cache.frames.values(), cache.materials) if isinstance(scale, str) else scale


def show(scene: bpy.types.Scene, cache: Cache, frame: int) -> None:
    """Ask for the slice of a frame. The answer comes later, in `current`."""
    global _reader, _trouble
    if not scene.tallow.show_slice:
        close()
        return
    if bpy.app.background:  # nothing is drawn
        return
    request = request_of(scene, cache, frame)
    _trouble = ""
    if request is None or not cache.surface_path(frame).is_file():
        _trouble = "This bake has no cells to show. Turn on OpenVDB Volumes in Files, and bake again."
        return
    if _reader is None:
        words = command.baker_command()
        try:
            _reader = CellReader(words + ["--cells"]) if words else None
        except OSError:
            _reader = None
        if _reader is None:
            _trouble = "The program that reads cells does not start. Choose a Python in the preferences of Tallow."
            return
    _reader.ask(request)
    if not bpy.app.timers.is_registered(_look):
        bpy.app.timers.register(_look, first_interval=INTERVAL)


def current() -> Optional[Slice]:
    """What to draw; None before the first answer, and when this frame has no cells."""
    return None if _reader is None or _trouble else _reader.answer


def trouble(scene: bpy.types.Scene) -> str:
    """Why there is no slice, in a sentence; empty when all is well."""
    if not scene.tallow.show_slice:
        return ""
    found = current()
    return _trouble or (found.error if found else "")


def _look() -> Optional[float]:
    if _reader is None:
        return None
    if _reader.busy:
        return INTERVAL
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
    return None


def close() -> None:
    global _reader, _trouble
    reader, _reader, _trouble = _reader, None, ""
    if reader:
        reader.close()
