#!/usr/bin/env python3
"""The benchmark: ours and Blender's Mantaflow side by side, then docs/benchmarks.md.

    tests/bench/run.py                         everything (about half an hour on two quiet cores, half of it Mantaflow)
    tests/bench/run.py --only gears monkey:32  some; the others keep the figures of an older run and are marked so
    tests/bench/run.py --skip monkey:96        all but some
    tests/bench/run.py --table                 only write the page from the figures there are

Figures are kept in out/bench/results.json. Each measurement runs in a process of its own, smallest first.
"""

import argparse
import json
import os
import re
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
SOLVERS = ROOT / "build" / "tests" / "bench_solvers"
BLENDER = ["blender", "-b", "--factory-startup", "--python-exit-code", "1", "--python"]
sys.path.insert(0, str(HERE))
import page  # noqa: E402
import scenes  # noqa: E402

FRAMES = 24
# name, resolutions, frames, frames before them
BENCHES = [("viscous_ball", (60, 96, 128), 3, 1), ("viscous_ball_landing", (60, 96, 128), 4, 15),
           ("dam_break", (64, 128, 192), 3, 1),
           ("gears", (64,), 3, 1), ("contrast", (64,), 2, 1), ("empty_domain", (64,), 3, 1)]
FALLING = (0.0, 0.1, 10.0)  # m2/s
BAKES = {"falling_box": (64, 96, 128), "monkey": (32, 64, 96), "melting_suzanne": (64, 128, 192), "thesis_melt": (38,)}
MELTING_FRAMES = {64: 24, 128: 8, 192: 4, 38: 600}
MELTING = ("thesis_melt", "melting_suzanne")
THREADS = (("dam_break", 128), ("viscous_ball", 128), ("gears", 64), ("melting_block", 96))
ALONE = ("threads", "solvers", "playback")
TIMES = 3  # of what is compared within a tenth: the machine's own noise is nearly that


def run(command, limit):
    """Run a program; its output, seconds, CPU seconds. Raises with its words when it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    # Debian's Blender takes the first Python of the PATH for its own.
    environment = {**os.environ, "PATH": "/usr/bin:" + os.environ["PATH"]}
    done = subprocess.run(command, capture_output=True, text=True, timeout=limit, env=environment)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
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
    return {"seconds": seconds, "cpu_seconds": cpu, "cpu_seconds_per_frame": cpu / frames, "frames": frames,
            "seconds_per_frame": seconds / frames,
            "stages": sum_stages(steps), "substeps": sum(f["substeps"] for f in steps),
            "pressure_iterations": max(f["pressure_iterations"] for f in steps),
            "viscosity_iterations": max(f["viscosity_iterations"] for f in steps),
            "cells": last["cells"], "particles": last["particles"], "peak_memory": last["peak_memory"],
            "triangles": last["triangles"], "fell_by_frame_12": centre[0] - centre[1],
            "volume_drift": last["particle_volume"] / entries[0]["particle_volume"] - 1,
            "mesh_volume": last["mesh_volume"], "volume": last["target_volume"]}


def falling_box(resolution, viscosity):
    """A bake with meshes and no other files: seconds, processor seconds, substeps, fastest particle, memory."""
    with tempfile.TemporaryDirectory(dir=OUT) as folder:
        scene = scenes.falling_box(Path(folder) / "scene", viscosity, resolution)
        cache = Path(folder) / "cache"
        _, seconds, cpu = run([TALLOW, "bake", scene, "--out", cache], 3600)
        entries = json.loads((cache / "bake.json").read_text())["frames"]
    return {"viscosity": viscosity, "seconds": seconds, "cpu_seconds": cpu,
            "substeps": max(entry["substeps"] for entry in entries),
            "fastest": max(entry["max_speed"] for entry in entries),
            "peak_memory": entries[-1]["peak_memory"],
            "volume_drift": entries[-1]["mesh_volume"] / entries[-1]["target_volume"] - 1}


def share_of_surface(name, resolution, frames=FRAMES):
    """What mesh and level set are of a bake's processor time: bakes with and without them in turn, least of each."""
    least = {}
    for _ in range(TIMES):
        for shown in (True, False):
            with tempfile.TemporaryDirectory(dir=OUT) as folder:
                scene = getattr(scenes, name)(Path(folder) / "scene", monkey_mesh(), resolution, frames)
                path = Path(scene) / "scene.json"
                words = json.loads(path.read_text())
                words["output"].update(mesh=shown, vdb=shown)
                path.write_text(json.dumps(words))
                cpu = run([TALLOW, "bake", scene, "--out", Path(folder) / "cache"], 1800)[2]
                least[shown] = min(cpu, least.get(shown, cpu))
    return 1 - least[False] / least[True]


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


def json_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def bench(name, resolution, frames, *options):
    command = [TALLOW, "bench", name.replace("_landing", ""), "--resolution", str(resolution), "--frames", str(frames),
               "--json"]
    return json_lines(run(command + list(options), 1800)[0])


def bench_in_turn(name, resolution, frames, *options):
    """Several runs of each scene in turn; of each the one with the least processor time."""
    turns = [bench(name, resolution, frames, *options) for _ in range(TIMES)]
    return [min(runs, key=lambda run: run["cpu_seconds_per_frame"]) for runs in zip(*turns)]


def playback():
    """Milliseconds that Blender takes to show a frame of 200k triangles, as the add-on's own test measures them."""
    text = run([sys.executable, ROOT / "tests" / "blender" / "run.py", "test_files"], 600)[0]
    line = next(line for line in text.splitlines() if line.startswith("MEASURED showing"))
    words = re.fullmatch(r"MEASURED showing (\d+) triangles: ([\d.]+) ms \(best ([\d.]+)\); "
                         r"processor time ([\d.]+) ms .*", line)
    return dict(zip(("triangles", "median", "best", "cpu"), map(float, words.groups())))


def measure(name, resolution, peer, older):
    """The figures of one measurement."""
    entry = {"load": os.getloadavg()[0]}
    if name == "monkey":
        entry["ours"] = bake(name, resolution)
        entry["surface_share"] = share_of_surface(name, resolution)
        if peer:
            entry["mantaflow"] = mantaflow(resolution)
            entry["ours_again"] = bake(name, resolution)["seconds"]
        elif "mantaflow" in older:
            entry["mantaflow"], entry["mantaflow_is_older"] = older["mantaflow"], True
    elif name == "falling_box":
        entry["falls"] = [falling_box(resolution, viscosity) for viscosity in FALLING]
    elif name in MELTING:
        entry["ours"] = bake(name, resolution, frames=MELTING_FRAMES[resolution])
    elif name == "threads":
        entry["scenes"] = [run for scene, n in THREADS for run in bench(scene, n, 3, "--scaling")]
    elif name == "solvers":
        entry["lines"] = json_lines(run([SOLVERS, "128"], 1800)[0])
    elif name == "playback":
        entry.update(min((playback() for _ in range(TIMES)), key=lambda figures: figures["median"]))
    else:
        frames, warm_up = next((f, w) for n, _, f, w in BENCHES if n == name)
        how = bench_in_turn if name == "empty_domain" else bench
        entry["runs"] = how(name, resolution, frames, "--warm-up", str(warm_up))
    return entry


def all_measurements():
    for name, resolutions, _, _ in BENCHES:
        yield from ((name, n) for n in resolutions)
    yield from ((name, 0) for name in ALONE)
    yield from ((name, n) for name in ("falling_box", *MELTING) for n in BAKES[name])
    yield from (("monkey", n) for n in BAKES["monkey"])


def is_named(words, name, resolution):
    return name in words or f"{name}:{resolution}" in words


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="monkey, dam_break:64, threads, ...; the same as --only")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="measure these alone")
    parser.add_argument("--skip", nargs="+", default=[], metavar="NAME", help="measure all but these")
    parser.add_argument("--no-peer", action="store_true", help="do not run Mantaflow")
    parser.add_argument("--table", action="store_true", help="measure nothing, only write the page")
    options = parser.parse_args()
    only = options.names + options.only
    known = {name for name, _ in all_measurements()} | {f"{name}:{n}" for name, n in all_measurements()}
    unknown = [word for word in only + options.skip if word not in known]
    if unknown:
        sys.exit(f"There is no {', '.join(unknown)}; there are {', '.join(sorted(known))}.")
    OUT.mkdir(parents=True, exist_ok=True)
    store = OUT / "results.json"
    results = json.loads(store.read_text()) if store.exists() else {}
    peer = not options.no_peer and shutil.which("blender")
    chosen = [] if options.table else [(name, n) for name, n in all_measurements()
                                       if (not only or is_named(only, name, n))
                                       and not is_named(options.skip, name, n)]
    results["run"] = results.get("run", 0) + bool(chosen)
    failed = 0
    for name, resolution in chosen:
        print(f"{name} {resolution or ''} ...", flush=True)
        start = time.perf_counter()
        entries = results.setdefault(name, {})
        older = entries.get(str(resolution), {})
        try:
            entries[str(resolution)] = {**measure(name, resolution, peer, older), "run": results["run"]}
        except (RuntimeError, subprocess.TimeoutExpired) as error:  # the others still count
            print(f"FAILED {name} {resolution or ''}: {error}", flush=True)
            failed += 1
        store.write_text(json.dumps(results, indent=1))
        print(f"    {time.perf_counter() - start:.1f} s", flush=True)
    (ROOT / "docs" / "benchmarks.md").write_text(page.make(results))
    print(f"{ROOT / 'docs' / 'benchmarks.md'} is written.")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
