"""Lava runs down a hill between stones, cools and crusts over."""

import math

import bpy
import hands
import studio
from tallow.demo import kit

FRAMES = (20, 56, 120)
STONES = ((-0.2, -0.45, 0.30), (0.55, 0.40, 0.34), (1.2, -0.40, 0.28))  # x, y, radius


def steps() -> None:
    scene = bpy.context.scene
    hands.delete_cube()  # 1
    hands.add("cube", "Hill", (0.0, 0.0, -0.5), (3.0, 1.6, 0.5))
    bpy.context.object.rotation_euler = (0.0, math.radians(20.0), 0.0)
    hands.role("SOLID")
    for number, (x, y, radius) in enumerate(STONES, 1):  # 2
        hands.add("ico_sphere", f"Stone {number}", (x, y, -0.364 * x), radius=radius, subdivisions=3)
        hands.role("SOLID")
    hands.add("cube", "Vent", (-1.9, 0.0, 1.15), (0.2, 0.4, 0.15))  # 3
    hands.role("INFLOW")
    vent = bpy.context.object
    vent.tallow.material = "lava"
    vent.tallow.temperature = 1350.0
    vent.tallow.velocity = (3.0, 0.0, -0.9)
    vent.keyframe_insert("tallow.enabled", frame=1)  # 4
    scene.frame_set(60)
    vent.tallow.enabled = False
    vent.keyframe_insert("tallow.enabled", frame=60)
    scene.frame_set(1)
    hands.select("Hill", "Vent")  # 5
    scene.tallow.padding = 0.0
    bpy.ops.tallow.fit_domain()
    scene.tallow.wall_x1 = "OPEN"
    scene.tallow.thermal_speed = 15.0  # 6
    scene.tallow.emissivity = 0.95
    hands.frames(120)
    hands.bake()  # 7
    kit.glowing(950.0, 1320.0)  # 8


def look() -> None:
    for name, color in (("Hill", (0.075, 0.062, 0.055)), *((f"Stone {n}", (0.11, 0.095, 0.085)) for n in (1, 2, 3))):
        studio.paint(name, color, 0.9)
        kit.grainy(bpy.data.objects[name].active_material, 0.09)
    kit.grainy(studio.surface().active_material, 0.07, coordinates="rest_position")
    studio.film((-0.45, 0.0, 0.1), 3.4, (0.35, -1.0, 0.65), floor=-1.6, light=0.8, sky=0.6, air=(0.05, 0.06, 0.12), table=(0.03, 0.03, 0.035))
