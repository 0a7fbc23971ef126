# SPDX-License-Identifier: GPL-3.0-or-later
"""Binary little-endian PLY with numpy: one `frombuffer` per element, no loops over vertices. Also the cache's compact form."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import numpy as np

from . import ply_compact

TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1",
    "short": "<i2", "int16": "<i2", "ushort": "<u2", "uint16": "<u2",
    "int": "<i4", "int32": "<i4", "uint": "<u4", "uint32": "<u4",
    "float": "<f4", "float32": "<f4", "double": "<f8", "float64": "<f8",
}
TRIANGLE = np.dtype([("count", "u1"), ("vertex", "<i4", (3,))])


class PlyError(Exception):
    """The file is not a PLY that Tallow can read; the text says why."""


class Element:
    """One `element` of the header: a name, a row count and the layout of a row."""

    def __init__(self, name: str, count: int) -> None:
        self.name = name
        self.count = count
        self.fields: List[Tuple] = []

    def add_property(self, words: List[str]) -> None:
        try:
            if words[1] == "list":
                # Rows have a fixed size because every face in a Tallow file is a triangle.
                self.fields += [(words[4] + "_count", TYPES[words[2]]), (words[4], TYPES[words[3]], (3,))]
            else:
                self.fields.append((words[2], TYPES[words[1]]))
        except (KeyError, IndexError):
            raise PlyError(f"unknown property: {' '.join(words)}") from None

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(self.fields)


def parse_header(data: bytes) -> Tuple[List[Element], int]:
    """The elements of a PLY, and where the first row starts."""
    end = data.find(b"end_header\n", 0, 8192)
    if not data.startswith(b"ply\n") or end < 0:
        raise PlyError("no PLY header")
    elements: List[Element] = []
    lines = data[:end].decode("ascii", "replace").split("\n")
    if "format binary_little_endian 1.0" not in lines and ply_compact.FORMAT not in lines:
        raise PlyError("not a binary little-endian PLY")
    for line in lines:
        words = line.split()
        if words[:1] == ["element"] and len(words) == 3 and words[2].isdigit():
            elements.append(Element(words[1], int(words[2])))
        elif words[:1] == ["property"] and elements:
            elements[-1].add_property(words)
    return elements, end + len(b"end_header\n")


def least_size(data: bytes) -> int:
    """How long a file must be that begins so."""
    elements, offset = parse_header(data)
    if data.startswith(b"ply\n" + ply_compact.FORMAT.encode()):
        lines = data[:offset].decode("ascii", "replace").split("\n")
        return offset + sum(column.size for column in ply_compact.columns(lines))
    return offset + sum(element.dtype.itemsize * element.count for element in elements)


def read(path: Path) -> Dict[str, np.ndarray]:
    """All elements of a file as structured arrays, by name. They share the file's bytes and cannot be written."""
    data = Path(path).read_bytes()
    elements, offset = parse_header(data)
    if data.startswith(b"ply\n" + ply_compact.FORMAT.encode()):
        return _read_compact(Path(path), data, elements, offset)
    arrays: Dict[str, np.ndarray] = {}
    for element in elements:
        size = element.dtype.itemsize * element.count
        if offset + size > len(data):
            raise PlyError(f"{Path(path).name} is cut short")
        arrays[element.name] = np.frombuffer(data, element.dtype, element.count, offset)
        offset += size
    if "face" in arrays and len(arrays["face"]):
        names = arrays["face"].dtype.names
        if np.any(arrays["face"][names[0]] != 3):
            raise PlyError(f"{Path(path).name} holds faces that are not triangles")
    return arrays


def _read_compact(path: Path, data: bytes, elements: List[Element], offset: int) -> Dict[str, np.ndarray]:
    try:
        lines = data[:offset].decode("ascii", "replace").split("\n")
        return ply_compact.read(data, offset, lines, [(element.name, element.count, element.fields) for element in elements])
    except (ValueError, MemoryError):
        raise PlyError(f"{path.name} is damaged or cut short") from None


def columns(rows: np.ndarray, *names: str) -> np.ndarray:
    """Columns of structured rows as one contiguous float32 array, (n, k) or (n,) for a single name."""
    if isinstance(rows, ply_compact.Table):
        return rows.columns(names)
    floats = all(rows.dtype[name] == np.dtype("<f4") for name in rows.dtype.names)
    if floats:
        # Rows of floats only are a plain matrix; slicing it is several times faster than gathering fields.
        table = rows.view("<f4").reshape(len(rows), len(rows.dtype.names))
        first = rows.dtype.names.index(names[0])
        if rows.dtype.names[first:first + len(names)] == names:
            part = table[:, first:first + len(names)]
            return np.ascontiguousarray(part if len(names) > 1 else part[:, 0])
    if len(names) == 1:
        return np.ascontiguousarray(rows[names[0]], dtype=np.float32)
    return np.stack([np.asarray(rows[name], np.float32) for name in names], axis=1)


def write_atomically(path: Path, *parts) -> None:
    """Write under another name and rename, so that a reader never sees half a file."""
    temporary = path.with_name(path.name + ".part")
    with open(temporary, "wb") as file:
        for part in parts:
            file.write(part)
    os.replace(temporary, path)


def write_mesh(path: Path, positions: np.ndarray, triangles: np.ndarray, columns: Optional[Dict[str, np.ndarray]] = None,
               face_columns: Optional[Dict[str, np.ndarray]] = None) -> None:
    """A triangle mesh: float x y z per vertex, and faces. `columns` are further numbers of vertices and faces, as floats."""
    columns, face_columns = columns or {}, face_columns or {}
    vertices = np.empty((len(np.reshape(positions, (-1, 3))), 3 + len(columns)), "<f4")
    vertices[:, :3] = np.reshape(positions, (-1, 3))
    for n, values in enumerate(columns.values(), 3):
        vertices[:, n] = values
    triangles = np.asarray(triangles).reshape(-1, 3)
    faces = np.empty(len(triangles), np.dtype(TRIANGLE.descr + [(name, "<f4") for name in face_columns]))
    faces["count"] = 3
    faces["vertex"] = triangles
    for name, values in face_columns.items():
        faces[name] = values
    header = ("ply\nformat binary_little_endian 1.0\n"
              f"element vertex {len(vertices)}\n" + "".join(f"property float {name}\n" for name in ("x", "y", "z", *columns))
              + f"element face {len(faces)}\nproperty list uchar int vertex_indices\n"
              + "".join(f"property float {name}\n" for name in face_columns) + "end_header\n")
    write_atomically(Path(path), header.encode("ascii"), vertices.data, faces.data)
