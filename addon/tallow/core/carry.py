# SPDX-License-Identifier: GPL-3.0-or-later
"""UV maps, colours, attributes and materials of the objects, on the surface that melts.

The scene folder has the objects' meshes with all they carry. A surface file says for every vertex from which triangle of those
meshes it comes, and for triangles across a seam the same for each corner.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from . import ply

WIDTHS = {"uv": 2, "vector2": 2, "vector": 3, "color": 4, "float": 1, "int": 1, "bool": 1}
WHOLE = ("int", "bool")  # of these the nearest corner counts, since a mean would be a value that nothing has
MATERIAL = "material_index"


class Layer(NamedTuple):
    """An attribute of the surface of one frame."""
    name: str
    kind: str  # one of WIDTHS
    domain: str  # point, corner or face
    values: np.ndarray  # (n, width) float32, or (n,) for a width of 1; int32 for `int`, bool for `bool`
    active: bool  # what a shader takes that asks for no name


class Places(NamedTuple):
    """Where values come from: three corners each, and their weights."""
    corners: np.ndarray  # (3, n) rows of the attributes of corners
    weights: np.ndarray  # (3, n) float32; 0 where nothing was found
    triangle: np.ndarray  # (n,)
    found: np.ndarray  # (n,) bool


class _Attribute(NamedTuple):
    name: str
    kind: str
    domain: str
    rows: np.ndarray  # of split vertices, or of triangles when the domain is `face`
    active: bool


def load(folder: Path) -> Optional["Carried"]:
    """What the objects of a scene folder carry; None when that is nothing, or a file is missing or damaged."""
    try:
        objects = json.loads((Path(folder) / "scene.json").read_text(encoding="utf-8")).get("objects", [])
        members = [member["carry"] for member in objects if member.get("carry")]
        return Carried(members, [ply.read(Path(folder) / member["mesh"]) for member in members]) if members else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, ply.PlyError):
        return None


class Carried:
    """The meshes of all objects in one table. Read only: threads share it."""

    def __init__(self, members: List[Dict], files: List[Dict[str, np.ndarray]]) -> None:
        firsts = np.cumsum([0] + [len(file["vertex"]) for file in files])
        self.triangles = np.concatenate([file["face"]["vertex_indices"] + first for file, first in zip(files, firsts)])
        self.counts = (int(firsts[-1]), len(self.triangles))
        if len(self.triangles) and not 0 <= self.triangles.min() <= self.triangles.max() < firsts[-1]:
            raise ValueError("a triangle that points nowhere")
        self.columns = [np.ascontiguousarray(column, np.int32) for column in self.triangles.T]
        self.materials: List[Optional[str]] = list(dict.fromkeys(name for member in members for name in member["materials"]))
        slots = [np.array([self.materials.index(name) for name in member["materials"]] or [0], np.int32) for member in members]
        self.slot = np.concatenate([own[np.clip(file["face"]["material"].astype(np.int64), 0, len(own) - 1)] for own, file in zip(slots, files)])
        self.attributes = self._merge(members, files)

    def _merge(self, members: List[Dict], files: List[Dict[str, np.ndarray]]) -> List[_Attribute]:
        """One table per name. What one object has and another has not is 0 there."""
        found: Dict[str, Dict] = {}
        active = {kind: next((member[kind] for member in members if member.get(kind)), None) for kind in ("uv", "color")}
        places = [0, 0]
        for member, file in zip(members, files):
            own = {entry["name"]: entry for entry in member["attributes"]}
            for kind, name in active.items():
                # A shader that asks for no UV map takes each object's own one, whatever its name.
                if name and name not in own and member.get(kind):
                    own[name] = {**own[member[kind]], "name": name}
            for name, entry in own.items():
                on_face = entry["domain"] == "face"
                width = WIDTHS[entry["kind"]]
                whole = found.setdefault(name, {**entry, "rows": np.zeros((self.counts[on_face], width), np.float32)})
                if (WIDTHS[whole["kind"]], whole["domain"] == "face") != (width, on_face):
                    continue
                element = file["face" if on_face else "vertex"]
                rows = np.stack([np.asarray(element[column], np.float32) for column in entry["columns"]], axis=1)
                whole["rows"][places[on_face]:places[on_face] + len(rows)] = rows
                if entry["domain"] == "corner":
                    whole["domain"] = "corner"
            places = [places[0] + len(file["vertex"]), places[1] + len(file["face"])]
        return [_Attribute(name, entry["kind"], entry["domain"], entry["rows"], name in active.values())
                for name, entry in found.items()]

    def layers(self, data: Dict[str, np.ndarray], corners: np.ndarray) -> Tuple[Layer, ...]:
        """The attributes of a surface file; `corners` is the vertex of every corner. Empty for a file that has no origins."""
        if "origin" not in data or "seam" not in data:
            return ()
        vertices = self._places(*(data["origin"][name] for name in ("triangle", "u", "v")))
        rows, seams, corners = data["seam"]["face"], [], corners.astype(np.intp)  # as numpy counts: else each use converts them
        if len(rows) and not rows.max() < len(corners) // 3:
            return ()
        for n in range(3):
            seams.append(self._places(*(data["seam"][f"{name}_{n}"] for name in ("triangle", "u", "v"))))
        face, known = (_take(part, corners[::3]) for part in (vertices.triangle, vertices.found))
        if len(rows):
            face[rows], known[rows] = seams[0].triangle, seams[0].found
        made = [self._layer(attribute, vertices, seams, rows, corners, face, known) for attribute in self.attributes]
        if len(self.materials) > 1:
            made.append(Layer(MATERIAL, "int", "face", _take(self.slot, face) * known, False))
        return tuple(made)

    def _places(self, triangle: np.ndarray, u: np.ndarray, v: np.ndarray) -> Places:
        found = triangle < len(self.triangles)
        triangle = np.where(found, triangle, 0).astype(np.int32)
        weights = np.empty((3, len(triangle)), np.float32)
        weights[1], weights[2] = u, v
        weights[1:] *= np.float32(1.0 / 65535.0)
        np.subtract(found, weights[1] + weights[2], out=weights[0], dtype=np.float32)
        return Places(np.stack([_take(column, triangle) for column in self.columns]), weights, triangle, found)

    def _layer(self, attribute: _Attribute, vertices: Places, seams: List[Places], rows: np.ndarray, corners: np.ndarray,
               face: np.ndarray, known: np.ndarray) -> Layer:
        if attribute.domain == "face":
            values = np.where(known[:, None], _take(attribute.rows, face), np.float32(0.0))
        else:
            values = _mean(attribute, vertices)
            if attribute.domain == "corner":
                values = _take(values, corners)
                for n in range(3 if len(rows) else 0):
                    values[n::3][rows] = _mean(attribute, seams[n])
        if attribute.kind in WHOLE:
            values = values.astype(np.int32 if attribute.kind == "int" else bool)
        return Layer(attribute.name, attribute.kind, attribute.domain, values[:, 0] if values.shape[1] == 1 else values,
                     attribute.active)


def _mean(attribute: _Attribute, places: Places) -> np.ndarray:
    if attribute.kind in WHOLE:
        nearest = np.take_along_axis(places.corners, places.weights.argmax(axis=0)[None], axis=0)[0]
        return np.where(places.found[:, None], _take(attribute.rows, nearest), np.float32(0.0))
    values = _take(attribute.rows, places.corners[0])
    values *= places.weights[0][:, None]
    for n in (1, 2):
        more = _take(attribute.rows, places.corners[n])
        more *= places.weights[n][:, None]
        values += more
    return values


def _take(rows: np.ndarray, index: np.ndarray) -> np.ndarray:
    """`rows[index]`, several times as fast: a row of two or four numbers is taken as one. Every index is there."""
    whole = {2: np.uint64, 4: np.complex128}.get(rows.shape[1] if rows.ndim == 2 and rows.dtype == np.float32 else 0)
    if whole is None:
        return np.take(rows, index, axis=0, mode="clip")
    return np.take(rows.view(whole)[:, 0], index, mode="clip").view(np.float32).reshape(-1, rows.shape[1])
