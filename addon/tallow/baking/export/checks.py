# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks at a scene before a bake and says what would go wrong, by object name."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import List, NamedTuple, Optional, Tuple

import bpy

from ...core import estimate, machine
from ...core.events import format_seconds
from ...model import amount, domain, heating, placement, roles, shot, units, updates
from ...model.materials import lookup, why_none
from .. import installation, session
from . import fingerprint, heat_checks, motion, puddle_checks, reach_checks, settings, shape_checks

SMALLEST_CELL = 2e-5  # m, of the library


class Problem(NamedTuple):
    fatal: bool
    text: str
    name: str = ""  # of the object, where the sentence does not begin with it

    def concerns(self, obj: bpy.types.Object) -> bool:
        return self.name == obj.name or self.text.startswith(obj.name + " ")


def known_problems(scene: bpy.types.Scene) -> List[Problem]:
    """What is wrong with the set-up, for panels: looked for again when something was edited."""
    return updates.remembered(scene, "problems", lambda: check_scene(scene))


def known_notes(scene: bpy.types.Scene) -> List[Problem]:
    """What an artist may want to know and is no fault, for panels."""
    if domain.get(scene) is None:
        return []
    return updates.remembered(scene, "notes", lambda: _find_notes(scene))


def _find_notes(scene: bpy.types.Scene) -> List[Problem]:
    found = heat_checks.without_heater(scene) if scene.tallow.thermal_speed > 0.0 else []
    found += [(obj.name, shape_checks.fine_parts(scene, obj)) for obj in roles.with_role(scene, *roles.SOURCES)
              if roles.takes_part(obj, bpy.context.view_layer) and not _is_elsewhere(scene, obj)]
    return [Problem(False, text, name) for name, text in found if text]


def check_scene(scene: bpy.types.Scene) -> List[Problem]:
    """What is wrong with the set-up."""
    incomplete = installation.problem()
    if incomplete:
        return [Problem(True, incomplete)]
    box = domain.get(scene)
    if box is None:
        return [Problem(True, "There is no domain yet. Press Fit Domain under 'Where does it happen?'.")]
    moving = roles.with_role(scene, *roles.FLUIDS)
    if not moving:
        return [Problem(True, "Nothing can flow yet. Select a mesh and make it Wax or Liquid.")]
    if not any(roles.takes_part(obj, bpy.context.view_layer) for obj in moving):
        return [Problem(True, f"{moving[0].name} is disabled in the viewport or excluded, so nothing can flow. Enable it in the "
                              "Outliner.")]
    problems: List[Problem] = []
    first, last = shot.frame_range(scene)
    if last < first:
        problems.append(Problem(True, f"The last frame ({last}) comes before the first ({first}). Change the range under Bake."))
    low, high = domain.bounds(box)
    if min(high - low) <= 0.0:
        return problems + [Problem(True, "The domain is flat. Scale it so that it has room on every side.")]
    for obj in roles.with_role(scene):
        problems += _check_object(scene, obj, low, high)
    return problems + _check_domain(scene) + _check_size(scene) + _check_heat(scene) + [
        Problem(False, text, name) for name, text in heat_checks.warnings(scene)] + [
        Problem(False, text, name) for name, text in _found_in_shapes(scene, low, high)]


def _found_in_shapes(scene: bpy.types.Scene, low, high) -> List[Tuple[str, str]]:
    """What takes a look at meshes."""
    found = shape_checks.check_domain(scene) + shape_checks.check_shot(scene)
    for obj in roles.with_role(scene, *roles.SOURCES, *roles.BODIES):
        if roles.takes_part(obj, bpy.context.view_layer) and not _is_elsewhere(scene, obj):
            found += shape_checks.check_object(scene, obj, low, high)
    return found + reach_checks.check_heaters(scene) + puddle_checks.check_sides(scene)


def _check_heat(scene: bpy.types.Scene) -> List[Problem]:
    if session.is_searching(scene):
        return []
    if fingerprint.is_fresh(scene, shot.goal(scene)):
        return [Problem(False, scene.tallow.melt_note)] if scene.tallow.melt_missed else []
    melting = heating.too_slow(scene) if scene.tallow.thermal_speed > 0.0 else None
    if melting is None:
        return []
    seconds = format_seconds(melting.seconds / scene.tallow.thermal_speed)
    todo = ("Press Melt Within the Shot." if melting.speed > scene.tallow.thermal_speed else
            "Heat cannot be sped up more: use a smaller object, or a hotter heat source.")
    return [Problem(False, f"{melting.name} takes about {seconds} to melt and the shot lasts "
                           f"{format_seconds(shot.seconds(scene))}. {todo}")]


def _check_domain(scene: bpy.types.Scene) -> List[Problem]:
    cell, sides = domain.cell_size(scene), domain.size(scene)
    if cell < SMALLEST_CELL:
        return [Problem(True, f"Cells would be {estimate.format_length(cell)} wide, and {estimate.format_length(SMALLEST_CELL)} is "
                              "the least. Make the domain larger, or lower the resolution.")]
    thin = min(range(3), key=lambda i: sides[i])
    if sides[thin] < cell:
        return [Problem(True, f"The domain is only {estimate.format_length(sides[thin])} thick along {'XYZ'[thin]}, less than a "
                              f"cell ({estimate.format_length(cell)}). Scale it up, or raise the resolution.")]
    return []


def _check_object(scene: bpy.types.Scene, obj: bpy.types.Object, low, high) -> List[Problem]:
    role = roles.of(obj)
    at_start = not _is_elsewhere(scene, obj) and (scene.frame_current == shot.frame_range(scene)[0] or not motion.may_deform(obj))
    if at_start and obj.mode == "OBJECT" and roles.takes_part(obj, bpy.context.view_layer):
        unfit = shape_checks.why_unfit(obj, role)
        if unfit:
            return [Problem(True, unfit, obj.name)]
    problems = []
    if role.fluid and lookup(scene, obj.tallow.material) is None:
        problems.append(Problem(True, why_none(obj)))
    if (role.fluid or role.body) and not _is_elsewhere(scene, obj) and _is_outside(scene, obj, low, high):
        problems.append(Problem(True, f"{obj.name} is outside the domain. Move it inside, or press Fit Domain."))
    return problems + _check_cells(scene, obj) + _check_parent(obj)


def _is_elsewhere(scene: bpy.types.Scene, obj: bpy.types.Object) -> bool:
    """Whether it may be at another place now than on the first frame, where it counts."""
    return scene.frame_current != shot.frame_range(scene)[0] and placement.start_matrix(obj) is None and motion.moves(obj)


def _is_outside(scene: bpy.types.Scene, obj: bpy.types.Object, low, high) -> bool:
    """A body may come in through an open side; liquid has to start inside."""
    box_low, box_high = domain.bounds(obj)
    beyond = [(box_high[i] <= low[i], box_low[i] >= high[i])[side] for i in range(3) for side in range(2)]
    return any(out and (not roles.of(obj).body or getattr(scene.tallow, wall) != "OPEN")
               for out, (_name, wall) in zip(beyond, settings.SIDES))


def _check_parent(obj: bpy.types.Object) -> List[Problem]:
    """Blender has no way to turn an object in a space that is stretched."""
    if not roles.of(obj).body or not obj.parent:
        return []
    axes = placement.parent_space(obj).to_3x3().col
    lengths = [axis.length for axis in axes]
    square = all(abs(axes[i].dot(axes[i - 1])) < 1e-3 * lengths[i] * lengths[i - 1] for i in range(3))
    if square and max(lengths) - min(lengths) < 1e-3 * max(lengths):
        return []
    return [Problem(False, f"{obj.name} is the child of {obj.parent.name}, which is stretched, so Blender shows it bent when it turns. "
                           f"Apply the scale of {obj.parent.name} (Ctrl A), or clear the parent.")]


def _check_cells(scene: bpy.types.Scene, obj: bpy.types.Object) -> List[Problem]:
    """Whether the cells are fine enough to know the object at all."""
    cell, side = domain.cell_size(scene), obj.dimensions * units.metres_per_unit(scene)
    if not (roles.of(obj).fluid or roles.of(obj).body) or not max(side) > 0.0:
        return []
    if max(side) < cell:
        return [Problem(True, f"{obj.name} is smaller than a cell ({estimate.format_length(cell)}) and would vanish. Raise the "
                              "resolution, or make the domain smaller.")]
    return []


def _check_size(scene: bpy.types.Scene) -> List[Problem]:
    needed, there = amount.memory(scene), machine.memory()
    if not there or needed <= 0.8 * there.bytes:
        return []
    has = "this Blender may have" if there.is_limit else "the computer has"
    if needed > there.bytes:
        return [Problem(True, f"This needs about {estimate.format_bytes(needed)} of memory and {has} "
                              f"{estimate.format_bytes(there.bytes)}. Lower the resolution.")]
    return [Problem(False, f"This may need {estimate.format_bytes(needed)} of memory, nearly all of the "
                           f"{estimate.format_bytes(there.bytes)} that {has}.")]


def check_folder(folder: Path) -> Optional[str]:
    """Make the cache folder and try to write there; a sentence when that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return f"The cache folder {folder} cannot be written ({error.strerror or error}). Choose another one under Bake."
