# SPDX-License-Identifier: GPL-3.0-or-later
"""Toothpaste is squirted against a wall and bends (000 fig. 15; 42 x 33 x 18 cells)."""

import bpy

from . import kit

LABEL, TEXT = "Toothpaste", "A strand of thick paste meets a wall, bends and folds"
FRAMES, RESOLUTION = 80, 42
SHEET = (8, 20, 32, 46, 62, 80)


def build() -> None:
    scene = bpy.context.scene
    scene.tallow.thermal_speed = 0.0
    tap = kit.cast(kit.tube("Squirt", 0.008, 0.014, (-0.055, 0.0, 0.055)), "INFLOW", material="toothpaste", velocity=(0.0, 0.0, 0.09))
    tap.rotation_euler = (0.0, 1.45, 0.0)
    kit.recipe(tap, "Stiff paste", [(20.0, 1500.0)], color=(0.35, 0.75, 0.85))
    nozzle = kit.tube("Tube", 0.0095, 0.04, (-0.085, 0.0, 0.0515), 0.0095)
    nozzle.rotation_euler = tap.rotation_euler
    kit.paint(nozzle, (0.8, 0.05, 0.05), 0.3)
    kit.blink(tap, [(1, 76)])
    kit.paint(kit.cast(kit.block("Wall", (0.02, 0.2, 0.2), (0.055, 0.0, 0.06)), "SOLID"), (0.55, 0.55, 0.50), 0.5)
    kit.where((-0.063, -0.027, 0.0), (0.063, 0.027, 0.099))
    kit.film((-0.008, 0.0, 0.045), 0.125, (-0.15, -1.0, 0.28), floor=-0.0005)
    kit.surface("LIQUID")
