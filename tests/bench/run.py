#!/usr/bin/env python3
"""The benchmark: ours and Blender's Mantaflow side by side, then docs/benchmarks.md.

    tests/bench/run.py                     everything (about half an hour, most of it Mantaflow)
    tests/bench/run.py monkey:32 gears     some; the others keep the figures of the last run
    tests/bench/run.py --table             only write the page from the figures there are

Figures are kept in out/bench/results.json. Each measurement runs in a process of its own.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
OUT = ROOT / "out" / "bench"
TALLOW = ROOT / "build" / "tallow"
BLENDER = ["blender", "-b", "--factory-startup", "--python-exit-code", "1", "--python"]
sys.path.insert(0, str(HERE))
import page  # noqa: E402
import scenes  # noqa: E402

FRAMES = 24
# name, resolutions, frames (None: the scene's own)
BENCHES = [("viscous_ball", (60, 96, 128), 3), ("dam_break", (64, 128, 192), 3), ("gears", (64,), 3),
           ("contrast", (64,), 2), ("empty_domain", (64,), 3)]
BAKES = {"monkey": (32, 64, 96), "melting_suzanne": (64, 128, 192)}


def run(command, limit):
    """Run a program; its output, seconds, CPU seconds. Stops with its words when it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    # Debian's Blender takes the first Python of the PATH for its own.
    environment = {**os.environ, "PATH": "/usr/bin:" + os.environ["PATH"]}
    done = subprocess.run(command, capture_output=True, text=True, timeout=limit, env=environment)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout, seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def monkey_mesh():
    path = OUT / "monkey.ply"
    if not path.exists():
        OUT.mkdir(parents=True, exist_ok=True)
        run([*BLENDER, HERE / "monkey_mesh.py", "--", path], 120)
    return path


def sum_stages(frames):
    total = {}
    for frame in frames:
        for name, seconds in frame["stages"].items():
            total[name] = total.get(name, 0.0) + seconds / len(frames)
    return total


def bake(name, resolution, threads=0, frames=FRAMES):
    """One of our bakes: process start, scene reading and all files included."""
    with tempfile.TemporaryDirectory(dir=OUT) as folder:
        scene = getattr(scenes, name)(Path(folder) / "scene", monkey_mesh(), resolution, frames)
        cache = Path(folder) / "cache"
        command = [TALLOW, "bake", scene, "--out", cache]
        _, seconds, cpu = run(command + (["--threads", str(threads)] if threads else []), 1800)
        entries = json.loads((cache / "bake.json").read_text())["frames"]
        centre = [middle_height(cache / "mesh" / f"mesh_{n:06d}.ply") for n in (1, min(12, frames))]
    last, steps = entries[-1], entries[1:]
    return {"seconds": seconds, "cpu_seconds": cpu, "cpu_seconds_per_frame": cpu / frames, "frames": frames, "seconds_per_frame": seconds / frames,
            "stages": sum_stages(steps), "substeps": sum(f["substeps"] for f in steps),
            "pressure_iterations": max(f["pressure_iterations"] for f in steps),
            "viscosity_iterations": max(f["viscosity_iterations"] for f in steps),
            "cells": last["cells"], "particles": last["particles"], "peak_memory": last["peak_memory"],
            "triangles": last["triangles"], "fell_by_frame_12": centre[0] - centre[1],
            "volume_drift": last["particle_volume"] / entries[0]["particle_volume"] - 1,
            "mesh_volume": last["mesh_volume"], "volume": last["target_volume"]}


def middle_height(path):
    """Halfway between the lowest and the highest vertex of one of our meshes."""
    import struct
    data = path.read_bytes()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    count = int(data[:end].split(b"element vertex ")[1].split(b"\n")[0])
    stride = 4 * data[:end].split(b"element face")[0].count(b"property float")
    heights = [struct.unpack_from("<f", data, end + n * stride + 8)[0] for n in range(count)]
    return (min(heights) + max(heights)) / 2 if heights else 0.0


def mantaflow(resolution):
    with tempfile.TemporaryDirectory(dir=OUT) as folder:
        text, _, _ = run([*BLENDER, HERE / "mantaflow.py", "--", str(resolution), str(FRAMES), folder], 3600)
    return json.loads(next(line for line in reversed(text.splitlines()) if line.startswith("{")))


def bench(name, resolution, frames, threads=0):
    command = [TALLOW, "bench", name, "--resolution", str(resolution), "--frames", str(frames), "--json"]
    text, _, _ = run(command + (["--threads", str(threads)] if threads else []), 1800)
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def measure_monkey(results, resolution, peer):
    entry = results.setdefault("monkey", {}).setdefault(str(resolution), {})
    entry["load"] = os.getloadavg()[0]
    entry["ours"] = bake("monkey", resolution)
    if peer:
        entry["mantaflow"] = mantaflow(resolution)
        entry["ours_again"] = bake("monkey", resolution)["seconds"]


def measure(results, name, resolution, peer):
    print(f"{name} {resolution} ...", flush=True)
    start = time.perf_counter()
    if name == "monkey":
        measure_monkey(results, resolution, peer)
    elif name == "melting_suzanne":
        entry = bake(name, resolution, frames=FRAMES if resolution < 100 else 8)
        results.setdefault(name, {})[str(resolution)] = {"ours": entry, "load": os.getloadavg()[0]}
    elif name == "threads":
        results["threads"] = {"load": os.getloadavg()[0], "scenes": [
            {"name": scene, "resolution": n, "one": bench(scene, n, 4, 1)[0], "two": bench(scene, n, 4, 2)[0]}
            for scene, n in (("dam_break", 96), ("viscous_ball", 96))]}
    else:
        frames = next(f for n, _, f in BENCHES if n == name)
        results.setdefault(name, {})[str(resolution)] = {"runs": bench(name, resolution, frames),
                                                        "load": os.getloadavg()[0]}
    print(f"    {time.perf_counter() - start:.1f} s", flush=True)


def all_measurements():
    yield from (("monkey", n) for n in BAKES["monkey"])
    for name, resolutions, _ in BENCHES:
        yield from ((name, n) for n in resolutions)
    yield from (("melting_suzanne", n) for n in BAKES["melting_suzanne"])
    yield "threads", 0


def chosen(words):
    for name, resolution in all_measurements():
        if not words or name in words or f"{name}:{resolution}" in words:
            yield name, resolution


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="monkey, dam_break:64, ...; all when none is given")
    parser.add_argument("--no-peer", action="store_true", help="do not run Mantaflow")
    parser.add_argument("--table", action="store_true", help="measure nothing, only write the page")
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    store = OUT / "results.json"
    results = json.loads(store.read_text()) if store.exists() else {}
    peer = not options.no_peer and shutil.which("blender")
    for name, resolution in [] if options.table else chosen(options.names):
        measure(results, name, resolution, peer)
        store.write_text(json.dumps(results, indent=1))
    (ROOT / "docs" / "benchmarks.md").write_text(page.make(results))
    print(f"{ROOT / 'docs' / 'benchmarks.md'} is written.")


main()
