# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts arrays into a mesh with whole-block copies. Measured: any other dtype or property is 5 to 400 times slower."""

from __future__ import annotations

import ctypes
import mmap
import sys
import threading
from typing import Dict, Iterable, List, Optional, Tuple

import bpy
import numpy as np

from ..core import carry, frames
from ..core.frames import Frame

NEW_LAYOUT = bpy.app.version >= (4, 1, 0)  # positions, corners and offsets are plain arrays
# Blender 3.4 keeps them in structures, which `foreach_set` fills number by number: there numpy writes into its memory. What is
# left of the time is first touches of that memory (writing the same once more takes a quarter), so two threads write.
STRUCTURES = bpy.app.version[:2] == (3, 4)
LIBC = ctypes.CDLL(None) if STRUCTURES and sys.platform == "linux" else None
MADV_POPULATE_WRITE = 23  # Linux 5.14
WORDS = 4  # bytes; every structure is a whole number of words
EDGE_FLAGS, SMOOTH = 0x220000, 0x010000  # drawn and rendered, as `edges.add` makes them; of a face
Copy = Tuple[np.ndarray, np.ndarray]  # where to, what
KINDS = {"float": ("FLOAT", "value"), "int": ("INT", "value"), "bool": ("BOOLEAN", "value"), "vector2": ("FLOAT2", "vector"),
         "vector": ("FLOAT_VECTOR", "vector"), "color": ("FLOAT_COLOR", "color")}


def fill_mesh(mesh: bpy.types.Mesh, frame: Frame) -> None:
    """Replace the geometry by a prepared frame. Material slots stay."""
    mesh.clear_geometry()
    triangles = len(frame.corners) // 3
    if not triangles:
        mesh.update()
        return
    mesh.vertices.add(len(frame.positions))
    mesh.edges.add(len(frame.edges))
    mesh.loops.add(len(frame.corners))
    mesh.polygons.add(triangles)
    copies = _list_structures(mesh, frame.packed or pack(frame)) if STRUCTURES else []
    if not copies:
        _fill_arrays(mesh, frame)
    copies += _list_attributes(mesh, frame.attributes)
    for layer in frame.layers:
        copies += _list_uv(mesh, layer) if layer.kind == "uv" else _list_layer(mesh, layer)
    _copy_by_two(copies)
    mesh.update()


def prepare(*arguments) -> Optional[Frame]:
    """`frames.prepare`, and where numpy writes into Blender's memory, what it will write. For a thread of its own."""
    frame = frames.prepare(*arguments)
    return frame._replace(packed=pack(frame)) if STRUCTURES and frame is not None else frame


def pack(frame: Frame) -> Tuple[np.ndarray, ...]:
    """Vertices, edges, corners and faces as Blender 3.4 keeps them, in words."""
    vertices = np.zeros((len(frame.positions), 4), np.uint32)  # place, flags
    vertices[:, :3] = np.ascontiguousarray(frame.positions, np.float32).view(np.uint32)
    edges = np.full((len(frame.edges), 3), EDGE_FLAGS, np.uint32)  # two vertices, flags
    edges[:, :2] = frame.edges
    corners = np.stack([frame.corners, frame.corner_edges], axis=1)  # vertex, edge
    faces = np.full((len(corners) // 3, 3), 3, np.uint32)  # first corner, count, slot and flags
    faces[:, 0], faces[:, 2] = np.arange(0, len(corners), 3, dtype=np.uint32), SMOOTH
    return vertices, edges, corners, faces


def _memory(items, words: int) -> Optional[np.ndarray]:
    """Blender's own memory of a collection, a row of words per item. None when items are not as large as they should be."""
    if len(items) < 2 or items[1].as_pointer() - items[0].as_pointer() != words * WORDS:
        return None
    raw = (ctypes.c_char * (len(items) * words * WORDS)).from_address(items[0].as_pointer())
    return np.frombuffer(raw, np.uint32).reshape(len(items), words)


def _list_structures(mesh: bpy.types.Mesh, packed: Tuple[np.ndarray, ...]) -> List[Copy]:
    """What to write into memory that `add` has just made. Nothing when it is not laid out as Blender 3.4 does."""
    items = (mesh.vertices, mesh.edges, mesh.loops, mesh.polygons)
    tables = [_memory(found, table.shape[1]) for found, table in zip(items, packed)]
    if any(table is None for table in tables) or tables[0][0, 3] != 0 or tables[1][0, 2] != EDGE_FLAGS:
        return []
    return list(zip(tables, packed))


def _get_pages(table: np.ndarray) -> None:
    """Have the pages of memory that nothing has written yet at once: one by one, as they are written, takes half as long again.

    A system that cannot do so refuses, and nothing is lost.
    """
    start = table.ctypes.data & -mmap.PAGESIZE
    LIBC.madvise(ctypes.c_void_p(start), ctypes.c_size_t(table.ctypes.data + table.nbytes - start), MADV_POPULATE_WRITE)


def _copy(copies: Iterable[Copy]) -> None:
    for table, content in copies:
        if LIBC is not None:
            _get_pages(table)
        table[:] = content


def _copy_by_two(copies: List[Copy]) -> None:
    """On this thread and another, half of the bytes each: numpy lets others run while it copies."""
    if not copies:
        return
    shares: Tuple[List[Copy], List[Copy]] = ([], [])
    for copy in sorted(copies, key=lambda copy: -copy[0].nbytes):
        min(shares, key=lambda share: sum(table.nbytes for table, _ in share)).append(copy)
    other = threading.Thread(target=_copy, args=(shares[1],))
    other.start()
    _copy(shares[0])
    other.join()


def _fill_arrays(mesh: bpy.types.Mesh, frame: Frame) -> None:
    triangles = len(frame.corners) // 3
    _set_positions(mesh, frame.positions)
    mesh.polygons.foreach_set("loop_start", np.arange(0, 3 * triangles, 3, dtype=np.uint32))
    if NEW_LAYOUT:
        mesh.attributes[".corner_vert"].data.foreach_set("value", frame.corners.view(np.int32))
        mesh.attributes[".corner_edge"].data.foreach_set("value", frame.corner_edges.view(np.int32))
        mesh.attributes[".edge_verts"].data.foreach_set("value", frame.edges.view(np.int32).ravel())
        if "sharp_face" in mesh.attributes:
            mesh.attributes.remove(mesh.attributes["sharp_face"])
    else:
        mesh.loops.foreach_set("vertex_index", frame.corners)
        mesh.loops.foreach_set("edge_index", frame.corner_edges)
        mesh.edges.foreach_set("vertices", frame.edges.ravel())
        mesh.polygons.foreach_set("loop_total", np.full(triangles, 3, np.uint32))
        mesh.polygons.foreach_set("use_smooth", np.ones(triangles, bool))


def fill_points(mesh: bpy.types.Mesh, positions: np.ndarray) -> None:
    """Replace the geometry by loose vertices."""
    mesh.clear_geometry()
    if len(positions):
        mesh.vertices.add(len(positions))
        _set_positions(mesh, positions)
    mesh.update()


def _set_positions(mesh: bpy.types.Mesh, positions: np.ndarray) -> None:
    flat = np.ascontiguousarray(positions, np.float32).ravel()
    if NEW_LAYOUT:
        mesh.attributes["position"].data.foreach_set("vector", flat)
    else:
        mesh.vertices.foreach_set("co", flat)


def set_attributes(mesh: bpy.types.Mesh, arrays: Dict[str, np.ndarray]) -> None:
    """Per-vertex attributes: (n,) numbers, (n, 3) vectors or (n, 4) colours."""
    _copy(_list_attributes(mesh, arrays))


def _list_attributes(mesh: bpy.types.Mesh, arrays: Dict[str, np.ndarray]) -> List[Copy]:
    """Makes the attributes, fills them where numpy cannot, and says what numpy is to write."""
    copies = []
    for name, array in arrays.items():
        kind, member = {1: ("FLOAT", "value"), 3: ("FLOAT_VECTOR", "vector"), 4: ("FLOAT_COLOR", "color")}[
            array.shape[1] if array.ndim == 2 else 1]
        attribute = mesh.attributes.get(name)
        if attribute is None or attribute.data_type != kind or attribute.domain != "POINT":
            if attribute is not None:
                mesh.attributes.remove(attribute)
            attribute = mesh.attributes.new(name, kind, "POINT")
        flat = np.ascontiguousarray(array, np.float32)
        memory = _memory(attribute.data, flat.size // len(flat)) if STRUCTURES and len(flat) else None
        if memory is not None and memory.size == flat.size:
            copies.append((memory, flat.view(np.uint32).reshape(memory.shape)))
        else:
            attribute.data.foreach_set(member, flat.ravel())
    return copies


def _list_uv(mesh: bpy.types.Mesh, layer: carry.Layer) -> List[Copy]:
    made = mesh.uv_layers.new(name=layer.name, do_init=False)
    if made is None:
        return []  # Blender has room for eight
    made.active_render = layer.active or made.active_render
    if layer.active:
        mesh.uv_layers.active = made
    memory = _memory(made.data, 3) if STRUCTURES else None  # place in the map, flags
    if memory is not None:
        return [(memory[:, :2], layer.values.view(np.uint32)), (memory[:, 2:], np.uint32(0))]
    if hasattr(made, "uv"):
        made.uv.foreach_set("vector", layer.values.ravel())
    else:
        made.data.foreach_set("uv", layer.values.ravel())
    return []


def _list_layer(mesh: bpy.types.Mesh, layer: carry.Layer) -> List[Copy]:
    kind, member = KINDS[layer.kind]
    attribute = mesh.attributes.new(layer.name, kind, layer.domain.upper())
    words = layer.values.shape[1] if layer.values.ndim == 2 else 1
    memory = _memory(attribute.data, words) if STRUCTURES and layer.kind != "bool" else None
    if memory is not None:
        return [(memory, np.ascontiguousarray(layer.values).view(np.uint32).reshape(memory.shape))]
    attribute.data.foreach_set(member, layer.values.ravel())
    return []
