# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of a viscosity curve in the sidebar, as a preview icon that is redrawn when the curve changes."""

from __future__ import annotations

import json
from typing import Dict

import bpy
import bpy.utils.previews

from ..core import plot

SIZE = 192
_icons = None
_drawn: Dict[str, str] = {}


def curve_icon(key: str, material: Dict) -> int:
    """Icon id of a material's curve; 0 when there is no window to draw in."""
    if _icons is None:
        return 0
    text = json.dumps([material[name] for name in ("viscosity", "solidus", "liquidus", "latent_heat", "solid_viscosity")])
    if _drawn.get(key) != text:
        preview = _icons.get(key) or _icons.new(key)
        pixels = plot.viscosity_curve(material, SIZE)
        preview.image_size = (SIZE, SIZE)
        preview.image_pixels_float.foreach_set(pixels.ravel())
        _drawn[key] = text
    return _icons[key].icon_id


def register() -> None:
    global _icons
    _icons = bpy.utils.previews.new()


def unregister() -> None:
    global _icons
    if _icons is not None:
        bpy.utils.previews.remove(_icons)
    _icons = None
    _drawn.clear()
