# SPDX-License-Identifier: GPL-3.0-or-later
"""A silver block catapults wooden blocks into an oncoming wall of water (Carlson 2004, fig. 17)."""

import bpy

from . import kit

LABEL, TEXT = "Block Catapult", "A heavy block falls on a plank and throws light ones into a wave"
FRAMES, RESOLUTION, FPS = 56, 34, 30
SHEET = (1, 10, 15, 22, 34, 56)


def build() -> None:
    scene = bpy.context.scene
    scene.tallow.thermal_speed, scene.tallow.wall_friction, scene.tallow.cfl = 0.0, 0.4, 4.0
    water = kit.cast(kit.block("Water", (0.35, 0.9, 0.55), (0.525, 0.0, 0.275)), "LIQUID")
    kit.recipe(water, "Tank water", color=(0.25, 0.6, 0.75))
    for name, size, place, density, color, metal in (
            ("Silver", (0.2, 0.2, 0.2), (-0.46, 0.0, 0.46), 9000.0, (0.75, 0.76, 0.78), 1.0),
            ("Turquoise", (0.4, 0.4, 0.4), (0.12, 0.235, 0.201), 2000.0, kit.JADE, 0.0),
            ("Fulcrum", (0.08, 0.22, 0.12), (-0.24, -0.1, 0.061), 9000.0, kit.STONE, 0.0),
            ("Plank", (0.66, 0.2, 0.045), (-0.28, -0.1, 0.150), 740.0, kit.WOOD, 0.0)):
        x, y, z = place
        if name == "Silver":
            y = -0.1
        body = kit.cast(kit.block(name, size, (x, y, z), 0.004), "RIGID", density=density, friction=0.4, restitution=0.1)
        kit.paint(body, color, 0.3 if metal else 0.55, metal)
    for number, (x, y, z) in enumerate(((-0.04, -0.15, 0.222), (-0.04, -0.055, 0.222), (-0.04, -0.10, 0.303))):
        body = kit.cast(kit.block(f"Wood {number + 1}", (0.08, 0.08, 0.08), (x, y, z), 0.004), "RIGID", density=600.0)
        kit.paint(body, (0.65, 0.40, 0.2), 0.6)
    kit.where((-0.7, -0.45, 0.0), (0.7, 0.45, 1.0), "z0=SLIP")
    kit.film((0.0, 0.0, 0.36), 1.35, (-0.30, -1.0, 0.45), floor=-0.002, **kit.STUDIO)
    kit.tank_water()
