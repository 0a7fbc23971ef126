# SPDX-License-Identifier: GPL-3.0-or-later
"""The shot: its frames and how long it lasts."""

from __future__ import annotations

from typing import Tuple

import bpy


def frame_range(scene: bpy.types.Scene) -> Tuple[int, int]:
    tallow = scene.tallow
    if tallow.use_scene_range:
        return scene.frame_start, scene.frame_end
    return tallow.frame_start, tallow.frame_end


def frame_rate(scene: bpy.types.Scene) -> float:
    return scene.render.fps / scene.render.fps_base


def seconds(scene: bpy.types.Scene) -> float:
    first, last = frame_range(scene)
    return max(1, last - first) / frame_rate(scene)
