# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a scene folder (docs/scene-format.md), and tells whether two of them are the same scene."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Set, Tuple

import numpy as np

from . import changes, ply
from .changes import SAME

# A longer range, another name, other files or another thread count do not make another simulation.
FREE_TO_CHANGE = (("frames", "end"), ("name",), ("output",), ("solver", "threads"))
MOTION = "motion.json"  # beside scene.json: a number per frame and moving object, that changes with its animation


@dataclass
class SceneData:
    """A scene in the terms of scene.json: SI units, kelvin, lower-case names."""

    name: str
    frames: Dict[str, float]
    domain: Dict[str, Any]
    world: Dict[str, Any]
    solver: Dict[str, Any]
    output: Dict[str, Any]
    materials: List[Dict] = field(default_factory=list)
    objects: List[Dict] = field(default_factory=list)
    forces: List[Dict] = field(default_factory=list)
    joints: List[Dict] = field(default_factory=list)
    display: Dict[str, float] = field(default_factory=dict)

    def as_json(self) -> Dict[str, Any]:
        return {"format": "tallow-scene", "version": 1, "name": self.name, "frames": self.frames,
                "domain": self.domain, "world": self.world, "solver": self.solver, "output": self.output,
                "materials": self.materials, "objects": self.objects, "forces": self.forces, "joints": self.joints,
                "display": self.display}


class SceneWriter:
    """Writes meshes as they are delivered, then scene.json last."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self.meshes = self.folder / "meshes"
        self.meshes.mkdir(parents=True, exist_ok=True)
        self._taken: Set[str] = set()

    def unique_stem(self, name: str) -> str:
        """A file name for an object: readable, safe on every system, used once."""
        stem = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:48] or "object"
        candidate, number = stem, 2
        while candidate.lower() in self._taken:
            candidate, number = f"{stem}-{number}", number + 1
        self._taken.add(candidate.lower())
        return candidate

    def write_mesh(self, stem: str, positions: np.ndarray, triangles: np.ndarray, *columns: Dict[str, np.ndarray]) -> str:
        ply.write_mesh(self.meshes / f"{stem}.ply", positions, triangles, *columns)
        return f"meshes/{stem}.ply"

    def write_motion(self, motion: Dict[str, Any]) -> None:
        """What tells later whether an animation is still the one that was baked. None when nothing moves."""
        if motion["objects"] or "world" in motion:
            _write_json(self.folder / MOTION, motion)

    def write_scene(self, scene: SceneData) -> Path:
        path = self.folder / "scene.json"
        _write_json(path, scene.as_json())
        return path


def change(folder: Path, member: str, values: Dict[str, Any]) -> None:
    """Other values in a member of a scene folder, like `output`. Raises OSError or ValueError."""
    path = Path(folder) / "scene.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content[member] = {**content.get(member, {}), **values}
    _write_json(path, content)


def _write_json(path: Path, content: Dict) -> None:
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    ply.write_atomically(path, _compact(text).encode("utf-8"))


def _compact(text: str) -> str:
    """Number lists on one line: a 250-frame animation should stay readable."""
    return re.sub(r"\[\s+((?:[-\d.eE+]+,?\s+)+)\]", lambda m: "[" + " ".join(m.group(1).split()) + "]", text)


def number(value: float) -> float:
    """Seven digits: what Blender's floats hold. Equal scenes then give equal text."""
    return float(f"{float(value):.7g}")


def vector(values: Iterable[float]) -> List[float]:
    """Places and directions: also rounded to a ten-millionth, so that moving something there and back is no change."""
    return [number(round(float(value), 7)) + 0.0 for value in values]


def _same(a: Dict, b: Dict) -> bool:
    return all(a[k] == b.get(k) for k in a if k != "time")


def merge_keys(keys: List[Dict]) -> List[Dict]:
    """Keys without those in the middle of a stretch where nothing changes."""
    if len(keys) > 1 and all(_same(keys[0], key) for key in keys[1:]):
        return keys[:1]
    return [key for i, key in enumerate(keys)
            if i in (0, len(keys) - 1) or not (_same(keys[i - 1], key) and _same(key, keys[i + 1]))]


def _keys_until(keys: List[Dict], time: float, slack: float) -> List[Dict]:
    """What keys say up to a time: without those after it and those that merging leaves out or not, depending on what follows."""
    early = [key for key in keys if key["time"] <= time + slack]
    if early and early[-1]["time"] < time - slack and len(early) < len(keys):
        early.append({**keys[len(early)], "time": time} if _same(early[-1], keys[len(early)]) else keys[len(early)])
    early = merge_keys(early)
    return early[:-1] if len(early) > 1 and _same(early[-2], early[-1]) else early


def difference(old: Path, new: Path) -> Optional[str]:
    """In what two scene folders differ, in words for the artist; None when a bake can go on."""
    try:
        a, b = _read(old), _read(new)
    except (OSError, ValueError):
        return "the bake's own copy of the scene is missing"
    last = min(scene.get("frames", {}).get("end", 0) for scene in (a, b))
    for path in FREE_TO_CHANGE:
        for scene in (a, b):
            place = scene
            for step in path[:-1]:
                place = place.get(step, {})
            place.pop(path[-1], None)
    for scene in (a, b):
        _cut(scene, last)
    found, pairs = changes.compare(a, b)
    words = [_words(change) for change in found]
    words += [f"the mesh of {second['name']}" for first, second in pairs
              if not _same_meshes(first, second, Path(old), Path(new))]
    return join_words(list(dict.fromkeys(words))) or None


PARTS = {"frames": "the start frame or the frame rate", "domain": "the domain", "world": "the world",
         "solver": "the solver settings"}
KINDS = {"materials": "the material", "objects": "the object", "forces": "the force field", "joints": "the joint"}


def _words(change: changes.Change) -> str:
    return PARTS.get(change.part) or f"{KINDS.get(change.part, change.part)} {change.name}"


def join_words(words: List[str], most: int = 4) -> str:
    """`a`, `a and b`, `a, b and c`, `a, b, c and 5 more`."""
    if len(words) > most:
        words = words[:most - 1] + [f"{len(words) - most + 1} more"]
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""


def _read(folder: Path) -> Dict[str, Any]:
    return json.loads((Path(folder) / "scene.json").read_text(encoding="utf-8"))


def world_keys(world: Dict) -> List[Dict]:
    """The keys of a world, each with all its values. A world without keys is one key."""
    still = {"time_scale": 1.0, **{name: value for name, value in world.items() if name != "keys"}}
    return [{**still, **key} for key in world.get("keys", [])] or [{"time": 0.0, **still}]


def _with_keys(keys: List[Dict]) -> Dict:
    """A world from its keys. What stands beside them is the first; without change there is no more."""
    world = {name: value for name, value in keys[0].items() if name != "time"}
    if all(key.get("time_scale", 1.0) == 1.0 for key in keys):
        world.pop("time_scale", None)
        keys = [{name: value for name, value in key.items() if name != "time_scale"} for key in keys]
    return {**world, "keys": keys} if len(keys) > 1 else world


def world_with_keys(keys: List[Dict]) -> Dict:
    """The world member of scene.json from a key per frame."""
    return _with_keys(merge_keys(keys))


def _cut(scene: Dict, last: int) -> None:
    """Take out what happens after a frame: a longer range has more keys, and says nothing else about the frames before."""
    frames = scene.get("frames", {})
    rate = frames.get("fps") or 24.0
    if scene.get("world"):
        scene["world"] = _with_keys(_keys_until(world_keys(scene["world"]), (last - frames.get("start", 0)) / rate, 0.05 / rate))
    for member in scene.get("objects", []) + scene.get("forces", []):
        member["keys"] = _keys_until(member.get("keys", []), (last - frames.get("start", 0)) / rate, 0.05 / rate)
        if member.get("deform"):
            member["deform"]["last"] = min(member["deform"]["last"], last)


def _same_meshes(first: Dict, second: Dict, old: Path, new: Path) -> bool:
    files = [(first["mesh"], second["mesh"])] if "mesh" in first and "mesh" in second else []
    if first.get("deform") and second.get("deform"):
        files += [(first["deform"]["pattern"] % n, second["deform"]["pattern"] % n)
                  for n in range(first["deform"]["first"], first["deform"]["last"] + 1)]
    return all(_alike_meshes(old / ours, new / theirs) for ours, theirs in files)


def _alike_meshes(old: Path, new: Path) -> bool:
    try:
        if old.read_bytes() == new.read_bytes():
            return True
        a, b = ply.read(old), ply.read(new)
        points = [ply.columns(mesh["vertex"], "x", "y", "z") for mesh in (a, b)]
        return (len(points[0]) == len(points[1]) and np.array_equal(a["face"]["vertex_indices"], b["face"]["vertex_indices"])
                and np.allclose(*points, rtol=0.0, atol=SAME * float(np.abs(points[0]).max())))
    except (OSError, ValueError, ply.PlyError):
        return False


def _keys_onwards(old: List[Dict], new: List[Dict], time: float, slack: float) -> List[Dict]:
    """The old keys up to a time and the new ones after it."""
    early, late = [key for key in old if key["time"] <= time + slack], [key for key in new if key["time"] > time + slack]
    if not early or not late:
        return old
    # Where nothing changed before that time the new keys may say until when: else the next key would be neared from too early on.
    still = [key["time"] for key in new if early[-1]["time"] + slack < key["time"] <= time + slack]
    return early + [{**early[-1], "time": until} for until in still[-1:]] + late


def go_on(old: Path, new: Path) -> None:
    """Take over what is free to change from the new scene folder, and what happens after the old last frame. The rest stays to the
    last digit, names too: the baker looks at it."""
    a, b = _read(old), _read(new)
    rate = a["frames"].get("fps") or 24.0
    last = min(a["frames"]["end"], b["frames"]["end"])
    time = (last - a["frames"]["start"]) / rate
    if a.get("world") and b.get("world"):
        a["world"] = _with_keys(_keys_onwards(world_keys(a["world"]), world_keys(b["world"]), time, 0.05 / rate))
    names: Dict[str, str] = {}
    for part in ("objects", "forces"):
        for ours, theirs in _pairs_until(a, b, part, last):
            names[theirs["name"]] = ours["name"]
            ours["keys"] = _keys_onwards(ours["keys"], theirs["keys"], time, 0.05 / rate)
            if ours.get("deform"):
                _take_frames(ours["deform"], theirs["deform"], Path(old), Path(new))
    for path in FREE_TO_CHANGE:
        ours, theirs = a, b
        for step in path[:-1]:
            ours, theirs = ours.setdefault(step, {}), theirs[step]
        ours[path[-1]] = theirs[path[-1]]
    _write_json(Path(old) / "scene.json", a)
    if (Path(new) / MOTION).is_file():
        motion = json.loads((Path(new) / MOTION).read_text(encoding="utf-8"))
        motion["objects"] = {names.get(name, name): digest for name, digest in motion["objects"].items()}
        _write_json(Path(old) / MOTION, motion)


def _pairs_until(a: Dict, b: Dict, part: str, last: int) -> List[Tuple[Dict, Dict]]:
    """Members of two scenes that belong together, where only what happens until a frame counts."""
    cut_a, cut_b = changes.resolve(copy.deepcopy(a)), changes.resolve(copy.deepcopy(b))
    for scene in (cut_a, cut_b):
        _cut(scene, last)
    pairs, _gone, _come = changes.pair(cut_a.get(part, []), cut_b.get(part, []), changes.same_but_for_names)
    ours, theirs = ({member["name"]: member for member in scene.get(part, [])} for scene in (a, b))
    return [(ours[first["name"]], theirs[second["name"]]) for first, second in pairs]


def _take_frames(ours: Dict, theirs: Dict, old: Path, new: Path) -> None:
    """Meshes of frames that the old folder does not have, under its own names."""
    for frame in range(theirs["first"], theirs["last"] + 1):
        source, target = new / (theirs["pattern"] % frame), old / (ours["pattern"] % frame)
        if source.is_file() and not target.exists():
            source.rename(target)
    ours["last"] = max(ours["last"], theirs["last"])
