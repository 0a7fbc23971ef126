# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a scene folder (docs/scene-format.md), and tells whether two of them are the same scene."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Set

import numpy as np

from . import ply

# A longer range, another name, other files or another thread count do not make another simulation.
FREE_TO_CHANGE = (("frames", "end"), ("name",), ("output",), ("solver", "threads"))
SAME = 1e-6  # of the size of a place or a direction


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

    def write_mesh(self, stem: str, positions: np.ndarray, triangles: np.ndarray) -> str:
        ply.write_mesh(self.meshes / f"{stem}.ply", positions, triangles)
        return f"meshes/{stem}.ply"

    def write_scene(self, scene: SceneData) -> Path:
        path = self.folder / "scene.json"
        _write_json(path, scene.as_json())
        return path


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
    """The first thing in which two scene folders differ, in words for the artist; None when a bake can go on."""
    try:
        a = json.loads((Path(old) / "scene.json").read_text(encoding="utf-8"))
        b = json.loads((Path(new) / "scene.json").read_text(encoding="utf-8"))
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
    for part, words in (("frames", "the start frame or the frame rate"), ("domain", "the domain"), ("world", "the world"),
                        ("solver", "the solver settings"), ("materials", "a material"), ("forces", "a force field"),
                        ("joints", "a joint")):
        # Places and directions of joints are what bodies carried there and back; all else is numbers as the artist set them.
        if not (_alike(a.get(part), b.get(part)) if part == "joints" else a.get(part) == b.get(part)):
            return words
    return _object_difference(a.get("objects", []), b.get("objects", []), Path(old), Path(new))


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


def _object_difference(a: List[Dict], b: List[Dict], old: Path, new: Path) -> Optional[str]:
    names_a, names_b = [o["name"] for o in a], [o["name"] for o in b]
    if names_a != names_b:
        changed = sorted(set(names_a) ^ set(names_b))
        return f"the object {changed[0]}" if changed else "the order of the objects"
    for first, second in zip(a, b):
        if not _alike(first, second):
            return f"the object {first['name']}"
        pattern = first.get("deform")
        files = [first["mesh"]] if "mesh" in first else []
        if pattern:
            files += [pattern["pattern"] % n for n in range(pattern["first"], pattern["last"] + 1)]
        for name in files:
            if not _alike_meshes(old / name, new / name):
                return f"the mesh of {first['name']}"
    return None


def _alike(a: Any, b: Any) -> bool:
    """Equal, but for what Blender's floats lose when something is put back to where it was. A list of numbers is a vector."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_alike(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        if not all(type(value) in (int, float) for value in a + b):
            return len(a) == len(b) and all(_alike(x, y) for x, y in zip(a, b))
        size = max((abs(value) for value in a + b), default=0.0)
        return len(a) == len(b) and all(abs(x - y) <= SAME * (size + 1e-3) for x, y in zip(a, b))
    return a == b


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
    last digit: the baker looks at it."""
    a, b = (json.loads((Path(folder) / "scene.json").read_text(encoding="utf-8")) for folder in (old, new))
    rate = a["frames"].get("fps") or 24.0
    time = (min(a["frames"]["end"], b["frames"]["end"]) - a["frames"]["start"]) / rate
    if a.get("world") and b.get("world"):
        a["world"] = _with_keys(_keys_onwards(world_keys(a["world"]), world_keys(b["world"]), time, 0.05 / rate))
    for part in ("objects", "forces"):
        for ours, theirs in zip(a.get(part, []), b.get(part, [])):
            ours["keys"] = _keys_onwards(ours["keys"], theirs["keys"], time, 0.05 / rate)
            if ours.get("deform"):
                ours["deform"]["last"] = max(ours["deform"]["last"], theirs["deform"]["last"])
    for path in (Path(new) / "meshes").glob("*.ply"):
        if not (Path(old) / "meshes" / path.name).exists():
            path.rename(Path(old) / "meshes" / path.name)
    for path in FREE_TO_CHANGE:
        ours, theirs = a, b
        for step in path[:-1]:
            ours, theirs = ours.setdefault(step, {}), theirs[step]
        ours[path[-1]] = theirs[path[-1]]
    _write_json(Path(old) / "scene.json", a)
