"""One version, wherever it is written."""

import ast
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TALLOW = Path(os.environ.get("TALLOW_COMMAND", ROOT / "build" / "tallow"))
CHANGELOG = ROOT / "docs" / "CHANGELOG.md"


def first(path: str, pattern: str) -> str:
    found = re.search(pattern, (ROOT / path).read_text(encoding="utf-8"), re.M)
    assert found, f"{path} names no version"
    return found[1]


def bl_info() -> str:
    tree = ast.parse((ROOT / "addon/tallow/__init__.py").read_text(encoding="utf-8"))
    info = next(node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "bl_info")
    return ".".join(map(str, ast.literal_eval(info)["version"]))


def test_every_place_names_the_same_version():
    places = {
        "CMakeLists.txt": first("CMakeLists.txt", r"^project\(tallow VERSION (\S+)"),
        "bl_info": bl_info(),
        "manifest": first("addon/tallow/blender_manifest.toml", r'^version = "(.+)"'),
        "tallow.h": first("native/include/tallow/tallow.h", r'^// Version of the library, "(.+)"'),
        "scene-format.md": first("docs/scene-format.md", r'"format": "tallow-cache".*"library": "([^"]+)"'),
    }
    if CHANGELOG.is_file():
        places["CHANGELOG.md"] = first("docs/CHANGELOG.md", r"^## \[?v?(\d+\.\d+\.\d+)")
    assert set(places.values()) == {places["CMakeLists.txt"]}, places


@pytest.mark.skipif(not TALLOW.is_file(), reason="the native command is not built")
def test_the_build_is_of_this_version():
    told = subprocess.run([TALLOW, "--version"], capture_output=True, text=True, check=True).stdout
    assert told == f"tallow {first('CMakeLists.txt', r'^project.tallow VERSION (.+?) ')}\n"
