"""Defaults are written once, in the library. The add-on reads a table that `tallow defaults` prints."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from tallow.core import defaults, presets

ROOT = Path(__file__).resolve().parents[2]
TALLOW = Path(os.environ.get("TALLOW_COMMAND", ROOT / "build" / "tallow"))
FILE = ROOT / "addon" / "tallow" / "core" / "defaults.json"
needs_command = pytest.mark.skipif(not TALLOW.is_file(), reason="the native command is not built")


@needs_command
def test_the_table_is_what_the_library_says():
    printed = subprocess.run([str(TALLOW), "defaults"], capture_output=True, text=True, check=True).stdout
    assert json.loads(printed) == json.loads(FILE.read_text(encoding="utf-8")), (
        "The library has other defaults than the add-on. Run: build/tallow defaults > addon/tallow/core/defaults.json")


@needs_command
def test_the_command_takes_no_words():
    done = subprocess.run([str(TALLOW), "defaults", "please"], capture_output=True, text=True)
    assert done.returncode == 2 and "please" in done.stderr


def test_water_is_the_material_of_the_library():
    assert {key: presets.WATER[key] for key in presets.MEMBERS} == defaults.MATERIAL
    assert presets.problems(presets.WATER) == []
