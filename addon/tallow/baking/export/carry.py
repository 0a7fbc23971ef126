# SPDX-License-Identifier: GPL-3.0-or-later
"""What the surface carries of an object: UV maps, colours, attributes and material slots of its evaluated mesh."""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Tuple

import bpy
import numpy as np

from ...core.frames import OWN
from ...model import meshes

# Kind in scene.json, name of the value, numbers of one item.
TYPES = {"FLOAT": ("float", "value", 1), "INT": ("int", "value", 1), "INT8": ("int", "value", 1), "BOOLEAN": ("bool", "value", 1),
         "FLOAT2": ("vector2", "vector", 2), "FLOAT_VECTOR": ("vector", "vector", 3), "FLOAT_COLOR": ("color", "color", 4),
         "BYTE_COLOR": ("color", "color", 4)}
DOMAINS = {"POINT": "point", "CORNER": "corner", "FACE": "face"}  # edges have no place on the surface
# What Blender keeps as attributes, but is no artist's data.
BLENDERS = {"position", "material_index", "sharp_face", "sharp_edge", "shade_smooth", "crease", "crease_edge", "crease_vert",
            "bevel_weight_edge", "bevel_weight_vert", "freestyle_edge", "freestyle_face", "id"}
STEPS = 65536.0  # corners are at one place of a map when they differ by less than this part; modifiers round


class Carried(NamedTuple):
    mesh: meshes.Triangles  # vertices are split along seams
    columns: Dict[str, np.ndarray]  # per vertex
    face_columns: Dict[str, np.ndarray]  # per triangle
    member: Dict  # of scene.json, without the file


class _Entry(NamedTuple):
    name: str
    kind: str
    domain: str
    values: np.ndarray  # (items, width) float32


def has_something(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether the object has more than a bare mesh."""
    with meshes.evaluated_mesh(obj, depsgraph) as mesh:
        return mesh is not None and bool(mesh.uv_layers or any(_materials(obj, mesh)) or any(map(_is_data, mesh.attributes)))


def collect(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, warnings: List[str]) -> Optional[Carried]:
    """None for an object without faces."""
    with meshes.evaluated_mesh(obj, depsgraph) as mesh:
        return _read(obj, mesh, warnings) if mesh is not None and mesh.polygons else None


def _read(obj: bpy.types.Object, mesh: bpy.types.Mesh, warnings: List[str]) -> Carried:
    entries = _uv_maps(mesh)
    entries += _attributes(obj.name, mesh, {entry.name for entry in entries}, warnings)
    loops, polygons = meshes.triangle_corners(mesh)
    slots = np.zeros(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("material_index", slots)
    material = slots[polygons]
    vertices = meshes.corner_vertices(mesh)[loops].astype(np.int64)
    at_corners = [entry for entry in entries if entry.domain == "corner"]
    keys = _hash([vertices.ravel(), np.repeat(material, 3)]
                 + [column for entry in at_corners for column in np.round(entry.values[loops.ravel()] * STEPS).T])
    _, first, index = np.unique(keys, return_index=True, return_inverse=True)
    split, corner = vertices.ravel()[first], loops.ravel()[first]
    columns: Dict[str, np.ndarray] = {}
    face_columns: Dict[str, np.ndarray] = {"material": material}
    described = []
    for number, entry in enumerate(entries):
        names = [f"a{number}_{n}" for n in range(entry.values.shape[1])]
        rows = {"point": split, "corner": corner, "face": polygons}[entry.domain]
        (face_columns if entry.domain == "face" else columns).update(zip(names, entry.values[rows].T))
        described.append({"name": entry.name, "kind": entry.kind, "domain": entry.domain, "columns": names})
    materials = _materials(obj, mesh)
    uv, color = _active(mesh, [entry["name"] for entry in described])
    member = {"attributes": described, "uv": uv, "color": color, "materials": materials}
    whole = meshes.triangles(mesh)
    return Carried(meshes.Triangles(whole.positions[split], index.astype(np.int32).reshape(-1, 3)), columns, face_columns, member)


def _uv_maps(mesh: bpy.types.Mesh) -> List[_Entry]:
    found = []
    for layer in mesh.uv_layers:
        values = np.empty((len(mesh.loops), 2), np.float32)
        if hasattr(layer, "uv"):
            layer.uv.foreach_get("vector", values.ravel())
        else:
            layer.data.foreach_get("uv", values.ravel())
        found.append(_Entry(layer.name, "uv", "corner", values + np.float32(0.0)))  # -0 is 0
    return found


def _is_data(attribute: bpy.types.Attribute) -> bool:
    """Whether it is an artist's, of a kind that the surface can have."""
    name = attribute.name
    return (name not in BLENDERS and not name.startswith(".") and not getattr(attribute, "is_internal", False)
            and attribute.data_type in TYPES and attribute.domain in DOMAINS)


def _attributes(owner: str, mesh: bpy.types.Mesh, taken: set, warnings: List[str]) -> List[_Entry]:
    found = []
    for attribute in mesh.attributes:
        name = attribute.name
        if name in taken or not _is_data(attribute):
            continue
        if name in OWN:
            warnings.append(f"{owner}: its attribute {name} is not carried, since the surface has one of that name. Rename it.")
            continue
        kind, member, width = TYPES[attribute.data_type]
        values = np.empty(width * len(attribute.data), {"int": np.int32, "bool": bool}.get(kind, np.float32))
        attribute.data.foreach_get(member, values)
        found.append(_Entry(name, kind, DOMAINS[attribute.domain], values.astype(np.float32).reshape(-1, width)))
    return found


def _active(mesh: bpy.types.Mesh, names: List[str]) -> Tuple[Optional[str], Optional[str]]:
    """The UV map and the colours that a shader takes which asks for no name."""
    uv = next((layer.name for layer in mesh.uv_layers if layer.active_render), None)
    colors = mesh.color_attributes
    index = colors.render_color_index
    color = colors[index].name if 0 <= index < len(colors) else None
    return uv, color if color in names else None


def _materials(obj: bpy.types.Object, mesh: bpy.types.Mesh) -> List[Optional[str]]:
    """Full names by slot: a slot may belong to the object or to its mesh, and modifiers may add materials."""
    slots = [slot.material for slot in obj.material_slots]
    found = []
    for n, material in enumerate(mesh.materials):
        material = slots[n] if n < len(slots) and slots[n] else material
        found.append(material.original.name_full if material else None)
    found += [material.name_full if material else None for material in slots[len(found):]]
    return found or [None]


def _hash(columns: List[np.ndarray]) -> np.ndarray:
    """A number for every row. Two rows that differ get the same one about never."""
    keys = np.full(len(columns[0]), 0x9E3779B97F4A7C15, np.uint64)
    for column in columns:
        keys ^= column.astype(np.int64).view(np.uint64)
        keys *= np.uint64(0xBF58476D1CE4E5B9)
        keys ^= keys >> np.uint64(29)
        keys *= np.uint64(0x94D049BB133111EB)
        keys ^= keys >> np.uint64(32)
    return keys


def drop_conflicts(carried: Dict[str, Carried], warnings: List[str]) -> None:
    """Two objects may use a name for different things: the first one keeps it."""
    first: Dict[str, Tuple[str, Tuple]] = {}
    for owner, content in carried.items():
        kept = []
        for entry in content.member["attributes"]:
            shape = (len(entry["columns"]), entry["kind"] == "uv", entry["domain"] == "face")
            other, known = first.setdefault(entry["name"], (owner, shape))
            if known == shape:
                kept.append(entry)
            else:
                warnings.append(f"{other} and {owner} both have an attribute {entry['name']}, but of two kinds. That of {owner} is "
                                "not carried; rename it.")
        content.member["attributes"] = kept
