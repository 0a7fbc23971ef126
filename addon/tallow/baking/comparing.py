# SPDX-License-Identifier: GPL-3.0-or-later
"""In what a bake on the disk differs from the one that is shown, in the words of the panels. Found out once, when somebody asks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import bpy

from ..core import bake_list, changes, ply, scene_file
from ..core import cache as cache_files
from ..core.changes import Change
from ..model import observers
from . import staleness

# What does not change the frames, and what `details` says in numbers.
LEFT_OUT = {("solver", "threads"), ("frames", "end"), ("output", "checkpoint_every"), ("output", "keep_every"), ("output", "compact"),
            ("domain", "cell_size")}
FOLLOWS_SIZE = ("min", "max", "place", "mesh")  # lengths, which another real size makes others
SIDES = {"added": "only_here", "removed": "only_shown"}
_asked: Dict[Tuple[Path, Path], List[str]] = {}  # bake and shown bake: the lines of those that are unfolded


def toggle(folder: Path, shown: Path) -> None:
    """Unfold what differs, or fold it again."""
    if _asked.pop((folder, shown), None) is None:
        _asked[folder, shown] = differences(folder, shown)


def lines(folder: Path, shown: Optional[Path]) -> Optional[List[str]]:
    """What differs, of a bake that is unfolded. Cheap enough for panels."""
    return _asked.get((folder, shown)) if shown else None


def differences(folder: Path, shown: Path) -> List[str]:
    """`Wax: Temperature`, `Resolution: 32 cells (shown: 24 cells)`: a line per object or panel."""
    try:
        found = details(folder, shown) + staleness.describe(settings(folder / "scene", shown / "scene"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ply.PlyError):
        return ["These bakes cannot be compared: files are missing."]
    return found or ["Nothing differs but when they were made."]


def details(folder: Path, shown: Path) -> List[str]:
    """Resolution, frames and version, where they differ."""
    ours, theirs = _facts(folder), _facts(shown)
    return [f"{name}: {ours[name]} (shown: {theirs[name]})" for name in ours if ours[name] != theirs[name]]


def _facts(folder: Path) -> Dict[str, str]:
    entry, cache = bake_list.entry_of(folder), cache_files.Cache(folder)
    cache.refresh()
    if entry is None or not cache.order:
        raise ValueError("no bake")
    cells = f"{entry.cells} cells" + (f", preview {entry.preview} %" if entry.preview < 100 else "")
    return {"Resolution": cells, "Frames": f"{cache.order[0]} to {cache.order[-1]}", "Tallow": str(cache.info.get("library", "unknown"))}


def settings(folder: Path, shown: Path) -> List[Change]:
    """All settings in which two scene folders differ."""
    now, then = _read(folder / "scene.json"), _read(shown / "scene.json")
    motion = [_read(place / scene_file.MOTION, {}) for place in (folder, shown)]
    found, pairs = changes.compare(_still(then, motion), _still(now, motion))
    for first, second in pairs:
        name = second["name"]
        if first.get("mesh") and second.get("mesh") and not _same_mesh(shown / first["mesh"], folder / second["mesh"]):
            found.append(Change("objects", name, "mesh"))
        if _differ(_digest(motion[0], name), _digest(motion[1], first["name"])):
            found.append(Change("objects", name, "animation"))
    fields = [{member["name"] for member in scene.get("forces") or []} for scene in (now, then)]
    for name in sorted(fields[0] & fields[1]):
        if _differ(*(_digest(each, name) for each in motion)):
            found.append(Change("forces", name, "animation"))
    if _differ(*(_digest(each, None) for each in motion)):
        found.append(Change("world", "", "animation"))
    scales = [(scene.get("display") or {}).get("metres_per_unit") or 1.0 for scene in (now, then)]
    if not changes.alike(float(scales[0]), float(scales[1])):
        found = [change for change in found if change.member not in FOLLOWS_SIZE]
        found.insert(0, Change("domain", "", "life_size"))
    found = [change._replace(member=SIDES.get(change.member, change.member)) for change in found
             if (change.part, change.member) not in LEFT_OUT]
    return list(dict.fromkeys(found))


def _read(path: Path, otherwise: Optional[Dict[str, Any]] = None) -> Dict[str, Any]:
    """Raises OSError or ValueError, unless there is something in place of a file that is not there."""
    if otherwise is not None and not path.is_file():
        return otherwise
    return json.loads(path.read_text(encoding="utf-8"))


def _still(scene: Dict, motion: List[Dict]) -> Dict:
    """A scene without the keys of what moves in one of the two: its digests are compared, since a longer range has more keys."""
    moving = {name for each in motion for name in each.get("objects") or {}}
    still = {part: [{**member, "keys": [], **({"deform": True} if member.get("deform") else {})} if member["name"] in moving else member
                    for member in scene.get(part) or []] for part in ("objects", "forces")}
    return {**scene, **still, "world": {} if any("world" in each for each in motion) else scene.get("world")}


def _digest(motion: Dict, name: Optional[str]) -> Optional[Dict[int, int]]:
    """A number per frame for what moves; without a name that of the world."""
    numbers = motion.get("world") if name is None else (motion.get("objects") or {}).get(name)
    return None if numbers is None else {motion.get("first", 0) + index: number for index, number in enumerate(numbers)}


def _differ(ours: Optional[Dict[int, int]], theirs: Optional[Dict[int, int]]) -> bool:
    """On a frame that both have."""
    if ours is None or theirs is None:
        return ours is not theirs
    return any(ours[frame] != theirs[frame] for frame in ours.keys() & theirs.keys())


def _same_mesh(first: Path, second: Path) -> bool:
    if first.read_bytes() == second.read_bytes():
        return True
    shapes = []
    for path in (first, second):
        data = ply.read(path)
        shapes += [ply.columns(data["vertex"], "x", "y", "z"), data["face"]["vertex_indices"]]
    return changes.same_shape(*shapes)


def _forget(_scene: bpy.types.Scene) -> None:
    _asked.clear()


def register() -> None:
    observers.bake_changed.connect(_forget)


def unregister() -> None:
    observers.bake_changed.disconnect(_forget)
    _asked.clear()
