# SPDX-License-Identifier: GPL-3.0-or-later
"""The command that starts the baker: which Python, which script, which library."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Dict, List, Optional

import bpy

from ..core.process import find_interpreter

ADDON = __package__.rpartition(".")[0]  # under which Blender keeps the preferences
BAKER = Path(__file__).resolve().parent.parent / "baker"
_python: Dict[str, str] = {}


def baker_command() -> Optional[List[str]]:
    """The Python and the script that bake; None when there is no Python."""
    script = os.environ.get("TALLOW_BAKER") or str(BAKER)  # tests put another program in its place
    python = find_python()
    library = preference("library")
    return [python, "-E", "-s", "-B", script] + (["--library", library] if library else []) if python else None


def find_python() -> Optional[str]:
    given = preference("python")
    if given not in _python:
        bundled = [str(path) for path in sorted((Path(sys.prefix) / "bin").glob("python3*"))] if given == "" else []
        found = find_interpreter([given, sys.executable, *bundled, shutil.which("python3") or "",
                                  shutil.which("python") or ""], BAKER)
        if found is None:
            return None
        _python[given] = found
    return _python[given]


def preference(name: str) -> str:
    """A preference, or an empty string when the add-on runs without preferences (scripts, tests)."""
    addon = bpy.context.preferences.addons.get(ADDON)
    value = getattr(addon.preferences, name, "") if addon and addon.preferences else ""
    return bpy.path.abspath(value) if value else ""
