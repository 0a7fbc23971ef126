# SPDX-License-Identifier: GPL-3.0-or-later
"""A frame's entry of bake.json in words: rows of a name and a value."""

from __future__ import annotations

from typing import Dict, List, Tuple

from .estimate import format_bytes, format_count

Rows = List[Tuple[str, str]]


def format_volume(cubic_metres: float) -> str:
    """`80.1 litres`, `3.2 ml`, `12 m³`."""
    if cubic_metres < 1e-3:
        return f"{cubic_metres * 1e6:.3g} ml"
    if cubic_metres < 1.0:
        return f"{cubic_metres * 1e3:.4g} litres"
    return f"{cubic_metres:.4g} m³"


def summary(entry: Dict, melts: bool = True) -> Rows:
    """What an artist looks at: is the volume kept, has it melted, does it fit into memory. `melts`: whether anything can."""
    rows: Rows = []
    volume, target = entry.get("particle_volume"), entry.get("target_volume")
    if volume:
        rows.append(("Volume", format_volume(volume)))
    if volume and target:
        rows.append(("Drift", f"{(volume / target - 1.0) * 100.0:+.2f} %"))
    if melts and entry.get("melted") is not None:
        rows.append(("Molten", f"{entry['melted'] * 100.0:.0f} %"))
    if entry.get("peak_memory"):
        rows.append(("Baker RAM", format_bytes(entry["peak_memory"]) + " at most"))
    return rows


def details(entry: Dict) -> Rows:
    """Counts, for those who tune a bake."""
    rows: Rows = []
    for key, name in (("particles", "Particles"), ("cells", "Cells"), ("triangles", "Triangles")):
        if entry.get(key):
            rows.append((name, format_count(entry[key])))
    if entry.get("max_speed") is not None:
        rows.append(("Speed", f"{entry['max_speed']:.3g} m/s"))
    if entry.get("substeps"):
        rows.append(("Steps", str(entry["substeps"])))
    if entry.get("seconds") is not None:
        rows.append(("Time", f"{entry['seconds']:.2f} s"))
    return rows


# What the library calls the stages of a time step, in the artist's words.
STAGES = {"step": "Starting a step", "sources": "Inflows and outflows", "bodies": "Contacts of bodies", "transport": "Moving the liquid",
          "solids": "Solids on the grid", "surface": "Mending the surface", "gather": "Liquid onto the grid", "heat": "Heat",
          "forces": "Forces", "pieces": "Frozen pieces", "pressure": "Pressure", "coupling": "Pushing bodies", "viscosity": "Viscosity",
          "spread": "Spreading particles", "extend": "Velocity around the liquid", "particles": "Particles",
          "momentum": "Momentum of what flies", "output": "Waiting for files", "mesh": "Surface mesh"}


def stage_words(name: str) -> str:
    return STAGES.get(name, name.replace("_", " ").capitalize())


def stages(entry: Dict) -> Rows:
    """Seconds per stage of the time step, the longest first."""
    found = entry.get("stages")
    if not isinstance(found, dict):
        return []
    ordered = sorted(found.items(), key=lambda item: -float(item[1]))
    return [(stage_words(name), f"{float(seconds):.2f} s")
            for name, seconds in ordered if float(seconds) >= 0.005]
