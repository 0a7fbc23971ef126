# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects keep their own materials when they are appended to another file. A material lives in the scene; a save writes a copy of it
on the objects that have it, and a scene without the material takes it from there."""

from __future__ import annotations

import json
from typing import Dict, Optional

import bpy
from bpy.app.handlers import persistent

from ..core import presets
from . import roles
from .materials import CUSTOM, add_custom, chosen, find_custom

_counts: Dict[str, int] = {}  # objects of each scene when it was last looked at


@persistent
def on_save(*_args) -> None:
    for scene in bpy.data.scenes:
        for obj in scene.objects:
            own = find_custom(scene, chosen(obj))
            if own:
                own.stamp = own.stamp or f"{scene.name} {own.uid}"
                obj.tallow.kept_material = json.dumps({"stamp": own.stamp, **own.as_dict()})


def _read(obj: bpy.types.Object) -> Optional[Dict]:
    try:
        kept = json.loads(obj.tallow.kept_material)
        return {"stamp": str(kept["stamp"]), **presets.normalised(kept, "material")}
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def adopt(scene: bpy.types.Scene) -> None:
    """Give the scene the materials that its objects brought with them."""
    for obj in scene.objects:
        kept = _read(obj) if obj.tallow.kept_material and roles.of(obj).fluid else None
        if kept is None or any(_has(other, obj, kept) for other in bpy.data.scenes if obj.name in other.objects):
            continue
        own = next((own for own in scene.tallow.materials if own.stamp == kept["stamp"]), None)
        if own is None:
            own = add_custom(scene, kept["label"], kept)
            own.stamp = kept["stamp"]
        text, temperature = obj.tallow.kept_material, obj.tallow.temperature
        obj.tallow.material = f"{CUSTOM}{own.uid}"
        obj.tallow.kept_material, obj.tallow.temperature = text, temperature


def _has(scene: bpy.types.Scene, obj: bpy.types.Object, kept: Dict) -> bool:
    own = find_custom(scene, chosen(obj))
    return own is not None and own.stamp == kept["stamp"]


@persistent
def on_update(scene: bpy.types.Scene, *_args) -> None:
    """Blender tells of no append. It shows as more objects."""
    count = len(scene.objects)
    if _counts.get(scene.name) != count:
        _counts[scene.name] = count
        adopt(scene)


HANDLERS = (("save_pre", on_save), ("depsgraph_update_post", on_update))


def register() -> None:
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).append(function)


def unregister() -> None:
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).remove(function)
    _counts.clear()
