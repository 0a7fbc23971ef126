# SPDX-License-Identifier: GPL-3.0-or-later
"""Four liquids thrown into containers with uneven floors (Carlson 2004, fig. 12): kinematic viscosities of 0.1, 1, 10, 100 m2/s."""

import bpy

from . import kit

LABEL, TEXT = "Four Green Liquids", "The same throw with viscosities of 0.1, 1, 10 and 100, from a splash to a lump"
FRAMES, RESOLUTION, FPS = 72, 40, 12
SHEET = (1, 6, 10, 20, 40, 72)
SIDE, GAP, DENSITY = 3.2, 0.6, 1000.0  # the containers are as large as the grid of the thesis, 32 cells of 0.1


def build() -> None:
    scene = bpy.context.scene
    scene.tallow.thermal_speed, scene.tallow.cfl = 0.0, 1.0
    away, half = 0.5 * (SIDE + GAP), SIDE + 0.5 * GAP
    for number, viscosity in enumerate((0.1, 1.0, 10.0, 100.0)):
        # The thinnest behind on the left, the thickest in front on the right.
        x, y = (-away, away)[number % 2], (away, -away)[number // 2]
        pool = kit.cast(kit.block(f"Pool {viscosity:g}", (SIDE, SIDE, 0.5), (x, y, 0.25)), "LIQUID")
        kit.recipe(pool, f"Green {viscosity:g}", [(20.0, DENSITY * viscosity)], density=(DENSITY, DENSITY), color=(0.07, 0.42, 0.09))
        throw = kit.cast(kit.ball(f"Throw {viscosity:g}", 0.75, (x - 0.5, y, 2.2)), "LIQUID", velocity=(2.0, 0.0, -4.0))
        throw.tallow.material = pool.tallow.material
        kit.paint(kit.cast(kit.ball(f"Bump {viscosity:g}", 0.7, (x + 0.7, y + 0.2, 0.1)), "SOLID", surface="SLIP", friction=0.0), kit.STONE)
    for name, size in (("Wall X", (GAP, 2.4 * half, 4.0)), ("Wall Y", (2.4 * half, GAP, 4.0))):
        kit.cast(kit.block(name, size, (0.0, 0.0, 1.5)), "SOLID", surface="SLIP", friction=0.0).hide_render = True
    kit.where((-half, -half, 0.0), (half, half, 3.2), "z0=SLIP")
    kit.film((0.0, -0.2, 0.6), 7.2, (0.25, -1.0, 0.75), floor=-0.01)
    kit.surface("LIQUID")
