#!/usr/bin/env python3
"""Prints the line coverage of native/, folder by folder, from what a build with --coverage has counted.

    tests/coverage.py BUILD_FOLDER
"""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def summary(build: Path) -> list:
    """Lines and covered lines of every file, as gcovr counts them."""
    command = ["gcovr", "--root", ROOT, "--object-directory", build, "--filter", ROOT / "native", "-j2",
               "--json-summary", "-"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"gcovr failed:\n{done.stderr}")
    return json.loads(done.stdout)["files"]


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rooms = defaultdict(lambda: [0, 0])
    for file in summary(Path(sys.argv[1]).resolve()):
        for room in (str(Path(file["filename"]).parent), "total"):
            rooms[room][0] += file["line_covered"]
            rooms[room][1] += file["line_total"]
    print(f"{'folder':<32} {'lines':>7} {'run':>7} {'share':>8}")
    for room in sorted(rooms, key=lambda name: (name == "total", name)):
        covered, total = rooms[room]
        print(f"{room:<32} {total:>7} {covered:>7} {100 * covered / max(total, 1):>6.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
