# SPDX-License-Identifier: GPL-3.0-or-later
"""The bakes of a cache folder, each in a line that an artist can choose by."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

from . import cache, estimate

_known: Dict[str, Tuple[Tuple[int, int], "Entry"]] = {}


class Entry(NamedTuple):
    folder: Path
    when: Optional[datetime]  # it was begun
    frames: int
    cells: int  # along the longest side; 0 when it is not known
    bytes: int
    finished: bool
    preview: int = 100  # percent of the final resolution


def entries(*roots: Path) -> List[Entry]:
    """Newest first. Cheap to ask again: a bake is looked into only when its list of frames changed."""
    found = [_look(folder) for root in roots for folder in cache.bakes(root)]
    return sorted((entry for entry in found if entry), key=lambda entry: entry.folder.name, reverse=True)


def entry_of(folder: Path) -> Optional[Entry]:
    return _look(Path(folder))


def _look(folder: Path) -> Optional[Entry]:
    try:
        stat = (folder / "bake.json").stat()
        stamp = (stat.st_mtime_ns, stat.st_size)
        if _known.get(str(folder), (None,))[0] != stamp:
            info = json.loads((folder / "bake.json").read_text(encoding="utf-8"))
            _known[str(folder)] = (stamp, _describe(folder, info))
        return _known[str(folder)][1]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError):
        return None  # no bake, or one that is being deleted


def _describe(folder: Path, info: Dict) -> Entry:
    low, high, cell = info.get("domain_min"), info.get("domain_max"), info.get("cell_size", 0.0)
    cells = round(max(b - a for a, b in zip(low, high)) / cell) if low and high and cell > 0.0 else 0
    return Entry(folder, _date(folder.name), len(info["frames"]), cells, cache.total_bytes(folder),
                 bool(info.get("finished")), cache.Cache(folder).preview)


def _date(name: str) -> Optional[datetime]:
    try:
        return datetime.strptime("_".join(name.split("_")[1:3]), "%Y%m%d_%H%M%S")
    except ValueError:
        return None


def date(entry: Entry) -> str:
    """`18 Nov 14:05:22`: two bakes of a minute are told apart."""
    return entry.when.strftime("%d %b %H:%M:%S").lstrip("0") if entry.when else entry.folder.name


def frames(entry: Entry) -> str:
    return f"{entry.frames} frame{'s' if entry.frames != 1 else ''}"


def size(entry: Entry) -> str:
    """`120 frames, 64 cells, 310 MB`. That of a preview says so first."""
    cells = [f"{entry.cells} cells"] if entry.cells else []
    cells = [f"preview {entry.preview} %", *cells] if entry.preview < 100 else cells
    return ", ".join([frames(entry), *cells, estimate.format_bytes(entry.bytes)])
