# SPDX-License-Identifier: GPL-3.0-or-later
"""In which settings two scenes differ, both in the terms of scene.json. Names alone are no difference."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Tuple

import numpy as np

SAME = 1e-6  # of the size of a place or a direction
NAMES = ("name", "mesh", "carry")  # members that only say what something is called or shows
PLACES = ("position", "rotation", "scale")
Pairs = List[Tuple[Dict, Dict]]


class Change(NamedTuple):
    part: str  # a part of scene.json: domain, world, materials, objects ...
    name: str = ""  # of the object or material
    member: str = ""  # the setting; `added` and `removed` for the thing as a whole


def alike(a: Any, b: Any) -> bool:
    """Equal, but for what Blender's floats lose when something is put back to where it was. A list of numbers is a vector."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(alike(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        if not all(type(value) in (int, float) for value in a + b):
            return len(a) == len(b) and all(alike(x, y) for x, y in zip(a, b))
        size = max((abs(value) for value in a + b), default=0.0)
        return len(a) == len(b) and all(abs(x - y) <= SAME * (size + 1e-3) for x, y in zip(a, b))
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= SAME * max(abs(a), abs(b))
    return a == b


def bare(member: Dict) -> Dict:
    """A member without what it and its files are called."""
    found = {name: value for name, value in member.items() if name not in NAMES}
    if found.get("deform"):
        found["deform"] = {name: value for name, value in found["deform"].items() if name != "pattern"}
    return found


def pair(old: List[Dict], new: List[Dict], are_same: Callable[[Dict, Dict], bool]) -> Tuple[Pairs, List[Dict], List[Dict]]:
    """Members that belong together: of one name, or renamed and else the same. Then those that went, and those that came."""
    by_name = {member["name"]: member for member in new}
    pairs = [(member, by_name.pop(member["name"])) for member in old if member["name"] in by_name]
    known = {first["name"] for first, _ in pairs}
    gone, come = [], list(by_name.values())
    for member in old:
        if member["name"] in known:
            continue
        other = next((other for other in come if are_same(member, other)), None)
        if other is None:
            gone.append(member)
        else:
            pairs.append((member, other))
            come.remove(other)
    return pairs, gone, come


def resolve(scene: Dict) -> Dict:
    """A scene whose objects and joints hold what they refer to, in place of names that may change."""
    materials = {material["name"]: material for material in scene.get("materials", [])}
    objects = [{**member, "material": materials.get(member["material"], member["material"])}
               if isinstance(member.get("material"), str) else member for member in scene.get("objects", [])]
    return {**scene, "objects": objects}


def compare(old: Dict, new: Dict) -> Tuple[List[Change], Pairs]:
    """All in which two scenes differ but for meshes, and the objects that belong together."""
    old, new = resolve(old), resolve(new)
    found = [Change(part, "", member) for part in ("frames", "domain", "world", "solver", "output")
             for member in _members(old.get(part) or {}, new.get(part) or {}, alike if part == "domain" else _equal)]
    pairs, gone, come = pair(old["objects"], new["objects"], same_but_for_names)
    for first, second in sorted(pairs, key=lambda entry: entry[1]["name"]):
        found += _object_changes(first, second)
    found += [Change("objects", member["name"], "added") for member in come]
    found += [Change("objects", member["name"], "removed") for member in gone]
    names = {first["name"]: second["name"] for first, second in pairs}
    for part in ("forces", "joints"):
        ours = [{**member, **{end: names.get(member[end], member[end]) for end in "ab" if member.get(end)}}
                for member in old.get(part) or []]
        found += _list_changes(part, ours, new.get(part) or [])
    return list(dict.fromkeys(found)), pairs


def same_but_for_names(a: Dict, b: Dict) -> bool:
    """Of objects that hold their materials, and of force fields."""
    return content(a.get("material")) == content(b.get("material")) and alike(_without_material(a), _without_material(b))


def _without_material(member: Dict) -> Dict:
    return {name: value for name, value in bare(member).items() if name != "material"}


def content(material: Any) -> Any:
    """What a material does. Its name and its colour do not reach the simulation."""
    if not isinstance(material, dict):
        return material
    return {key: value for key, value in material.items() if key not in ("name", "color")}


def _equal(a: Any, b: Any) -> bool:
    """Of numbers as the artist set them."""
    return a == b


def _members(a: Dict, b: Dict, same: Callable[[Any, Any], bool] = alike) -> List[str]:
    return [name for name in dict.fromkeys([*a, *b]) if not same(a.get(name), b.get(name))]


def _list_changes(part: str, old: List[Dict], new: List[Dict]) -> List[Change]:
    pairs, gone, come = pair(old, new, same_but_for_names)
    found = [Change(part, second["name"], "changed") for first, second in pairs if not alike(bare(first), bare(second))]
    return found + [Change(part, member["name"], "removed") for member in gone] + [
        Change(part, member["name"], "added") for member in come]


def _object_changes(a: Dict, b: Dict) -> List[Change]:
    found: List[Change] = []
    first, second = bare(a), bare(b)
    found += _material_changes(b["name"], first.pop("material", None), second.pop("material", None))
    for name in _members(first, second):
        if name == "keys":
            found += [Change("objects", b["name"], member) for member in _key_changes(first["keys"], second["keys"])]
        else:
            found.append(Change("objects", b["name"], name))
    return found


def _material_changes(name: str, a: Any, b: Any) -> List[Change]:
    if content(a) == content(b):
        return []
    if isinstance(a, dict) and isinstance(b, dict) and a.get("name") == b.get("name"):
        return [Change("materials", b["name"], member) for member in _members(content(a), content(b), _equal)]
    return [Change("objects", name, "material")]


def _key_changes(a: List[Dict], b: List[Dict]) -> List[str]:
    """What keys differ in. Where their times differ it is the animation as a whole."""
    if len(a) != len(b) or any(first.get("time") != second.get("time") for first, second in zip(a, b)):
        return ["animation"]
    members = dict.fromkeys(member for first, second in zip(a, b) for member in _members(first, second))
    return list(dict.fromkeys("place" if member in PLACES else member for member in members))


def same_shape(points: np.ndarray, faces: np.ndarray, other_points: np.ndarray, other_faces: np.ndarray) -> bool:
    """Whether two meshes are the same, but for what floats lose."""
    return (len(points) == len(other_points) and _same_faces(faces, other_faces)
            and np.allclose(points, other_points, rtol=0.0, atol=10.0 * SAME * float(np.abs(points).max(initial=1e-9))))


def _same_faces(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether triangles are the same in any order: some modifiers give them in another one each time."""
    if a.shape != b.shape or np.array_equal(a, b):
        return a.shape == b.shape
    ordered = [np.sort(faces, axis=1) for faces in (a, b)]
    return bool(np.array_equal(*(faces[np.lexsort(faces.T)] for faces in ordered)))
