#!/usr/bin/env python3
"""Budgets of small scenes: instructions (callgrind) and iterations. `budget.py --update` stores what is measured now.

Seconds are too noisy for a test; the number of instructions on one thread is the same in every run.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TALLOW = HERE.parents[1] / "build" / "tallow"
STORE = HERE / "budgets.json"
SLACK = 1.10
SCENES = {"dam_break": (32, 2), "viscous_ball": (24, 2), "melting_block": (24, 2), "contrast": (20, 1)}
ITERATIONS_ONLY = ("contrast",)  # five solves: too slow under callgrind


def can_count():
    """Callgrind is there, and the machine runs the kernels that the budgets were counted with."""
    return bool(shutil.which("valgrind")) and "avx2" in Path("/proc/cpuinfo").read_text()


def measure(name, instructions=True):
    resolution, frames = SCENES[name]
    instructions = instructions and name not in ITERATIONS_ONLY
    command = [str(TALLOW), "bench", name, "--resolution", str(resolution), "--frames", str(frames), "--threads", "1", "--json"]
    if instructions:
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise RuntimeError(f"{name}: {done.stdout[-500:]} {done.stderr[-500:]}")
    runs = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    figures = {key: sum(int(run[key]) for run in runs) for key in ("pressure_iterations", "viscosity_iterations")}
    figures["substeps"] = round(sum(run["substeps_per_frame"] for run in runs) * frames)
    if instructions:
        figures["instructions"] = sum(int(n) for n in re.findall(r"Collected : (\d+)", done.stderr))
    return figures


def faults(name, figures, budgets):
    """What grew by more than a tenth, in words. Small counts may grow by one."""
    words = []
    for key, value in figures.items():
        limit = max(budgets[name][key] * SLACK, budgets[name][key] + (1 if key != "instructions" else 0))
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
