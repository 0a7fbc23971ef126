# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the slice of cells, and the particles in their colours, in the view."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .. import playback
from ..core import colors
from ..model import units
from . import drawing

GAP = 0.06  # of a cell's edge that is left free, so that cells can be told apart
_batch: Dict[str, Any] = {}
_dots: Dict[str, Any] = {}


def squares(cells: np.ndarray, axis: int, edge: float) -> np.ndarray:
    """Two triangles across `axis` for each cell, (6 n, 3), in the unit of the cells' centres."""
    a, b = [other for other in range(3) if other != axis]
    corners = np.repeat(cells[:, None, :3], 6, axis=1).astype(np.float32)
    half = 0.5 * (1.0 - GAP) * edge
    corners[:, :, a] += half * np.array((-1, 1, 1, -1, 1, -1), np.float32)
    corners[:, :, b] += half * np.array((-1, -1, 1, -1, 1, 1), np.float32)
    return corners.reshape(-1, 3)


def what_to_draw(scene: bpy.types.Scene) -> Optional[Tuple[np.ndarray, np.ndarray]]:
    """Triangles in Blender units, and the colour of each cell; None when there is nothing."""
    found = playback.cells.current()
    cache = playback.cache_of(scene) if found is not None and len(found.cells) else None
    frame = cache.nearest(scene.frame_current) if cache else None
    if frame is None or found.request[0] != str(cache.surface_path(frame)):
        return None  # the slice of another frame: the right one is on its way
    scale = playback.cells.scale_of(scene, cache, frame)
    values = colors.cell_values(scale.mode, found.cells, cache.materials)
    if values is None:
        return None
    places = squares(found.cells, found.request[1], float(cache.info.get("cell_size") or 0.0))
    return places / units.metres_per_unit_of(scene, cache), colors.to_display(scale.colors(values))


def draw_particles(context: bpy.types.Context) -> None:
    """Dots in front of the points of the solid view, where those have no colours of their own."""
    scene = context.scene
    found, obj = playback.particles.colored(scene), scene.tallow.particles_object
    if found is None or context.space_data.shading.type not in ("SOLID", "WIREFRAME") or not _is_visible(obj):
        return
    import gpu
    places, tint, radius = found
    if _dots.get("found") is not found:
        _dots.update(found=found, batch=drawing.batch_of("POINT_FLAT_COLOR", "POINTS", pos=np.ascontiguousarray(places, np.float32),
                                                         color=colors.to_display(tint)))
    matrix, radius = obj.matrix_world, radius * obj.matrix_world.median_scale
    towards = context.region_data.view_matrix.inverted().col[2].xyz  # to the viewer
    gpu.matrix.push()
    gpu.matrix.translate(1.2 * radius * towards)
    gpu.matrix.multiply_matrix(matrix)
    gpu.state.depth_test_set("LESS_EQUAL")
    drawing.set_point_size(max(2.0, 1.6 * radius * _pixels_per_unit(context, matrix, places)))
    _dots["batch"].draw(drawing.shader("POINT_FLAT_COLOR"))
    gpu.state.depth_test_set("NONE")
    gpu.matrix.pop()


def _is_visible(obj: Optional[bpy.types.Object]) -> bool:
    return obj is not None and not obj.hide_viewport and obj.visible_get()


def _pixels_per_unit(context: bpy.types.Context, matrix: Matrix, places: np.ndarray) -> float:
    """Of the view, at the middle of what is drawn."""
    view = context.region_data
    middle = matrix @ Vector(places.mean(axis=0)) if len(places) else view.view_location
    depth = view.perspective_matrix @ middle.to_4d()
    return 0.5 * context.region.height * view.window_matrix[1][1] / max(abs(depth.w), 1e-6)


def draw(scene: bpy.types.Scene) -> None:
    """Over everything else, since liquid lies around it."""
    if not scene.tallow.show_slice:
        return
    import gpu
    found = playback.cells.current()
    cache = playback.cache_of(scene)
    frame = cache.nearest(scene.frame_current) if cache else None
    key = (id(found), frame, str(cache.folder), playback.cells.scale_of(scene, cache, frame)) if frame is not None else None
    if _batch.get("key") != key:
        drawn = what_to_draw(scene) if key else None
        _batch.update(key=key, found=found, batch=drawn and drawing.batch_of(
            "FLAT_COLOR", "TRIS", pos=drawn[0], color=np.repeat(drawn[1], 6, axis=0)))
    if _batch.get("batch"):
        gpu.state.depth_test_set("NONE")
        drawing.shader("FLAT_COLOR").bind()
        _batch["batch"].draw(drawing.shader("FLAT_COLOR"))


def forget() -> None:
    _batch.clear()
    _dots.clear()
