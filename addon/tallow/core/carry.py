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
    corners: np.ndarray  # (n, 3) rows of the attributes of corners
    weights: np.ndarray  # (n, 3) float32
    nearest: np.ndarray  # (n,) the row with the largest weight
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
        rows, seams = data["seam"]["face"], []
        if len(rows) and not rows.max() < len(corners) // 3:
            return ()
        for n in range(3):
            seams.append(self._places(*(data["seam"][f"{name}_{n}"] for name in ("triangle", "u", "v"))))
        face = vertices.triangle[corners[::3]]
        known = vertices.found[corners[::3]]
        if len(rows):
            face[rows], known[rows] = seams[0].triangle, seams[0].found
        made = [self._layer(attribute, vertices, seams, rows, corners, face, known) for attribute in self.attributes]
        if len(self.materials) > 1:
            made.append(Layer(MATERIAL, "int", "face", np.where(known, self.slot[face], 0).astype(np.int32), False))
        return tuple(made)

    def _places(self, triangle: np.ndarray, u: np.ndarray, v: np.ndarray) -> Places:
        found = triangle < len(self.triangles)
        triangle = np.where(found, triangle, 0).astype(np.int64)
        weights = np.empty((len(triangle), 3), np.float32)
        weights[:, 1], weights[:, 2] = u, v
        weights[:, 1:] *= np.float32(1.0 / 65535.0)
        weights[:, 0] = 1.0 - weights[:, 1] - weights[:, 2]
        corners = self.triangles[triangle]
        nearest = np.take_along_axis(corners, weights.argmax(axis=1)[:, None], axis=1)[:, 0]
        weights[~found] = 0.0
        return Places(corners, weights, nearest, triangle, found)

    def _layer(self, attribute: _Attribute, vertices: Places, seams: List[Places], rows: np.ndarray, corners: np.ndarray,
               face: np.ndarray, known: np.ndarray) -> Layer:
        if attribute.domain == "face":
            values = np.where(known[:, None], attribute.rows[face], np.float32(0.0))
        else:
            values = _mean(attribute, vertices)
            if attribute.domain == "corner":
                values = values[corners]
                for n in range(3 if len(rows) else 0):
                    values[3 * rows.astype(np.int64) + n] = _mean(attribute, seams[n])
        if attribute.kind in WHOLE:
            values = values.astype(np.int32 if attribute.kind == "int" else bool)
        return Layer(attribute.name, attribute.kind, attribute.domain, values[:, 0] if values.shape[1] == 1 else values,
                     attribute.active)


def _mean(attribute: _Attribute, places: Places) -> np.ndarray:
    rows = attribute.rows
    if attribute.kind in WHOLE:
        return np.where(places.found[:, None], rows[places.nearest], np.float32(0.0))
    values = rows[places.corners[:, 0]]
    values *= places.weights[:, :1]
    for n in (1, 2):
        values += rows[places.corners[:, n]] * places.weights[:, n:n + 1]
    return values
