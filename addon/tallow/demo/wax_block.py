# SPDX-License-Identifier: GPL-3.0-or-later
"""A block of wax with a heater at its upper corner (Carlson 2004, fig. 1)."""

import bpy

from . import kit

LABEL, TEXT = "Wax Block", "A heater at one corner melts a block of wax; the far side stays hard"
FRAMES, RESOLUTION = 80, 56
SHEET = (1, 16, 32, 48, 64, 80)


def build() -> None:
    scene = bpy.context.scene
    wax = kit.cast(kit.block("Wax", (0.16, 0.12, 0.16), (-0.03, 0.0, 0.08)), "WAX")
    kit.recipe(wax, "Thick wax", [(60.0, 6.0), (90.0, 2.0)], solid_viscosity=2000.0, color=(0.70, 0.05, 0.03))
    kit.unseen(kit.cast(kit.block("Plate", (0.6, 0.6, 0.03), (0.0, 0.0, -0.015)), "SOLID"))  # the table is in its place
    place = (0.085, -0.03, 0.19)
    kit.cast(kit.ball("Heater", 0.01, place), "HEAT", heat_kind="LAMP", power=2500.0)
    kit.paint(kit.ball("Glow", 0.012, place), (1.0, 0.22, 0.04), glow=4.0)
    kit.where((-0.16, -0.12, -0.015), (0.20, 0.12, 0.21))
    scene.tallow.thermal_speed = 400.0
    kit.film((0.035, 0.0, 0.066), 0.27, (0.62, -1.0, 0.42), floor=0.0, **kit.STUDIO)
    kit.surface("WAX")
