"""Suzanne melts on a hot plate: Quick Melt."""

import bpy
import hands
import studio

FRAMES = (1, 14, 24)


def steps() -> None:
    hands.delete_cube()  # 1
    hands.add("monkey", "Suzanne")
    bpy.ops.object.shade_smooth()  # 2
    bpy.ops.object.subdivision_set(level=2)
    bpy.ops.tallow.quick_melt()  # 3
    bpy.context.scene.tallow.mesh_detail = 2  # 4
    hands.bake()  # 5


def look() -> None:
    plate = bpy.data.objects["Tallow Hot Plate"]
    bottom = min((plate.matrix_world @ vertex.co).z for vertex in plate.data.vertices)
    studio.hide("Tallow Floor")
    studio.film((0.0, -0.1, -0.35), 3.3, (0.30, -1.0, 0.42), floor=bottom, **studio.COOL)
