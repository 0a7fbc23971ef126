# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bakes are. A bake is remembered by its absolute path and by its path from the .blend, so that neither Save As
nor moving the whole project loses it."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Optional

import bpy
from bpy.app.handlers import persistent


def is_saved() -> bool:
    return bool(bpy.data.filepath)


def cache_root(scene: bpy.types.Scene) -> Path:
    """The folder that holds the bakes: the artist's choice, else next to the .blend, else a temporary one."""
    chosen = scene.tallow.cache_folder.strip()
    if is_temporary(scene):
        return Path(tempfile.gettempdir()) / f"tallow_cache_{os.getpid()}"
    if chosen:
        return Path(bpy.path.abspath(chosen)).absolute()
    blend = Path(bpy.data.filepath)
    return blend.parent / f"tallow_cache_{_safe(blend.stem)}"


def is_temporary(scene: bpy.types.Scene) -> bool:
    """Whether a bake would go to a folder that the system may empty."""
    chosen = scene.tallow.cache_folder.strip()
    return not is_saved() and (not chosen or chosen.startswith("//"))


def display_root(scene: bpy.types.Scene) -> str:
    """The folder as an artist reads it."""
    root = cache_root(scene)
    if is_saved():
        try:
            return "//" + root.relative_to(Path(bpy.data.filepath).parent).as_posix()
        except ValueError:
            pass
    return str(root)


def bake_folder(scene: bpy.types.Scene) -> Optional[Path]:
    """The folder of the bake that the scene shows; None when there is none or it is gone."""
    tallow = scene.tallow
    for text in (bpy.path.abspath(tallow.bake_relative) if is_saved() else "", tallow.bake_path):
        if text and (Path(text) / "bake.json").is_file():
            return Path(text)
    return None


def set_bake(scene: bpy.types.Scene, folder: Optional[Path]) -> None:
    scene.tallow.bake_path = str(folder) if folder else ""
    _set_relative(scene)


def _set_relative(scene: bpy.types.Scene) -> None:
    path = scene.tallow.bake_path
    try:
        scene.tallow.bake_relative = bpy.path.relpath(path) if path and is_saved() else ""
    except ValueError:
        scene.tallow.bake_relative = ""  # another drive


def _safe(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name) or "scene"


@persistent
def on_save_pre(*_args) -> None:
    """Write down where the bakes are now, before a Save As changes what `//` means."""
    for scene in bpy.data.scenes:
        folder = bake_folder(scene)
        if folder:
            scene.tallow.bake_path = str(folder.absolute())


@persistent
def on_save_post(*_args) -> None:
    for scene in bpy.data.scenes:
        if scene.tallow.bake_path:
            _set_relative(scene)


def register() -> None:
    bpy.app.handlers.save_pre.append(on_save_pre)
    bpy.app.handlers.save_post.append(on_save_post)


def unregister() -> None:
    bpy.app.handlers.save_pre.remove(on_save_pre)
    bpy.app.handlers.save_post.remove(on_save_post)
