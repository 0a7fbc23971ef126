# SPDX-License-Identifier: GPL-3.0-or-later
"""A lead and a wooden ball thrown against each other into a tank of water (Carlson 2004, fig. 2)."""

import bpy

from . import kit

LABEL, TEXT = "Lead and Wood", "Two spinning balls, 11 and 0.55 times as heavy as water, are thrown into a tank a metre wide"
FRAMES, RESOLUTION, FPS = 60, 36, 40
SHEET = (1, 5, 10, 18, 34, 60)
TURNS = 1000.0 / 60.0


def build() -> None:
    tallow = bpy.context.scene.tallow
    tallow.thermal_speed, tallow.cfl = 0.0, 10.0  # the spin moves the skin of a ball 8 m/s, which makes steps short enough
    water = kit.cast(kit.block("Water", (1.0, 0.5, 0.25), (0.0, 0.0, 0.125)), "LIQUID")
    kit.recipe(water, "Tank water", color=(0.25, 0.6, 0.75))
    for name, side, density, color, metal in (("Lead", -1.0, 11000.0, kit.LEAD, 1.0), ("Wood", 1.0, 550.0, kit.WOOD, 0.0)):
        ball = kit.cast(kit.ball(name, 0.075, (0.36 * side, 0.02 * side, 0.55)), "RIGID", density=density, surface="SLIP",
                        velocity=(-3.8 * side, 0.0, -3.1), spin=(0.0, 0.0, -TURNS * side))
        kit.paint(ball, color, 0.35, metal)
    kit.where((-0.5, -0.25, 0.0), (0.5, 0.25, 0.67), "z0=SLIP")
    kit.film((0.0, 0.0, 0.25), 0.95, (0.30, -1.0, 0.38), floor=-0.002, **kit.STUDIO)
    kit.tank_water()
