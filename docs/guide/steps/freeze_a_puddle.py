"""A ball falls into water in a dish. The water freezes from below, and the ball stays in the ice."""

import bpy
import hands
import studio
from tallow.demo import kit

FRAMES = (6, 50, 110)


def steps() -> None:
    scene = bpy.context.scene
    hands.delete_cube()  # 1
    hands.add("cylinder", "Plate", (0.0, 0.0, -0.1), radius=2.2, depth=0.2)
    hands.add("torus", "Rim", major_radius=1.6, minor_radius=0.35)
    bpy.ops.object.shade_smooth()
    for name in ("Plate", "Rim"):  # 2
        hands.select(name)
        hands.role("SOLID")
        bpy.context.object.tallow.temperature = -40.0
        bpy.context.object.tallow.conductivity = 80.0
    hands.add("cylinder", "Water", (0.0, 0.0, 0.13), radius=1.5, depth=0.26)  # 3
    hands.role("LIQUID")
    bpy.context.object.tallow.material = "ice_water"
    hands.add("uv_sphere", "Ball", (0.3, 0.0, 1.0), radius=0.3)  # 4
    bpy.ops.object.shade_smooth()
    hands.role("RIGID")
    hands.select("Ball", "Water")  # 5
    bpy.ops.tallow.fit_domain()
    scene.tallow.ambient = -20.0  # 6
    scene.tallow.thermal_speed = 120.0
    hands.frames(120)  # 7
    bpy.ops.tallow.add_material()
    hands.bake()


def look() -> None:
    for name in ("Plate", "Rim"):
        studio.paint(name, (0.02, 0.06, 0.16), 0.25)
    studio.paint("Ball", (0.85, 0.20, 0.05), 0.3)
    kit.melting_ice()
    studio.film((0.0, 0.0, 0.1), 3.6, (0.20, -1.0, 0.75), floor=-0.2, **studio.COOL)
