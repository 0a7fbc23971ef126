# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels share: their places, and text that wraps to the sidebar's width."""

from __future__ import annotations

import textwrap
from typing import Iterable, Tuple

import bpy

from ... import playback
from ...baking import job

PIXELS_PER_LETTER = 6.6  # of the default font, at scale 1


class Sidebar:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Tallow"


class BeforeBake(Sidebar):
    """A panel at its place among the questions, as long as there is no bake, or one is running."""

    @classmethod
    def poll(cls, context):
        return not has_bake(context.scene)


class AfterBake(Sidebar):
    """The same panel at the top, once there is a bake to look at: then it is what the artist needs first."""

    @classmethod
    def poll(cls, context):
        return has_bake(context.scene)


def has_bake(scene: bpy.types.Scene) -> bool:
    """Whether the scene shows a bake that is not being made. Panels keep their places while one is."""
    if not scene.tallow.bake_path or job.is_baking(scene):
        return False
    cache = playback.cache_of(scene)
    return cache is not None and bool(cache.order)


def fields(layout: bpy.types.UILayout, align: bool = True) -> bpy.types.UILayout:
    """A column of fields with their names inside: at the sidebar's usual width, names beside them would be cut."""
    column = layout.column(align=align)
    column.use_property_split = False
    column.use_property_decorate = False
    return column


def facts(layout: bpy.types.UILayout, rows: Iterable[Tuple[str, str]]) -> None:
    """Names and values that cannot be changed, in two quiet columns."""
    column = layout.column(align=True)
    column.scale_y, column.active = 0.85, False
    for name, value in rows:
        split = column.split(factor=0.36)
        split.label(text=name)
        split.label(text=value)


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
