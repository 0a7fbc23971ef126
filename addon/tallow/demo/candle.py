# SPDX-License-Identifier: GPL-3.0-or-later
"""A leaning candle: the flame melts a pool that runs over the rim and freezes on its way down."""

import bpy

from . import kit

LABEL, TEXT = "Candle", "Wax melts at the flame, runs over the rim of a leaning candle and hardens in runs"
FRAMES, RESOLUTION = 96, 40
SHEET = (1, 20, 39, 58, 77, 96)


def build() -> None:
    scene = bpy.context.scene
    wax = kit.cast(kit.tube("Candle", 0.024, 0.085, (0.0, 0.0, -0.004)), "WAX", temperature=35.0)
    wax.rotation_euler = (0.10, 0.10, 0.0)
    kit.recipe(wax, "Candle wax", [(60.0, 2.0), (100.0, 0.8)], solid_viscosity=2000.0, color=(0.88, 0.82, 0.68))
    kit.paint(kit.cast(kit.tube("Saucer", 0.07, 0.012, (0.0, 0.0, -0.012)), "SOLID"), (0.10, 0.16, 0.30), 0.25)
    kit.cast(kit.ball("Heat", 0.004, (0.010, -0.010, 0.098)), "HEAT", heat_kind="LAMP", power=110.0)
    flame = kit.ball("Flame", 0.005, (0.009, -0.009, 0.098))
    flame.scale = (0.8, 0.8, 2.2)
    flame.rotation_euler = wax.rotation_euler
    kit.paint(flame, (1.0, 0.55, 0.15), glow=18.0)
    wick = kit.paint(kit.tube("Wick", 0.0012, 0.018, (0.0080, -0.0078, 0.076)), (0.02, 0.02, 0.02), 0.9)
    wick.rotation_euler = wax.rotation_euler
    kit.where((-0.05, -0.06, -0.008), (0.06, 0.05, 0.100))
    scene.tallow.thermal_speed, scene.tallow.film = 150.0, 15.0
    kit.film((0.006, 0.0, 0.045), 0.135, (0.40, -1.0, 0.34), floor=-0.0121, light=0.55, sky=0.5)
    kit.candlelight((0.009, -0.009, 0.112), 0.12, 0.006)
    kit.surface("WAX")
