# SPDX-License-Identifier: GPL-3.0-or-later
"""A viscosity curve as a small picture, drawn with numpy because Blender's panels cannot draw lines."""

from __future__ import annotations

from typing import Dict, Tuple

import numpy as np

from . import presets

INK = (0.98, 0.72, 0.30, 1.0)
GRID = (1.0, 1.0, 1.0, 0.10)
MELTING = (0.95, 0.45, 0.15, 0.16)
BACK = (0.09, 0.09, 0.10, 1.0)


def temperature_range(material: Dict) -> Tuple[float, float]:
    """From a little under the melting range to a little over the last point, kelvin."""
    marks = [point[0] for point in material["viscosity"]]
    if material["latent_heat"] > 0.0:
        marks += [material["solidus"], material["liquidus"]]
    low, high = min(marks), max(marks)
    margin = max(10.0, 0.15 * (high - low))
    return low - margin, high + margin


def viscosity_curve(material: Dict, size: int = 192) -> np.ndarray:
    """RGBA rows from the bottom up, (size, size, 4): log(viscosity) over temperature, the melting range tinted."""
    image = np.empty((size, size, 4), np.float32)
    image[:] = BACK
    low, high = temperature_range(material)
    kelvin = np.linspace(low, high, size)
    values = np.log10(np.maximum(presets.viscosity_at(material, kelvin), 1e-9))
    bottom, top = np.floor(values.min() - 0.2), np.ceil(values.max() + 0.2)
    if material["latent_heat"] > 0.0:
        inside = (kelvin >= material["solidus"]) & (kelvin <= material["liquidus"])
        _blend(image[:, inside], MELTING, image, (slice(None), inside))
    for decade in np.arange(bottom + 1, top):
        row = int((decade - bottom) / (top - bottom) * (size - 1))
        _blend(image[row], GRID, image, row)
    _draw_line(image, (values - bottom) / (top - bottom) * (size - 1))
    return image


def _blend(part: np.ndarray, color: Tuple[float, ...], image: np.ndarray, place) -> None:
    alpha = color[3]
    mixed = part * (1.0 - alpha) + np.array((*color[:3], 1.0), np.float32) * alpha
    image[place] = mixed


def _draw_line(image: np.ndarray, heights: np.ndarray) -> None:
    """A line two pixels thick with soft edges, through one height per column."""
    size = image.shape[0]
    rows = np.arange(size)[:, None]
    before = np.concatenate([heights[:1], heights[:-1]])
    lower, upper = np.minimum(before, heights), np.maximum(before, heights)
    distance = np.maximum(lower[None] - rows, rows - upper[None]).clip(0.0)
    alpha = np.clip(2.0 - distance, 0.0, 1.0)[..., None].astype(np.float32)
    image[:] = image * (1.0 - alpha) + np.array(INK, np.float32) * alpha
