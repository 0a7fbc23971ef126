# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows baked frames: a handler fills one mesh per frame, under playback, `-a` and F12."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Dict, Optional, Tuple

import bpy
from bpy.app.handlers import persistent

from ..baking import paths, session, suspension
from ..model import observers, role_effects, roles
from . import bodies, cells, coloring, missing, particles, shown, slots, surface
from .shown import cache_of

NO_PARTICLES = "This bake has no particles. To see them bake again: while Particles is on here, a bake writes them"
_shown: Dict[str, Tuple] = {}
_trouble: Dict[str, str] = {}  # what went wrong with the frame on screen
_bodies_shown: Dict[str, Tuple] = {}


def note(scene: bpy.types.Scene) -> str:
    """What the artist should know about the frame on screen; empty when all is well."""
    if not scene.tallow.bake_path:
        return ""
    text = shown.trouble(scene, scene.frame_current) or _trouble.get(scene.name, "")
    instead = shown.instead(scene, scene.frame_current)
    if text and instead:
        return f"{text}; you see {instead}"
    cache = cache_of(scene)
    text = text or (NO_PARTICLES if scene.tallow.show_particles and cache and not cache.has_particles else "")
    return text or (shown.preview_words(cache) if cache and cache.preview < 100 else "")


def refresh(scene: bpy.types.Scene, force: bool = False, create: bool = True) -> None:
    """Bring everything that is shown to the scene's frame. Never raises for a missing or damaged file."""
    if suspension.is_suspended():
        return
    cache = cache_of(scene)
    # Renders with motion blur ask for times between frames. Liquid is blurred by its velocity and stays at the nearest frame.
    frame = cache.nearest(math.floor(scene.frame_current_final + 0.5)) if cache else None
    if cache is None or frame is None:
        return
    tallow = scene.tallow
    key = (str(cache.folder), frame, shown.whole(cache, frame, "surface"), tallow.show_surface, tallow.show_particles,
           coloring.scale_of(scene, cache, frame), tallow.particle_percent)
    if force or _shown.get(scene.name) != key:
        surface.show(scene, cache, frame, create)
        particles.show(scene, cache, frame, create)
        coloring.paint(scene, create)
        _blur_volume(scene, cache.pace(frame))
        _shown[scene.name] = key
    cells.show(scene, cache, frame)
    moment = bodies.moment(cache, scene.frame_current, scene.frame_subframe)
    key = (str(cache.folder), scene.frame_current, scene.frame_subframe, *moment)
    if force or _bodies_shown.get(scene.name) != key:
        bodies.show(scene, cache, *moment)
        _bodies_shown[scene.name] = key


def _blur_volume(scene: bpy.types.Scene, pace: float) -> None:
    """A Volume object reads its velocities from the files, which hold simulated ones."""
    obj = scene.tallow.volume_object
    if obj and obj.type == "VOLUME" and abs(obj.data.velocity_scale - pace) > 1e-6:
        obj.data.velocity_scale = pace


def clear(scene: bpy.types.Scene) -> None:
    """Empty what was shown and put bodies back where they stood."""
    surface.clear(scene)
    particles.clear(scene)
    bodies.restore(scene)
    _shown.pop(scene.name, None)
    _bodies_shown.pop(scene.name, None)


def forget() -> None:
    """Data-blocks were replaced behind our back (a file was loaded, an undo): show everything anew."""
    _shown.clear()
    _trouble.clear()
    _bodies_shown.clear()


def refresh_all(scene: bpy.types.Scene) -> None:
    """Show everything anew: a setting changed, or another bake is there."""
    refresh(scene, force=True)


def refresh_colors(scene: bpy.types.Scene) -> None:
    coloring.start_own_range(scene, cache_of(scene))
    refresh(scene, force=True)
    coloring.paint(scene)
    coloring.show_in_viewports(scene.tallow.show_color != "NONE")


@persistent
def on_frame_change(scene: bpy.types.Scene, *_args) -> None:
    # Runs in the render thread as well: it changes data, makes none and calls no operator.
    try:
        refresh(scene, create=False)
        _trouble.pop(scene.name, None)
    except Exception as error:  # noqa: B902  (whatever it is, the artist gets a sentence and not a traceback)
        _trouble[scene.name] = f"Frame {scene.frame_current} cannot be shown: {error or type(error).__name__}"
        print(f"Tallow: {_trouble[scene.name]}.")


@persistent
def on_load(*_args) -> None:
    shown.forget()
    forget()
    cells.close()
    for scene in bpy.data.scenes:
        bodies.prepare(scene)
        refresh(scene, create=False)


@persistent
def on_undo(*_args) -> None:
    forget()
    for known in session.all_sessions():
        scene = known.find()
        if scene:
            scene.tallow.uid = known.uid
            if known.has_changed:
                _take_back(scene, known.folder)
    bodies.prepare(bpy.context.scene)
    refresh(bpy.context.scene, create=False)


def _take_back(scene: bpy.types.Scene, folder: Optional[Path]) -> None:
    """Bakes are on the disk and not in the steps of an undo: show the one that is there, and none that was freed."""
    if scene.tallow.bake_path != (str(folder) if folder else ""):
        paths.set_bake(scene, folder)
    # Only those that the undo gave their old look: the artist may have chosen another one since.
    sources = [obj for obj in roles.with_role(scene, *roles.SOURCES) if bool(obj.tallow.saved_display) != bool(folder)]
    role_effects.update_sources(sources, baked=folder is not None)
    if folder:
        refresh(scene, force=True)
    else:
        clear(scene)


HANDLERS = missing.HANDLERS + (("frame_change_post", on_frame_change), ("load_post", on_load), ("undo_post", on_undo),
                               ("redo_post", on_undo))
LISTENERS = ((observers.display_changed, refresh_all), (observers.colors_changed, refresh_colors),
             (observers.smoothing_changed, surface.smooth), (observers.frames_landed, refresh), (observers.bake_changed, refresh_all))


def register() -> None:
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).append(function)
    for signal, function in LISTENERS:
        signal.connect(function)


def unregister() -> None:
    for signal, function in LISTENERS:
        signal.disconnect(function)
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).remove(function)
    shown.forget()
    forget()
    cells.close()
