"""docs/benchmarks.md from the figures of run.py."""

HEAD = """# Benchmarks

`tests/bench/run.py` runs every scene below, ours and Blender's Mantaflow in the same run, and writes this page. `build/tallow
bench [NAME...] [--resolution N] [--threads N] [--scaling]` runs ours alone. Two cores; the load of the machine (1 minute average
when a row began; 0 is quiet) is given with each row: at a load of 8 a process gets a quarter of the machine, and its wall clock
is four times as long as it should be. Processor time (all threads) suffers less; compare that where the load is not 0.
Rows with an * are from an older run.
"""

TAIL = """
## Measured apart, on earlier builds

| what | measured |
|---|---|
| pressure, dam break 128^3, to 1e-5 (`test_poisson`) | 6 iterations (32^3: 6) |
| pressure, rough pool with pillars 128^3, to 1e-5 | 8 iterations (32^3: 7) |
| rigid contacts, 11 gears of 1937 surface balls in a pile | 0.8 to 1.5 ms CPU for all contacts |
| distance field, 249k triangles at 128^3 | 1.05 s on one thread |
| mesh of a 128^3 sphere | 114k triangles in 0.09 s |
| export of a mesh of 1M triangles from Blender 3.4 | 0.24 to 0.48 s |

`tests/python/test_budget.py` counts instructions (callgrind; of setting up, steps and meshing apart), iterations and substeps of small scenes and fails when one grows by
a tenth: wall clocks are too noisy for that. `tests/bench/budget.py --update` stores new budgets.
"""

WORDS = {
    "viscous_ball": "A ball of syrup (1 Pa s) in a spherical container, dt 0.01, with mesh; frames 2 to 4, in which it falls freely and viscosity\nhas nothing to do. Target at 128: 1.2 s and 350 MB.",
    "viscous_ball_landing": "The same ball from frame 16 on, when it hits the container and viscosity has most to do.",
    "dam_break": "A column of water without viscosity collapses; 60 frames a second.",
    "gears": "Eleven gears of relative density 0.4, 1.2 and 2.7 fall into a tank of 64 x 68 x 64 cells.",
    "contrast": "Two touching blocks on a floor that sticks, viscosity ratio 1, 1e2, 1e4, 1e6, 1e9 (runs 1 to 5), to a residual of 1e-6.",
    "empty_domain": "The same liquid in boxes 1, 2 and 4 times as large on each side (runs 1 to 3); three times in turn, and of each the run with the least processor time.",
    "thesis_melt": "The melting bunny of Carlson 2004, table 6: 35 x 28 x 38 cells of 10 cm, kinematic viscosity 0.1 to 10,000 m2/s as "
    "a soft solid, 600 frames,\nSuzanne for the bunny; bakes with mesh, VDB, particles. The thesis: 0.55 s per frame on a Pentium 4 of 2 GHz, without a mesh.",
    "melting_suzanne": "Paraffin Suzanne on a plate of 170 C, heat 60 times as fast as in life; bakes with mesh, VDB, particles.",
}


def megabytes(count):
    return f"{count / 1e6:.0f} MB"


def largest_stages(stages, count=5):
    whole = sum(seconds for name, seconds in stages.items() if name != "all")
    order = sorted(((s, n) for n, s in stages.items() if n != "all"), reverse=True)[:count]
    return ", ".join(f"{name} {100 * seconds / whole:.0f} %" for seconds, name in order if whole > 0)


def star(results, entry):
    return "" if entry.get("run") == results["run"] else "*"


def by_resolution(entries):
    return sorted(entries.items(), key=lambda item: int(item[0]))


def ours_seconds(entry):
    """Mean of the bakes before and after the peer's."""
    seconds = [entry["ours"]["seconds"]] + ([entry["ours_again"]] if "ours_again" in entry else [])
    return sum(seconds) / len(seconds)


def monkey(results):
    rows = ["\n## monkey: Suzanne of goo dropped onto a slab\n",
            "Suzanne, two subdivisions, voxel-remeshed at 0.02 (0.2503 m3), falls 0.8 m in a cube of 2.4 m; 24 frames at 24 fps, CFL 2,",
            "kinematic viscosity 10 m2/s, mesh of twice the resolution, with OpenVDB files, particles and checkpoints. Ours counts the whole",
            "process, Mantaflow its data and mesh bakes without Blender's start. Gravity takes 1.03 m in the 11/24 s to frame 12; the slab is",
            "reached after 0.8 m.\n",
            "| resolution | ours | Mantaflow | ratio | ratio of processor time | memory, ours / theirs | fell by frame 12, ours / theirs | "
            "volume, ours / their mesh | load |",
            "|---|---|---|---|---|---|---|---|---|"]
    stages = []
    for resolution, entry in by_resolution(results["monkey"]):
        ours, peer, mean = entry["ours"], entry.get("mantaflow"), ours_seconds(entry)
        theirs = "*" if entry.get("mantaflow_is_older") else ""
        rows.append("| {} | {:.2f} s | {} | {} | {} | {} / {} | {:.2f} / {} m | {:+.2f} % / {} | {:.1f} |".format(
            resolution + star(results, entry), mean, f"{peer['seconds']:.1f} s{theirs}" if peer else "-",
            f"**{peer['seconds'] / mean:.1f}x**" if peer else "-",
            f"**{peer['cpu_seconds'] / ours['cpu_seconds']:.1f}x**" if peer and "cpu_seconds" in peer else "-", megabytes(ours["peak_memory"]),
            megabytes(peer["peak_memory"]) if peer else "-", ours["fell_by_frame_12"],
            f"{peer['fell_by_frame_12']:.2f}" if peer else "-", 100 * ours["volume_drift"],
            f"{100 * (peer['mesh_volume_last'] / peer['true_volume'] - 1):+.0f} %" if peer else "-", entry["load"]))
        stages.append(f"- {resolution}: {ours['substeps']} substeps, {ours['particles']} particles, most iterations pressure "
                      f"{ours['pressure_iterations']}, viscosity {ours['viscosity_iterations']}; {largest_stages(ours['stages'])}")
    return rows + [""] + stages


# Seconds, processor seconds and bytes of FLIP Fluids 1.8.5's engine (-O3, OpenMP), two quiet cores, 2026-11-17.
PEER_FALLING = {(64, 0.0): (18.5, 32.7, 160e6), (64, 0.1): (17.7, 26.8, 194e6), (64, 10.0): (25.3, 32.6, 177e6)}


def falling_box(results):
    rows = ["\n## falling_box: a box of liquid lands flat and splashes\n",
            "A box of 0.5 m falls 0.15 m in a room of 1 m; 12 frames at 24 a second, with meshes and no other files. FLIP Fluids 1.8.5's",
            "engine was measured on a machine of the same kind, two quiet cores, and not in the same run. Processor times compare best.\n",
            "| resolution, viscosity | ours: wall / processor | FLIP Fluids: wall / processor | ratio of wall / processor | memory, ours / "
            "theirs | steps in the longest frame | fastest particle | load |", "|---|---|---|---|---|---|---|---|"]
    for resolution, entry in by_resolution(results["falling_box"]):
        for fall in entry["falls"]:
            peer = PEER_FALLING.get((int(resolution), fall["viscosity"]))
            rows.append("| {}, {:g} m2/s | {:.1f} / {:.1f} s | {} | {} | {} / {} | {} | {:.1f} m/s | {:.1f} |".format(
                resolution + star(results, entry), fall["viscosity"], fall["seconds"], fall["cpu_seconds"],
                f"{peer[0]:.1f} / {peer[1]:.1f} s" if peer else "-",
                f"**{peer[0] / fall['seconds']:.1f}x** / {peer[1] / fall['cpu_seconds']:.1f}x" if peer else "-",
                megabytes(fall["peak_memory"]), megabytes(peer[2]) if peer else "-", fall["substeps"], fall["fastest"], entry["load"]))
    return rows


def runs_of(entry):
    return entry.get("runs", [entry.get("ours")])


def substeps_of(run):
    return run.get("substeps_per_frame", run.get("substeps", 0) / max(run["frames"] - 1, 1))


def plain(results, name, words):
    rows = [f"\n## {name}\n", words + "\n",
            "| resolution | s per frame: wall / processor | cells | particles | substeps per frame | most iterations: pressure / viscosity | "
            "memory | where the time goes | load |",
            "|---|---|---|---|---|---|---|---|---|"]
    for resolution, entry in by_resolution(results[name]):
        for run in runs_of(entry):
            variant = run.get("bench", name).rpartition("_")[2]
            label = resolution + (f", {variant}" if variant.isdigit() else "") + star(results, entry)
            rows.append("| {} | {:.3f} / {:.3f} | {:.0f} | {:.0f} | {:.1f} | {:.0f} / {:.0f} | {} | {} | {:.1f} |".format(
                label, run["seconds_per_frame"], run["cpu_seconds_per_frame"], run["cells"], run["particles"], substeps_of(run),
                run["pressure_iterations"], run["viscosity_iterations"], megabytes(run["peak_memory"]), largest_stages(run["stages"]),
                entry["load"]))
    return rows


def triads_of(results):
    """Lines of the STREAM triad by number of threads."""
    lines = results.get("solvers", {}).get("0", {}).get("lines", [])
    return {line["threads"]: line for line in lines if "triad" in line}


def roof(results):
    """What two threads have over one where memory is all that counts, in words."""
    triads = triads_of(results)
    if 1 not in triads or 2 not in triads:
        return ""
    ratio = triads[2]["triad"] / triads[1]["triad"]
    return f" Two threads move {ratio:.2f} times as many bytes as one (STREAM triad): a stage that only waits for memory gains no more."


def threads(results):
    entry = results["threads"]["0"]
    rows = [f"\n## Two threads against one{star(results, entry)}\n",
            f"Stages above 5 % of the step; one and two threads in turn, seven times, and the least of each.{roof(results)} Load of the machine: {entry['load']:.1f}.\n",
            "| scene | stage | one thread, s per frame | two | ratio |", "|---|---|---|---|---|"]
    for scene in entry["scenes"]:
        for stage, (one, two) in sorted(scene["scaling"].items(), key=lambda item: -item[1][0]):
            rows.append(f"| {scene['bench']} {scene['resolution']:.0f} | {stage} | {one:.4f} | {two:.4f} | {one / max(two, 1e-9):.2f} |")
    return rows


def solvers(results):
    entry = results["solvers"]["0"]
    triads = triads_of(results)
    cells = next(iter(triads.values()))["cells"]
    rows = [f"\n## Share of the memory's speed{star(results, entry)}\n",
            f"A pool that fills six tenths of a tank of {cells} cells a side (`tests/bench/solvers.c`). STREAM triad in the same run: "
            + ", ".join(f"{line['triad'] / 1e9:.1f} GB/s on {n} thread{'s' * (n > 1)}" for n, line in triads.items())
            + ". Bytes are what kernels read and", f"write, every array once per kernel. Load of the machine: {entry['load']:.1f}.\n",
            "| solve | threads | unknowns | bytes per unknown and iteration | ms per iteration | GB/s | share of the triad: wall / processor | "
            "whole solve with setup: wall / processor |", "|---|---|---|---|---|---|---|---|"]
    for line in entry["lines"]:
        if "solver" in line:
            rows.append("| {} | {} | {} | {:.0f} | {:.1f} | {:.1f} | {:.0f} % / {:.0f} % | {:.2f} s / {:.2f} s ({} iterations) |".format(
                line["solver"], line["threads"], line["unknowns"], line["bytes_per_unknown"], 1e3 * line["seconds_per_iteration"],
                line["bandwidth"] / 1e9, 100 * line["share_of_triad"], 100 * line["cpu_share_of_triad"], line["solve_seconds"],
                line["cpu_solve_seconds"], line["solve_iterations"]))
    return rows


# ----------------------------------------------------------------------------------------------------------------------
# Against the targets: each gives (what is asked, what was measured, whether that is enough), or nothing without figures.


def find(results, name, resolution):
    return results.get(name, {}).get(str(resolution))


def target_monkey(results):
    for resolution, ratio in ((64, 15), (96, 30)):
        entry = find(results, "monkey", resolution)
        if entry and "mantaflow" in entry:
            measured = entry["mantaflow"]["seconds"] / ours_seconds(entry)
            older = " (Mantaflow's time from an older run)" if entry.get("mantaflow_is_older") else ""
            yield f"monkey at least {ratio}x faster than Mantaflow at {resolution}", f"{measured:.1f}x{older}", measured >= ratio
    drifts = [abs(entry["ours"]["volume_drift"]) for _, entry in by_resolution(results.get("monkey", {}))]
    if drifts:
        yield "monkey holds its volume within 1 %", f"{100 * max(drifts):.3f} %", max(drifts) < 0.01
        shares = [entry["ours"]["stages"].get("output", 0) / sum(s for n, s in entry["ours"]["stages"].items() if n != "all")
                  for _, entry in by_resolution(results["monkey"])]
        yield ("mesh and files under 20 % of the frame (what the simulation waits for them), largest monkey",
               f"{100 * shares[-1]:.0f} %", shares[-1] < 0.2)
    cost = {n: entry["surface_share"] for n, entry in by_resolution(results.get("monkey", {})) if "surface_share" in entry and n != "32"}
    if cost:
        yield ("mesh and VDB under 20 % of the bake's processor time, monkey " + ", ".join(cost),
               ", ".join(f"{100 * share:.0f} %" for share in cost.values()), max(cost.values()) < 0.2)


def target_falling_box(results):
    entry = find(results, "falling_box", 64)
    for fall, ratio in zip(entry["falls"] if entry else (), (3, 5, 5)):
        measured = PEER_FALLING[(64, fall["viscosity"])][0] / fall["seconds"]
        yield (f"falling_box 64, {fall['viscosity']:g} m2/s, at least {ratio}x faster than FLIP Fluids",
               f"{measured:.1f}x", measured >= ratio)


def target_ball(results):
    entry = find(results, "viscous_ball", 128)
    if entry:
        run = entry["runs"][0]
        yield "viscous_ball 128 in 1.2 s per frame", f"{run['seconds_per_frame']:.2f} s", run["seconds_per_frame"] <= 1.2
        yield "viscous_ball 128 in 350 MB", megabytes(run["peak_memory"]), run["peak_memory"] <= 350e6


def target_solvers(results):
    landing = results.get("viscous_ball_landing", {})
    ratios = [entry["runs"][0]["stages"]["viscosity"] / entry["runs"][0]["stages"]["pressure"] for entry in landing.values()]
    if ratios:
        yield "viscosity at most 3x the time of pressure (viscous_ball_landing)", f"{max(ratios):.2f}x", max(ratios) <= 3
    if "solvers" in results:
        for line in results["solvers"]["0"]["lines"]:
            if "solver" in line and line["threads"] == 2:
                yield (f"{line['solver']} at least 40 % of a STREAM triad's bandwidth, two threads",
                       f"{100 * line['share_of_triad']:.0f} %", line["share_of_triad"] >= 0.4)


def cost_per_cell(run):
    """Processor time of a step per liquid cell. Its own number of steps, so that only the size differs."""
    return run["cpu_seconds_per_frame"] / max(substeps_of(run), 1e-9) / run["cells"]


def target_growth(results):
    for name in ("dam_break", "melting_suzanne"):
        small, large = find(results, name, 64), find(results, name, 192)
        if small and large:
            growth = cost_per_cell(runs_of(large)[0]) / cost_per_cell(runs_of(small)[0])
            yield f"cost per liquid cell and step grows at most 1.3x from 64 to 192 ({name}, processor time)", f"{growth:.2f}x", growth <= 1.3
    entry = find(results, "empty_domain", 64)
    if entry:
        first, last = entry["runs"][0], entry["runs"][-1]
        time, memory = last["cpu_seconds_per_frame"] / first["cpu_seconds_per_frame"], last["peak_memory"] / first["peak_memory"]
        yield "empty_domain 4x: at most 15 % more time (processor)", f"{100 * time - 100:+.0f} %", time <= 1.15
        yield "empty_domain 4x: at most 30 % more memory", f"{100 * memory - 100:+.0f} %", memory <= 1.3


def target_rest(results):
    if "threads" in results:
        pairs = [(one / max(two, 1e-9), scene["bench"], stage) for scene in results["threads"]["0"]["scenes"]
                 for stage, (one, two) in scene["scaling"].items() if stage != "all"]
        worst = sorted(pairs)[:4]
        yield ("two threads at least 1.75x one on every stage above 5 %",
               "slowest: " + ", ".join(f"{name} {stage} {ratio:.2f}x" for ratio, name, stage in worst), worst[0][0] >= 1.75)
    entry = find(results, "gears", 64)
    if entry:
        stages = entry["runs"][0]["stages"]
        share = sum(stages.get(name, 0) for name in ("bodies", "solids", "coupling")) / stages["all"]
        yield "coupling at most 15 % of the step with 11 bodies (stages bodies, solids, coupling)", f"{100 * share:.0f} %", share <= 0.15
    entry = find(results, "playback", 0)
    if entry:
        yield ("playback shows 200k triangles in under 15 ms", f"{entry['median']:.0f} ms (best {entry['best']:.0f}, processor time "
               f"{entry['cpu']:.0f})", entry["median"] < 15)


def targets(results):
    rows = ["\n## Against the targets\n", "| target | measured | |", "|---|---|---|"]
    for group in (target_monkey, target_falling_box, target_ball, target_solvers, target_growth, target_rest):
        rows += [f"| {asked} | {measured} | {'met' if met else '**misses**'} |" for asked, measured, met in group(results)]
    return rows


def make(results):
    rows = [HEAD.rstrip()]
    if "monkey" in results:
        rows += monkey(results)
    if "falling_box" in results:
        rows += falling_box(results)
    for name, words in WORDS.items():
        if name in results:
            rows += plain(results, name, words)
    for name, table in (("threads", threads), ("solvers", solvers)):
        if name in results:
            rows += table(results)
    return "\n".join(rows + targets(results)) + "\n" + TAIL
