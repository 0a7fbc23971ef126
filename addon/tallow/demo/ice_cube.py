# SPDX-License-Identifier: GPL-3.0-or-later
"""An ice cube melts in a warm dish."""

import bpy

from . import kit

LABEL, TEXT = "Ice Cube", "Ice melts from below and from its edges; the water spreads and what is left rides on it"
FRAMES, RESOLUTION = 64, 34
SHEET = (1, 13, 26, 38, 51, 64)


def build() -> None:
    scene = bpy.context.scene
    cube = kit.cast(kit.block("Ice", (0.03, 0.03, 0.03), (0.0, 0.0, 0.0145), 0.003), "WAX", material="ice_water", temperature=-2.0)
    cube.rotation_euler = (0.0, 0.0, 0.4)
    kit.recipe(cube, "Ice", color=(0.75, 0.88, 0.95))
    dish = kit.cast(kit.cup("Dish", 0.033, 0.015, 0.005, (0.0, 0.0, -0.005)), "HEAT", heat_kind="SOLID", temperature=60.0)
    kit.paint(dish, (0.06, 0.12, 0.25), 0.25)
    kit.where((-0.04, -0.04, -0.0045), (0.04, 0.04, 0.036))
    tallow = scene.tallow
    tallow.ambient, tallow.film, tallow.thermal_speed = 40.0, 200.0, 32.0
    kit.film((0.0, 0.0, 0.011), 0.068, (0.45, -1.0, 0.55), floor=-0.0051, **kit.STUDIO)
    kit.melting_ice()
