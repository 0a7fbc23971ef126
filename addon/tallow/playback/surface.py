# SPDX-License-Identifier: GPL-3.0-or-later
"""The surface: one mesh object whose mesh is refilled on every frame."""

from __future__ import annotations

from typing import Optional, Tuple

import bpy

from ..core.cache import Cache
from ..core.frames import COLOR, Frame, ReadAhead, prepare, stamp_of
from ..model import units
from . import coloring, fill, shown, slots

NAME = "Tallow Surface"
SMOOTHING = "Tallow Smoothing"
_ahead = ReadAhead(fill.prepare)


def get_object(scene: bpy.types.Scene, create: bool) -> Optional[bpy.types.Object]:
    obj = scene.tallow.surface_object
    if obj and obj.name in scene.objects:
        return obj
    if not create:
        return None
    obj = bpy.data.objects.new(NAME, bpy.data.meshes.new(NAME))
    scene.collection.objects.link(obj)
    scene.tallow.surface_object = obj
    smooth(scene)
    # The handler swaps geometry during a render; a viewport that draws it meanwhile can crash Blender.
    scene.render.use_lock_interface = True
    return obj


def smooth(scene: bpy.types.Scene) -> None:
    """Smoothing is a modifier, so that it can be changed after the bake, and other modifiers may come before or behind it."""
    obj, passes = scene.tallow.surface_object, scene.tallow.smoothing
    if obj is None:
        return
    modifier = obj.modifiers.get(SMOOTHING)
    if modifier is None and passes:
        modifier = obj.modifiers.new(SMOOTHING, "SMOOTH")
        modifier.factor = 0.5
    if modifier and passes:
        modifier.iterations = passes
    elif modifier:
        obj.modifiers.remove(modifier)


def show(scene: bpy.types.Scene, cache: Cache, frame: int, create: bool) -> None:
    obj = get_object(scene, create)
    if obj is None:
        return
    visible = scene.tallow.show_surface
    if obj.hide_viewport == visible:
        obj.hide_viewport = not visible
    if not visible and not bpy.app.background:
        return
    prepared = _read(scene, cache, frame)
    if prepared is None:
        clear(scene)  # the Show panel says which files are missing
        return
    fill.fill_mesh(obj.data, prepared)
    slots.show(obj, cache.carried)
    _choose_color(obj.data, prepared)
    if frame + 1 in cache.frames:
        _ahead.expect(_request(scene, cache, frame + 1))


def _read(scene: bpy.types.Scene, cache: Cache, frame: int) -> Optional[Frame]:
    """The surface of a frame, or of the one that stands in for it."""
    for _attempt in cache.order:
        number = shown.whole(cache, frame, "surface")
        if number is None:
            return None
        key = _request(scene, cache, number)
        prepared = _ahead.take(key)
        if prepared is not None:
            return prepared
        shown.inspector_of(cache).distrust(key[0])
    return None


def look_into(cache: Cache, frame: int) -> None:
    """Read a frame to the end before it is rendered: a file may have the right size and the wrong contents."""
    path = cache.mesh_path(frame)
    if prepare(path, 1.0, "NONE", []) is None:
        shown.inspector_of(cache).distrust(path)


def _choose_color(mesh: bpy.types.Mesh, frame: Frame) -> None:
    """The viewport shows what the artist chose in Colour By, else the objects' own colours. Shaders that ask for no name take those."""
    colors = mesh.color_attributes
    own = next((layer.name for layer in frame.layers if layer.active and layer.kind == "color"), None)
    if own:
        colors.render_color_index = colors.find(own)
    if COLOR in frame.attributes or own:
        colors.active_color_index = colors.find(COLOR if COLOR in frame.attributes else own)


def _request(scene: bpy.types.Scene, cache: Cache, frame: int) -> Tuple:
    path = cache.mesh_path(frame)
    scale, color = 1.0 / units.metres_per_unit_of(scene, cache), coloring.scale_of(scene, cache, frame)
    return path, scale, color, cache.materials, stamp_of(path), cache.pace(frame), cache.carried


def clear(scene: bpy.types.Scene) -> None:
    obj = get_object(scene, create=False)
    if obj:
        obj.data.clear_geometry()
        obj.data.update()
