"""A torus melts under a lamp. The shot is baked and rendered without a window."""

import bpy
import hands
import studio

FRAMES = (1, 36, 56)


def steps() -> None:
    hands.delete_cube()  # 1
    hands.add("torus", "Ring", (0.0, 0.0, 1.25))
    bpy.context.object.rotation_euler = (1.5708, 0.0, 0.0)
    bpy.ops.object.shade_smooth()
    bpy.ops.tallow.quick_melt(heat="LAMP")
    hands.bake()  # 3


def look() -> None:
    studio.hide("Tallow Floor")
    studio.film((0.0, 0.0, 0.95), 3.7, (0.30, -1.0, 0.42), floor=0.0, **studio.COOL)
