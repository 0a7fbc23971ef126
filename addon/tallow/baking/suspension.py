# SPDX-License-Identifier: GPL-3.0-or-later
"""The exporter walks through the frames. Meanwhile nothing is to be played."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

_depth = 0


@contextmanager
def suspended() -> Iterator[None]:
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1


def is_suspended() -> bool:
    return _depth > 0
