# SPDX-License-Identifier: GPL-3.0-or-later
"""Four liquids thrown into containers with uneven floors (000 fig. 12): kinematic viscosities of 0.1, 1, 10, 100 m2/s."""

import bpy

from . import kit

LABEL, TEXT = "Four Green Liquids", "The same throw with viscosities of 0.1, 1, 10 and 100, from a splash to a lump"
FRAMES, RESOLUTION, FPS = 72, 80, 12
SHEET = (1, 6, 12, 20, 40, 72)
SIDE, GAP, DENSITY = 3.2, 0.6, 1000.0  # the containers are as large as the grid of the thesis, 32 cells of 0.1


def build() -> None:
    scene = bpy.context.scene
    scene.tallow.thermal_speed = 0.0
    half = 2.0 * SIDE + 1.5 * GAP
    for number, viscosity in enumerate((0.1, 1.0, 10.0, 100.0)):
        middle = -half + 0.5 * SIDE + number * (SIDE + GAP)
        pool = kit.cast(kit.block(f"Pool {viscosity:g}", (SIDE, SIDE, 0.5), (middle, 0.0, 0.25)), "LIQUID")
        kit.recipe(pool, f"Green {viscosity:g}", [(20.0, DENSITY * viscosity)], density=(DENSITY, DENSITY), color=(0.07, 0.42, 0.09))
        throw = kit.cast(kit.ball(f"Throw {viscosity:g}", 0.75, (middle - 0.5, 0.0, 2.2)), "LIQUID", velocity=(2.0, 0.0, -4.0))
        throw.tallow.material = pool.tallow.material
        kit.paint(kit.cast(kit.ball(f"Bump {viscosity:g}", 0.7, (middle + 0.7, 0.2, 0.1)), "SOLID", surface="SLIP"), kit.STONE)
        if number:
            wall = kit.cast(kit.block(f"Wall {number}", (GAP, 1.2 * SIDE, 4.0), (middle - 0.5 * (SIDE + GAP), 0.0, 1.5)), "SOLID",
                            surface="SLIP")
            wall.hide_render = True
    kit.where((-half, -0.5 * SIDE, 0.0), (half, 0.5 * SIDE, 3.2), "z0=SLIP")
    kit.film((0.0, 0.0, 0.9), 11.5, (0.0, -1.0, 0.42), floor=-0.01)
    kit.surface("LIQUID")
