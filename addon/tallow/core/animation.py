# SPDX-License-Identifier: GPL-3.0-or-later
"""Animation curves in every Blender: those of an action up to 4.3, those that an action keeps for a slot from 4.4 on."""

from __future__ import annotations

from typing import Any, Iterable, List, Optional, Set

PLACE = ("location", "rotation_", "scale", "delta_")  # how the paths begin that move an object


def action_curves(action: Any, slot: Any) -> List[Any]:
    """The curves of an action that are meant for a slot; older Blenders have no slots."""
    if action is None:
        return []
    if hasattr(action, "fcurves") and not (slot and action.layers):
        return list(action.fcurves)  # 4.4 and 4.5 have both: there these are the curves of the first slot, whoever uses it
    strips = (strip for layer in action.layers for strip in layer.strips) if slot else ()
    bags = (strip.channelbag(slot) for strip in strips)
    return [curve for bag in bags if bag for curve in bag.fcurves]


def curves(animation: Any) -> List[Any]:
    """The curves of what `animation_data` belongs to; none for None."""
    return action_curves(animation.action, getattr(animation, "action_slot", None)) if animation else []


def all_curves(animation: Any) -> List[Any]:
    """The same, with those of strips, in an order that does not depend on how they were made."""
    found = curves(animation)
    for track in animation.nla_tracks if animation else ():
        found += _strip_curves(track.strips)
    return sorted(found, key=lambda curve: (curve.data_path, curve.array_index))


def find_curve(animation: Any, path: str) -> Optional[Any]:
    return next((curve for curve in curves(animation) if curve.data_path == path), None)


def is_keyed(animation: Any, path: str) -> bool:
    """Whether a setting is animated or driven, so that its present value says little."""
    return path in paths(animation)


def paths(animation: Any) -> Set[str]:
    """What `animation_data` changes, by keyframes, drivers or strips."""
    if not animation:
        return set()
    found = curves(animation) + list(animation.drivers)
    for track in animation.nla_tracks:
        found += _strip_curves(track.strips)
    return {curve.data_path for curve in found}


def moves_place(animation: Any) -> bool:
    """Whether `animation_data` moves, turns or scales its object."""
    return any(path.startswith(PLACE) for path in paths(animation))


def _strip_curves(strips: Iterable[Any]) -> List[Any]:
    found = []
    for strip in strips:
        found += action_curves(strip.action, getattr(strip, "action_slot", None)) + _strip_curves(strip.strips)
    return found
