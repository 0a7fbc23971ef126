# SPDX-License-Identifier: GPL-3.0-or-later
"""The .blend files that mean a bake: the one that it was made from, until that file is saved with another bake, and those that
were saved with it. baking/paths.py decides by them which bakes may go. baking/newer.py finds the bakes that a file was saved without."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, NamedTuple, Optional, Set

NAME = "owners.json"  # in the bake's folder
UNKNOWN = "?"  # a file whose name Blender did not tell


def read(folder: Path) -> Optional[Set[str]]:
    """The files that mean this bake. None when that is not known, as of bakes of older versions."""
    files = _document(folder).get("files")
    return {str(name) for name in files} if isinstance(files, list) else None


class Maker(NamedTuple):
    """The scene that a bake was made from."""

    file: str  # the .blend; empty when it was never saved
    scene: str
    uid: str  # of the scene; of a file that was not saved since, another one than in the file
    headless: bool  # made without a window, so that nobody could save the file with it


def write(folder: Path, files: Set[str]) -> None:
    """Raises OSError. The old list stays until the new one is whole."""
    _change(folder, {"files": sorted(files)})


def begin(folder: Path, maker: Optional[Maker] = None) -> None:
    """A new bake. A file that was saved before finds it when it opens, so the file means it. Raises OSError."""
    write(folder, set())
    if maker:
        sign(folder, maker)


def sign(folder: Path, maker: Maker) -> None:
    """Keep what the bake was made from. Also as seen from the bake, for projects that are moved. Raises OSError."""
    if maker.file:
        add(folder, maker.file)
    try:
        relative = os.path.relpath(maker.file, folder) if maker.file else ""
    except ValueError:
        relative = ""  # another drive
    _change(folder, {"made": {**maker._asdict(), "relative": relative}})


def maker(folder: Path, file: str) -> Optional[Maker]:
    """What a bake was made from; None when that is not known, or was another file than this one."""
    made = _document(folder).get("made")
    if not isinstance(made, dict) or not made.get("file") or not file:
        return None
    relative = str(made.get("relative") or "")
    if made["file"] != file and not (relative and os.path.normpath(os.path.join(folder, relative)) == os.path.normpath(file)):
        return None
    return Maker(file, str(made.get("scene")), str(made.get("uid")), bool(made.get("headless")))


def _document(folder: Path) -> Dict[str, Any]:
    try:
        found = json.loads((Path(folder) / NAME).read_text(encoding="utf-8"))
        return found if isinstance(found, dict) else {}
    except (OSError, ValueError):
        return {}


def _change(folder: Path, members: Dict[str, Any]) -> None:
    target, part = Path(folder) / NAME, Path(folder) / (NAME + ".tmp")
    part.write_text(json.dumps({**_document(folder), **members}, indent=1) + "\n", encoding="utf-8")
    os.replace(part, target)


def add(folder: Path, file: str) -> None:
    """`file` was saved with this bake. A bake of unknown owners stays one."""
    known = read(folder)
    if known is not None and file not in known:
        write(folder, known | {file})


def remove(folder: Path, file: str) -> None:
    """`file` was saved with another bake. Raises OSError."""
    known, names = read(folder), names_of(folder, file)
    if known is not None and known & names:
        write(folder, known - names)


def names_of(folder: Path, file: str) -> Set[str]:
    """What the list calls `file`: also by the place that it had before it was moved together with the bake."""
    return {file, str(_document(folder)["made"]["file"])} if maker(folder, file) else {file}


def others(folder: Path, file: str) -> Set[str]:
    """Files beside this one that mean the bake and are still there, or may be."""
    names = names_of(folder, file)
    return {name for name in read(folder) or () if name not in names and (name == UNKNOWN or Path(name).is_file())}
