# SPDX-License-Identifier: GPL-3.0-or-later
"""A short text that changes with anything that decides when the wax is molten, so that a promise is not kept beyond its scene."""

from __future__ import annotations

import json
import zlib
from typing import Any, Dict

import bpy

from ...model import roles, shapes, shot, units, updates
from . import motion, snapshot

# Of a scene, what does not change when wax melts, or hardly.
FREE = {"frames": ("end",), "domain": ("cell_size",), "solver": ("threads", "seed")}


def take(scene: bpy.types.Scene, goal: int) -> str:
    """Of the scene as it is, for wax that is to be molten by frame `goal`."""
    taken = snapshot.take(scene, bpy.context.view_layer, units.metres_per_unit(scene))
    parts: Dict[str, Any] = {name: value for name, value in taken.scene.items() if name != "output"}
    for name, free in FREE.items():
        parts[name] = {key: value for key, value in parts[name].items() if key not in free}
    parts["shapes"] = [shapes.signature(obj) for obj in taken.found.values() if not (motion.moves(obj) or motion.may_deform(obj))]
    moving = [obj for obj in taken.found.values() if motion.moves(obj) or (roles.of(obj).deforms and motion.may_deform(obj))]
    last = max(1, goal - shot.frame_range(scene)[0] + 1)
    parts["motion"] = [numbers[:last] for numbers in snapshot.digests(scene, moving)["objects"].values()]
    parts["goal"] = (goal, scene.tallow.melt_percent)
    return f"{zlib.crc32(json.dumps(_rounded(parts), sort_keys=True).encode()):08x}"


def _rounded(value: Any) -> Any:
    """Without names, and with as many digits as survive an undo."""
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items() if key != "name"}
    if isinstance(value, (list, tuple)):
        return [_rounded(part) for part in value]
    return float(f"{value:.5g}") + 0.0 if isinstance(value, float) else value


def is_fresh(scene: bpy.types.Scene, goal: int) -> bool:
    """Whether the scene is still the one that the last search was made for. Panels may ask."""
    known = scene.tallow.melt_key
    return bool(known) and updates.remembered(scene, f"melt {goal}", lambda: take(scene, goal)) == known
