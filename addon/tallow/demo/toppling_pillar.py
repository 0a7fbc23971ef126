# SPDX-License-Identifier: GPL-3.0-or-later
"""A pillar of wax that is heated at its waist: it melts through, and its top falls as a rigid piece."""

import bpy

from . import kit

LABEL, TEXT = "Toppling Pillar", "A heating coil melts a pillar through; the hard top leans, breaks loose and falls"
FRAMES, RESOLUTION = 84, 44
SHEET = (1, 18, 24, 36, 60, 84)


def build() -> None:
    scene = bpy.context.scene
    wax = kit.cast(kit.tube("Pillar", 0.035, 0.26, (0.0, 0.0, -0.004)), "WAX")
    kit.recipe(wax, "Thick wax", [(60.0, 2.0), (90.0, 1.0)], color=(0.85, 0.75, 0.55))
    kit.paint(kit.cast(kit.block("Plate", (0.6, 0.6, 0.03), (0.0, 0.0, -0.015)), "SOLID"), (0.14, 0.16, 0.20), 0.4)
    # More of the coil on the right: the pillar leans to that side.
    kit.cast(kit.block("Heat", (0.09, 0.09, 0.035), (0.015, 0.0, 0.105)), "HEAT", heat_kind="VOLUME", power=1600.0)
    kit.where((-0.10, -0.10, -0.015), (0.26, 0.10, 0.27))
    scene.tallow.thermal_speed, scene.tallow.wall_friction = 40.0, 0.5
    kit.film((0.07, 0.0, 0.12), 0.36, (0.30, -1.0, 0.32), floor=-0.031, **kit.STUDIO)
    kit.surface("WAX")
