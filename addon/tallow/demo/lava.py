# SPDX-License-Identifier: GPL-3.0-or-later
"""Lava runs down a hillside, crusts over and stops."""

import bpy
from mathutils import Euler

from . import kit

LABEL, TEXT = "Lava", "Lava of 1300 degrees pours down a slope, dims as it loses heat, and hardens"
FRAMES, RESOLUTION = 96, 64
SHEET = (8, 22, 38, 54, 74, 96)


def build() -> None:
    scene = bpy.context.scene
    hill = kit.cast(kit.block("Hill", (6.0, 4.0, 1.0), (0.3, 0.0, -0.55)), "SOLID", conductivity=1.5)
    hill.rotation_euler = Euler((0.0, 0.36, 0.0))
    kit.grainy(kit.paint(hill, (0.075, 0.062, 0.055), 0.9).active_material, 0.07)
    for number, (x, y, radius) in enumerate(((-0.2, -0.35, 0.22), (0.35, 0.32, 0.26), (0.8, -0.30, 0.2))):
        stone = kit.cast(kit.ball(f"Stone {number + 1}", radius, (x, y, -0.06 - 0.376 * x)), "SOLID", conductivity=1.5)
        kit.grainy(kit.paint(stone, (0.11, 0.095, 0.085), 0.9).active_material, 0.05)
    vent = kit.cast(kit.block("Vent", (0.25, 0.4, 0.2), (-1.15, 0.0, 0.60)), "INFLOW", material="lava", temperature=1300.0,
                    velocity=(1.0, 0.0, -0.4))
    kit.blink(vent, [(1, 50)])
    kit.where((-1.4, -0.8, -0.75), (1.5, 0.8, 0.85), "x1=OPEN")
    scene.tallow.thermal_speed, scene.tallow.emissivity, scene.tallow.film = 400.0, 0.95, 50.0
    kit.film((-0.05, 0.0, -0.02), 2.05, (0.35, -1.0, 0.65), light=0.55, sky=0.6, air=(0.05, 0.06, 0.12))
    kit.grainy(kit.glowing(900.0, 1260.0), 0.05, coordinates="rest_position")
