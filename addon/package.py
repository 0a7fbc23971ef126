#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the add-on that an artist installs: add-on, presets, native library and the shared objects it needs.

    addon/package.py [--library build/libtallow.so] [--out build]

Writes OUT/tallow-VERSION-PLATFORM.zip and OUT/extension/tallow, the same as a folder. Blender's `extension build` takes
that folder. It refuses the source folder, whose manifest names the parts that only a build has.
`cmake --build build --target addon-zip` runs this.
"""

from __future__ import annotations

import argparse
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import List

ADDON = Path(__file__).resolve().parent / "tallow"
ROOT = ADDON.parent.parent
MANIFEST = "blender_manifest.toml"
# Every system has these, and they must be its own.
OF_THE_SYSTEM = re.compile(r"(ld-linux.*|linux-vdso|libc|libm|libdl|librt|libpthread|libresolv|libutil|libgcc_s)\.so.*")
SYSTEMS = {"linux": "linux", "darwin": "macos", "win32": "windows"}
MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same files make the same zip


class PackageError(Exception):
    """Why there can be no zip, in one sentence."""


def needed(path: Path) -> List[Path]:
    """The shared objects behind a library, those that others need first."""
    found: List[Path] = []

    def visit(target: Path) -> None:
        for child in direct(target):
            visit(child)
        if target not in found:
            found.append(target)

    told = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=True).stdout
    missing = re.findall(r"^\s*(\S+) => not found", told, re.M)
    if missing:
        raise PackageError(f"{path} needs {', '.join(missing)}, which this machine does not have. Pack it where it was built.")
    everything = {match[1]: Path(match[2]) for match in re.finditer(r"^\s*(\S+) => (\S+) \(", told, re.M)}

    def direct(target: Path) -> List[Path]:
        output = subprocess.run(["objdump", "-p", str(target)], capture_output=True, text=True, check=True).stdout
        names = re.findall(r"NEEDED\s+(\S+)", output)
        return [everything[name] for name in names if name in everything and not OF_THE_SYSTEM.fullmatch(name)]

    visit(path)
    return [item for item in found if item != path]


def platform_name() -> str:
    """This machine as Blender's manifests call it, for example linux-x64."""
    machine = platform.machine().lower()
    return f"{SYSTEMS.get(sys.platform, sys.platform)}-{MACHINES.get(machine, machine)}"


def version() -> str:
    return re.search(r'^version = "(.+)"', (ADDON / MANIFEST).read_text(encoding="utf-8"), re.M)[1]


def release_manifest(source: str) -> str:
    """The manifest of a whole add-on: for the platform of its library, and with nothing left to ask for."""
    text = re.sub(r"^platforms = .*$", f'platforms = ["{platform_name()}"]', source, flags=re.M)
    return re.sub(r"(^#.*\n)*^\[build\]\n(.*\n)*", "", text, flags=re.M).rstrip() + "\n"


def licence_of(name: str) -> str:
    """The licence of a shared object of Debian; empty elsewhere."""
    if not shutil.which("dpkg-query"):
        return ""
    told = subprocess.run(["dpkg-query", "-S", f"*/{name}"], capture_output=True, text=True).stdout
    for owner in re.findall(r"^([^:\s]+)[:,]", told, re.M):
        path = Path("/usr/share/doc") / owner / "copyright"
        if path.is_file():
            return path.read_text(encoding="utf-8", errors="replace")
    return ""


def make_folder(library: Path, folder: Path) -> List[str]:
    """Write the whole add-on as a folder. Returns the names of shared objects whose licence was not found."""
    dependencies, without = needed(library), []
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ADDON, folder, ignore=shutil.ignore_patterns("__pycache__", "lib", "presets"))
    (folder / MANIFEST).write_text(release_manifest((ADDON / MANIFEST).read_text(encoding="utf-8")), encoding="utf-8")
    shutil.copytree(ROOT / "presets" / "materials", folder / "presets" / "materials")
    shutil.copy(ROOT / "LICENSE", folder)
    inside = folder / "lib"
    (inside / "licenses").mkdir(parents=True)
    shutil.copy(library, inside)
    for path in dependencies:
        # Under the name that others ask for, not the one that a link of the system leads to.
        shutil.copy(path, inside / path.name)
        licence = licence_of(path.name)
        if licence:
            (inside / "licenses" / f"{path.name}.txt").write_text(licence, encoding="utf-8")
        else:
            without.append(path.name)
    (inside / "dependencies.txt").write_text("".join(f"{path.name}\n" for path in dependencies), encoding="utf-8")
    return without


def write_zip(folder: Path, target: Path) -> None:
    """Under another name first: a zip that is there is whole."""
    partial = target.with_suffix(".partial")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo((Path(folder.name) / path.relative_to(folder)).as_posix(), EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, path.read_bytes())
    partial.replace(target)


def package(library: Path, out: Path) -> Path:
    out.mkdir(parents=True, exist_ok=True)
    folder, target = out / "extension" / "tallow", out / f"tallow-{version()}-{platform_name()}.zip"
    for name in make_folder(library, folder):
        print(f"The licence of {name} was not found. Add it to lib/licenses before you pass the zip on.", file=sys.stderr)
    write_zip(folder, target)
    return target


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, default=ROOT / "build" / "libtallow.so")
    parser.add_argument("--out", type=Path, default=ROOT / "build")
    arguments = parser.parse_args()
    if not arguments.library.is_file():
        print(f"{arguments.library} is not there. Build it first: cmake --build build", file=sys.stderr)
        return 1
    missing = [name for name in ("ldd", "objdump") if not shutil.which(name)]
    if missing:
        print(f"{' and '.join(missing)} are needed to find what the library needs. Install binutils.", file=sys.stderr)
        return 1
    try:
        target = package(arguments.library.absolute(), arguments.out.absolute())
    except PackageError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
