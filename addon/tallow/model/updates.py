# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts what Blender says it has evaluated anew, so that what takes long is worked out again only when it may differ."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any, Callable
from typing import Counter as CounterOf
from typing import Dict, Tuple

import bpy
from bpy.app.handlers import persistent

from . import roles

_geometry: CounterOf[str] = Counter()
_all = 0
_answers: Dict[Tuple[str, str], Tuple[Tuple[int, int], float, Any]] = {}
MOST_AGE = 1.0  # seconds


def count() -> int:
    """Grows whenever something of the artist's changed. What playback shows does not count."""
    return _all


def geometry(obj: bpy.types.Object) -> int:
    """Grows whenever the shape of an object may have changed."""
    return _geometry[obj.name]


def remembered(scene: bpy.types.Scene, name: str, work: Callable[[], Any]) -> Any:
    """What `work` gives, kept until something is edited. Scripts edit without a word, so it is never kept for long."""
    key, now = (scene.name, name), time.monotonic()
    known = _answers.get(key)
    if bpy.app.background or known is None or known[0] != (_all, scene.frame_current) or now - known[1] > MOST_AGE:
        known = _answers[key] = ((_all, scene.frame_current), now, work())
    return known[2]


@persistent
def on_update(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    global _all
    shown = [obj for scene in bpy.data.scenes for obj in roles.shown_objects(scene)]
    ours = {*shown, *(obj.data for obj in shown)}
    for update in depsgraph.updates:
        found = update.id.original
        if found in ours:
            continue
        _all += 1
        if isinstance(found, bpy.types.Object) and update.is_updated_geometry:
            _geometry[found.name] += 1


@persistent
def on_replaced(*_args) -> None:
    """Another file, or an undo: anything may differ."""
    global _all
    _all += 1
    for name in list(_geometry) + [obj.name for obj in bpy.data.objects]:
        _geometry[name] += 1


HANDLERS = (("depsgraph_update_post", on_update), ("undo_post", on_replaced), ("redo_post", on_replaced),
            ("load_post", on_replaced))


def register() -> None:
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).append(function)


def unregister() -> None:
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).remove(function)
