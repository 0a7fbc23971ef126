"""The zip that an artist installs is whole, and the bare source folder says that it is not."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tallow.baker import library
from tallow.core import presets

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
SOURCE = ROOT / "addon" / "tallow"
PACKAGE = ROOT / "addon" / "package.py"
NATIVE = BUILD / library.file_name()
# What Blender 4.2 and newer ask of a manifest, and what tells people where the add-on works and what it does.
FIELDS = {"schema_version", "id", "version", "name", "tagline", "maintainer", "type", "license", "blender_version_min",
          "tags", "platforms", "permissions", "copyright"}
PLATFORMS = {"linux-x64", "linux-arm64", "macos-x64", "macos-arm64", "windows-x64", "windows-arm64"}

needs_library = pytest.mark.skipif(not NATIVE.is_file(), reason="the native library is not built")
sys.path.insert(0, str(PACKAGE.parent))
import package  # noqa: E402


def manifest(text: str) -> dict:
    return pytest.importorskip("tomllib").loads(text)


def source_manifest() -> str:
    return (SOURCE / package.MANIFEST).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """The folder that a packaging left behind."""
    out = tmp_path_factory.mktemp("package")
    done = subprocess.run([sys.executable, str(PACKAGE), "--library", str(NATIVE), "--out", str(out)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


@needs_library
def test_the_zip_holds_the_source_the_library_what_it_needs_and_the_presets(made):
    names = set(zipfile.ZipFile(next(made.glob("*.zip"))).namelist())
    source = {f"tallow/{path.relative_to(SOURCE).as_posix()}" for path in SOURCE.rglob("*")
              if path.is_file() and "__pycache__" not in path.parts}
    assert source <= names
    assert {f"tallow/presets/materials/{path.name}" for path in (ROOT / "presets" / "materials").iterdir()} <= names
    carried = (made / "extension" / "tallow" / "lib" / "dependencies.txt").read_text(encoding="utf-8").split()
    assert carried and {f"tallow/lib/{name}" for name in [library.file_name(), *carried]} <= names
    assert "tallow/LICENSE" in names
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


@needs_library
@pytest.mark.skipif(not shutil.which("dpkg-query"), reason="licences are taken from Debian's packages")
def test_every_shared_object_that_is_passed_on_comes_with_its_licence(made):
    inside = made / "extension" / "tallow" / "lib"
    for name in (inside / "dependencies.txt").read_text(encoding="utf-8").split():
        assert (inside / "licenses" / f"{name}.txt").stat().st_size > 500, name


@needs_library
def test_the_folder_for_extension_build_is_what_the_zip_holds(made):
    folder = made / "extension"
    with zipfile.ZipFile(next(made.glob("*.zip"))) as archive:
        names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        assert names == set(archive.namelist())
        assert all(archive.read(name) == (folder / name).read_bytes() for name in names)


@needs_library
def test_the_same_build_makes_the_same_zip(made, tmp_path):
    first = next(made.glob("*.zip"))
    assert package.package(NATIVE, tmp_path).read_bytes() == first.read_bytes()


@pytest.mark.parametrize("text", [source_manifest(), package.release_manifest(source_manifest())],
                         ids=["source", "release"])
def test_the_manifest_has_all_fields_and_names_its_platforms(text):
    data = manifest(text)
    assert FIELDS <= set(data)
    assert data["platforms"] and set(data["platforms"]) <= PLATFORMS
    assert set(data["permissions"]) <= {"files", "network", "clipboard", "camera", "microphone"}
    for sentence in (data["tagline"], *data["permissions"].values()):
        assert len(sentence) <= 64 and sentence[-1].isalnum(), sentence  # or Blender refuses it
    assert all(line.startswith("SPDX:") for line in data["license"])


def test_the_release_is_for_the_platform_of_its_library():
    data = manifest(package.release_manifest(source_manifest().replace("linux-x64", "other-x1")))
    assert data["platforms"] == [package.platform_name()] and "build" not in data


def test_extension_build_refuses_the_source_folder_in_words():
    """Blender stops at a path that is not there, and prints it."""
    paths = manifest(source_manifest())["build"]["paths"]
    assert paths[0] == "__init__.py"  # without it, 5.2 says that this is no Python package
    assert len(paths) == 2 and not (SOURCE / paths[1]).exists()
    assert "cmake --build build --target addon-zip" in paths[1] and "build/extension/tallow" in paths[1]
    assert not re.search(r"[\\\n\"]|^/|^\.\.", paths[1])  # Blender would complain about its form instead


def test_a_zip_of_the_bare_source_has_no_material_and_no_library(tmp_path):
    bare = shutil.copytree(SOURCE, tmp_path / "scripts" / "addons" / "tallow",
                           ignore=shutil.ignore_patterns("__pycache__"))
    assert presets.load_materials(bare) == {}
    baker = [sys.executable, str(bare / "baker"), str(tmp_path), str(tmp_path / "cache")]
    environment = {name: value for name, value in os.environ.items() if name != "TALLOW_LIBRARY"}
    told = subprocess.run(baker, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment)
    event = json.loads(told.stdout)
    assert told.returncode == 1 and event["event"] == "error" and told.stderr == ""
    assert "cmake --build build --target addon-zip" in event["text"]


def test_packaging_without_a_library_says_what_to_do(tmp_path):
    done = subprocess.run([sys.executable, str(PACKAGE), "--library", str(tmp_path / "none.so"), "--out",
                           str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 1 and "Build it first: cmake --build build" in done.stderr
    assert list(tmp_path.iterdir()) == []


@needs_library
def test_a_library_whose_needs_are_not_met_is_not_packed(tmp_path):
    """A zip without them would install and never bake."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "ldd").write_text("#!/bin/sh\necho '\tlibopenvdb.so.10.0 => not found'\n")
    (tmp_path / "bin" / "ldd").chmod(0o755)
    done = subprocess.run([sys.executable, str(PACKAGE), "--library", str(NATIVE), "--out", str(tmp_path / "out")],
                          capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"})
    assert done.returncode == 1 and "needs libopenvdb.so.10.0, which this machine does not have" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1 and not list((tmp_path / "out").glob("*"))


@needs_library
@pytest.mark.skipif(not shutil.which("cmake") or not (BUILD / "CMakeCache.txt").is_file(), reason="cmake is missing")
def test_cmake_knows_the_target_of_the_readme():
    told = subprocess.run(["cmake", "--build", str(BUILD), "--target", "help"], capture_output=True, text=True).stdout
    assert re.search(r"\baddon-zip\b", told)
    assert "cmake --build build --target addon-zip" in (ROOT / "README.md").read_text(encoding="utf-8")
