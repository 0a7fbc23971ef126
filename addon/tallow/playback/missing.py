# SPDX-License-Identifier: GPL-3.0-or-later
"""A render of a frame that is missing or damaged: says so on the console, and stops where the preferences ask for it.

Blender gives scripts no way to cancel a render. Without a window it takes an interrupt for a break, ends movies properly and
says that the render was cancelled. With a window, a render of an animation ends once its frame counter is past the end.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Dict

import bpy
from bpy.app.handlers import persistent

from ..baking import command
from . import shown, surface

CODE = 3  # that Blender ends with
BEYOND = 1048574  # Blender's last frame
TRIES = 20  # to write, a hundredth of a second apart

_rendering = False
_stopping = ""  # the sentence, once a render is to end
_began: Dict[str, float] = {}  # when the frame in the works was begun
_stopped: Dict[str, str] = {}  # scene: why its last render ended


def is_rendering() -> bool:
    return _rendering


def stops() -> bool:
    """Whether a render ends at a missing frame. Farms without preferences have an environment variable."""
    return (os.environ.get("TALLOW_MISSING_FRAMES", "").lower() or command.preference("missing_frames").lower()) == "stop"


def why_stopped(scene: bpy.types.Scene) -> str:
    """What ended the scene's last render; empty when nothing did."""
    return _stopped.get(scene.name, "")


@persistent
def on_init(scene: bpy.types.Scene, *_args) -> None:
    global _rendering, _stopping
    _rendering, _stopping = True, ""
    _stopped.pop(scene.name, None)
    cache = shown.cache_of(scene) if scene.tallow.bake_path else None
    if cache and cache.preview < 100:
        print(f"Tallow: {shown.preview_words(cache)}. Set Preview Quality to 100 % and bake for the final render.", flush=True)


@persistent
def on_pre(scene: bpy.types.Scene, *_args) -> None:
    if _stopping or not scene.tallow.bake_path:
        return
    _began["time"] = time.time()
    _look_into(scene)
    wrong = shown.trouble(scene, scene.frame_current)
    if not wrong:
        return
    if not stops():
        instead = shown.instead(scene, scene.frame_current)
        print(f"Tallow: {wrong}; the render shows {instead}." if instead else f"Tallow: {wrong}.", flush=True)
        return
    _stop(scene, wrong)
    if bpy.app.background:
        if os.name == "posix":
            os.kill(os.getpid(), signal.SIGINT)
        else:
            _leave()


def _look_into(scene: bpy.types.Scene) -> None:
    """Handlers of the frame come later, so the file of this frame is read here."""
    cache = shown.cache_of(scene)
    if cache and scene.tallow.show_surface and scene.frame_current in cache.frames:
        surface.look_into(cache, scene.frame_current)


def _stop(scene: bpy.types.Scene, wrong: str) -> None:
    global _stopping
    _stopping = _stopped[scene.name] = (f"The render stopped. {wrong}. Bake again, or let renders repeat frames in the add-on's "
                                        "preferences.")
    print(f"Tallow: {_stopping}", flush=True)


@persistent
def on_write(scene: bpy.types.Scene, *_args) -> None:
    """A frame was written: end the render when it should not have been, or when the next one is missing."""
    if bpy.app.background or not scene.tallow.bake_path or not stops():
        return
    if _stopping:
        _take_back(scene)
    else:
        wrong = shown.trouble(scene, scene.frame_current + scene.frame_step)
        if scene.frame_current + scene.frame_step > scene.frame_end or not wrong:
            return
        _stop(scene, wrong)
    _go_beyond(scene)


def _go_beyond(scene: bpy.types.Scene) -> None:
    """Let this frame be the last one. Blender forbids writing while it draws, which the render's thread may wait for. When that takes
    long, the next frame tries again, and its picture is taken back."""
    for _attempt in range(TRIES):
        try:
            scene.frame_current = BEYOND
            return
        except AttributeError:
            time.sleep(0.01)


def _take_back(scene: bpy.types.Scene) -> None:
    """Delete the picture of a frame that is not there. Only the one that this render has just written."""
    if scene.render.is_movie_format:
        return
    path = Path(bpy.path.abspath(scene.render.frame_path(frame=scene.frame_current)))
    try:
        if path.stat().st_mtime >= _began.get("time", time.time()) - 1.0:
            path.unlink()
    except OSError:
        pass


@persistent
def on_end(*_args) -> None:
    global _rendering
    _rendering = False
    if _stopping and bpy.app.background:
        _leave()


def _leave() -> None:
    """A farm looks at the exit code."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(CODE)


HANDLERS = (("render_init", on_init), ("render_pre", on_pre), ("render_write", on_write), ("render_complete", on_end),
            ("render_cancel", on_end))
