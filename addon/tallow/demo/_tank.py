# SPDX-License-Identifier: GPL-3.0-or-later
"""The tall tank of water of Carlson 2004, fig. 20 and 21, at three quarters of its height."""

import bpy

from . import kit

WIDTH, DEPTH, HEIGHT = 0.70, 0.26, 2.2
SHAPE = 0.5  # of the picture, width to height


def fill() -> None:
    scene = bpy.context.scene
    scene.tallow.thermal_speed, scene.tallow.cfl = 0.0, 4.0
    water = kit.cast(kit.block("Water", (WIDTH, DEPTH, HEIGHT - 0.1), (0.0, 0.0, 0.5 * HEIGHT - 0.05)), "LIQUID")
    kit.recipe(water, "Tank water", color=(0.35, 0.65, 0.8))
    kit.where((-0.5 * WIDTH, -0.5 * DEPTH, 0.0), (0.5 * WIDTH, 0.5 * DEPTH, HEIGHT), "z0=SLIP")
    kit.film((0.0, 0.0, 0.5 * HEIGHT), 1.9, (0.12, -1.0, 0.14), floor=-0.002, wall=1.1, **kit.STUDIO)  # a tall picture shows a third more
    kit.tank_water()
