# SPDX-License-Identifier: GPL-3.0-or-later
"""A drink is poured over ice cubes, which rise and float."""

import bpy

from . import kit

LABEL, TEXT = "Ice in a Drink", "A drink is poured over four ice cubes; they rise, turn and float"
FRAMES, RESOLUTION, FPS = 84, 40, 24
SHEET = (1, 12, 24, 38, 56, 84)


def build() -> None:
    scene = bpy.context.scene
    scene.tallow.thermal_speed = 0.0
    kit.see_through(kit.cast(kit.cup("Glass", 0.040, 0.105, 0.007, (0.0, 0.0, 0.0)), "SOLID", surface="SLIP"))
    for number, (x, y, z, turn) in enumerate(((-0.016, -0.012, 0.021, 0.3), (0.018, 0.010, 0.021, 0.9), (-0.006, 0.012, 0.050, 0.5),
                                              (0.012, -0.012, 0.072, 1.2))):
        cube = kit.cast(kit.block(f"Ice {number + 1}", (0.023, 0.023, 0.023), (x, y, z), 0.002), "RIGID", density=917.0,
                        friction=0.1, surface="SLIP")
        cube.rotation_euler = (0.0, 0.0, turn)
        kit.see_through(cube, (0.92, 0.97, 1.0), 0.15)
    tap = kit.cast(kit.tube("Pour", 0.009, 0.012, (0.026, 0.0, 0.118)), "INFLOW", velocity=(-0.25, 0.0, -0.8))
    tap.tallow.temperature = 8.0
    kit.recipe(tap, "Iced tea", color=(0.62, 0.26, 0.05))
    kit.blink(tap, [(2, 52)])
    kit.where((-0.050, -0.050, -0.001), (0.050, 0.050, 0.135))
    kit.film((0.0, 0.0, 0.062), 0.165, (0.30, -1.0, 0.45), floor=-0.0011, sky=1.2)
    kit.surface("LIQUID")
