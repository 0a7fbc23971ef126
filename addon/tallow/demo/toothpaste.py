# SPDX-License-Identifier: GPL-3.0-or-later
"""Toothpaste is squirted against a wall and bends (Carlson 2004, fig. 15; 42 x 33 x 18 cells)."""

import math

import bpy

from . import kit

LABEL, TEXT = "Toothpaste", "A strand of paste is squirted at a wall, bends, folds and slides down"
FRAMES, RESOLUTION, FPS = 72, 42, 72
SHEET = (5, 14, 24, 36, 50, 72)


def build() -> None:
    scene = bpy.context.scene
    scene.tallow.thermal_speed = 0.0
    tap = kit.cast(kit.tube("Squirt", 0.0075, 0.012, (-0.056, 0.0, 0.066)), "INFLOW", material="toothpaste",
                   velocity=(0.0, 0.0, 0.8))
    nozzle = kit.tube("Tube", 0.0078, 0.04, (-0.082, 0.0, 0.066), 0.0095)
    tap.rotation_euler = nozzle.rotation_euler = (0.0, 0.5 * math.pi, 0.0)
    kit.recipe(tap, "Mint paste", color=(0.25, 0.68, 0.78))
    kit.paint(nozzle, (0.75, 0.06, 0.05), 0.3)
    kit.blink(tap, [(1, 54)])
    kit.paint(kit.cast(kit.block("Wall", (0.03, 0.2, 0.2), (0.055, 0.0, 0.06)), "SOLID"), (0.55, 0.55, 0.50), 0.5)
    kit.where((-0.072, -0.032, 0.0), (0.054, 0.032, 0.099), "x0=OPEN")
    kit.film((-0.010, 0.0, 0.048), 0.125, (-0.25, -1.0, 0.28), floor=-0.0005)
    kit.surface("LIQUID")
