# SPDX-License-Identifier: GPL-3.0-or-later
"""The cache folder of one bake: which frames exist, their files, and how to free them safely."""

from __future__ import annotations

import json
import os
import re
import shutil
from bisect import bisect_right
from datetime import datetime
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

from . import carry, ply

# Folder (relative to the bake), and the only file names in it that are ours to delete.
OURS: Tuple[Tuple[str, str], ...] = (
    ("surface", r"surface_\d{6}\.vdb"),
    ("mesh", r"mesh_\d{6}\.ply"),
    ("particles", r"particles_\d{6}\.(ply|vdb)"),
    ("rigid", r"rigid_\d{6}\.json"),
    ("state", r"state_\d{6}\.tlw"),
    ("scene/meshes", r"[\w.\- ]+\.ply"),
    ("scene", r"(scene|motion)\.json"),
    (".", r"bake\.json"),
    (".", r"owners\.json"),
)
FRAME_FOLDERS = ("surface", "mesh", "particles", "rigid", "state")
BAKE_ID = re.compile(r"bake_\d{8}_\d{6}(_\d+)?")


class Freed(NamedTuple):
    files: int
    bytes: int
    left: int  # files that are not ours, and stay


class Cache:
    """Reads one bake. Cheap to keep: `refresh` looks at the disk only when bake.json changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self.info: Dict = {}
        self.frames: Dict[int, Dict] = {}
        self.order: List[int] = []
        self._stamp: Tuple[int, int] = (0, 0)
        self._scene: Optional[Dict] = None
        self._carried: Tuple[Optional[carry.Carried], ...] = ()  # empty until it was looked for

    @property
    def stamp(self) -> Tuple[int, int]:
        """Another one whenever something new was read."""
        return self._stamp

    def refresh(self) -> bool:
        """Read bake.json again if it changed. True if something new was read."""
        try:
            stat = (self.folder / "bake.json").stat()
        except OSError:
            changed = bool(self.frames)
            self.info, self.frames, self.order, self._stamp = {}, {}, [], (0, 0)
            return changed
        stamp = (stat.st_mtime_ns, stat.st_size)
        if stamp == self._stamp:
            return False
        try:
            info = json.loads((self.folder / "bake.json").read_text(encoding="utf-8"))
            frames = {int(entry["frame"]): entry for entry in info.get("frames", [])}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return False  # a foreign or damaged file is no cache; what was read before stays valid
        self.info, self.frames, self.order, self._stamp = info, frames, sorted(frames), stamp
        return True

    def nearest(self, frame: int) -> Optional[int]:
        """The frame to show: itself, else the last one before it, else the first. None for an empty cache."""
        if not self.order:
            return None
        return self.order[max(0, bisect_right(self.order, frame) - 1)]

    def pace(self, frame: int) -> float:
        """Simulated seconds per second of the shot at a frame."""
        return float(self.frames.get(frame, {}).get("time_scale") or 1.0)

    def frame_seconds(self, frame: int) -> float:
        """Simulated seconds from a frame to the next; 0 when one of them is not baked."""
        try:
            return float(self.frames[frame + 1]["time"]) - float(self.frames[frame]["time"])
        except (KeyError, TypeError, ValueError):
            return 0.0

    def state_before(self, frame: int) -> Optional[int]:
        """The last frame up to this one of which a state is kept, from which a bake can go on."""
        return max((state for state in self._states() if state <= frame), default=None)

    def first_state(self) -> Optional[int]:
        return min(self._states(), default=None)

    def _states(self) -> List[int]:
        names = (path.name for path in _listing(self.folder / "state"))
        found = (int(name[6:12]) for name in names if re.fullmatch(r"state_\d{6}\.tlw", name))
        return [frame for frame in found if frame in self.frames]

    def mesh_path(self, frame: int) -> Path:
        return self.folder / "mesh" / f"mesh_{frame:06d}.ply"

    def particles_path(self, frame: int) -> Path:
        return self.folder / "particles" / f"particles_{frame:06d}.ply"

    def surface_path(self, frame: int) -> Path:
        return self.folder / "surface" / f"surface_{frame:06d}.vdb"

    def rigid_path(self, frame: int) -> Path:
        return self.folder / "rigid" / f"rigid_{frame:06d}.json"

    def bodies(self, frame: int) -> List[Dict]:
        """Rigid bodies of a frame; empty when there are none."""
        try:
            return json.loads(self.rigid_path(frame).read_text(encoding="utf-8")).get("bodies", [])
        except (OSError, ValueError, AttributeError):
            return []

    def particles(self, frame: int) -> Optional[Dict]:
        """The particles' arrays, or None when the file is missing or damaged."""
        try:
            return ply.read(self.particles_path(frame))
        except (OSError, ply.PlyError):
            return None

    @property
    def scene(self) -> Dict:
        """The bake's own scene.json; empty when it cannot be read."""
        if self._scene is None:
            try:
                found = json.loads((self.folder / "scene" / "scene.json").read_text(encoding="utf-8"))
            except (OSError, ValueError):
                found = {}
            self._scene = found if isinstance(found, dict) else {}
        return self._scene

    @property
    def materials(self) -> List[Dict]:
        """The bake's own materials, in the order that the `material` attribute counts them."""
        found = self.scene.get("materials")
        return found if isinstance(found, list) else []

    @property
    def metres_per_unit(self) -> float:
        """Of the Blender scene that was baked; 0 when the bake does not tell."""
        display = self.scene.get("display")
        value = display.get("metres_per_unit") if isinstance(display, dict) else None
        return float(value) if isinstance(value, (int, float)) and 0.0 < value < float("inf") else 0.0

    @property
    def preview(self) -> int:
        """Percent of the final resolution that this bake has: 100 when it is no preview."""
        display = self.scene.get("display")
        value = display.get("preview") if isinstance(display, dict) else None
        return int(value) if isinstance(value, (int, float)) and 0 < value < 100 else 100

    @property
    def has_particles(self) -> bool:
        return bool((self.scene.get("output") or {}).get("particles"))

    @property
    def has_bodies(self) -> bool:
        return any(member.get("role") == "rigid" for member in self.scene.get("objects") or [])

    @property
    def carried(self) -> Optional[carry.Carried]:
        """What the surface shows of the objects that it is made of; None when that is nothing."""
        if not self._carried:
            self._carried = (carry.load(self.folder / "scene"),)
        return self._carried[0]

    @property
    def melts(self) -> bool:
        """Whether any of the materials has a melting point; water, honey and paste have none."""
        return any(material.get("latent_heat", 0.0) > 0.0 for material in self.materials)


def new_bake_folder(root: Path, now: Optional[datetime] = None) -> Path:
    """Make a folder for a new bake. Never an old one: Blender 4.1+ shows stale data for an overwritten .vdb."""
    root = Path(root)
    root.mkdir(parents=True, exist_ok=True)
    name = (now or datetime.now()).strftime("bake_%Y%m%d_%H%M%S")
    for attempt in range(1, 1000):
        folder = root / (name if attempt == 1 else f"{name}_{attempt}")
        try:
            folder.mkdir()
            return folder
        except FileExistsError:
            continue
    raise OSError(f"cannot make a new folder in {root}")


def branch(old: Path, new: Path, frame: int) -> None:
    """Give a new bake the frames of an old one up to `frame`. Files are shared, so they take no room until one of the bakes goes."""
    info = json.loads((Path(old) / "bake.json").read_text(encoding="utf-8"))
    info["frames"] = [entry for entry in info["frames"] if int(entry["frame"]) <= frame]
    info["finished"] = False
    for place, pattern in OURS:
        if place not in FRAME_FOLDERS:
            continue
        for path in _listing(Path(old) / place):
            if re.fullmatch(pattern, path.name) and int(re.search(r"\d{6}", path.name)[0]) <= frame:
                (Path(new) / place).mkdir(exist_ok=True)
                _share(path, Path(new) / place / path.name)
    ply.write_atomically(Path(new) / "bake.json", json.dumps(info).encode("utf-8"))


def _share(path: Path, target: Path) -> None:
    try:
        os.link(path, target)
    except OSError:  # not every file system has links
        shutil.copy2(path, target)


def bakes(root: Path) -> List[Path]:
    """The bakes in a cache folder, oldest first."""
    try:
        found = [entry for entry in Path(root).iterdir() if BAKE_ID.fullmatch(entry.name) and entry.is_dir()]
    except OSError:
        return []
    return sorted(found)


def free(folder: Path) -> Freed:
    """Delete a bake's files, and its folders once they are empty. A file that Tallow did not write stays."""
    folder = Path(folder)
    files = size = 0
    for place, pattern in OURS:
        for path in _listing(folder / place):
            if path.is_symlink() or not path.is_file() or not _is_ours(path.name, pattern):
                continue
            length = path.stat().st_size
            path.unlink()
            files, size = files + 1, size + length
    for place in ("scene/meshes", "scene", "surface", "mesh", "particles", "rigid", "state", "."):
        try:
            (folder / place).rmdir()
        except OSError:
            pass  # not empty, or never there
    left = sum(1 for path in folder.rglob("*") if path.is_file()) if folder.exists() else 0
    return Freed(files, size, left)


def _is_ours(name: str, pattern: str) -> bool:
    # Leftovers of an interrupted write carry the final name with an ending.
    return re.fullmatch(pattern + r"(\.(part|tmp)\w*)?", name) is not None


def _listing(folder: Path) -> List[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def total_bytes(folder: Path) -> int:
    """How much room a bake takes on the disk."""
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
