# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that is saved in a .blend: `Scene.tallow` and `Object.tallow`."""

from __future__ import annotations

import bpy

from .. import materials
from . import objects, scenes

CLASSES = materials.CLASSES + objects.CLASSES + scenes.CLASSES


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Object.tallow = bpy.props.PointerProperty(type=objects.TallowObject)
    bpy.types.Scene.tallow = bpy.props.PointerProperty(type=scenes.TallowScene)


def unregister() -> None:
    del bpy.types.Scene.tallow
    del bpy.types.Object.tallow
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
