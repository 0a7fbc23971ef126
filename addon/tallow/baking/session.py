# SPDX-License-Identifier: GPL-3.0-or-later
"""What this Blender remembers of each scene, whatever the artist renames or undoes: the status of its last bake, and the
bake that it shows. Frames land between the steps of an undo, so an undo alone would forget them."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Dict, List, Optional

import bpy

from ..core.events import Status

_sessions: Dict[str, "Session"] = {}


class Session:
    """Keeps an id and names, not the data-block: an undo would leave a dangling one."""

    def __init__(self, scene: bpy.types.Scene) -> None:
        self.uid = scene.tallow.uid
        self.names: List[str] = [scene.name]  # all that it was seen with
        self.status: Optional[Status] = None
        self.has_changed = False  # a bake was made or freed: `folder` is right, and what an undo brings back is not
        self.folder: Optional[Path] = None
        self.previous: Optional[Path] = None  # the bake whose place the shown one took
        self.searches = 0  # for a heat speed-up, that are running

    @property
    def name(self) -> str:
        scene = self.find()
        return scene.name if scene else self.names[-1]

    def find(self) -> Optional[bpy.types.Scene]:
        """The scene; None when it was deleted. A copy has the same id and another name."""
        same = [scene for scene in bpy.data.scenes if scene.tallow.uid == self.uid]
        if not same:  # undone to before it got its id
            same = [scene for scene in bpy.data.scenes if scene.name in self.names and not scene.tallow.uid]
        found = next((scene for scene in same if scene.name in self.names), same[0] if same else None)
        if found and found.name not in self.names:
            self.names.append(found.name)
        return found


def of(scene: bpy.types.Scene) -> Optional[Session]:
    """What is remembered of a scene. Changes nothing, so panels may ask."""
    session = _sessions.get(scene.tallow.uid)
    return session if session and session.find() == scene else None


def claim(scene: bpy.types.Scene) -> Session:
    """The same, made when there is none."""
    session = of(scene)
    if session is None:
        scene.tallow.uid = uuid.uuid4().hex
        session = _sessions[scene.tallow.uid] = Session(scene)
    return session


def is_searching(scene: bpy.types.Scene) -> bool:
    """Whether a heat speed-up is being looked for."""
    known = of(scene)
    return known is not None and known.searches > 0


def all_sessions() -> List[Session]:
    return list(_sessions.values())


def clear() -> None:
    _sessions.clear()
