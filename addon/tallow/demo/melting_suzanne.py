# SPDX-License-Identifier: GPL-3.0-or-later
"""Suzanne of wax under a heat lamp: her brow runs down over her face, her chin stays hard (after Carlson 2004, fig. 11)."""

import bpy

from . import kit

LABEL, TEXT = "Melting Suzanne", "Wax softens under a heat lamp, runs down and hardens on a cold plate"
FRAMES, RESOLUTION = 72, 60
SHEET = (1, 15, 29, 43, 57, 72)


def build() -> None:
    scene = bpy.context.scene
    suzanne = kit.cast(kit.monkey("Suzanne", 0.2, (0.0, 0.0, 0.0), (-0.28, 0.0, 0.12)), "WAX")
    kit.recipe(suzanne, "Thick wax", [(60.0, 6.0), (90.0, 2.0)], solid_viscosity=2000.0, color=(0.92, 0.62, 0.22))
    kit.unseen(kit.cast(kit.block("Plate", (0.6, 0.6, 0.03), (0.0, 0.0, -0.015)), "SOLID"))  # the table is in its place
    kit.cast(kit.ball("Heat Lamp", 0.01, (0.05, -0.16, 0.30)), "HEAT", heat_kind="LAMP", power=6000.0)
    kit.where((-0.17, -0.17, -0.015), (0.17, 0.17, 0.215))
    scene.tallow.thermal_speed = 400.0
    kit.film((0.0, -0.01, 0.080), 0.28, (0.30, -1.0, 0.34), floor=0.0, **kit.STUDIO)
    kit.surface("WAX")
