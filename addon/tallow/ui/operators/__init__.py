# SPDX-License-Identifier: GPL-3.0-or-later
"""`bpy.ops.tallow.*`: everything the sidebar does, for scripts too."""

from __future__ import annotations

import bpy

from . import bakes, baking, domains, materials, quick, ready, render, setting

CLASSES = setting.CLASSES + domains.CLASSES + materials.CLASSES + baking.CLASSES + bakes.CLASSES + quick.CLASSES + render.CLASSES
CLASSES += ready.CLASSES


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
