# SPDX-License-Identifier: GPL-3.0-or-later
"""The material slots of the surface: those of the objects that it is made of, until the artist chooses others."""

from __future__ import annotations

import json
from typing import List, Optional

import bpy

from ..core.carry import Carried

MEMORY = "tallow_slots"  # on the surface: full names of the materials that Tallow put there, as JSON


def show(obj: bpy.types.Object, carried: Optional[Carried]) -> None:
    """Put the objects' materials on the surface. Slots that the artist filled stay."""
    if carried is None or not any(carried.materials):
        return
    present = names(obj)
    if present == carried.materials or (present and present != _remembered(obj)):
        return
    slots = obj.data.materials
    slots.clear()
    for name in carried.materials:
        slots.append(_find(name))
    obj[MEMORY] = json.dumps(names(obj))


def names(obj: bpy.types.Object) -> List[Optional[str]]:
    return [material.name_full if material else None for material in obj.data.materials]


def forget(obj: bpy.types.Object) -> None:
    """Empty the slots, so that the next frame shown fills them anew."""
    obj.data.materials.clear()


def _remembered(obj: bpy.types.Object) -> List[Optional[str]]:
    try:
        return json.loads(obj.get(MEMORY, "[]"))
    except ValueError:
        return []


def _find(name: Optional[str]) -> Optional[bpy.types.Material]:
    return next((material for material in bpy.data.materials if material.name_full == name), None)
