#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the add-on zip that an artist installs: add-on, presets, native library and the shared objects it needs.

    addon/package.py [--library build/libtallow.so] [--out dist]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import List

ADDON = Path(__file__).resolve().parent / "tallow"
ROOT = ADDON.parent.parent
# Every system has these, and they must be its own.
OF_THE_SYSTEM = re.compile(r"(ld-linux.*|linux-vdso|libc|libm|libdl|librt|libpthread|libresolv|libutil|libgcc_s)\.so.*")


def needed(path: Path) -> List[Path]:
    """The shared objects behind a library, those that others need first."""
    found: List[Path] = []

    def visit(target: Path) -> None:
        for child in direct(target):
            visit(child)
        if target not in found:
            found.append(target)

    everything = {match[1]: Path(match[2]) for match in
                  re.finditer(r"^\s*(\S+) => (\S+) \(", subprocess.run(["ldd", str(path)], capture_output=True, text=True,
                                                                       check=True).stdout, re.M)}

    def direct(target: Path) -> List[Path]:
        output = subprocess.run(["objdump", "-p", str(target)], capture_output=True, text=True, check=True).stdout
        names = re.findall(r"NEEDED\s+(\S+)", output)
        return [everything[name] for name in names if name in everything and not OF_THE_SYSTEM.fullmatch(name)]

    visit(path)
    return [item for item in found if item != path]


def version() -> str:
    text = (ADDON / "blender_manifest.toml").read_text(encoding="utf-8")
    return re.search(r'^version = "(.+)"', text, re.M)[1]


def package(library: Path, out: Path) -> Path:
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"tallow-{version()}-{sys.platform}.zip"
    dependencies = needed(library)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(ADDON.rglob("*")):
            inside = path.relative_to(ADDON)
            if path.is_file() and "__pycache__" not in inside.parts and inside.parts[0] not in ("lib", "presets"):
                archive.write(path, Path("tallow") / inside)
        for path in sorted((ROOT / "presets" / "materials").glob("*.json")):
            archive.write(path, Path("tallow/presets/materials") / path.name)
        archive.write(ROOT / "LICENSE", "tallow/LICENSE")
        archive.write(library, f"tallow/lib/{library.name}")
        # Under the name that others ask for, not the one that a link of the system leads to.
        for path in dependencies:
            archive.write(path, f"tallow/lib/{path.name}")
        archive.writestr("tallow/lib/dependencies.txt", "\n".join(path.name for path in dependencies) + "\n")
    return target


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, default=ROOT / "build" / "libtallow.so")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    arguments = parser.parse_args()
    if not arguments.library.is_file():
        print(f"{arguments.library} is not there; build it first", file=sys.stderr)
        return 1
    target = package(arguments.library.absolute(), arguments.out)
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
