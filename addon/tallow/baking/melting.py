# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks the baker how much faster than in life heat must move for the wax to melt in time."""

from __future__ import annotations

import math
import tempfile
import time
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional

import bpy

from ..core import scene_file
from ..core.estimate import MOST_SPEED
from ..core.process import BakerProcess, explain_exit
from ..model import roles, shapes, shot, units
from . import command, session
from .export import ExportError, checks, export_scene, fingerprint, reach_checks

PATIENCE = 300.0  # seconds of processor time; it takes a few
SEARCHING = "The search for the heat speed-up is running. Esc stops it."
SURE = 1.25  # times the speed that was found: bakes in finer cells were up to a fifth slower than the coarse copy


class MeltError(Exception):
    """There is no answer; the text is for the artist."""


class Plan(NamedTuple):
    found: bool
    speed: float  # that melts the share in time
    most: float  # share that melts at any speed
    strength: float  # times that heaters would have to be stronger; 0 = no help


class Search:
    """The baker at work on a coarse copy of the scene. Ask `poll` until it gives a plan. Both raise MeltError."""

    def __init__(self, context: bpy.types.Context) -> None:
        scene = context.scene
        fatal = next((problem.text for problem in checks.check_scene(scene) if problem.fatal), None)
        if fatal:
            raise MeltError(fatal)
        words = command.baker_command()
        if words is None:
            raise MeltError("No Python 3.9 or newer was found to run the baker. Install Python, or name one in Edit > Preferences "
                            "> Add-ons > Tallow.")
        self._folder = tempfile.TemporaryDirectory(prefix="tallow_melt_")
        self._process: Optional[BakerProcess] = None
        self._session: Optional[session.Session] = None
        try:
            export_scene(context, Path(self._folder.name))
            self._process = BakerProcess(words + [self._folder.name, "--melt", f"{scene.tallow.melt_percent / 100.0:.4f}", "--frames",
                                                  f"{shot.goal(scene)}-{shot.goal(scene)}", "--patience", f"{PATIENCE:g}"])
            self._session = session.claim(scene)
            self._session.searches += 1
        except ExportError as error:
            self.close()
            raise MeltError(str(error)) from None
        except OSError as error:
            self.close()
            raise MeltError(f"The search for a heat speed-up does not start: {error.strerror or error}.") from None

    def poll(self) -> Optional[Plan]:
        """The plan; None while it is being looked for."""
        alive = self._process.alive
        for event in self._process.take_events():
            if event["event"] in ("melt", "error"):
                self.close()
                return _understand(event)
        if alive:
            return None
        code, said = self._process.process.returncode, list(self._process.stderr)
        self.close()
        raise MeltError(explain_exit(code, said, 0))

    def close(self) -> None:
        """End it, whether it has found something or not."""
        if self._process:
            self._process.close()
        if self._session:
            self._session.searches -= 1
            self._session = None
        self._folder.cleanup()


def find(context: bpy.types.Context) -> Plan:
    """Search and wait. Raises MeltError with one sentence for the artist."""
    search = Search(context)
    try:
        while True:
            plan = search.poll()
            if plan:
                return plan
            time.sleep(0.02)
    finally:
        search.close()


def _understand(event: Dict) -> Plan:
    try:
        if event["event"] == "melt":
            return Plan(bool(event["found"]), *[float(event[name]) for name in ("speed", "most", "strength")])
        text = str(event["text"])
    except (ValueError, KeyError, TypeError):
        text = "What the search for a heat speed-up found cannot be read. This is a defect in Tallow; please report it."
    raise MeltError(text)


def forget(scene: bpy.types.Scene) -> None:
    """What the last search found no longer counts."""
    tallow = scene.tallow
    tallow.melt_note, tallow.melt_key, tallow.melt_strength, tallow.melt_missed, tallow.melt_speed = "", "", 0.0, False, 0.0


def apply(scene: bpy.types.Scene, plan: Plan) -> None:
    """Set the speed-up that was found, and keep what was found for the panel."""
    tallow = scene.tallow
    if plan.found:
        tallow.thermal_speed = tallow.melt_speed = rounded(plan.speed)
    tallow.melt_note, tallow.melt_strength = explain(scene, plan), 0.0 if plan.found else plan.strength
    tallow.melt_missed, tallow.melt_key = not plan.found, fingerprint.take(scene, shot.goal(scene))


def is_fresh(scene: bpy.types.Scene) -> bool:
    """Whether what the last search found is still true of the scene."""
    return fingerprint.is_fresh(scene, shot.goal(scene))


def rounded(speed: float) -> float:
    """Two digits, upwards: a setting that a person reads. With a margin, so that as much melts as was promised."""
    speed *= SURE
    digit = 10.0 ** (math.floor(math.log10(max(speed, 1e-6))) - 1)
    return min(math.ceil(speed / digit - 1e-9) * digit, MOST_SPEED)


def heaters(scene: bpy.types.Scene) -> List[bpy.types.Object]:
    """Those that heat something: what an idle one lacks is not strength."""
    idle = {name for name, _text in reach_checks.check_heaters(scene)}
    return [obj for obj in roles.with_role(scene, *roles.HEATERS) if obj.name not in idle]


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
    share, frame = scene.tallow.melt_percent, shot.goal(scene)
    if plan.found:
        return f"About {share} % will be molten by frame {frame}, with heat {rounded(plan.speed):,.0f} times as fast as in life."
    found = heaters(scene)
    names = ("The heater " if len(found) == 1 else "The heaters ") + scene_file.join_words([obj.name for obj in found], 4)
    most = f"at most {100 * plan.most:.0f} % melt, however fast heat moves"
    if not found:
        idle = " ".join(text for _name, text in reach_checks.check_heaters(scene))
        if idle:
            return f"Nothing heats the wax: {most}. {idle}"
        return f"Nothing heats the wax: {most}. Make another object a Heater, or warm the air."
    if plan.strength <= 0.0:
        return f"{names} cannot melt enough of the wax: {most}. {_reach_advice(scene, found)}"
    wanted = []
    for obj in found:
        name, value, unit = _strength(scene, obj, plan.strength)
        wanted.append(f"{obj.name} {value:,.0f} {unit} instead of {getattr(obj.tallow, name):,.0f}")
    return (f"{names} {'is' if len(found) == 1 else 'are'} too weak: the air takes the heat away, and {most}. "
            f"Enough would be: {', '.join(wanted)}. Or warm the air.")


def _reach_advice(scene: bpy.types.Scene, found: List[bpy.types.Object]) -> str:
    """What brings more heat into the wax, where stronger heaters do not."""
    waxes = [obj for obj in roles.with_role(scene, *roles.FROZEN) if roles.takes_part(obj, bpy.context.view_layer)]
    touching = [heater for heater in found if heater.tallow.heat_kind != "LAMP"]
    gaps = [(shapes.gap(shapes.bounds(heater), shapes.bounds(wax)), heater.name, wax.name) for heater in touching for wax in waxes]
    if not gaps:
        return "Put the heater nearer to the wax, add another one, or warm the air."
    gap, heater, wax = min(gaps)
    if gap > 0.0:
        return f"{heater} is {units.as_shown(scene, gap)} away from {wax}: move it closer, or warm the air."
    return f"{heater} and {wax} touch in too small a place: let them overlap more, make {heater} larger, or warm the air."
