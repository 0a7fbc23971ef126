# SPDX-License-Identifier: GPL-3.0-or-later
"""How much memory a bake can have: that of the computer, or less where a container or a job scheduler sets a limit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import List, NamedTuple, Optional


class Memory(NamedTuple):
    bytes: int
    is_limit: bool  # set for this process, below what the computer has


def memory(root: Path = Path("/")) -> Optional[Memory]:
    """None when the system does not tell. `root` is where `proc` and `sys` are looked for."""
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
    limit = min(_limits(root), default=there)
    return Memory(min(limit, there), limit < there)


def _limits(root: Path) -> List[int]:
    """Limits of the control groups that this process is in, and of those around them. Both versions of Linux's control groups."""
    found: List[int] = []
    try:
        groups = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return found
    for line in groups:
        _number, _, rest = line.partition(":")
        kinds, _, path = rest.partition(":")
        if kinds == "":
            found += _walk(root / "sys/fs/cgroup", path, "memory.max")
        elif "memory" in kinds.split(","):
            found += _walk(root / "sys/fs/cgroup/memory", path, "memory.limit_in_bytes")
    return found


def _walk(base: Path, path: str, name: str) -> List[int]:
    parts = [part for part in path.split("/") if part not in ("", "..")]
    numbers = []
    for count in range(len(parts) + 1):
        try:
            text = base.joinpath(*parts[:count], name).read_text(encoding="utf-8").strip()
        except OSError:
            continue
        if text.isdigit() and int(text) > 0:
            numbers.append(int(text))
    return numbers
