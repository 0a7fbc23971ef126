# SPDX-License-Identifier: GPL-3.0-or-later
"""Icon names that exist in every Blender: an unknown one makes a whole panel fail."""

from __future__ import annotations

import bpy

_KNOWN = frozenset(bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items.keys())


def name(*wanted: str) -> str:
    """The first of the wanted icons that this Blender has."""
    return next((icon for icon in wanted if icon in _KNOWN), "NONE")
