# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the files of a bake are all there and whole. Looks at headers and sizes; what is shown or rendered tells the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Dict, Iterable, List, NamedTuple, Tuple

from . import ply
from .cache import Cache

MISSING, DAMAGED = "is missing", "is damaged"
HEADER = 8192  # bytes in which a PLY header ends


class Fault(NamedTuple):
    frame: int
    kind: str  # surface, particles or bodies
    words: str  # MISSING or DAMAGED


class Inspector:
    """Remembers what was found, and looks again at files that changed."""

    def __init__(self, cache: Cache) -> None:
        self.cache = cache
        self._known: Dict[Path, Tuple[Tuple[int, int], str]] = {}
        self._stamp: Tuple = ()
        self._faults: List[Fault] = []
        self._found: List[Fault] = []  # of the frames before `_next`, as long as not all are looked at
        self._next = 0

    def look_at(self, frame: int, kinds: Iterable[str] = ("surface", "particles", "bodies")) -> List[Fault]:
        """What is wrong with the files of a frame that is in the bake."""
        expected = self._expected(frame)
        found = [(kind, self._check(expected[kind])) for kind in kinds if kind in expected]
        return [Fault(frame, kind, words) for kind, words in found if words]

    def faults(self, most: int = 200) -> List[Fault]:
        """What is wrong with all frames, known once it was asked for often enough to look at `most` of them each time."""
        folders = [_stamp(self.cache.folder / name)[0] for name in ("mesh", "particles", "rigid")]
        stamp = (*folders, len(self.cache.order))
        if stamp != self._stamp or self._next < len(self.cache.order):
            if stamp != self._stamp:
                self._stamp, self._next, self._found = stamp, 0, []
            # A part at a time: files may be many, on a disk that is far away.
            part = self.cache.order[self._next:self._next + most]
            self._found += [fault for frame in part for fault in self.look_at(frame)]
            self._next += len(part)
            if self._next >= len(self.cache.order):
                self._faults = self._found
        return self._faults

    def distrust(self, path: Path) -> None:
        """A file of the right size that could not be read: damaged, until it changes."""
        if self._check(path) == "":
            self._known[path] = (_stamp(path), DAMAGED)
            self._stamp = ()

    def _expected(self, frame: int) -> Dict[str, Path]:
        paths = {"surface": self.cache.mesh_path(frame)}
        if self.cache.has_particles:
            paths["particles"] = self.cache.particles_path(frame)
        if self.cache.has_bodies:
            paths["bodies"] = self.cache.rigid_path(frame)
        return paths

    def _check(self, path: Path) -> str:
        stamp = _stamp(path)
        known = self._known.get(path)
        if known is None or known[0] != stamp:
            if known is not None:
                self._stamp = ()  # a file was written over, of which its folder does not tell
            known = self._known[path] = (stamp, check_file(path))
        return known[1]


def _stamp(path: Path) -> Tuple[int, int]:
    try:
        stat = path.stat()
        return stat.st_mtime_ns, stat.st_size
    except OSError:
        return 0, -1


def check_file(path: Path) -> str:
    """MISSING, DAMAGED, or an empty string when all is well."""
    try:
        if path.suffix == ".json":
            return "" if isinstance(json.loads(path.read_text(encoding="utf-8")), dict) else DAMAGED
        with open(path, "rb") as file:
            size = ply.least_size(file.read(HEADER))
        return DAMAGED if path.stat().st_size < size else ""
    except FileNotFoundError:
        return MISSING
    except (OSError, ValueError, ply.PlyError):
        return DAMAGED


def sentence(faults: List[Fault]) -> str:
    """Of one frame: `Frame 4: its surface file is missing`."""
    if not faults:
        return ""
    return f"Frame {faults[0].frame}: " + " and ".join(f"its {fault.kind} file {fault.words}" for fault in faults)


def describe(faults: List[Fault]) -> List[str]:
    """A sentence for each kind of fault, with all its frames."""
    groups: Dict[Tuple[str, str], List[int]] = {}
    for fault in faults:
        groups.setdefault((fault.kind, fault.words), []).append(fault.frame)
    return [f"The {kind} file of frame {frames[0]} {words}" if len(frames) == 1 else
            f"The {kind} files of frames {ranges(frames)} {words.replace('is', 'are', 1)}"
            for (kind, words), frames in groups.items()]


def ranges(numbers: List[int], most: int = 6) -> str:
    """`3, 4, 7 to 9 and 12`."""
    runs: List[List[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    runs = [part for a, b in runs for part in ([[a, a], [b, b]] if b == a + 1 else [[a, b]])]
    words = [str(a) if a == b else f"{a} to {b}" for a, b in runs[:most]]
    left = sum(b - a + 1 for a, b in runs[most:])
    words += [f"{left} more"] if left else []
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
