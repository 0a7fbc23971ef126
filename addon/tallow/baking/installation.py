# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether this copy of the add-on has all that a bake needs. A zip of the bare source folder has not."""

from __future__ import annotations

import os
from typing import Optional

from ..baker import library
from ..model.materials import all_presets
from . import command

REMEDY = ("In Tallow's repository, cmake --build build --target addon-zip makes a zip that has everything: install that one in "
          "Edit > Preferences > Add-ons, and restart Blender.")


def problem() -> Optional[str]:
    """What is missing and how to get it, for the artist; None when all is there. Cheap enough for every redraw."""
    parts = ([] if _has_library() else [f"native library ({library.file_name()})"]) + ([] if all_presets() else ["material presets"])
    if not parts:
        return None
    verb = "is" if parts == [f"native library ({library.file_name()})"] else "are"
    return f"This copy of Tallow cannot bake: its {' and its '.join(parts)} {verb} missing. {REMEDY}"


def _has_library() -> bool:
    """Whether there is a file to load; only the baker loads it, and says so when that fails."""
    if os.environ.get("TALLOW_BAKER"):
        return True  # another program takes the place of the baker
    try:
        library.find(command.preference("library") or None)
    except library.LibraryError:
        return False
    return True
