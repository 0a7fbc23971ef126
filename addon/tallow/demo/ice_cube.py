# SPDX-License-Identifier: GPL-3.0-or-later
"""An ice cube melts on a warm plate."""

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
    plate = kit.cast(kit.block("Plate", (0.12, 0.12, 0.006), (0.0, 0.0, -0.003)), "HEAT", heat_kind="SOLID", temperature=60.0)
    kit.paint(plate, (0.10, 0.11, 0.13), 0.3)
    kit.where((-0.04, -0.04, -0.003), (0.04, 0.04, 0.036))
    tallow = scene.tallow
    tallow.ambient, tallow.film, tallow.thermal_speed = 40.0, 200.0, 14.0
    kit.film((0.0, 0.0, 0.011), 0.066, (0.45, -1.0, 0.5), floor=-0.0061)
    kit.surface("WAX")
