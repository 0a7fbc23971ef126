# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar: one panel per question, in the order in which an artist asks them. Once there is a bake, Show and Render come first,
since the rest fills a screen. Panels draw, and do nothing else."""

from __future__ import annotations

import bpy

from . import bakes, baking, display, domains, incomplete, objects, render, world

BAKE, *BELOW = baking.CLASSES  # the panel, and those inside of it
MELTING, WORLD = world.CLASSES
CLASSES = (*incomplete.CLASSES, *baking.FIRST, *display.FIRST, *render.FIRST, *objects.CLASSES, *domains.CLASSES, MELTING, BAKE, *bakes.CLASSES, *BELOW, *display.CLASSES,
           *render.CLASSES, WORLD)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
