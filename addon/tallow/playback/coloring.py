# SPDX-License-Identifier: GPL-3.0-or-later
"""What the colours of surface, particles and cells mean at the moment: one scale for all three."""

from __future__ import annotations

from typing import Optional, Union

import bpy

from ..core import colors
from ..core.cache import Cache
from ..core.colors import Scale
from ..core.presets import ZERO_CELSIUS

# Modes whose range the artist can set, the setting, and how far it is from SI units.
OWN = {"TEMPERATURE": ("temperature_range", ZERO_CELSIUS), "SPEED": ("speed_range", 0.0), "VISCOSITY": ("viscosity_range", 0.0)}


def scale_of(scene: bpy.types.Scene, cache: Cache, frame: int) -> Union[str, Scale]:
    """The scale by which a frame is coloured; `NONE` when it has the colours of its material."""
    tallow = scene.tallow
    mode = tallow.show_color
    if mode == "NONE":
        return mode
    if tallow.color_range == "OWN" and mode in OWN:
        name, offset = OWN[mode]
        return colors.make_scale(mode, *(value + offset for value in getattr(tallow, name)))
    entries = [cache.frames[frame]] if tallow.color_range == "FRAME" and frame in cache.frames else cache.frames.values()
    return colors.find_scale(mode, entries, cache.materials)


def start_own_range(scene: bpy.types.Scene, cache: Optional[Cache]) -> None:
    """An own range begins with that of the bake."""
    tallow = scene.tallow
    if cache is None or tallow.color_range != "OWN" or tallow.show_color not in OWN:
        return
    name, offset = OWN[tallow.show_color]
    if not tallow.is_property_set(name):
        scale = colors.find_scale(tallow.show_color, cache.frames.values(), cache.materials)
        tallow[name] = (scale.low - offset, scale.high - offset)
