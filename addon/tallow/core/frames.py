# SPDX-License-Identifier: GPL-3.0-or-later
"""A surface frame read and prepared so that Blender only has to copy it, and the next one read ahead in a thread."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from . import carry, colors, ply


# Names of vectors in a file, without their x, y and z, that are not the names of their attributes.
VECTORS = {"": "position", "v": "velocity", "rest_": "rest_position"}
LENGTHS = ("position", "velocity", "rest_position")  # metres, or metres a second
COLOR = "tallow_color"
OWN = {"position", "velocity", "rest_position", "temperature", "celsius", "melt", "material", COLOR}  # names that objects cannot use


class Frame(NamedTuple):
    positions: np.ndarray  # (n, 3) float32
    corners: np.ndarray  # (3 m,) uint32, the vertex of every triangle corner
    edges: np.ndarray  # (e, 2) uint32
    corner_edges: np.ndarray  # (3 m,) uint32
    attributes: Dict[str, np.ndarray]
    layers: Tuple[carry.Layer, ...] = ()  # what the objects carry
    packed: Tuple[np.ndarray, ...] = ()  # the same geometry as Blender keeps it, where that is known


def find_edges(corners: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Edges of a triangle mesh, and the edge that starts at every corner.

    Blender can find them as well, but only while the artist waits.
    """
    first = corners.reshape(-1, 3)
    second = np.roll(first, -1, axis=1).ravel()
    first = first.ravel()
    return _pair_edges(first, second) or _sort_edges(first, second)


def _pair_edges(first: np.ndarray, second: np.ndarray) -> Optional[Tuple[np.ndarray, np.ndarray]]:
    """Of a closed surface, where every edge is walked once in each direction; None for others. Twice as fast as sorting all."""
    up, down = np.flatnonzero(first < second), np.flatnonzero(first > second)
    if 2 * len(up) != len(first) or len(up) != len(down):
        return None
    bits = (int(first.max(initial=0)).bit_length(), len(up).bit_length())
    if 2 * bits[0] + bits[1] > 64:
        return None
    up_keys, up_order = _sort_pairs(first[up], second[up], *bits)
    down_keys, down_order = _sort_pairs(second[down], first[down], *bits)
    if not np.array_equal(up_keys, down_keys) or np.any(up_keys[1:] == up_keys[:-1]):
        return None
    corner_edges = np.empty(len(first), np.uint32)
    corner_edges[up] = np.arange(len(up), dtype=np.uint32)
    corner_edges[down[down_order]] = up_order
    return np.stack([first[up], second[up]], axis=1), corner_edges


def _sort_pairs(low: np.ndarray, high: np.ndarray, bits: int, place_bits: int) -> Tuple[np.ndarray, np.ndarray]:
    """Sorted pairs as one number each, and where they were. The place is a part of the number that is sorted, and neighbours in a mesh
    are neighbours in its file, which a merging sort makes use of: three times as fast as sorting places."""
    keys = ((low.astype(np.uint64) << np.uint64(bits) | high) << np.uint64(place_bits)) | np.arange(len(low), dtype=np.uint64)
    keys.sort(kind="stable")
    places = (keys & np.uint64((1 << place_bits) - 1)).astype(np.int64)
    return keys >> np.uint64(place_bits), places


def _sort_edges(first: np.ndarray, second: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """The plain version, for any triangles."""
    first, second = first.astype(np.uint64), second.astype(np.uint64)
    keys = (np.minimum(first, second) << np.uint64(32)) | np.maximum(first, second)
    order = np.argsort(keys)
    ordered = keys[order]
    starts = np.empty(len(keys), bool)
    starts[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:])
    corner_edges = np.empty(len(keys), np.uint32)
    corner_edges[order] = np.cumsum(starts, dtype=np.uint32) - np.uint32(1)
    unique = ordered[starts]
    edges = np.stack([unique >> np.uint64(32), unique & np.uint64(0xFFFFFFFF)], axis=1).astype(np.uint32)
    return edges, corner_edges


def stamp_of(path: Path) -> int:
    """Changes when the file does; 0 when there is none."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def vertex_attributes(rows: np.ndarray, scale: float, pace: float = 1.0) -> Dict[str, np.ndarray]:
    """Every property of the vertices of a file: (n,) numbers, or (n, 3) vectors where three names end in x, y and z.

    `scale` turns metres into Blender units. Only vectors that LENGTHS names are lengths. `pace` turns simulated velocities into those
    of the shot, by which renders blur.
    """
    found: Dict[str, np.ndarray] = {}
    names = rows.dtype.names
    for place, first in enumerate(names):
        stem = first[:-1]
        triple = tuple(stem + axis for axis in "xyz")
        if names[place:place + 3] == triple:
            name = VECTORS.get(stem, stem.rstrip("_"))
            array = ply.columns(rows, *triple)
            factor = (scale if name in LENGTHS else 1.0) * (pace if name == "velocity" else 1.0)
            found[name] = array * np.float32(factor) if factor != 1.0 else array
        elif not (first[-1] in "yz" and stem + "x" in names):
            found[first] = ply.columns(rows, first)
    if "temperature" in found:
        # Cycles takes the name `temperature` for that of a volume, so shaders cannot read it from a mesh.
        found["celsius"] = found["temperature"] - np.float32(273.15)
    return found


def prepare(path: Path, scale: float, color: str, materials: List[Dict], _stamp: int = 0, pace: float = 1.0,
            carried: Optional[carry.Carried] = None) -> Optional[Frame]:
    """Read a mesh file; `scale` and `pace` are those of `vertex_attributes`. None when it is missing or damaged.

    `_stamp` only tells two versions of a file apart, for frames that were read ahead.
    """
    try:
        data = ply.read(path)
        rows, faces = data["vertex"], data["face"]["vertex_indices"]
        attributes = vertex_attributes(rows, scale, pace)
        positions = attributes.pop("position")
        tint = colors.vertex_colors(color, rows, materials)
    except (OSError, ply.PlyError, KeyError, ValueError):
        return None
    if len(faces) and not 0 <= faces.min() <= faces.max() < len(rows):
        return None  # an index that points nowhere would crash Blender
    if tint is not None:
        attributes[COLOR] = tint
    corners = np.ascontiguousarray(faces, np.int32).view(np.uint32).ravel()
    layers = carried.layers(data, corners) if carried else ()
    return Frame(positions, corners, *find_edges(corners), attributes, layers)


class ReadAhead:
    """Prepares one frame in a thread while the artist looks at another."""

    def __init__(self, load: Callable[..., Optional[Frame]] = prepare) -> None:
        self._load = load
        self._key: Optional[Tuple] = None
        self._thread: Optional[threading.Thread] = None
        self._result: Optional[Frame] = None

    def take(self, key: Tuple) -> Optional[Frame]:
        """The frame for these arguments of `prepare`: the one that was read ahead, or read now."""
        if key == self._key and self._thread is not None:
            self._thread.join()
            self._key, result, self._result = None, self._result, None
            return result
        return self._load(*key)

    def expect(self, key: Tuple) -> None:
        """Start to prepare what will be asked for next."""
        if key == self._key or (self._thread is not None and self._thread.is_alive()):
            return
        self._key = key

        def work() -> None:
            self._result = self._load(*key)

        self._thread = threading.Thread(target=work, daemon=True)
        self._thread.start()
