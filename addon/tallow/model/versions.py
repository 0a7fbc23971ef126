# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of older versions keep their meaning."""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent


@persistent
def on_save(*_args) -> None:
    """Write Real Size down even where it is the default, so that its absence tells an older file."""
    for scene in bpy.data.scenes:
        scene.tallow.life_size = scene.tallow.life_size


@persistent
def on_load(*_args) -> None:
    """Before there was Real Size a metre of a scene was a metre in life. Draft became Preview Quality."""
    for scene in bpy.data.scenes:
        if scene.tallow.domain and not scene.tallow.is_property_set("life_size"):
            scene.tallow.life_size = "UNITS"
        _take_draft(scene.tallow)


def _take_draft(tallow: bpy.types.PropertyGroup) -> None:
    """Preview Quality was a switch and a number before."""
    # Blender 5 keeps what add-ons store apart from what artists add.
    stored = tallow.bl_system_properties_get() if hasattr(tallow, "bl_system_properties_get") else tallow
    if stored is None or "draft" not in stored:
        return
    if stored["draft"] and not tallow.is_property_set("preview_quality"):
        tallow.preview_quality = int(stored.get("draft_percent", 50))
    for name in ("draft", "draft_percent"):
        if name in stored:
            del stored[name]


HANDLERS = (("save_pre", on_save), ("load_post", on_load))


def register() -> None:
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).append(function)


def unregister() -> None:
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).remove(function)
