# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the bake that is shown is still that of the scene, and which settings changed since.

Settings are compared when a panel asks and something was edited. Meshes and animations take longer: they are compared a moment
after the last edit.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import bpy
import numpy as np

from ..core import changes, ply, scene_file
from ..core.changes import Change
from ..model import domain, meshes, observers, roles, shot, units, updates
from ..model.materials import TallowMaterial
from ..model.properties.objects import TallowObject
from ..model.properties.scenes import TallowScene
from . import paths
from .export import motion, snapshot

PAUSE = 0.3  # seconds without an edit, after which meshes are compared
MOST_AGE = 1.0  # seconds; scripts change settings without a word
# Of what scene.json says, what does not change what was baked.
FREE = {("solver", "threads"), ("frames", "end"), ("output", "checkpoint_every"), ("output", "keep_every"), ("output", "particles"),
        ("output", "vdb"), ("output", "compact")}
# Members of scene.json whose property has another name.
PROPERTIES = {"ambient_temperature": "ambient", "film_coefficient": "film", "particles": "save_particles", "vdb": "save_vdb"}
WORDS = {"place": "Place", "keys": "Animation", "mesh": "Shape or Scale", "animation": "Animation", "material": "Material", "role": "Role",
         "deform": "Animation", "added": "New", "removed": "Gone", "only_here": "Only in this one",
         "only_shown": "Only in the shown one", "changed": "Changed", "min": "Place or Size",
         "max": "Place or Size",
         "cell_size": "Resolution", "walls": "Walls", "start": "First Frame", "fps": "Frame Rate", "viscosity": "Viscosity",
         "particles_per_axis": "Particles per Cell"}
WORLD = "\0world"  # among names of objects that move
TITLES = {"frames": "Range", "domain": "Domain", "world": "World", "solver": "Solver", "output": "Files"}


class _Bake:
    """What is known of one bake and how the scene differs from it."""

    def __init__(self, folder: Path, stamp: Tuple[int, int]) -> None:
        self.folder, self.stamp = folder, stamp
        self.scene = _read(folder / "scene.json")
        self.motion = _read(folder / scene_file.MOTION)
        self.found: List[Change] = []
        self.edits, self.time = -1, 0.0  # when `found` was worked out
        self.meshes: Dict[str, Tuple[Tuple, bool]] = {}  # object: what it was compared as, whether it is the same
        self.moved: List[str] = []  # objects whose animation changed
        self.slow_edits = -1  # when these two were


_bakes: Dict[str, _Bake] = {}
_last_edit: Tuple[int, float] = (-1, 0.0)


def _read(path: Path) -> Dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return found if isinstance(found, dict) else {}
    except (OSError, ValueError):
        return {}


def found_changes(scene: bpy.types.Scene) -> List[Change]:
    """What changed since the bake that the scene shows. Empty when there is none, or it is that of the scene as it is."""
    bake = _bake_of(scene)
    if bake is None or not bake.scene:
        return []
    if domain.get(scene) is None:
        return [Change("domain", "", "removed")]
    now = time.monotonic()
    if not bpy.app.background and (_is_busy() or (bake.edits == updates.count() and now - bake.time < MOST_AGE)):
        return bake.found
    bake.edits, bake.time = updates.count(), now
    try:
        if bpy.app.background:
            _compare_slowly(scene, bake)
        bake.found = _compare(scene, bake)
    except (KeyError, TypeError, AttributeError, ValueError):
        bake.found = []  # a scene.json that something else wrote
    return bake.found


def _is_busy() -> bool:
    """Whether frames run by: edits are not made then, and every millisecond counts."""
    return bpy.app.is_job_running("RENDER") or any(
        window.screen.is_animation_playing for window in bpy.context.window_manager.windows)


def _bake_of(scene: bpy.types.Scene) -> Optional[_Bake]:
    folder = paths.bake_folder(scene) if scene.tallow.bake_path else None
    if folder is None:
        return None
    try:
        stat = (folder / "scene" / "scene.json").stat()
    except OSError:
        return None
    stamp = (stat.st_mtime_ns, stat.st_size)
    known = _bakes.get(scene.name)
    if known is None or known.folder != folder / "scene" or known.stamp != stamp:
        known = _bakes[scene.name] = _Bake(folder / "scene", stamp)
    return known


def _take(scene: bpy.types.Scene, bake: _Bake) -> snapshot.Snapshot:
    """The scene now, as large in life as it was baked: else all lengths would differ where the real size alone does."""
    with units.held(_scale(scene, bake)):
        return snapshot.take(scene, bpy.context.view_layer, _scale(scene, bake))


def _scale(scene: bpy.types.Scene, bake: _Bake) -> float:
    """Metres per Blender unit of the bake. To the last digit, where it is that of the scene."""
    now, then = units.metres_per_unit(scene), (bake.scene.get("display") or {}).get("metres_per_unit") or 0.0
    return now if not then or changes.alike(float(now), float(then)) else float(then)


def _compare(scene: bpy.types.Scene, bake: _Bake) -> List[Change]:
    """Settings as they are now, and meshes and animations as they were last compared."""
    taken = _take(scene, bake)
    baked = _without_motion(bake, taken.scene)
    found, pairs = changes.compare(baked, taken.scene)
    known = {second["name"] for _first, second in pairs}
    if not changes.alike(float(units.metres_per_unit(scene)), float(_scale(scene, bake))):
        found.insert(0, Change("domain", "", "life_size"))
    found = [change for change in found if (change.part, change.member) not in FREE]
    if _same_cells(baked, taken.scene):
        found = [change for change in found if (change.part, change.member) != ("domain", "cell_size")]
    elif _preview(bake.scene) != scene.tallow.preview_quality:
        found = [Change("domain", "", "preview_quality") if (change.part, change.member) == ("domain", "cell_size") else change
                 for change in found]
    for name in taken.found:
        if name in known and not bake.meshes.get(name, ((), True))[1]:
            found.append(Change("objects", name, "mesh"))
        if name in bake.moved:
            found.append(Change("objects", name, "animation"))
    found += [Change("forces", name, "animation") for name in taken.fields if name in bake.moved]
    found += [Change("world", "", "animation")] if WORLD in bake.moved else []
    return list(dict.fromkeys(found))


def _preview(scene: Dict) -> int:
    """Percent of the final resolution that a baked scene has."""
    return (scene.get("display") or {}).get("preview") or 100


def _same_cells(baked: Dict, now: Dict) -> bool:
    """Whether the longest side has as many cells as before, whatever its length."""
    counts = []
    for scene in (baked, now):
        box = scene.get("domain", {})
        try:
            counts.append(max(b - a for a, b in zip(box["min"], box["max"])) / box["cell_size"])
        except (KeyError, ZeroDivisionError, ValueError):
            return False
    return abs(counts[0] - counts[1]) < 1e-3 * counts[0]


def _without_motion(bake: _Bake, now: Dict) -> Dict:
    """The baked scene in the form of a snapshot: without files, and without keys of what moves now or moved then."""
    still = {part: {member["name"]: member for member in now[part]} for part in ("objects", "forces", "joints")}
    baked = bake.scene
    result = dict(baked)
    if not now["world"]:
        result["world"] = {}  # it is animated: its curves are compared
    moved = (bake.motion or {}).get("objects") or {}
    for part in ("objects", "forces"):
        result[part] = [_comparable(member, still[part], moved) for member in baked.get(part) or []]
    joints = []
    for member in baked.get("joints") or []:
        other = still["joints"].get(member["name"])
        joints.append({**member, "anchor": [], "axis": []} if other and not other["anchor"] else member)
    return {**result, "joints": joints}


def _comparable(member: Dict, now: Dict[str, Dict], moved: Dict[str, List[int]]) -> Dict:
    result = {name: value for name, value in member.items() if name not in ("mesh", "deform")}
    other = now.get(member["name"])
    keys = member.get("keys") or []
    if other is None:
        return {**result, "keys": [] if member["name"] in moved else keys[:1]}  # renamed, or gone
    if not other["keys"] or not keys:
        return {**result, "keys": other["keys"]}  # it moves: its curves are compared
    first = dict(keys[0])
    if member.get("deform"):
        # Its meshes are in the world, so its keys have no place.
        first.update({name: other["keys"][0][name] for name in changes.PLACES if name in other["keys"][0]})
    return {**result, "keys": [first]}


def _compare_slowly(scene: bpy.types.Scene, bake: _Bake) -> bool:
    """Compare meshes that may have changed, and animations. True when an answer is another than before."""
    before = (dict(bake.meshes), list(bake.moved))
    taken = _take(scene, bake)
    _found, pairs = changes.compare(_without_motion(bake, taken.scene), taken.scene)
    baked = {member["name"]: member for member in bake.scene.get("objects") or []}
    names = {second["name"]: first["name"] for first, second in pairs}
    at_start = scene.frame_current == shot.frame_range(scene)[0]
    for name, obj in taken.found.items():
        member = baked.get(names.get(name, ""))
        # Away from the first frame the shape of what changes it is another one, and says nothing.
        tells = obj.mode == "OBJECT" and (at_start or not (motion.may_deform(obj) or motion.moves(obj)))
        if member and "mesh" in member and tells:
            _compare_mesh(scene, bake, obj, member)
    bake.moved = _moved(scene, bake, taken, names)
    return before != (bake.meshes, bake.moved)


def _compare_mesh(scene: bpy.types.Scene, bake: _Bake, obj: bpy.types.Object, member: Dict) -> None:
    inner = snapshot.inner_matrix(obj) * _scale(scene, bake)
    key = (updates.geometry(obj), tuple(np.round(inner, 6).ravel()), member["mesh"])
    if not bpy.app.background and obj.name in bake.meshes and bake.meshes[obj.name][0] == key:
        return
    mesh = meshes.transform(meshes.evaluated(obj, bpy.context.evaluated_depsgraph_get()), inner)
    bake.meshes[obj.name] = (key, _is_baked_mesh(bake.folder / member["mesh"], mesh))


def _is_baked_mesh(path: Path, mesh: meshes.Triangles) -> bool:
    try:
        data = ply.read(path)
        points = ply.columns(data["vertex"], "x", "y", "z")
        faces = data["face"]["vertex_indices"]
    except (OSError, ValueError, KeyError, ply.PlyError):
        return True  # nothing to compare with
    count = len(mesh.positions)
    if meshes.is_flat(mesh) and len(points) == 2 * count:
        points, faces = points[:count], mesh.indices  # a plane that got its thickness on the way
    return changes.same_shape(points, faces, mesh.positions, mesh.indices)


def _moved(scene: bpy.types.Scene, bake: _Bake, taken: snapshot.Snapshot, names: Dict[str, str]) -> List[str]:
    """Objects whose animation is another one on a frame that was baked."""
    if not bake.motion and any(len(member.get("keys") or []) > 1 for member in bake.scene.get("objects") or []):
        return []  # made by a Tallow that did not write down what moved
    moving = [obj for obj in taken.found.values() if motion.moves(obj) or (roles.of(obj).deforms and motion.may_deform(obj))]
    moving += [obj for obj in taken.fields.values() if motion.moves(obj) and obj not in moving]
    now, then = snapshot.digests(scene, moving), bake.motion or {"first": 0, "objects": {}}
    shift = now["first"] - then["first"]
    found = []
    if "world" in now and _differs(now["world"], then.get("world"), shift):
        found.append(WORLD)
    known = {member["name"] for member in bake.scene.get("forces") or []}
    names = {**{name: name for name in taken.fields if name in known}, **names}
    for name in names:
        ours, theirs = now["objects"].get(name), then["objects"].get(names[name])
        if (ours is not None or theirs is not None) and _differs(ours, theirs, shift):
            found.append(name)
    return found


def _differs(ours: Optional[List[int]], theirs: Optional[List[int]], shift: int) -> bool:
    return ours is None or theirs is None or bool(shift) or any(a != b for a, b in zip(ours, theirs))


def describe(found: List[Change]) -> List[str]:
    """A line per object or panel with the settings that changed: `Wax: Temperature, Material`."""
    lines: Dict[str, List[str]] = {}
    for change in found:
        title = TITLES.get(change.part) or (f"Material {change.name}" if change.part == "materials" else change.name)
        words = lines.setdefault(title, [])
        label = _label(change)
        if label not in words:
            words.append(label)
    return [f"{title}: {', '.join(words)}" for title, words in lines.items()]


def _label(change: Change) -> str:
    """A setting as its panel calls it, without its unit."""
    member = change.member
    group = {"objects": TallowObject, "materials": TallowMaterial}.get(change.part, TallowScene)
    named = group.bl_rna.properties.get(PROPERTIES.get(member, member)) if member not in WORDS else None
    return named.name.split(" (")[0] if named and named.name else WORDS.get(member, member.replace("_", " ").capitalize())


def _tick() -> float:
    """Compare meshes and animations once the artist pauses, and let panels say what came of it."""
    global _last_edit
    now = time.monotonic()
    if _last_edit[0] != updates.count():
        _last_edit = (updates.count(), now)
        return PAUSE
    scene = bpy.context.scene
    bake = _bakes.get(scene.name) if scene else None
    if bake is None or _is_busy() or not scene.tallow.bake_path or bake.slow_edits == updates.count():
        return PAUSE
    bake.slow_edits = updates.count()
    try:
        if _compare_slowly(scene, bake):
            bake.edits = -1
            _redraw()
    except Exception as error:  # noqa: B902  (a timer that raises is dropped)
        print(f"Tallow: the bake cannot be compared with the scene: {error or type(error).__name__}.")
    return PAUSE


def _redraw() -> None:
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def _forget(scene: bpy.types.Scene) -> None:
    _bakes.pop(scene.name, None)


def register() -> None:
    observers.bake_changed.connect(_forget)
    if not bpy.app.background:
        bpy.app.timers.register(_tick, first_interval=PAUSE, persistent=True)


def unregister() -> None:
    observers.bake_changed.disconnect(_forget)
    _bakes.clear()
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)
