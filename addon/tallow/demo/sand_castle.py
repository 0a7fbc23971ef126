# SPDX-License-Identifier: GPL-3.0-or-later
"""Drops of wet sand pile up to a castle (Carlson 2004, fig. 16; 48 x 48 x 48 cells)."""

import math

import bpy

from ..core import animation
from ..playback import shading
from . import kit

LABEL, TEXT = "Drip Sand Castle", "Drops of wet sand fall one by one, keep their shape and pile up"
FRAMES, RESOLUTION = 72, 44
SHEET = (4, 16, 30, 44, 58, 72)
PERIOD = 3  # frames from drop to drop


def build() -> None:
    scene = bpy.context.scene
    scene.tallow.thermal_speed = 0.0
    drop = kit.cast(kit.ball("Drop", 0.026, (0.0, 0.0, 0.30)), "INFLOW", material="wet_sand", velocity=(0.0, 0.0, -0.5))
    kit.recipe(drop, "Drip sand", [(20.0, 2e4)], color=(0.48, 0.34, 0.19))
    drops = range(2, FRAMES - 8, PERIOD)
    for number, frame in enumerate(drops):
        # Around and inwards, so that the heap grows upwards: the angle is the golden one.
        reach, angle = 0.095 * (1.0 - number / len(drops)) ** 0.7, 2.4 * number
        drop.location = (reach * math.cos(angle), reach * math.sin(angle), 0.30)
        drop.keyframe_insert("location", frame=frame)
    for curve in animation.curves(drop.animation_data):
        for point in curve.keyframe_points:
            point.interpolation = "CONSTANT"
    kit.blink(drop, [(frame, frame + 1) for frame in drops])
    kit.where((-0.17, -0.17, 0.0), (0.17, 0.17, 0.34))
    kit.film((0.0, 0.0, 0.10), 0.38, (0.40, -1.0, 0.34), floor=-0.0005, air=(0.30, 0.42, 0.58), sky=0.45, table=(0.46, 0.36, 0.22))
    kit.grainy(bpy.data.materials["Table"], 0.004)
    sand = kit.surface("LIQUID")
    shader = sand.node_tree.nodes["Principled BSDF"]
    shading.set_value(shader, "roughness", 0.7)
    shading.set_value(shader, "transmission", 0.0)
    kit.grainy(sand, 0.0025, coordinates="rest_position")
