# SPDX-License-Identifier: GPL-3.0-or-later
"""The bake that a scene shows, which of its frames, and what is wrong with them."""

from __future__ import annotations

from typing import Dict, List, Optional

import bpy

from ..baking import paths
from ..core import integrity
from ..core.cache import Cache
from ..core.integrity import Fault, Inspector

_caches: Dict[str, Cache] = {}
_inspectors: Dict[str, Inspector] = {}


def cache_of(scene: bpy.types.Scene) -> Optional[Cache]:
    """The cache that the scene shows, up to date; None when there is none."""
    folder = paths.bake_folder(scene)
    if folder is None:
        return None
    cache = _caches.setdefault(str(folder), Cache(folder))
    cache.refresh()
    return cache


def inspector_of(cache: Cache) -> Inspector:
    known = _inspectors.get(str(cache.folder))
    if known is None or known.cache is not cache:
        known = _inspectors[str(cache.folder)] = Inspector(cache)
    return known


def all_faults(scene: bpy.types.Scene) -> List[Fault]:
    cache = cache_of(scene)
    return inspector_of(cache).faults() if cache else []


def whole(cache: Cache, frame: int, kind: str) -> Optional[int]:
    """The frame whose file of a kind is shown at a baked frame: its own, else the last one before it that is there and whole, else the
    first one after it. None when there is none."""
    inspector, place = inspector_of(cache), cache.order.index(frame)
    numbers = [*reversed(cache.order[:place + 1]), *cache.order[place + 1:]]
    return next((number for number in numbers if not inspector.look_at(number, (kind,))), None)


def instead(scene: bpy.types.Scene, number: int) -> str:
    """What is seen of a frame that has faults: `the surface of frame 3 and no particles`. Empty when it has none."""
    cache = cache_of(scene)
    if cache is None or number not in cache.frames:
        return ""
    words = []
    for fault in inspector_of(cache).look_at(number, _kinds(scene)):
        other = whole(cache, number, fault.kind) if fault.kind != "particles" else None
        words.append(f"no {fault.kind}" if other is None else f"the {fault.kind} of frame {other}")
    return " and ".join(words)


def _kinds(scene: bpy.types.Scene) -> List[str]:
    tallow = scene.tallow
    return ["surface"] * tallow.show_surface + ["particles"] * tallow.show_particles + ["bodies"]


def trouble(scene: bpy.types.Scene, number: int) -> str:
    """Why a frame is not shown as it was baked, in a sentence without its full stop; empty when it is."""
    cache = cache_of(scene)
    if cache is None:
        return f"The bake is missing: {scene.tallow.bake_path}" if scene.tallow.bake_path else ""
    frame = cache.nearest(number)
    if frame is None:
        return "No frame is baked yet"
    if frame != number:
        seen = whole(cache, frame, "surface") if scene.tallow.show_surface else frame
        return f"Frame {number} is not baked; showing {frame if seen is None else seen}"
    return integrity.sentence(inspector_of(cache).look_at(frame, _kinds(scene)))


def preview_words(cache: Cache) -> str:
    return f"Preview bake: {cache.preview} % of the final resolution"


def forget() -> None:
    _caches.clear()
    _inspectors.clear()
