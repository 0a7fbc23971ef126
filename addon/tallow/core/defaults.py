# SPDX-License-Identifier: GPL-3.0-or-later
"""The library's own defaults, in the words of scene.json.

Blender never loads the library, so the table is a file. `build/tallow defaults > addon/tallow/core/defaults.json` makes it anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict

_TEXT = (Path(__file__).resolve().parent / "defaults.json").read_text(encoding="utf-8")
_TABLE: Dict[str, Dict[str, Any]] = json.loads(_TEXT)
SCENE, OBJECT = _TABLE["scene"], _TABLE["object"]
MATERIAL: Dict[str, Any] = json.loads(_TEXT, parse_int=float)["material"]  # all of it is measured, nothing is counted
