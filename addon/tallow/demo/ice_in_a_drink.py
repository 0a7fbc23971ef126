# SPDX-License-Identifier: GPL-3.0-or-later
"""Ice cubes fall into a drink and float."""

import bpy

from . import kit

LABEL, TEXT = "Ice in a Drink", "Three ice cubes fall into a glass of tea, splash, turn over and float"
FRAMES, RESOLUTION, FPS = 60, 40, 48
SHEET = (1, 8, 14, 22, 36, 60)


def build() -> None:
    scene = bpy.context.scene
    scene.tallow.thermal_speed = 0.0
    kit.pane(kit.cast(kit.cup("Glass", 0.040, 0.115, 0.007, (0.0, 0.0, 0.0)), "SOLID", surface="SLIP", friction=0.1))
    tea = kit.cast(kit.tube("Tea", 0.040, 0.070, (0.0, 0.0, 0.007)), "LIQUID")
    kit.recipe(tea, "Iced tea", color=(0.85, 0.50, 0.15))
    for number, (x, y, z, turn) in enumerate(((-0.016, -0.010, 0.095, 0.3), (0.017, 0.008, 0.102, 0.9), (-0.004, 0.010, 0.140, 0.5))):
        cube = kit.cast(kit.block(f"Ice {number + 1}", (0.025, 0.025, 0.025), (x, y, z), 0.002), "RIGID", density=917.0, temperature=-5.0,
                        friction=0.1, restitution=0.1, surface="SLIP")
        cube.rotation_euler = (0.3 * number, 0.5 * turn, turn)
        kit.paint(cube, (0.80, 0.90, 0.97), 0.15)
    kit.where((-0.050, -0.050, -0.001), (0.050, 0.050, 0.165), "x0=OPEN x1=OPEN y0=OPEN y1=OPEN")
    kit.film((0.0, 0.0, 0.068), 0.155, (0.30, -1.0, 0.45), floor=-0.0011, **kit.STUDIO)
    kit.tank_water((0.95, 0.70, 0.38), (0.70, 0.38, 0.12))
