"""Suzanne melts on a hot plate: Quick Melt."""

import bpy
import hands
import studio

FRAMES = (1, 40, 64, 96)


def steps() -> None:
    hands.delete_cube()  # 1
    hands.add("monkey", "Suzanne")  # 2
    bpy.ops.object.shade_smooth()  # 3
    bpy.ops.object.subdivision_set(level=2)
    bpy.ops.tallow.quick_melt()  # 5


def look() -> None:
    floor = bpy.data.objects["Tallow Hot Plate"]
    bottom = min((floor.matrix_world @ v.co).z for v in floor.data.vertices)
    studio.hide("Tallow Floor")
    studio.film((0.0, -0.1, -0.45), 3.0, (0.30, -1.0, 0.40), floor=bottom, **studio.COOL)
