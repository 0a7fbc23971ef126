"""Inside Blender: writes the monkey of the benchmark as a PLY file that Tallow and Mantaflow both start from.

    blender -b --factory-startup --python-exit-code 1 --python monkey_mesh.py -- OUT.ply
"""

import sys

import bmesh
import bpy
import numpy as np


def make_monkey(place=(0.0, 0.0, 0.9)):
    """Suzanne of size 1, two subdivisions, voxel-remeshed at 0.02: closed, 0.2503 m3."""
    bpy.ops.mesh.primitive_monkey_add(size=1.0, location=place)
    monkey = bpy.context.object
    monkey.modifiers.new("Subdivision", "SUBSURF").levels = 2
    remesh = monkey.modifiers.new("Remesh", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", 0.02
    for modifier in list(monkey.modifiers):
        bpy.ops.object.modifier_apply(modifier=modifier.name)
    return monkey


def measure_volume(mesh):
    bm = bmesh.new()
    bm.from_mesh(mesh)
    volume = bm.calc_volume(signed=True)
    bm.free()
    return volume


def write_ply(path, mesh):
    mesh.calc_loop_triangles()
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    corners = np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("vertices", corners)
    faces = np.empty(len(corners) // 3, [("count", "u1"), ("corners", "<i4", 3)])
    faces["count"], faces["corners"] = 3, corners.reshape(-1, 3)
    with open(path, "wb") as file:
        file.write(b"ply\nformat binary_little_endian 1.0\n"
                   b"element vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
                   b"element face %d\nproperty list uchar int vertex_indices\nend_header\n"
                   % (len(points) // 3, len(faces)))
        file.write(points.astype("<f4").tobytes())
        file.write(faces.tobytes())


if __name__ == "__main__":
    bpy.ops.wm.read_factory_settings(use_empty=True)
    monkey = make_monkey()
    volume = measure_volume(monkey.data)
    print(f"monkey: {len(monkey.data.vertices)} vertices, {volume:.4f} m3, {tuple(monkey.dimensions)}")
    if abs(volume - 0.2503) > 0.0005:
        sys.exit(f"The monkey's volume is {volume:.4f} m3, not 0.2503 m3: the table would not be comparable")
    write_ply(sys.argv[sys.argv.index("--") + 1], monkey.data)
