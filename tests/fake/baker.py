"""Stands in for the baker in tests: the same command line, events and files, without the physics.

A ball of wax falls onto z = 0 and squashes; a rigid body named in the scene moves along x. FAKE_BAKER sets what
happens on the way: `crash` (killed after frame 3), `error`, `silent` (does not answer to cancel), `weak` (heaters
never melt the wax), `odd` (says something that nobody understands). FAKE_GATE names a file with a number: frames
after it have to wait until the number is raised. So a test decides how far a bake gets, however busy the machine is.
"""

import argparse
import base64
import json
import math
import os
import signal
import struct
import sys
import threading
import time
from pathlib import Path

HEADER = ("ply\nformat binary_little_endian 1.0\nelement vertex {vertices}\n{properties}{faces}end_header\n")
MESH = ["x", "y", "z", "vx", "vy", "vz", "temperature", "melt", "rest_x", "rest_y", "rest_z", "material"]
LOOK = 0.01  # seconds between looks at the gate
cancelled, running = threading.Event(), threading.Event()
running.set()


def emit(**event):
    print(json.dumps(event), flush=True)


def sphere(rings=12, segments=24):
    points = [(0.0, 0.0, 1.0)]
    for r in range(1, rings):
        for s in range(segments):
            a, b = math.pi * r / rings, 2 * math.pi * s / segments
            points.append((math.sin(a) * math.cos(b), math.sin(a) * math.sin(b), math.cos(a)))
    points.append((0.0, 0.0, -1.0))
    faces = []
    for s in range(segments):
        t = (s + 1) % segments
        faces.append((0, 1 + s, 1 + t))
        for r in range(rings - 2):
            a, b = 1 + r * segments, 1 + (r + 1) * segments
            faces += [(a + s, b + s, b + t), (a + s, b + t, a + t)]
        last = 1 + (rings - 2) * segments
        faces.append((len(points) - 1, last + t, last + s))
    return points, faces


def write(path, *parts):
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_bytes(b"".join(parts))
    os.replace(temporary, path)


def write_frame(cache, scene, frame, share):
    low, high = scene["domain"]["min"], scene["domain"]["max"]
    middle = [(a + b) / 2 for a, b in zip(low, high)]
    radius = 0.2 * min(b - a for a, b in zip(low, high))
    height = low[2] + radius + (1 - share) * (high[2] - low[2] - 2 * radius)
    points, faces = sphere()
    rows = []
    for x, y, z in points:
        wide, flat = 1 + share, 1 - 0.6 * share
        place = (middle[0] + wide * radius * x, middle[1] + wide * radius * y, height + flat * radius * z)
        rest = (middle[0] + radius * x, middle[1] + radius * y, middle[2] + radius * z)
        # Of two materials the second one is the half with x above the middle.
        rows.append((*place, 0.0, 0.0, -2.0 * (1 - share), 293.15 + 80 * share, share, *rest,
                     float(x > 0 and len(scene.get("materials", [])) > 1)))
    properties = "".join(f"property float {name}\n" for name in MESH)
    header = HEADER.format(vertices=len(rows), properties=properties,
                           faces=f"element face {len(faces)}\nproperty list uchar int vertex_indices\n")
    write(cache / "mesh" / f"mesh_{frame:06d}.ply", header.encode(),
          b"".join(struct.pack("<12f", *row) for row in rows),
          b"".join(struct.pack("<B3i", 3, *face) for face in faces))
    properties = "".join(f"property float {name}\n" for name in MESH[:-1])
    properties += "property uchar material\nproperty uint id\n"
    write(cache / "particles" / f"particles_{frame:06d}.ply",
          HEADER.format(vertices=len(rows), properties=properties, faces="").encode(),
          b"".join(struct.pack("<11fBI", *row[:11], 0, i) for i, row in enumerate(rows)))
    if scene.get("output", {}).get("vdb"):
        write(cache / "surface" / f"surface_{frame:06d}.vdb", b"not a real one")
    bodies = [{"name": o["name"], "position": [o["keys"][0]["position"][0] + share, *o["keys"][0]["position"][1:]],
               "rotation": [math.cos(share), 0, 0, math.sin(share)], "velocity": [0, 0, 0], "spin": [0, 0, 0],
               "temperature": 293.15} for o in scene["objects"] if o["role"] == "rigid"]
    write(cache / "rigid" / f"rigid_{frame:06d}.json", json.dumps({"frame": frame, "bodies": bodies}).encode())
    return len(rows), len(faces)


def retimed(scene, first, frame):
    """Simulated time of a frame, where a time scale asks for it."""
    world, fps = scene.get("world", {}), scene["frames"]["fps"]
    keys = world.get("keys") or [{"time": 0.0, **world}]
    if all(key.get("time_scale", 1.0) == 1.0 for key in keys):
        return {}

    def pace(number):
        past = [key for key in keys if key["time"] <= (number - first) / fps + 1e-6]
        return (past[-1] if past else keys[0]).get("time_scale", 1.0)
    return {"time_scale": pace(frame), "time": sum((pace(n) + pace(n + 1)) / 2 / fps for n in range(first, frame))}


def listen():
    commands = {"pause": running.clear, "resume": running.set, "cancel": lambda: (cancelled.set(), running.set())}
    for line in sys.stdin:
        commands.get(line.strip(), lambda: None)()
    os._exit(3)  # whoever started this is gone


def gate():
    """The last frame that may be baked."""
    try:
        return int(Path(os.environ["FAKE_GATE"]).read_text() or 0)
    except (KeyError, FileNotFoundError):
        return 0 if "FAKE_GATE" in os.environ else sys.maxsize


def wait_for_turn(frame, silent):
    """Until the frame may be baked. While it is paused it says so once, as the stage of its progress."""
    told = False
    while silent or not cancelled.is_set():
        if running.is_set() and frame <= gate():
            return
        if not running.is_set() and not told:
            emit(event="progress", frame=frame, done=0.5, stage="paused")
            told = True
        time.sleep(LOOK)


def melt(arguments, mode):
    """A speed that falls with the time that there is; with `weak` losses win."""
    scene = json.loads((Path(arguments.scene) / "scene.json").read_text())
    frame = int(arguments.frames.rpartition("-")[2]) or scene["frames"]["end"]
    if mode == "error":
        emit(event="error", result="TLW_BAD_MESH", text="Suzanne is not closed and cannot be filled. Close its holes.")
        return 1
    threading.Thread(target=listen, daemon=True).start()
    wait_for_turn(1, False)
    weak = mode == "weak" and all(key.get("power", 0) < 2000 and key.get("temperature", 0) < 500
                                  for obj in scene["objects"] for key in obj["keys"])
    emit(event="melt", found=not weak, speed=0.0 if weak else 1e5 * arguments.melt / (frame - scene["frames"]["start"]),
         most=0.4 if weak else 1.0, strength=3.0 if weak else 0.0)
    return 0


def cells():
    """Four cells for any plane: one of each quarter, warmer from one to the next."""
    for line in sys.stdin:
        wanted = json.loads(line)
        if not Path(wanted["path"]).is_file():
            print(json.dumps({"error": wanted["path"] + " cannot be read."}), flush=True)
            continue
        rows = []
        for n in range(4):
            place = [0.1 * (n % 2), 0.1 * (n // 2)]
            place.insert(wanted["axis"], wanted["place"])
            rows.append(struct.pack("<6f", *place, 300.0 + 10 * n, 0.01, 0.2 * n))
        print(json.dumps({"cells": base64.b64encode(b"".join(rows)).decode()}), flush=True)
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scene", nargs="?")
    parser.add_argument("--cells", action="store_true")
    parser.add_argument("cache", nargs="?")
    parser.add_argument("--melt", type=float)
    parser.add_argument("--frames")
    parser.add_argument("--patience", type=float)
    parser.add_argument("--threads")
    parser.add_argument("--library")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--from", dest="since", type=int, default=0)
    parser.add_argument("--mesh", action="store_true")
    parser.add_argument("--gentle", action="store_true")
    arguments = parser.parse_args()
    mode = os.environ.get("FAKE_BAKER", "")
    if arguments.cells:
        return cells()
    if arguments.melt:
        return melt(arguments, mode)
    threading.Thread(target=listen, daemon=True).start()
    cache = Path(arguments.cache)
    scene = json.loads((Path(arguments.scene) / "scene.json").read_text())
    first, last = scene["frames"]["start"], scene["frames"]["end"]
    index = {"format": "tallow-cache", "version": 1, "library": "fake", "scene_hash": "0" * 16,
             "scene_name": scene["name"],
             "fps": scene["frames"]["fps"], "frame_start": first, "frame_end": last,
             "cell_size": scene["domain"]["cell_size"], "domain_min": scene["domain"]["min"],
             "domain_max": scene["domain"]["max"], "finished": False, "frames": []}
    if arguments.resume and (cache / "bake.json").is_file():
        index["frames"] = json.loads((cache / "bake.json").read_text())["frames"]
    if arguments.since:
        frames = json.loads((cache / "bake.json").read_text())["frames"]
        index["frames"] = [entry for entry in frames if entry["frame"] <= arguments.since]
    begin = index["frames"][-1]["frame"] + 1 if index["frames"] else first
    emit(event="start", frames=[first, last], resume_from=begin - 1 if begin > first else None, cells=1000,
         library="fake")
    if mode == "error":
        emit(event="error", result="TLW_BAD_MESH", text="Suzanne is not closed and cannot be filled. Close its holes.")
        return 1
    emit(event="log", level="warning", text="Suzanne is not closed: 168 open edges; filled")
    if mode == "odd":
        emit(event="progress", frame=begin, done="half")
    for frame in range(begin, last + 1):
        emit(event="progress", frame=frame, done=0.5, stage="pressure")
        wait_for_turn(frame, mode == "silent")
        if cancelled.is_set() and mode != "silent":
            emit(event="cancelled", last_frame=frame - 1)
            return 2
        share = (frame - first) / max(1, last - first)
        vertices, triangles = write_frame(cache, scene, frame, share)
        entry = {"frame": frame, "time": (frame - first) / scene["frames"]["fps"], "seconds": 0.3, "substeps": 2,
                 "particles": vertices, "cells": 1000, "particle_volume": 0.0801, "surface_volume": 0.08,
                 "mesh_volume": 0.08, "target_volume": 0.08, "triangles": triangles, "max_speed": 1.2, "melted": share,
                 "peak_memory": 123456789, "kinetic_energy": 2.0 * (1 - share), "enthalpy": 1e5 * (1 + share),
                 "coldest": 293.15, "hottest": 293.15 + 80 * share, "pressure_iterations": 9,
                 "viscosity_iterations": 12, "heat_iterations": 3, "pressure_residual": 4e-6,
                 "viscosity_residual": 8e-7,
                 "stages": {"pressure": 0.1, "viscosity": 0.15, "heat": 0.02}, **retimed(scene, first, frame)}
        write(cache / "state" / f"state_{frame:06d}.tlw", b"")
        index["frames"].append(entry)
        index["finished"] = frame == last
        write(cache / "bake.json", json.dumps(index).encode())
        emit(event="frame", **entry)
        if mode == "crash" and frame == first + 2:
            os.kill(os.getpid(), signal.SIGKILL)
    emit(event="done", frames=last - begin + 1, seconds=1.0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
