# SPDX-License-Identifier: GPL-3.0-or-later
"""Metal gears are thrown into a pool with three wooden animals (Carlson 2004, fig. 22)."""

import bpy

from . import kit

LABEL, TEXT = "Gears and Animals", "Eight metal gears sink past three wooden animals that rise"
FRAMES, RESOLUTION, FPS = 50, 34, 30
SHEET = (1, 6, 11, 18, 30, 50)


def _animals():
    rabbit = kit.lumps("Rabbit", (((0, 0, 0), (0.075, 0.055, 0.06)), ((0.07, 0, 0.06), (0.045, 0.04, 0.042)),
                                  ((0.06, 0.022, 0.125), (0.017, 0.016, 0.055)), ((0.06, -0.022, 0.125), (0.017, 0.016, 0.055)),
                                  ((-0.08, 0, 0.0), (0.022, 0.022, 0.022))), (-0.27, -0.15, 0.14), 0.007)
    duck = kit.lumps("Duck", (((0, 0, 0), (0.09, 0.06, 0.05)), ((0.07, 0, 0.085), (0.042, 0.040, 0.042)),
                              ((0.12, 0, 0.08), (0.03, 0.022, 0.012)), ((-0.09, 0, 0.03), (0.03, 0.03, 0.022)),
                              ((0.06, 0, 0.045), (0.026, 0.026, 0.04))), (0.25, 0.12, 0.14), 0.007)
    return rabbit, duck, kit.monkey("Monkey", 0.19, (0.0, 0.0, 0.07))


def build() -> None:
    scene = bpy.context.scene
    scene.tallow.thermal_speed, scene.tallow.cfl = 0.0, 4.0
    water = kit.cast(kit.block("Water", (1.0, 0.7, 0.36), (0.0, 0.0, 0.18)), "LIQUID")
    kit.recipe(water, "Tank water", color=(0.25, 0.6, 0.75))
    for animal in _animals():
        kit.paint(kit.cast(animal, "RIGID", density=550.0, surface="SLIP"), (0.62, 0.38, 0.18), 0.55)
    for number in range(8):
        x, y = -0.36 + 0.24 * (number % 4), (-0.17, 0.17)[number // 4]
        gear = kit.cast(kit.gear(f"Gear {number + 1}", 0.095, 0.055, (x, y, 0.50 + 0.05 * (number % 3))), "RIGID", density=9000.0,
                        velocity=(0.0, 0.0, -3.5), surface="SLIP", restitution=0.1)
        gear.rotation_euler = (0.5 * (number % 3 - 1), 0.35 * (number % 2), 0.3 * number)
        kit.paint(gear, (0.72, 0.60, 0.36) if number % 2 else (0.6, 0.62, 0.66), 0.3, 1.0)
    kit.where((-0.5, -0.35, 0.0), (0.5, 0.35, 0.75), "z0=SLIP")
    kit.film((0.0, 0.0, 0.28), 1.05, (0.30, -1.0, 0.5), floor=-0.002, **kit.STUDIO)
    kit.tank_water()
