"""A candle burns down: a small heat lamp is its flame."""

import math

import bpy
import hands
import studio
from tallow.demo import kit

FRAMES = (16, 60, 120)


def steps() -> None:
    scene = bpy.context.scene
    hands.delete_cube()  # 1
    hands.add("cylinder", "Candle", (0.0, 0.0, 1.0), radius=0.55, depth=2.0)
    bpy.context.object.rotation_euler = (0.0, math.radians(8.0), 0.0)
    hands.role("WAX")  # 2
    bpy.context.object.tallow.material = "candle_wax"
    hands.add("cylinder", "Saucer", (0.0, 0.0, -0.05), radius=1.6, depth=0.2)  # 3
    hands.role("SOLID")
    hands.add("uv_sphere", "Flame", (0.12, 0.0, 2.35), radius=0.1)  # 4
    hands.role("HEAT")
    bpy.context.object.tallow.heat_kind = "LAMP"
    bpy.context.object.tallow.power = 300.0
    hands.select("Candle", "Flame")  # 5
    bpy.ops.tallow.fit_domain()
    hands.frames(120)  # 6
    scene.tallow.melt_percent = 14
    bpy.ops.tallow.melt_in_shot()
    bpy.ops.tallow.add_material()  # 7
    hands.bake()


def look() -> None:
    studio.paint("Saucer", (0.10, 0.16, 0.30), 0.25)
    studio.film((0.1, 0.0, 1.15), 3.3, (0.25, -1.0, 0.30), floor=-0.15, light=0.75, sky=0.5, air=(0.30, 0.20, 0.16),
                table=(0.25, 0.15, 0.12))
    flame = kit.ball("Light of the flame", 0.10, (0.12, 0.0, 2.35))
    flame.scale = (0.8, 0.8, 2.2)
    kit.paint(flame, (1.0, 0.55, 0.15), glow=18.0)
    wick = kit.paint(kit.tube("Wick", 0.025, 0.75, (0.02, 0.0, 1.5)), (0.02, 0.02, 0.02), 0.9)
    wick.rotation_euler = (0.0, math.radians(8.0), 0.0)
    kit.candlelight((0.12, -0.1, 2.55), 60.0, 0.15)
