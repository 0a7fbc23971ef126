# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels share: their place, and text that wraps to the sidebar's width."""

from __future__ import annotations

import textwrap

import bpy

PIXELS_PER_LETTER = 6.6  # of the default font, at scale 1


class Sidebar:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Tallow"


def split_column(layout: bpy.types.UILayout) -> bpy.types.UILayout:
    """A column with aligned labels and without keyframe dots."""
    column = layout.column()
    column.use_property_split = True
    column.use_property_decorate = False
    return column


def wrapped(context: bpy.types.Context, layout: bpy.types.UILayout, text: str, icon: str = "NONE", inset: int = 44) -> None:
    """A text of any length, on as many lines as it needs."""
    scale = context.preferences.system.ui_scale
    letters = max(16, int((context.region.width / scale - inset - (20 if icon != "NONE" else 0)) / PIXELS_PER_LETTER))
    column = layout.column(align=True)
    column.scale_y = 0.8
    for number, line in enumerate(textwrap.wrap(text, letters) or [""]):
        if icon == "NONE":
            column.label(text=line)
        else:
            column.label(text=line, icon=icon if number == 0 else "BLANK1")
