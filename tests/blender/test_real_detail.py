"""Keep Detail with the native library: unmelted wax shows its own mesh and rests."""

import bpy
import numpy as np
import scenes
from test_real_bake import library_is_there


def ball_on_the_floor(folder):
    scenes.clear()
    bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=32, radius=0.2, location=(0.0, 0.0, 0.3))
    wax = bpy.context.object
    for vertex in wax.data.vertices:  # grooves
        vertex.co *= 1.0 + 0.03 * np.cos(40.0 * vertex.co.x) * np.cos(40.0 * vertex.co.z)
    scenes.select(wax)
    bpy.ops.tallow.set_role(role="WAX")
    bpy.ops.tallow.fit_domain()
    scene = bpy.context.scene
    scene.tallow.resolution, scene.tallow.cache_folder = 24, str(folder)
    scene.use_gravity = False
    scene.frame_start, scene.frame_end = 1, 3
    return wax


def off_the_mesh(wax, points):
    """Mean distance of points to the object, in cells."""
    from tallow.model import domain
    inverse = wax.matrix_world.inverted()
    distances = []
    for point in points:
        local = inverse @ type(wax.location)(point)
        found, place, _, _ = wax.closest_point_on_mesh(local)
        distances.append((place - local).length if found else 1.0)
    return np.mean(distances) / domain.cell_size(bpy.context.scene)


def test_unmelted_wax_shows_its_own_mesh(folder):
    if not library_is_there():
        return "SKIP"
    wax = ball_on_the_floor(folder)
    scene = bpy.context.scene
    assert scene.tallow.keep_detail, "on unless the artist turns it off"
    found = {}
    for keep in (False, True):
        scene.tallow.keep_detail = keep
        bpy.ops.tallow.bake()
        frames = []
        for frame in (2, 3):
            scene.frame_set(frame)
            frames.append(scenes.positions(scene.tallow.surface_object.data))
        found[keep] = off_the_mesh(wax, frames[1]), np.array_equal(*frames)
    print(f"MEASURED unmelted wax is off its mesh by {found[False][0]:.4f} cells, with Keep Detail by "
          f"{found[True][0]:.6f}", flush=True)
    assert found[True][0] < 0.05 * found[False][0] and found[False][0] > 0.01
    assert found[True][1], "vertices at rest moved"
