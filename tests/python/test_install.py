"""`cmake --install`: what a program elsewhere needs is there, and the example of the docs runs with it."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
EXAMPLE = ROOT / "docs" / "example" / "melt.c"
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(example LANGUAGES C)
find_package(tallow {version} REQUIRED)
add_executable(melt {example})
target_link_libraries(melt tallow::tallow)
"""

pytestmark = [
    pytest.mark.skipif(not (BUILD / "cmake_install.cmake").is_file() or not (BUILD / "tallow").is_file(),
                       reason="the native library is not built"),
    pytest.mark.skipif(not shutil.which("cmake"), reason="cmake is missing"),
]
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="a C compiler is missing")
needs_pkg_config = pytest.mark.skipif(not shutil.which("pkg-config"), reason="pkg-config is missing")


def run(*command, **environment) -> str:
    done = subprocess.run([str(part) for part in command], env={**os.environ, **environment}, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory) -> Path:
    """Installed, then moved: nothing may remember where it was first."""
    first, moved = tmp_path_factory.mktemp("install") / "first", tmp_path_factory.mktemp("install") / "moved"
    run("cmake", "--install", BUILD, "--prefix", first)
    first.rename(moved)
    return moved


def library_folder(prefix: Path) -> Path:
    return next(prefix.rglob("libtallow.so")).parent


def pkg_config(prefix: Path, *options: str) -> str:
    return run("pkg-config", *options, "tallow", PKG_CONFIG_PATH=str(library_folder(prefix) / "pkgconfig")).strip()


def test_library_command_header_and_presets_are_installed(prefix):
    version = run(prefix / "bin" / "tallow", "--version").split()[1]
    assert (library_folder(prefix) / f"libtallow.so.{version}").is_file()
    assert (prefix / "include" / "tallow" / "tallow.h").is_file()
    installed = {path.name for path in (prefix / "share" / "tallow" / "presets" / "materials").iterdir()}
    assert installed == {path.name for path in (ROOT / "presets" / "materials").iterdir()}


@needs_pkg_config
def test_pkg_config_names_the_version_of_the_command(prefix):
    assert pkg_config(prefix, "--modversion") == run(prefix / "bin" / "tallow", "--version").split()[1]


@needs_compiler
@needs_pkg_config
def test_the_example_melts_wax_and_keeps_its_volume(prefix, tmp_path):
    flags = pkg_config(prefix, "--cflags", "--libs").split()
    assert not any("c++" in flag for flag in flags)
    run(COMPILER, "-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", EXAMPLE, *flags, "-o", tmp_path / "melt")
    told = run(tmp_path / "melt", LD_LIBRARY_PATH=str(library_folder(prefix)))
    frames = re.findall(r"^frame +(\d+): ([\d.]+) ml of wax, (\d+) % melted$", told, re.M)
    assert [int(number) for number, _, _ in frames] == list(range(1, 25)), told
    volumes, melted = [float(volume) for _, volume, _ in frames], [int(share) for _, _, share in frames]
    assert max(volumes) - min(volumes) < 0.01 * volumes[0] and abs(volumes[0] - 64.0) < 0.03 * 64.0  # a cube of 4 cm
    assert melted == sorted(melted) and melted[0] < 5 and 10 < melted[-1] < 100


@needs_compiler
def test_a_cmake_project_in_c_finds_the_package(prefix, tmp_path):
    version = run(prefix / "bin" / "tallow", "--version").split()[1]
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.format(version=version, example=EXAMPLE), encoding="utf-8")
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "build")
    assert (tmp_path / "build" / "melt").is_file()
