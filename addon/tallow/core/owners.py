# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of .blend files that were saved with a bake. baking/paths.py decides by it which bakes may go."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Optional, Set

NAME = "owners.json"  # in the bake's folder
UNKNOWN = "?"  # a file whose name Blender did not tell


def read(folder: Path) -> Optional[Set[str]]:
    """The files that were saved with this bake. None when that is not known, as of bakes of older versions."""
    try:
        files = json.loads((Path(folder) / NAME).read_text(encoding="utf-8"))["files"]
        return {str(name) for name in files} if isinstance(files, list) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write(folder: Path, files: Set[str]) -> None:
    """Raises OSError. The old list stays until the new one is whole."""
    target, part = Path(folder) / NAME, Path(folder) / (NAME + ".tmp")
    part.write_text(json.dumps({"files": sorted(files)}, indent=1) + "\n", encoding="utf-8")
    os.replace(part, target)


def begin(folder: Path) -> None:
    """A new bake: no file means it yet."""
    write(folder, set())


def add(folder: Path, file: str) -> None:
    """`file` was saved with this bake. A bake of unknown owners stays one."""
    known = read(folder)
    if known is not None and file not in known:
        write(folder, known | {file})


def remove(folder: Path, file: str) -> bool:
    """`file` was saved with another bake. True when no file means this one any more."""
    known = read(folder)
    if known is None:
        return False
    if file in known:
        write(folder, known - {file})
    return not known - {file}


def others(folder: Path, file: str) -> Set[str]:
    """Files beside this one that mean the bake and are still there, or may be."""
    return {name for name in read(folder) or () if name != file and (name == UNKNOWN or Path(name).is_file())}
