# SPDX-License-Identifier: GPL-3.0-or-later
"""How large things are in life: metres per Blender unit. A cube of two units may well be a candle."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator, List, Optional

import bpy

from ..core.cache import Cache
from . import roles

ON_A_TABLE = 0.12  # m, of the largest wax or liquid
ROOM_ON_A_TABLE = 0.3  # m, of a domain without any
_held: List[float] = []


@contextmanager
def held(value: float) -> Iterator[None]:
    """Have things as large as they were for a bake, to compare with it."""
    _held.append(value)
    try:
        yield
    finally:
        _held.pop()


def metres_per_unit(scene: bpy.types.Scene) -> float:
    """For what is baked next."""
    if _held:
        return _held[-1]
    tallow = scene.tallow
    if tallow.life_size == "OWN" and tallow.life_scale > 0.0:
        return tallow.life_scale
    if tallow.life_size != "UNITS":
        size, wanted = _largest_side(measured(scene)), ON_A_TABLE
        if not size and tallow.domain:
            size, wanted = _largest_side(tallow.domain), ROOM_ON_A_TABLE
        if size > 0.0:
            return wanted / size
    return scene.unit_settings.scale_length


def metres_per_unit_of(scene: bpy.types.Scene, cache: Cache) -> float:
    """For what is shown: a bake keeps the size that it was made with."""
    return cache.metres_per_unit or scene.unit_settings.scale_length


def as_shown(scene: bpy.types.Scene, length: float) -> str:
    """A length of the scene as Blender writes it, in the units that the artist models in."""
    settings = scene.unit_settings
    if settings.system == "NONE":
        return f"{length:.3g}"
    text = bpy.utils.units.to_string(settings.system, "LENGTH", length * settings.scale_length, precision=3, compatible_unit=False)
    return text.strip()


def measured(scene: bpy.types.Scene) -> Optional[bpy.types.Object]:
    """The object by which an artist tells the size: the largest wax or liquid."""
    return max(roles.with_role(scene, *roles.SOURCES), key=_largest_side, default=None)


def get_life_size(scene: bpy.types.Scene) -> float:
    """Of the measured object, m; 0 without one."""
    return metres_per_unit(scene) * _largest_side(measured(scene))


def set_life_size(scene: bpy.types.Scene, metres: float) -> None:
    side = _largest_side(measured(scene))
    if side > 0.0:
        scene.tallow.life_scale = metres / side


def _largest_side(obj: Optional[bpy.types.Object]) -> float:
    side = max(obj.dimensions) if obj else 0.0
    return side if 0.0 < side < float("inf") else 0.0
