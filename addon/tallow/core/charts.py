# SPDX-License-Identifier: GPL-3.0-or-later
"""The course of a bake in small charts: time per stage, residual, volume, heat and motion, from the entries of bake.json."""

from __future__ import annotations

import math
from typing import Dict, Iterable, List, NamedTuple, Tuple

import numpy as np

from .statistics import stage_words

MOST_STAGES = 4  # by name; the others are one
LEAST_DRIFT = 0.1  # percent on either side of the volume's chart, so that noise looks like noise
LEAST_RESIDUAL = 1e-9  # below it lies nothing that an artist needs to see
# As the screen shows them.
TINTS = ((0.98, 0.72, 0.30), (0.36, 0.66, 0.95), (0.55, 0.82, 0.42), (0.90, 0.45, 0.42), (0.60, 0.60, 0.62))


class Series(NamedTuple):
    label: str
    color: Tuple[float, float, float]
    values: np.ndarray  # one for each frame; NaN where there is none


class Chart(NamedTuple):
    title: str
    text: str  # of the last frame
    frames: np.ndarray
    series: Tuple[Series, ...]
    low: float
    high: float
    stacked: bool = False  # series lie on each other, as columns
    logarithmic: bool = False
    marks: Tuple[str, str] = ("", "")  # what `low` and `high` are, in words

    def place(self, values: np.ndarray) -> np.ndarray:
        """Heights in the chart, 0 to 1."""
        low, high, values = self.low, self.high, np.asarray(values, float)
        if self.logarithmic:
            low, high, values = math.log10(low), math.log10(high), np.log10(np.maximum(values, 1e-300))
        return np.clip((values - low) / (high - low), 0.0, 1.0)

    def stack(self) -> List[Tuple[np.ndarray, np.ndarray]]:
        """Lower and upper edges of the columns of each series, 0 to 1."""
        edges, total = [], np.zeros(len(self.frames))
        for series in self.series:
            upper = total + np.nan_to_num(series.values)
            edges.append((self.place(total), self.place(upper)))
            total = upper
        return edges


def make_charts(entries: Iterable[Dict]) -> List[Chart]:
    """The charts for which there are numbers. Bakes of older versions have fewer."""
    entries = sorted((entry for entry in entries if isinstance(entry.get("frame"), (int, float))), key=lambda entry: entry["frame"])
    if not entries:
        return []
    frames = np.array([entry["frame"] for entry in entries], float)
    found = (_times(frames, entries), _residuals(frames, entries), _volume(frames, entries),
             _energy(frames, entries, "enthalpy", "Heat", TINTS[3]), _energy(frames, entries, "kinetic_energy", "Motion", TINTS[1]))
    return [chart for chart in found if chart]


def _column(entries: List[Dict], name: str) -> np.ndarray:
    return np.array([_number(entry.get(name)) for entry in entries])


def _number(value) -> float:
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else math.nan


def _times(frames: np.ndarray, entries: List[Dict]):
    stages = [entry["stages"] if isinstance(entry.get("stages"), dict) else {} for entry in entries]
    totals: Dict[str, float] = {}
    for stage in stages:
        for name, seconds in stage.items():
            totals[name] = totals.get(name, 0.0) + np.nan_to_num(_number(seconds))
    names = [name for name in sorted(totals, key=lambda name: -totals[name]) if totals[name] > 0.0][:MOST_STAGES]
    if not names:
        return None
    values = [np.array([np.nan_to_num(_number(stage.get(name))) for stage in stages]) for name in names]
    rest = np.array([sum(np.nan_to_num(_number(seconds)) for seconds in stage.values()) for stage in stages]) - sum(values)
    series = [Series(stage_words(name), color, column) for name, color, column in zip(names, TINTS, values)]
    series.append(Series("Other", TINTS[-1], np.maximum(rest, 0.0)))
    last, high = sum(one.values[-1] for one in series), max(float(sum(one.values for one in series).max()), 1e-3)
    return Chart("Time per Frame", format_time(last), frames, tuple(series), 0.0, high, stacked=True, marks=("0", format_time(high)))


def _residuals(frames: np.ndarray, entries: List[Dict]):
    series = []
    for name, label, color in (("pressure_residual", "Pressure", TINTS[1]), ("viscosity_residual", "Viscosity", TINTS[0])):
        values = _column(entries, name)
        values[~(values > 0.0)] = math.nan  # nothing was solved
        if np.isfinite(values).any():
            series.append(Series(label, color, values))
    if not series:
        return None
    known = np.maximum(np.concatenate([one.values for one in series]), LEAST_RESIDUAL)
    low, high = math.floor(math.log10(np.nanmin(known)) + 1e-9), math.ceil(math.log10(np.nanmax(known)) - 1e-9)
    high = max(high, low + 1)
    last = [one.values[np.isfinite(one.values)][-1] for one in series]
    return Chart("Residual", f"{max(last):.0e}", frames, tuple(series), 10.0 ** low, 10.0 ** high, logarithmic=True,
                 marks=(f"1e{low}", f"1e{high}"))


def _volume(frames: np.ndarray, entries: List[Dict]):
    volume, target = _column(entries, "particle_volume"), _column(entries, "target_volume")
    with np.errstate(divide="ignore", invalid="ignore"):
        drift = np.where(target > 0.0, 100.0 * (volume / target - 1.0), math.nan)
    if not np.isfinite(drift).any():
        return None
    reach = max(LEAST_DRIFT, 1.1 * float(np.nanmax(np.abs(drift))))
    last = round(float(drift[np.isfinite(drift)][-1]), 2) + 0.0  # not -0.00
    return Chart("Volume Drift", f"{last:+.2f} %", frames, (Series("Drift", TINTS[2], drift),), -reach, reach,
                 marks=(f"{-reach:.2g} %", f"{reach:+.2g} %"))


def _energy(frames: np.ndarray, entries: List[Dict], name: str, title: str, color: Tuple[float, float, float]):
    values = _column(entries, name)
    known = values[np.isfinite(values)]
    if not len(known):
        return None
    low, high = float(known.min()), float(known.max())
    if name == "kinetic_energy":
        low = 0.0
    if high - low < 1e-3 * max(abs(high), 1e-9):  # it stands still
        low, high = low - 0.05 * max(abs(low), 1e-6), high + 0.05 * max(abs(high), 1e-6)
    return Chart(title, format_energy(known[-1]), frames, (Series(title, color, values),), low, high,
                 marks=(format_energy(low), format_energy(high)))


def format_time(seconds: float) -> str:
    """`40 ms`, `2.3 s`, `95 s`."""
    return f"{1e3 * seconds:.0f} ms" if seconds < 0.1 else f"{seconds:.2g} s" if seconds < 10.0 else f"{seconds:.0f} s"


def format_energy(joules: float) -> str:
    """`3.1 mJ`, `42 J`, `1.85 kJ`."""
    for unit, size in (("GJ", 1e9), ("MJ", 1e6), ("kJ", 1e3), ("J", 1.0), ("mJ", 1e-3)):
        if abs(joules) >= size:
            return f"{joules / size:.3g} {unit}"
    return f"{joules * 1e6:.2g} µJ" if abs(joules) >= 1e-9 else "0 J"
