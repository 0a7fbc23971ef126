#!/usr/bin/env python3
"""Budgets of small scenes: instructions (callgrind) and iterations. `budget.py --update` stores what is measured now.

Seconds are too noisy for a test; the number of instructions on one thread is the same in every run. Those of setting
up, of time steps and of meshing have a budget each: in small scenes the first are more than half of all, and would hide
the others.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TALLOW = HERE.parents[1] / "build" / "tallow"
STORE = HERE / "budgets.json"
SLACK = 1.10
# name: scene, resolution, frames, frames before them
SCENES = {"dam_break": ("dam_break", 32, 2, 1), "viscous_ball": ("viscous_ball", 24, 2, 1),
          "melting_block": ("melting_block", 24, 2, 1), "melting_block_late": ("melting_block", 32, 6, 30),
          "contrast": ("contrast", 20, 1, 1), "gears": ("gears", 24, 2, 4)}
PARTS = {"setup_instructions": "tlwCreateSim", "step_instructions": "tlwStep", "mesh_instructions": "tlwGetSurface"}
ITERATIONS_ONLY = ("contrast", "melting_block_late", "gears")  # too slow under callgrind


def can_count():
    """Callgrind is there, and the machine runs the kernels that the budgets were counted with."""
    return bool(shutil.which("valgrind")) and "avx2" in Path("/proc/cpuinfo").read_text()


def count_parts(folder):
    """Instructions within the functions of PARTS, from the profiles of all processes."""
    counts = dict.fromkeys(PARTS, 0)
    for profile in Path(folder).iterdir():
        done = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", "--auto=no", str(profile)],
                              capture_output=True, text=True, timeout=7200, check=True)
        for part, function in PARTS.items():
            found = re.findall(rf"^ *([\d,]+) \(.*:{function}\b", done.stdout, re.MULTILINE)
            counts[part] += max((int(n.replace(",", "")) for n in found), default=0)
    return counts


def measure(name, instructions=True):
    scene, resolution, frames, before = SCENES[name]
    instructions = instructions and name not in ITERATIONS_ONLY
    command = [str(TALLOW), "bench", scene, "--resolution", str(resolution), "--frames", str(frames), "--warm-up",
               str(before),
               "--threads", "1", "--json"]
    with tempfile.TemporaryDirectory() as folder:
        if instructions:
            command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/%p", *command]
        done = subprocess.run(command, capture_output=True, text=True, timeout=7200)
        if done.returncode != 0:
            raise RuntimeError(f"{name}: {done.stdout[-500:]} {done.stderr[-500:]}")
        parts = count_parts(folder) if instructions else {}
    runs = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    figures = {key: sum(int(run[key]) for run in runs) for key in ("pressure_iterations", "viscosity_iterations")}
    figures["substeps"] = round(sum(run["substeps_per_frame"] for run in runs) * frames)
    if not all(parts.values()):
        raise RuntimeError(f"{name}: no instructions counted: {parts}")
    return {**figures, **parts}


def faults(name, figures, budgets):
    """What grew by more than a tenth, in words. Small counts may grow by one."""
    words = []
    for key, value in figures.items():
        limit = max(budgets[name][key] * SLACK, budgets[name][key] + (key not in PARTS))
        if value > limit:
            words.append(f"{name}: {key} {value}, budget {budgets[name][key]}")
    return words


def main():
    budgets = json.loads(STORE.read_text()) if STORE.exists() else {}
    failed = []
    for name in SCENES:
        figures = measure(name, can_count())
        print(name, figures)
        if "--update" in sys.argv:
            budgets[name] = figures
        else:
            failed += faults(name, figures, budgets)
    if "--update" in sys.argv:
        STORE.write_text(json.dumps(budgets, indent=1) + "\n")
    print("\n".join(failed))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
