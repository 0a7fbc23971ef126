# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks the baker how much faster than in life heat must move for the wax to melt in time."""

from __future__ import annotations

import json
import math
import subprocess
import tempfile
from pathlib import Path
from typing import Dict, List, NamedTuple

import bpy

from ..core.estimate import MOST_SPEED
from ..core.process import clean_environment, explain_exit
from ..model import roles, shot
from . import command
from .export import ExportError, checks, export_scene

PATIENCE = 120.0  # seconds; it takes one or two


class MeltError(Exception):
    """There is no answer; the text is for the artist."""


class Plan(NamedTuple):
    found: bool
    speed: float  # that melts the share in time
    most: float  # share that melts at any speed
    strength: float  # times that heaters would have to be stronger; 0 = no help


def goal(scene: bpy.types.Scene) -> int:
    """The frame by which it is to be molten, within the range of the bake."""
    first, last = shot.frame_range(scene)
    return min(max(scene.tallow.melt_frame, first + 1), last) if scene.tallow.melt_frame else last


def find(context: bpy.types.Context) -> Plan:
    """Solve for heat alone on a coarse copy of the scene. Raises MeltError with one sentence for the artist."""
    scene = context.scene
    fatal = next((problem.text for problem in checks.check_scene(scene) if problem.fatal), None)
    if fatal:
        raise MeltError(fatal)
    words = command.baker_command()
    if words is None:
        raise MeltError("No Python 3.9 or newer was found to run the baker. Install Python, or name one in Edit > Preferences "
                        "> Add-ons > Tallow.")
    try:
        with tempfile.TemporaryDirectory(prefix="tallow_melt_") as folder:
            export_scene(context, Path(folder))
            share = f"{scene.tallow.melt_percent / 100.0:.4f}"
            result = subprocess.run(words + [folder, "--melt", share, "--frames", f"{goal(scene)}-{goal(scene)}"],
                                    capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=PATIENCE,
                                    stdin=subprocess.DEVNULL, env=clean_environment())
    except ExportError as error:
        raise MeltError(str(error)) from None
    except subprocess.TimeoutExpired:
        raise MeltError("The search for a heat speed-up takes too long. Set Heat Speed-up by hand.") from None
    except OSError as error:
        raise MeltError(f"The search for a heat speed-up does not start: {error.strerror or error}.") from None
    return _understand(result)


def _understand(result: subprocess.CompletedProcess) -> Plan:
    for line in result.stdout.splitlines():
        try:
            event: Dict = json.loads(line)
            if event["event"] == "error":
                raise MeltError(str(event["text"]))
            if event["event"] == "melt":
                numbers = [float(event[name]) for name in ("speed", "most", "strength")]
                return Plan(bool(event["found"]), *numbers)
        except (ValueError, KeyError, TypeError):
            continue
    raise MeltError(explain_exit(result.returncode, result.stderr.splitlines(), 0))


def rounded(speed: float) -> float:
    """Two digits, upwards: a setting that a person reads."""
    digit = 10.0 ** (math.floor(math.log10(max(speed, 1e-6))) - 1)
    return min(math.ceil(speed / digit - 1e-9) * digit, MOST_SPEED)


def heaters(scene: bpy.types.Scene) -> List[bpy.types.Object]:
    return [obj for obj in roles.with_role(scene, *roles.HEATERS) if roles.takes_part(obj, bpy.context.view_layer)]


def strengthen(scene: bpy.types.Scene, factor: float) -> None:
    """Every heater gives so many times what it gives: power, or how far its temperature is above the air's."""
    for obj in heaters(scene):
        name, value, _unit = _strength(scene, obj, factor)
        setattr(obj.tallow, name, value)


def _strength(scene: bpy.types.Scene, obj: bpy.types.Object, factor: float):
    """Setting, value and unit of a heater that is stronger."""
    if obj.tallow.heat_kind == "SOLID":
        air = scene.tallow.ambient
        return "temperature", air + factor * (obj.tallow.temperature - air), "°C"
    return "power", factor * obj.tallow.power, "W"


def explain(scene: bpy.types.Scene, plan: Plan) -> str:
    """What the search found, in words."""
    share, frame = scene.tallow.melt_percent, goal(scene)
    if plan.found:
        return f"{share} % are molten by frame {frame}, with heat {rounded(plan.speed):,.0f} times as fast as in life."
    found = heaters(scene)
    names = " and ".join(obj.name for obj in found)
    most = f"at most {100 * plan.most:.0f} % melt, however fast heat moves"
    if not found:
        return f"Nothing heats the wax: {most}. Make another object a Heater, or warm the air."
    if plan.strength <= 0.0:
        return f"{names} cannot melt enough: {most}. Put heat nearer to the wax, heat it from more sides, or warm the air."
    wanted = []
    for obj in found:
        name, value, unit = _strength(scene, obj, plan.strength)
        wanted.append(f"{obj.name} {value:,.0f} {unit} instead of {getattr(obj.tallow, name):,.0f}")
    return (f"{names} {'is' if len(found) == 1 else 'are'} too weak: the air takes the heat away, and {most}. "
            f"Enough would be: {', '.join(wanted)}. Or warm the air.")
