#!/usr/bin/env python3
"""Runs the add-on's tests inside Blender, one process per file. The last line is `N passed, N failed`.

    run.py [--blender PATH] [NAME...]
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FAKE = HERE.parent / "fake" / "baker.py"
TIMEOUT = 7200  # seconds for a file; only a Blender that hangs takes as long


def run_file(blender, path):
    """(passed, failed) of one file. A Blender that dies counts as a failure."""
    # Blenders that end without saying goodbye leave their temporary folders, and unsaved files their bakes.
    with tempfile.TemporaryDirectory(prefix="tallow_blender_") as scratch:
        return run_blender(blender, path, scratch)


def window_size(path):
    """As a file asks for with a line `WINDOW = (1920, 1080)`."""
    found = re.search(r"^WINDOW = \((\d+), (\d+)\)", path.read_text(encoding="utf-8"), re.MULTILINE)
    return found.groups() if found else ("800", "600")


def run_blender(blender, path, scratch):
    # Debian's Blender takes the first Python of the PATH for its own; one without numpy would not do.
    environment = {**os.environ, "PATH": os.pathsep.join(["/usr/bin", os.environ.get("PATH", "")]), "TMPDIR": scratch}
    if not path.stem.startswith("test_real"):
        environment["TALLOW_BAKER"] = str(FAKE)
    command = [blender, "--factory-startup", "--python-exit-code", "1"]
    if path.stem.startswith("window_"):
        width, height = window_size(path)
        command = ["xvfb-run", "-a", "-s", f"-screen 0 {width}x{height}x24", *command,
                   "--window-geometry", "0", "0", width, height,
                   *(["--enable-event-simulate"] if "\nEVENTS = True" in path.read_text(encoding="utf-8") else []),
                   "--python", str(HERE / "harness_window.py"), "--", str(path)]
        environment["LIBGL_ALWAYS_SOFTWARE"] = "1"
    else:
        command += ["-b", "--python", str(HERE / "harness.py"), "--", str(path)]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, env=environment,
                                errors="replace")
        output, code = result.stdout + result.stderr, result.returncode
    except subprocess.TimeoutExpired as error:
        output, code = str(error.stdout or "") + "\ntimed out", 1
    lines = [line for line in output.splitlines() if line.startswith("RESULT ")]
    failed = sum(line.startswith("RESULT FAIL") for line in lines)
    passed = sum(line.startswith("RESULT PASS") for line in lines)
    for line in lines:
        print(line[len("RESULT "):])
    for line in output.splitlines():
        if line.startswith("MEASURED "):
            print(line)
    if path.stem.startswith("window_") and not failed and "Traceback (most recent call last)" in output:
        print(f"FAIL {path.stem}: an error was printed while drawing")
        failed += 1
    if code != 0 or not lines:
        print(f"FAIL {path.stem}: Blender ended with code {code}")
        failed += 1
    if failed:
        print(output)
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--blender", default=shutil.which("blender"))
    arguments = parser.parse_args()
    if not arguments.blender:
        print("Blender is not installed; `tests/setup.sh` installs it")
        print("0 passed, 1 failed")
        return 1
    totals = [0, 0]
    windows = sorted(HERE.glob("window_*.py")) if shutil.which("xvfb-run") else []
    for path in sorted(HERE.glob("test_*.py")) + windows:
        if arguments.names and not any(name in path.stem for name in arguments.names):
            continue
        for index, count in enumerate(run_file(arguments.blender, path)):
            totals[index] += count
        sys.stdout.flush()
    print(f"{totals[0]} passed, {totals[1]} failed")
    return 1 if totals[1] or not totals[0] else 0


if __name__ == "__main__":
    sys.exit(main())
