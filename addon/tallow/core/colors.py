# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours for what happens in the liquid: temperature, molten part, viscosity, speed."""

from __future__ import annotations

import math
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import ply, presets

# Linear RGB stops from low to high.
COLD_TO_HOT = ((0.02, 0.05, 0.35), (0.05, 0.35, 0.75), (0.75, 0.75, 0.65), (0.95, 0.35, 0.05), (0.75, 0.02, 0.01))
DARK_TO_BRIGHT = ((0.01, 0.01, 0.04), (0.18, 0.02, 0.25), (0.7, 0.1, 0.15), (0.98, 0.5, 0.05), (1.0, 0.95, 0.55))
SOLID_TO_MOLTEN = ((0.05, 0.2, 0.6), (0.6, 0.6, 0.65), (1.0, 0.4, 0.05))

LEAST_WARMTH = 1.0  # kelvin on either side of the middle, so that a scene of one temperature has one colour


def ramp(values: np.ndarray, low: float, high: float, stops: Tuple) -> np.ndarray:
    """RGBA, (n, 4) float32."""
    place = np.clip((values - low) / max(high - low, 1e-9), 0.0, 1.0)
    marks = np.linspace(0.0, 1.0, len(stops))
    result = np.ones((len(values), 4), np.float32)
    for channel in range(3):
        result[:, channel] = np.interp(place, marks, [stop[channel] for stop in stops])
    return result


class Kind(NamedTuple):
    """One way to colour by."""

    label: str
    unit: str
    stops: Tuple  # from low to high
    logarithmic: bool = False


KINDS = {
    "TEMPERATURE": Kind("Temperature", "°C", COLD_TO_HOT),
    "MELT": Kind("Molten Part", "%", SOLID_TO_MOLTEN),
    "VISCOSITY": Kind("Viscosity", "Pa·s", DARK_TO_BRIGHT[::-1], logarithmic=True),
    "SPEED": Kind("Speed", "m/s", DARK_TO_BRIGHT),
}


class Scale(NamedTuple):
    """What colours mean: from the first to the last colour of its kind, in SI units."""

    mode: str
    low: float
    high: float

    @property
    def kind(self) -> Kind:
        return KINDS[self.mode]

    def colors(self, values: np.ndarray) -> np.ndarray:
        """RGBA, (n, 4) float32, linear."""
        low, high, values = self.low, self.high, np.asarray(values)
        if self.kind.logarithmic:
            low, high, values = math.log10(low), math.log10(high), np.log10(np.maximum(values, 1e-9))
        return ramp(values, low, high, self.kind.stops)

    def at(self, place: float) -> float:
        """The value at a place of the legend, 0 to 1."""
        if self.kind.logarithmic:
            return self.low * (self.high / self.low) ** place
        return self.low + place * (self.high - self.low)

    def text(self, place: float) -> str:
        """The same in the unit of the legend."""
        step = abs(self.shown(self.high) - self.shown(self.low)) / 4.0
        digits = 0 if step >= 10.0 else 1 if step >= 1.0 else 2 if step >= 0.1 else 3
        return format_digits(self.at(place)) if self.kind.logarithmic else f"{self.shown(self.at(place)):.{digits}f}"

    def shown(self, value: float) -> float:
        """A value in the unit that artists read."""
        return value - presets.ZERO_CELSIUS if self.mode == "TEMPERATURE" else 100.0 * value if self.mode == "MELT" else value


def format_digits(value: float) -> str:
    """Two digits that count, written out where that is short: `0.0032`, `360`, `2,000`, `4.1e+06`."""
    if not 1e-4 <= abs(value) < 1e6:
        return f"{value:.2g}"
    places = max(0, 1 - math.floor(math.log10(abs(value))))
    text = f"{float(f'{value:.2g}'):,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def make_scale(mode: str, low: float, high: float) -> Scale:
    """A scale of any two numbers: in their order, apart from each other, and above zero where it must be."""
    low, high = min(low, high), max(low, high)
    if KINDS[mode].logarithmic:
        low = max(low, 1e-9)
        return Scale(mode, low, max(high, 1.01 * low))
    return Scale(mode, low, max(high, low + max(1e-3, 1e-5 * abs(low))))


def find_scale(mode: str, entries: Iterable[Dict], materials: List[Dict]) -> Scale:
    """From the lowest to the highest value in these frames of a bake, by their entries in bake.json.

    Bakes of older versions do not tell how hot they were: then the melting point is in the middle.
    """
    entries = list(entries)
    cold, hot = [[entry[name] for entry in entries if entry.get(name) is not None] for name in ("coldest", "hottest")]
    low, high = (min(cold), max(hot)) if cold and hot else temperature_limits(materials)
    if mode == "TEMPERATURE":
        middle, reach = (low + high) / 2.0, max((high - low) / 2.0, LEAST_WARMTH)
        return make_scale(mode, middle - reach, middle + reach)
    if mode == "MELT":
        return make_scale(mode, 0.0, 1.0)
    if mode == "SPEED":
        return make_scale(mode, 0.0, max([entry.get("max_speed") or 0.0 for entry in entries], default=0.5))
    if not materials:
        return make_scale(mode, 1e-3, 1e4)
    kelvin = np.linspace(low, high, 64)
    found = [presets.viscosity_at(presets.normalised(material, ""), kelvin) for material in materials]
    return make_scale(mode, max(float(np.min(found)), 1e-6), float(np.max(found)))


def vertex_values(mode: str, rows: np.ndarray, materials: List[Dict]) -> np.ndarray:
    """The number that each vertex is coloured by, SI."""
    if mode == "SPEED":
        return np.linalg.norm(ply.columns(rows, "vx", "vy", "vz"), axis=1)
    return vertex_viscosity(rows, materials) if mode == "VISCOSITY" else ply.columns(rows, mode.lower())


def vertex_colors(color: Union[str, Scale], rows: np.ndarray, materials: List[Dict]) -> Optional[np.ndarray]:
    """Colours of vertices on a scale, or on that of a mode's own. None for the plain material."""
    if color == "NONE":
        return None
    scale = find_scale(color, [], materials) if isinstance(color, str) else color
    return scale.colors(vertex_values(scale.mode, rows, materials))


def cell_values(mode: str, cells: np.ndarray, materials: List[Dict]) -> Optional[np.ndarray]:
    """The same of cells, rows of x y z, temperature, viscosity and speed.

    None for the molten part of several materials: cells do not tell which one is in them.
    """
    if mode == "MELT":
        if len(materials) != 1:
            return None
        solidus, liquidus = (float(materials[0].get(name, 0.0)) for name in ("solidus", "liquidus"))
        melts = materials[0].get("latent_heat", 0.0) > 0.0
        return np.clip((cells[:, 3] - solidus) / max(liquidus - solidus, 1e-3), 0.0, 1.0) if melts else np.ones(len(cells))
    return cells[:, {"TEMPERATURE": 3, "VISCOSITY": 4, "SPEED": 5}[mode]]


def to_display(color: np.ndarray) -> np.ndarray:
    """Linear colours as the screen wants them (sRGB); the fourth channel stays."""
    color = np.array(color, np.float32)
    part = color[..., :3]
    color[..., :3] = np.where(part <= 0.0031308, 12.92 * part, 1.055 * np.maximum(part, 1e-9) ** (1.0 / 2.4) - 0.055)
    return color


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
