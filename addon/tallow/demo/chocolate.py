# SPDX-License-Identifier: GPL-3.0-or-later
"""Melted chocolate is poured over a monkey of marzipan."""

import bpy

from . import kit

LABEL, TEXT = "Chocolate", "Melted chocolate is poured over a cool shape, coats it and runs off"
FRAMES, RESOLUTION = 64, 34
SHEET = (4, 12, 22, 34, 48, 64)


def build() -> None:
    scene = bpy.context.scene
    kit.paint(kit.cast(kit.monkey("Marzipan", 0.11, (0.0, 0.0, -0.003), (-0.5, 0.0, 0.2)), "SOLID"), (0.85, 0.62, 0.35), 0.6)
    kit.paint(kit.cast(kit.block("Tray", (0.4, 0.4, 0.02), (0.0, 0.0, -0.01)), "SOLID"), (0.75, 0.75, 0.78), 0.3)
    tap = kit.cast(kit.tube("Pour", 0.013, 0.012, (0.0, 0.004, 0.142)), "INFLOW", material="chocolate", temperature=45.0,
                   velocity=(0.0, 0.0, -0.45))
    kit.recipe(tap, "Couverture", color=(0.085, 0.028, 0.010))
    kit.blink(tap, [(2, 40)])
    kit.where((-0.085, -0.085, -0.008), (0.085, 0.085, 0.155), "x0=OPEN x1=OPEN y0=OPEN y1=OPEN")
    scene.tallow.thermal_speed = 20.0
    kit.film((0.0, 0.0, 0.055), 0.18, (0.35, -1.0, 0.38), floor=-0.0201)
    kit.surface("WAX")
