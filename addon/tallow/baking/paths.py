# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bakes are. A bake is remembered by its absolute path and by its path from the .blend, so that neither Save As
nor moving the whole project loses it."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Optional, Set

import bpy

from ..core import cache as cache_files
from . import session

_kept: Set[Path] = set()  # temporary bakes that a file on the disk refers to


def is_saved() -> bool:
    return bool(bpy.data.filepath)


def cache_root(scene: bpy.types.Scene) -> Path:
    """The folder that holds the bakes: the artist's choice, else next to the .blend, else a temporary one."""
    chosen = scene.tallow.cache_folder.strip()
    if is_temporary(scene):
        return temporary_root()
    if chosen:
        return Path(bpy.path.abspath(chosen)).absolute()
    blend = Path(bpy.data.filepath)
    return blend.parent / f"tallow_cache_{_safe(blend.stem)}"


def temporary_root() -> Path:
    """Where this Blender puts the bakes of files that were never saved."""
    return Path(tempfile.gettempdir()) / f"tallow_cache_{os.getpid()}"


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
    relative = bpy.path.abspath(tallow.bake_relative) if is_saved() else ""
    # The first save moves a bake when the file is written already, with the path from before.
    moved = str(cache_root(scene) / Path(tallow.bake_path).name) if tallow.bake_path else ""
    for text in (relative, tallow.bake_path, moved):
        if text and (Path(text) / "bake.json").is_file():
            return Path(text)
    return None


def set_bake(scene: bpy.types.Scene, folder: Optional[Path]) -> None:
    scene.tallow.bake_path = str(folder) if folder else ""
    _set_relative(scene)
    known = session.claim(scene)
    known.folder, known.has_changed = folder, True


def _set_relative(scene: bpy.types.Scene) -> None:
    path = scene.tallow.bake_path
    try:
        scene.tallow.bake_relative = bpy.path.relpath(path) if path and is_saved() else ""
    except ValueError:
        scene.tallow.bake_relative = ""  # another drive


def _safe(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name) or "scene"


def write_down() -> None:
    """Keep where the bakes are now, before a Save As changes what `//` means."""
    for scene in bpy.data.scenes:
        folder = bake_folder(scene)
        if folder:
            scene.tallow.bake_path = str(folder.absolute())


def settle(scene: bpy.types.Scene, may_move: bool) -> None:
    """The file was saved: a bake from before it had a name moves next to it, and paths from the file are right again."""
    if scene.tallow.bake_path:
        _move_or_keep(scene, may_move)
        _set_relative(scene)


def _move_or_keep(scene: bpy.types.Scene, may_move: bool) -> None:
    """A temporary bake that cannot move is kept where it is."""
    folder = bake_folder(scene)
    if folder is None or folder.parent != temporary_root():
        return
    if is_saved() and may_move:
        try:
            target = cache_root(scene) / folder.name
            target.parent.mkdir(parents=True, exist_ok=True)
            set_bake(scene, Path(shutil.move(str(folder), str(target))))
            return
        except OSError:
            pass  # no room there, or not allowed
    _kept.add(folder)


def drop_temporary() -> None:
    """Delete the bakes of a file that was never saved."""
    for folder in cache_files.bakes(temporary_root()):
        if folder not in _kept:
            cache_files.free(folder)
    try:
        temporary_root().rmdir()
    except OSError:
        pass  # not empty, or never there
