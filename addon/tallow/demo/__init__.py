# SPDX-License-Identifier: GPL-3.0-or-later
"""Ready scenes. Each module has LABEL and TEXT for the menu, FRAMES and RESOLUTION, the frames of its contact SHEET, and
`build()`, which fills an empty scene through the add-on's operators and properties; FPS and SHAPE of the picture if not the usual."""

from __future__ import annotations

from types import ModuleType
from typing import Dict, Optional

import bpy

from . import (candle, catapult, chocolate, gears, green_liquids, hot_ball, ice_cube, ice_in_a_drink, kit, lava, lead_and_wood,
               melting_suzanne, odd_gems, sand_castle, toothpaste, toppling_pillar, tumbling_stones, wax_block)

SCENES: Dict[str, ModuleType] = {module.__name__.rpartition(".")[2]: module for module in (
    melting_suzanne, wax_block, candle, ice_cube, chocolate, lava, toothpaste, sand_castle, green_liquids, toppling_pillar, hot_ball,
    lead_and_wood, ice_in_a_drink, catapult, tumbling_stones, odd_gems, gears)}


def build(name: str, frames: Optional[int] = None, resolution: Optional[int] = None) -> ModuleType:
    """Empty the current scene and build a ready one in it."""
    module, scene = SCENES[name], bpy.context.scene
    kit.clear(scene)
    scene.frame_start, scene.frame_end = 1, frames or module.FRAMES
    scene.render.fps, scene.render.fps_base = getattr(module, "FPS", 24), 1.0
    scene.tallow.resolution = resolution or module.RESOLUTION
    module.build()
    scene.frame_set(1)
    kit.select()
    return module
