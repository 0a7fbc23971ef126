# SPDX-License-Identifier: GPL-3.0-or-later
"""A hot iron ball melts its way down through a slab of wax."""

import bpy

from . import kit

LABEL, TEXT = "Hot Ball", "An iron ball of 400 degrees sinks through a slab of wax and drops out below"
FRAMES, RESOLUTION = 80, 36
SHEET = (1, 16, 32, 48, 64, 80)


def build() -> None:
    scene = bpy.context.scene
    wax = kit.cast(kit.block("Slab", (0.22, 0.14, 0.05), (0.0, 0.0, 0.115)), "WAX")
    kit.recipe(wax, "Thick wax", [(60.0, 20.0), (120.0, 5.0)], solid_viscosity=2000.0, color=(0.92, 0.80, 0.45))
    kit.paint(kit.cast(kit.block("Plate", (0.6, 0.6, 0.03), (0.0, 0.0, -0.015)), "SOLID"), (0.15, 0.15, 0.17), 0.4)
    for side in (-1.0, 1.0):
        kit.paint(kit.cast(kit.block(f"Stand {side:g}", (0.03, 0.15, 0.10), (0.105 * side, 0.0, 0.043)), "SOLID"), kit.WOOD)
    ball = kit.cast(kit.ball("Iron Ball", 0.03, (0.0, 0.0, 0.175)), "RIGID", density=7900.0, temperature=400.0, restitution=0.0,
                    fixed_temperature=True, conductivity=80.0, specific_heat=450.0)
    kit.paint(ball, (0.9, 0.12, 0.02), 0.4, glow=1.6)
    kit.where((-0.13, -0.09, -0.012), (0.13, 0.09, 0.215))
    scene.tallow.thermal_speed = 220.0
    kit.film((0.0, 0.0, 0.10), 0.30, (0.32, -1.0, 0.30), floor=-0.031, **kit.STUDIO)
    kit.surface("WAX")
