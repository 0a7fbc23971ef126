# SPDX-License-Identifier: GPL-3.0-or-later
"""What is molten by the frame that the artist chose: what the bake came to, or what the search promises for the next one."""

from __future__ import annotations

from typing import NamedTuple

import bpy

from ..baking import melting, session, staleness
from ..model import shot
from . import shown

NEAR = 0.03  # of the wax: a bake that comes as close has kept the promise


class Outcome(NamedTuple):
    text: str
    is_bad: bool = False
    is_weak: bool = False  # stronger heaters would do
    may_warm: bool = False  # warmer air would do


def of(scene: bpy.types.Scene) -> Outcome:
    """Empty when nothing is known."""
    if session.is_searching(scene):
        return Outcome(melting.SEARCHING)
    tallow = scene.tallow
    fresh = melting.is_fresh(scene)
    baked = _baked(scene)
    if baked is not None:
        wanted = tallow.melt_percent / 100.0
        missed = fresh and tallow.melt_speed > 0.0 and baked < wanted - NEAR
        more = f" The search had aimed at {tallow.melt_percent} %: raise Heat Speed-up." if missed else ""
        return Outcome(f"In this bake {100.0 * baked:.0f} % are molten by frame {shot.goal(scene)}.{more}", missed)
    if fresh:
        return Outcome(tallow.melt_note, tallow.melt_missed, tallow.melt_strength > 0.0, tallow.melt_missed)
    if tallow.melt_note:
        return Outcome("The scene is another one than that of the last search. Press Melt Within the Shot again.")
    return Outcome("")


def _baked(scene: bpy.types.Scene):
    """Share that is molten in the bake that is shown; None when the bake is that of another scene, or not so far yet."""
    cache = shown.cache_of(scene) if scene.tallow.bake_path else None
    entry = cache.frames.get(shot.goal(scene)) if cache and cache.melts else None
    if not entry or "melted" not in entry or staleness.found_changes(scene):
        return None
    return float(entry["melted"])
