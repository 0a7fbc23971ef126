# SPDX-License-Identifier: GPL-3.0-or-later
"""The shot: its frames and how long it lasts."""

from __future__ import annotations

from typing import Tuple

import bpy

from ..core import animation


def frame_range(scene: bpy.types.Scene) -> Tuple[int, int]:
    tallow = scene.tallow
    if tallow.use_scene_range:
        return scene.frame_start, scene.frame_end
    return tallow.frame_start, tallow.frame_end


def goal(scene: bpy.types.Scene) -> int:
    """The frame by which wax is to be molten, within the range of the bake."""
    first, last = frame_range(scene)
    return min(max(scene.tallow.melt_frame, first + 1), last) if scene.tallow.melt_frame else last


def frame_rate(scene: bpy.types.Scene) -> float:
    return scene.render.fps / scene.render.fps_base


def time_scale(scene: bpy.types.Scene) -> float:
    """Simulated seconds per second of the shot, on the average."""
    curve = animation.find_curve(scene.animation_data, "tallow.time_scale")
    if curve is None:
        return scene.tallow.time_scale
    first, last = frame_range(scene)
    values = [curve.evaluate(frame + 0.5) for frame in range(first, max(last, first + 1))]
    return max(sum(values) / len(values), 1e-4)


def seconds(scene: bpy.types.Scene) -> float:
    """How much simulated time the shot shows."""
    first, last = frame_range(scene)
    return time_scale(scene) * max(1, last - first) / frame_rate(scene)
