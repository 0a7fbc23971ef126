# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bakes are. A bake is remembered by its absolute path and by its path from the .blend, so that neither Save As
nor moving the whole project loses it."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Callable, Dict, List, Optional, Set, Tuple

import bpy

from ..core import cache as cache_files
from ..core import bake_list, estimate, owners
from . import session

_kept: Set[Path] = set()  # temporary bakes that a file on the disk refers to
_replaced: Dict[Path, session.Session] = {}  # bakes that scenes of this file showed until they got others
_stamp: Optional[Tuple[int, int]] = None  # of the file, before it was saved


def is_saved() -> bool:
    return bool(bpy.data.filepath)


def this_file() -> str:
    """The .blend as owners.json names it; empty when it was never saved."""
    return str(Path(bpy.data.filepath).absolute()) if is_saved() else ""


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


def display_root(scene: bpy.types.Scene, root: Optional[Path] = None) -> str:
    """A folder as an artist reads it; without a name that of the next bake."""
    root = root or cache_root(scene)
    if is_saved():
        try:
            return "//" + root.relative_to(Path(bpy.data.filepath).parent).as_posix()
        except ValueError:
            pass
    return str(root)


def roots(scene: bpy.types.Scene) -> List[Path]:
    """The folders whose bakes an artist may choose from: that of the next bake, and after a Save As that of the shown one."""
    folder = bake_folder(scene)
    return list(dict.fromkeys([cache_root(scene)] + ([folder.parent] if folder else [])))


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
    remember_seen(scene)
    known = session.claim(scene)
    known.folder, known.has_changed = folder, True


def remember_seen(scene: bpy.types.Scene) -> None:
    """The artist chose among the bakes that are there now: only others can be news."""
    scene.tallow.bake_seen = "\n".join(_seen_name(folder) for folder in cache_files.bakes(cache_root(scene)))


def is_seen(scene: bpy.types.Scene, folder: Path) -> bool:
    return _seen_name(folder) in scene.tallow.bake_seen.split("\n")


def _seen_name(folder: Path) -> str:
    """Bakes of one second in two cache folders have the same name, so the cache folder's name belongs to it."""
    return f"{folder.parent.name}/{folder.name}"


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
        folder = bake_folder(scene)
        if folder and folder.parent == temporary_root():
            target = _move(scene, folder, may_move)
            if target != folder:
                set_bake(scene, target)
        _set_relative(scene)


def settle_rest(may_move: bool) -> None:
    """The file was saved: the bakes that no scene shows move as well."""
    if is_saved():
        for folder in cache_files.bakes(temporary_root()):
            if folder not in shown() and bpy.data.scenes:
                target = _move(bpy.data.scenes[0], folder, may_move)
                if folder in _replaced:
                    _replaced[target] = _replaced.pop(folder)


def _move(scene: bpy.types.Scene, folder: Path, may_move: bool) -> Path:
    """Where a temporary bake is now. One that cannot move is kept where it is."""
    if is_saved() and may_move:
        try:
            target = cache_root(scene) / folder.name
            target.parent.mkdir(parents=True, exist_ok=True)
            return Path(shutil.move(str(folder), str(target)))
        except OSError:
            pass  # no room there, or not allowed
    _kept.add(folder)
    return folder


def replace(scene: bpy.types.Scene, previous: Path) -> None:
    """The scene has another bake now. The previous one goes once the new one is finished and no file can mean the previous one."""
    if not scene.tallow.keep_old:
        _replaced[previous] = session.claim(scene)


def chosen(folder: Path) -> None:
    """The artist wants to see this bake: it does not go, whatever had replaced it."""
    _replaced.pop(folder, None)


def fate(scene: bpy.types.Scene) -> str:
    """What becomes of the bake that the scene shows when another one takes its place, in a sentence."""
    folder = bake_folder(scene)
    if scene.tallow.keep_old or folder is None or owners.read(folder) is None:
        return "The old one stays on the disk."
    if any(other != scene and bake_folder(other) == folder for other in bpy.data.scenes):
        return "The old one stays: another scene shows it."
    others = sorted(owners.others(folder, this_file()) - {owners.UNKNOWN})
    if others:
        return f"The old one stays: {Path(others[0]).name} may show it."
    if owners.UNKNOWN in owners.read(folder):
        return "The old one stays: a copy of this file may show it."
    gone = sorted(owners.read(folder) - owners.names_of(folder, this_file()))
    if gone:
        return f"The old one stays: {Path(gone[0]).name}, which is not there now, may show it."
    if owners.read(folder):
        return "The old one stays until the new one is finished and this file is saved."
    return "No saved file has the old one: it is deleted once the new one is finished."


def remember_previous(known: session.Session, previous: Path) -> None:
    """Of several bakes that were cancelled one after the other, the artist wants the whole one before them."""
    entry = bake_list.entry_of(previous)
    if (entry and entry.finished) or known.previous is None or not known.previous.is_dir():
        known.previous = previous


def kept_before(scene: bpy.types.Scene) -> str:
    """A sentence about the bake whose place the shown one took and did not fill, as long as it is on the disk."""
    known, folder = session.of(scene), bake_folder(scene)
    shown_entry = bake_list.entry_of(folder) if folder else None
    if known is None or known.previous in (None, folder) or shown_entry is None or shown_entry.finished:
        return ""
    cache = cache_files.Cache(known.previous)
    cache.refresh()
    if not cache.order:
        return ""
    return f"The earlier bake (frames {cache.order[0]} to {cache.order[-1]}) is kept. Bakes on the Disk shows it."


def room(scene: bpy.types.Scene) -> str:
    """`3 bakes, 1.2 GB`: what the list of bakes holds. Empty when there is none."""
    found = bake_list.entries(*roots(scene))
    size = estimate.format_bytes(sum(entry.bytes for entry in found))
    return f"{len(found)} bake{'s' if len(found) != 1 else ''}, {size}" if found else ""


def note_file() -> None:
    """Before a save: a copy leaves the file itself as it is."""
    global _stamp
    _stamp = _file_stamp()


def settle_owners() -> None:
    """After a save: the file means the bakes that its scenes show, and no longer those that they replaced."""
    is_copy = not is_saved() or (_stamp is not None and _stamp == _file_stamp())
    name = owners.UNKNOWN if is_copy else this_file()
    for folder in shown():
        try:
            owners.add(folder, name)
        except OSError:
            pass  # a folder that cannot be written: nobody will delete it either
    if is_copy:
        return
    for folder in _replaced.keys() - shown():
        _try(lambda: owners.remove(folder, name), folder)
    for folder in released():
        _try(lambda: cache_files.free(folder), folder)


def _try(action: Callable[[], object], folder: Path) -> None:
    try:
        action()
    except OSError as error:
        print(f"Tallow: the previous bake in {folder} cannot be deleted: {error.strerror or error}.")


def shown() -> Set[Path]:
    """The bakes that scenes of this file show."""
    return {folder for folder in map(bake_folder, bpy.data.scenes) if folder}


def released() -> List[Path]:
    """The replaced bakes that no file means, where a finished bake has taken their place. They are no longer remembered."""
    found = []
    for folder in _replaced.keys() - shown():
        scene = _replaced[folder].find()
        present = bake_folder(scene) if scene else None
        entry = bake_list.entry_of(present) if present else None
        if entry and entry.finished and owners.read(folder) == set():
            del _replaced[folder]
            found.append(folder)
    return found


def forget_replaced() -> None:
    """Another file opens: what this one replaced and never saved stays on the disk."""
    _replaced.clear()


def _file_stamp() -> Optional[Tuple[int, int]]:
    try:
        stat = os.stat(bpy.data.filepath)
        return (stat.st_mtime_ns, stat.st_size)
    except OSError:
        return None


def drop_temporary() -> None:
    """Delete the bakes of a file that was never saved."""
    for folder in cache_files.bakes(temporary_root()):
        if folder not in _kept:
            cache_files.free(folder)
    try:
        temporary_root().rmdir()
    except OSError:
        pass  # not empty, or never there
