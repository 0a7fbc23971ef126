# SPDX-License-Identifier: GPL-3.0-or-later
"""The compact form of the cache's PLY files: every property a column of its own, packed with zlib (docs/scene-format.md)."""

from __future__ import annotations

import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import Dict, List, NamedTuple, Tuple

import numpy as np

FORMAT = "format tallow_compact 1.0"
# Columns are unpacked side by side: zlib and numpy let other threads run.
_pool = ThreadPoolExecutor(4, thread_name_prefix="tallow")


class Column(NamedTuple):
    name: str
    coding: str
    size: int  # bytes in the file
    low: float = 0.0
    high: float = 0.0


class Table:
    """Looks like structured rows, but keeps its columns apart: nobody has to put them together and take them apart again."""

    def __init__(self, count: int, dtype: np.dtype, numbers: Dict[str, np.ndarray]) -> None:
        self.count = count
        self.dtype = dtype
        self.numbers = numbers

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, name: str) -> np.ndarray:
        return self.numbers[name]

    def columns(self, names: Tuple[str, ...]) -> np.ndarray:
        if len(names) == 1:
            return self.numbers[names[0]]
        table = np.empty((len(self), len(names)), np.float32)
        for place, name in enumerate(names):
            table[:, place] = self.numbers[name]
        return table


def columns(lines: List[str]) -> List[Column]:
    """The columns that a header describes. Raises ValueError for a line that makes no sense."""
    found = []
    for line in lines:
        words = line.split()
        if words[:2] != ["comment", "column"]:
            continue
        if len(words) not in (5, 7) or words[3] not in ("planes", "ushort", "delta") or int(words[-1]) < 0:
            raise ValueError(line)
        found.append(Column(words[2], words[3], int(words[-1]), *(float(word) for word in words[4:-1])))
    return found


def unpack(column: Column, data: memoryview, kind: np.dtype, count: int) -> np.ndarray:
    """The numbers of a column, of the type that the header gives them. Raises ValueError when they are damaged."""
    width = 2 if column.coding == "ushort" else kind.itemsize
    try:
        # One byte more than wanted: a column that is too long is damaged, too.
        engine = zlib.decompressobj()
        planes = engine.decompress(data, count * width + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if len(planes) != count * width:
        raise ValueError(column.name)
    table = np.frombuffer(planes, np.uint8).reshape(width, count)
    numbers = table[0].astype(f"u{width}")
    for byte in range(1, width):
        numbers |= table[byte].astype(numbers.dtype) << numbers.dtype.type(8 * byte)
    if column.coding == "ushort":
        found = numbers.astype(np.float32)
        found *= np.float32((column.high - column.low) / 65535.0)
        found += np.float32(column.low)
        return np.minimum(found, np.float32(column.high), out=found)
    return np.cumsum(numbers, dtype=numbers.dtype).view(kind) if column.coding == "delta" else numbers.view(kind)


def read(data: bytes, offset: int, lines: List[str], elements: List[Tuple[str, int, List[Tuple]]]) -> Dict[str, np.ndarray]:
    """All elements as structured arrays. `elements` are names, counts and the fields of rows; `offset` is where columns start."""
    described = columns(lines)
    jobs, at, view = [], offset, memoryview(data)
    for name, count, fields in elements:
        for field in (field for field in fields if not field[0].endswith("_count")):
            if not described or described[0].name != field[0] or at + described[0].size > len(data):
                raise ValueError(field[0])
            column = described.pop(0)
            jobs.append((name, field[0], column, view[at:at + column.size], np.dtype(field[1]), count * (3 if len(field) > 2 else 1)))
            at += column.size
    # The largest first, so that no thread begins with it when the others are done.
    order = sorted(jobs, key=lambda job: -job[2].size)
    found = dict(zip(((job[0], job[1]) for job in order), _pool.map(lambda job: unpack(*job[2:]), order)))
    return {name: _rows(count, fields, {field[0]: found[name, field[0]] for field in fields if (name, field[0]) in found})
            for name, count, fields in elements}


def _rows(count: int, fields: List[Tuple], numbers: Dict[str, np.ndarray]) -> np.ndarray:
    """Columns as rows. The counts of faces are left out: all are triangles."""
    fields = [field for field in fields if field[0] in numbers]
    if all(field[1] == "<f4" for field in fields):
        return Table(count, np.dtype(fields), numbers)
    if len(fields) == 1 and len(fields[0]) > 2:
        return np.ascontiguousarray(numbers[fields[0][0]]).view(np.dtype(fields))
    rows = np.empty(count, np.dtype(fields))
    for field in fields:
        rows[field[0]] = numbers[field[0]]
    return rows
