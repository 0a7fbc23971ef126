# SPDX-License-Identifier: GPL-3.0-or-later
"""Material presets: the JSON files in presets/materials, as docs/scene-format.md describes them."""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

from . import defaults

ZERO_CELSIUS = 273.15
FLOWING = 3000.0  # Pa s; what is thicker hardly moves within a shot
LAST = 1000  # place in the list, of presets as in life
STANDING = 1e5  # Pa s; what is thicker stands as if it were solid
# What scene.json takes of a preset; the rest (label, description, sources) is for people.
MEMBERS = ("density", "specific_heat", "conductivity", "solidus", "liquidus", "latent_heat", "viscosity",
           "solid_viscosity", "surface_tension", "contact_angle", "frozen", "color")
# The library's own material: water at 20 C.
WATER: Dict[str, Any] = {"name": "Water", "label": "Water", "description": "Plain water that never freezes", **defaults.MATERIAL}


def preset_folder(addon: Path) -> Path:
    """Where the presets are: inside the add-on in a release, next to it in the repository."""
    inside = Path(addon) / "presets"
    return inside if inside.is_dir() else Path(addon).parent.parent / "presets"


def load_materials(addon: Path) -> Dict[str, Dict]:
    """All readable presets by file name: those for the look first, then those as in life by name. A damaged file is left out, not
    fatal.

    Empty without a folder of presets: nothing takes the place of a material that is not there.
    """
    found = load_folder(preset_folder(addon) / "materials")
    return dict(sorted(found.items(), key=lambda entry: (entry[1]["look"] or LAST, entry[0])))


def load_folder(folder: Path) -> Dict[str, Dict]:
    """The readable presets of a folder by file name."""
    found: Dict[str, Dict] = {}
    for path in sorted(Path(folder).glob("*.json")):
        try:
            preset = json.loads(path.read_text(encoding="utf-8"))
            found[path.stem] = normalised(preset, path.stem)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return found


def write_preset(folder: Path, material: Dict) -> str:
    """Save a material as a preset file. Returns the stem of its name. Raises OSError."""
    stem = re.sub(r"[^a-z0-9]+", "_", material["label"].lower()).strip("_") or "material"
    text = json.dumps({**material, "name": stem, "sources": []}, indent=1, ensure_ascii=False)
    Path(folder).mkdir(parents=True, exist_ok=True)
    part = Path(folder) / f"{stem}.json.tmp"
    part.write_text(text + "\n", encoding="utf-8")
    os.replace(part, Path(folder) / f"{stem}.json")
    return stem


def normalised(preset: Dict, stem: str) -> Dict:
    """A preset with every member present and the viscosity as a list of points."""
    result = {**{key: WATER[key] for key in MEMBERS}, **preset}
    result.setdefault("name", stem)
    result["label"] = str(preset.get("label") or preset.get("name") or stem.replace("_", " ").title())
    result["description"] = str(preset.get("description") or result["label"])
    result["look"] = int(preset.get("look", 0))
    result["viscosity"] = curve_points(result["viscosity"])
    for key in ("density", "specific_heat", "conductivity"):
        value = result[key]
        result[key] = [float(v) for v in value] if isinstance(value, (list, tuple)) else [float(value)] * 2
    return result


def curve_points(viscosity: Any) -> List[List[float]]:
    """A viscosity as [[kelvin, Pa s], ...], whichever of the two forms it came in."""
    if isinstance(viscosity, (int, float)):
        return [[293.15, float(viscosity)]]
    return sorted([float(point[0]), float(point[1])] for point in viscosity)


def scene_member(material: Dict, name: str) -> Dict:
    """The material as scene.json wants it."""
    return {"name": name, **{key: material[key] for key in MEMBERS}}


def viscosity_at(material: Dict, kelvin: Any) -> Any:
    """Pa s at a temperature: straight lines in log(viscosity), constant beyond the ends, as the library does it.

    Below the solidus it is the solid's viscosity. Takes a number or a numpy array.
    """
    import numpy as np

    points = curve_points(material["viscosity"])
    kelvin = np.asarray(kelvin, float)
    log = np.interp(kelvin, [p[0] for p in points], [math.log(max(p[1], 1e-12)) for p in points])
    liquid = np.exp(log)
    if material["latent_heat"] <= 0.0:
        return liquid
    solidus, liquidus = material["solidus"], max(material["liquidus"], material["solidus"] + 1e-6)
    melt = np.clip((kelvin - solidus) / (liquidus - solidus), 0.0, 1.0)
    solid = math.log(max(material["solid_viscosity"], 1e-12))
    return np.exp(solid * (1.0 - melt) + log * melt)


def freezes(material: Dict) -> bool:
    return material["latent_heat"] > 0.0


def solid_temperature(material: Dict) -> float:
    """Degrees Celsius at which the material surely is solid: room temperature where that is cold enough."""
    return min(20.0, round(material["solidus"] - ZERO_CELSIUS) - 10.0) if freezes(material) else 20.0


def liquid_temperature(material: Dict) -> float:
    """Degrees Celsius at which the material flows: room temperature where that is warm enough, else well above melting."""
    if freezes(material):
        molten = material["liquidus"] - ZERO_CELSIUS
        return max(20.0, 5.0 * round((molten + max(20.0, 0.08 * molten)) / 5.0))
    points = [(293.15, float(viscosity_at(material, 293.15))), *material["viscosity"]]
    return next((kelvin for kelvin, value in points if kelvin >= 293.15 and value <= FLOWING), points[-1][0]) - ZERO_CELSIUS


def problems(material: Dict) -> List[str]:
    """What is impossible about a material, in words. Empty when it can be simulated."""
    found: List[str] = []
    for key, label in (("density", "density"), ("specific_heat", "specific heat"), ("conductivity", "heat conductivity")):
        if min(material[key]) <= 0.0:
            found.append(f"its {label} must be more than zero")
    if material["liquidus"] < material["solidus"]:
        found.append("it is fully molten at a lower temperature than where it starts to melt")
    if any(value <= 0.0 for _, value in material["viscosity"]):
        found.append("its viscosity must be more than zero everywhere")
    temperatures = [kelvin for kelvin, _ in material["viscosity"]]
    if len(set(temperatures)) != len(temperatures):
        found.append("two points of its viscosity curve have the same temperature")
    return found


def describe(material: Dict) -> List[Tuple[str, str]]:
    """What the material is like, in two short lines: a name and a value each."""
    lines = []
    if material["latent_heat"] > 0.0:
        low, high = material["solidus"] - ZERO_CELSIUS, material["liquidus"] - ZERO_CELSIUS
        lines.append(("Melts at", f"{low:.0f} °C" if high - low < 1.0 else f"{low:.0f} to {high:.0f} °C"))
    else:
        lines.append(("Freezes", "never"))
    lines.append(("When hot" if material["latent_heat"] > 0.0 else "Flows", thickness_word(material["viscosity"][-1][1])))
    return lines


def thickness_word(viscosity: float) -> str:
    """A viscosity in the words of a kitchen."""
    words: Sequence[Tuple[float, str]] = ((0.004, "thin as water"), (0.05, "like milk"), (0.5, "like oil"),
                                          (20.0, "like honey"), (500.0, "like toothpaste"), (1e5, "like putty"))
    for limit, word in words:
        if viscosity < limit:
            return word
    return "almost solid"
