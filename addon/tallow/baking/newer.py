# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes of a file that the file does not know of: it was saved before they were made, or there was no window to save it in."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Set, Tuple

import bpy
from bpy.app.handlers import persistent

from ..core import bake_list, owners
from ..model import observers, role_effects, roles
from . import job, paths

_makers: Dict[Tuple[str, str], Tuple[int, Optional[owners.Maker]]] = {}  # bake and file: when it was read, and what it said
_adopted: Set[str] = set()  # folders that scenes show although their file does not say so
_looked = False  # whether the bakes of the open file were looked for


class Found(NamedTuple):
    entry: bake_list.Entry
    headless: bool


def find(scene: bpy.types.Scene) -> List[Found]:
    """Bakes of this file and scene that were made since the shown one was chosen, newest first. Cheap enough for panels."""
    if not paths.is_saved():
        return []
    shown, found = paths.bake_folder(scene), []
    for entry in bake_list.entries(paths.cache_root(scene)):
        if paths.is_seen(scene, entry.folder) or entry.folder == shown or not entry.frames:
            continue
        maker = _maker(entry.folder)
        if maker and _is_of(scene, maker):
            found.append(Found(entry, maker.headless))
    return found


def newest(scene: bpy.types.Scene) -> Optional[bake_list.Entry]:
    """The one that a panel offers; None when the scene shows what there is."""
    found = find(scene)
    return next((one.entry for one in found if one.entry.finished), found[0].entry if found else None)


def _is_of(scene: bpy.types.Scene, maker: owners.Maker) -> bool:
    """Names tell scenes of a file apart. A scene that was renamed is known by its id."""
    if maker.scene == scene.name:
        return True
    return bool(maker.uid) and maker.uid == scene.tallow.uid and maker.scene not in bpy.data.scenes


def _maker(folder: Path) -> Optional[owners.Maker]:
    key = (str(folder), paths.this_file())
    try:
        stamp = (folder / owners.NAME).stat().st_mtime_ns
    except OSError:
        return None
    if _makers.get(key, (None,))[0] != stamp:
        _makers[key] = (stamp, owners.maker(folder, paths.this_file()))
    return _makers[key][1]


def words(entry: bake_list.Entry) -> str:
    """`18 Nov 14:05:22, 120 frames`. One that was stopped says so."""
    return f"{bake_list.date(entry)}, {bake_list.frames(entry)}" + ("" if entry.finished else ", unfinished")


def adopted(scene: bpy.types.Scene) -> str:
    """A sentence when the scene shows a bake that its file was not saved with."""
    folder = paths.bake_folder(scene) if _adopted else None
    if folder is None or str(folder) not in _adopted:
        return ""
    return f"Found the bake of {words(bake_list.entry_of(folder))}. Save the file to keep it."


def look(scene: bpy.types.Scene) -> None:
    """Show a bake that the file does not know of: any when it knows of none, or a whole one that was made without a window."""
    found = find(scene)
    if not found:
        return
    whole = [one for one in found if one.entry.finished]
    if paths.bake_folder(scene):
        chosen = next((one for one in whole if one.headless), None)
    else:
        chosen = (whole or found)[0]
    if chosen is None:
        print(f"Tallow: a newer bake of {scene.name} exists ({words(found[0].entry)}). It is not shown, since the file was not saved "
              f"with it. To show it: bpy.ops.tallow.use_bake(folder={str(found[0].entry.folder)!r})", flush=True)
        return
    print(f"Tallow: {scene.name} shows the bake of {words(chosen.entry)}, which was made after the file was saved.", flush=True)
    show(scene, chosen.entry.folder)
    _adopted.add(str(chosen.entry.folder))


def show(scene: bpy.types.Scene, folder: Path) -> None:
    """The scene shows this bake from now on."""
    paths.chosen(folder)
    paths.set_bake(scene, folder)
    role_effects.update_sources(roles.with_role(scene, *roles.SOURCES), baked=True)
    job.forget(scene)
    observers.bake_changed(scene)


def look_once() -> None:
    """Of a file that was open before the add-on was there: `blender FILE --addons tallow` loads in that order."""
    global _looked
    if _looked or job.current():
        return
    _looked = True
    for scene in bpy.data.scenes:
        look(scene)


@persistent
def _on_load(*_args) -> None:
    global _looked
    _looked = False
    _adopted.clear()
    look_once()


@persistent
def _on_save(*_args) -> None:
    _adopted.clear()


@persistent
def _on_render(*_args) -> None:
    look_once()


def _look_soon() -> None:
    look_once()


HANDLERS = (("load_post", _on_load), ("save_post", _on_save), ("render_init", _on_render))


def register() -> None:
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).append(function)
    if not bpy.app.background:
        bpy.app.timers.register(_look_soon, first_interval=0.0)


def unregister() -> None:
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).remove(function)
    if bpy.app.timers.is_registered(_look_soon):
        bpy.app.timers.unregister(_look_soon)
