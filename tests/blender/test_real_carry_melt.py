"""A painted cube melts and flows: its colours and its UV map flow with it. With the native library."""

from typing import NamedTuple

import bmesh
import bpy
import numpy as np
import scenes
from test_real_bake import library_is_there
from test_real_carry import bake, values

SIZE, FRAMES = 0.4, (1, 9, 18, 27)


def painted_cube():
    """Red to the left of the middle and blue to the right. A UV island per face: its number in tens, and places."""
    obj = scenes.add_box("Wax", SIZE, (0.0, 0.0, SIZE / 2))
    mesh, grid = obj.data, bmesh.new()
    grid.from_mesh(mesh)
    bmesh.ops.bisect_plane(grid, geom=grid.verts[:] + grid.edges[:] + grid.faces[:], plane_no=(1.0, 0.0, 0.0))
    grid.to_mesh(mesh)
    grid.free()
    # Both are made before either is written to: a new one moves the other.
    mesh.uv_layers.new(name="Faces")
    mesh.color_attributes.new("Half", "BYTE_COLOR", "CORNER")
    layer, colors = mesh.uv_layers["Faces"], mesh.color_attributes["Half"]
    for polygon in mesh.polygons:
        axes = [axis for axis in range(3) if abs(polygon.normal[axis]) < 0.5]
        for loop in polygon.loop_indices:
            place = np.array(mesh.vertices[mesh.loops[loop].vertex_index].co) / SIZE + 0.5
            layer.data[loop].uv = (10.0 * polygon.index + place[axes[0]], place[axes[1]])
            colors.data[loop].color = (1.0, 0.0, 0.0, 1.0) if polygon.center.x < 0.0 else (0.0, 0.0, 1.0, 1.0)
    return obj


class Surface(NamedTuple):
    """A frame of the surface, per triangle and corner."""

    places: np.ndarray
    rest: np.ndarray
    area: np.ndarray
    color: np.ndarray
    uv: np.ndarray

    def share(self, which):
        return float((self.area * which).sum() / self.area.sum())


def surface(scene, frame):
    scene.frame_set(frame)
    mesh = scene.tallow.surface_object.data
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    places = scenes.positions(mesh)[corners].reshape(-1, 3, 3)
    rest = values(mesh.attributes["rest_position"].data, "vector", 3)[corners].reshape(-1, 3, 3)
    area = 0.5 * np.linalg.norm(np.cross(places[:, 1] - places[:, 0], places[:, 2] - places[:, 0]), axis=1)
    return Surface(places, rest, area, values(mesh.color_attributes["Half"].data, "color", 4).reshape(-1, 3, 4),
                   values(mesh.uv_layers["Faces"].data, "uv", 2).reshape(-1, 3, 2))


def test_colours_and_uv_maps_flow_with_the_wax(folder):
    if not library_is_there():
        return "SKIP"
    scenes.clear()
    scenes.select(painted_cube())
    scene = bpy.context.scene
    bpy.ops.tallow.quick_melt(frames=36, resolution=28)
    scene.tallow.cache_folder, scene.frame_end = str(folder), FRAMES[-1]
    bake(scene)
    from tallow import playback
    for frame in FRAMES:
        found = surface(scene, frame)
        red, blue = found.color[:, :, 0], found.color[:, :, 2]
        assert np.allclose(red + blue, 1.0, atol=1e-3), f"frame {frame}: a place without a colour"
        assert np.allclose(red * blue, 0.0, atol=1e-3), f"frame {frame}: the two colours mix"
        red = red[:, 0] > 0.5
        left = found.rest[:, :, 0].mean(axis=1) < 0.0
        strayed = red != left
        crossed = red != (found.places[:, :, 0].mean(axis=1) < 0.0)
        print(f"MEASURED frame {frame}: {found.share(red):.3f} red, {found.share(left):.3f} from the left, "
              f"{found.share(strayed):.3f} of another colour than their wax, {found.share(crossed):.3f} across")
        limit = 0.001 if frame == 1 else 0.04
        assert abs(found.share(red) - found.share(left)) < limit and found.share(strayed) < limit, frame
        assert found.share(crossed) < 0.08, frame
        island = np.floor(found.uv[:, :, 0] / 10.0 + 0.05)
        assert (island == island[:, :1]).all(), f"frame {frame}: a triangle between two islands"
        assert 8 <= len(np.unique(island)) <= 10
        within = found.uv - np.stack([10.0 * island, np.zeros_like(island)], axis=2)
        assert -1e-4 < within.min() and within.max() < 1.0 + 1e-4, f"frame {frame}: {within.min()} to {within.max()}"
    assert playback.cache_of(scene).frames[FRAMES[-1]]["melted"] > 0.9
    assert np.ptp(found.places[:, :, 0]) > 2.5 * SIZE, "it did not flow"
