# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours for what happens in the liquid: temperature, molten part, viscosity, speed."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

import numpy as np

from . import ply, presets

# Linear RGB stops from low to high.
COLD_TO_HOT = ((0.02, 0.05, 0.35), (0.05, 0.35, 0.75), (0.75, 0.75, 0.65), (0.95, 0.35, 0.05), (0.75, 0.02, 0.01))
DARK_TO_BRIGHT = ((0.01, 0.01, 0.04), (0.18, 0.02, 0.25), (0.7, 0.1, 0.15), (0.98, 0.5, 0.05), (1.0, 0.95, 0.55))
SOLID_TO_MOLTEN = ((0.05, 0.2, 0.6), (0.6, 0.6, 0.65), (1.0, 0.4, 0.05))


def ramp(values: np.ndarray, low: float, high: float, stops: Tuple) -> np.ndarray:
    """RGBA, (n, 4) float32."""
    place = np.clip((values - low) / max(high - low, 1e-9), 0.0, 1.0)
    marks = np.linspace(0.0, 1.0, len(stops))
    result = np.ones((len(values), 4), np.float32)
    for channel in range(3):
        result[:, channel] = np.interp(place, marks, [stop[channel] for stop in stops])
    return result


def vertex_colors(mode: str, rows: np.ndarray, materials: List[Dict]) -> Optional[np.ndarray]:
    """Colours for a display mode, or None for the plain material."""
    if mode == "TEMPERATURE":
        low, high = temperature_limits(materials)
        return ramp(ply.columns(rows, "temperature"), low, high, COLD_TO_HOT)
    if mode == "MELT":
        return ramp(ply.columns(rows, "melt"), 0.0, 1.0, SOLID_TO_MOLTEN)
    if mode == "SPEED":
        speed = np.linalg.norm(ply.columns(rows, "vx", "vy", "vz"), axis=1)
        return ramp(speed, 0.0, max(0.5, float(np.percentile(speed, 98)) if len(speed) else 0.5), DARK_TO_BRIGHT)
    if mode == "VISCOSITY":
        return ramp(-np.log10(vertex_viscosity(rows, materials)), -4.0, 3.0, DARK_TO_BRIGHT)
    return None


def temperature_limits(materials: List[Dict]) -> Tuple[float, float]:
    """A range that puts the melting point in the middle, where the colour turns."""
    melting = [m["liquidus"] for m in materials if m.get("latent_heat", 0.0) > 0.0]
    middle = sum(melting) / len(melting) if melting else 310.0
    reach = max(30.0, 0.15 * middle)
    return middle - reach, middle + reach


def vertex_viscosity(rows: np.ndarray, materials: List[Dict]) -> np.ndarray:
    """Pa s per vertex, from its temperature and its material's curve."""
    kelvin = ply.columns(rows, "temperature")
    index = np.rint(ply.columns(rows, "material")).astype(int) if "material" in rows.dtype.names else np.zeros(len(rows), int)
    result = np.full(len(rows), 1e-3)
    for number, material in enumerate(materials):
        chosen = index == number
        if chosen.any():
            result[chosen] = presets.viscosity_at(presets.normalised(material, ""), kelvin[chosen])
    return np.maximum(result, 1e-9)
