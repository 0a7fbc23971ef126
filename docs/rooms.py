#!/usr/bin/env python3
"""Prints the table "Rooms" of architecture.md: which folder of native/src includes headers of which others.

    python3 docs/rooms.py [ROOT]
"""
import re
import sys
from pathlib import Path

KNOWS = {
    "base": "results and messages, memory, vectors, threads, files, the checkpoint container",
    "grid": "the sparse grid, sampling, connected cells",
    "shape": "meshes and their repair, PLY, signed distance, particles, level sets to meshes and VDB",
    "solve": "what the solvers share: a direct solve for narrow systems",
    "solve/poisson": "7-point systems: pressure, spreading of particles",
    "solve/scalar": "conjugate gradients for heat",
    "solve/stress": "the system of the stress tensor over u, v, w",
    "rigid": "bodies, contacts, joints; shapes but no liquid",
    "scene": "materials, objects, keys, the reader of scene folders",
    "step/fields": "the fields of a simulation, particles sorted by cell",
    "step/obstacles": "meshes placed in time: solids, inflows, heaters; their shares of faces and cells",
    "step/liquid": "particles and level set: seeding, transport, gathering, forces, extension",
    "step/heat": "enthalpy, exchange with solids, air and lamps, viscosity from temperature",
    "step/bodies": "rigid bodies in the liquid",
    "step/frozen": "frozen pieces: which cells, what holds them, how they move",
    "step/pressure": "the pressure stage",
    "step/viscosity": "the viscosity stage, friction of slip walls",
    "step/flight": "momentum of what flies freely",
    "step/views": "what users read: surface mesh, particles, samples, VDB, statistics",
    "step": "the simulation object, the step and its stages, checkpoints",
    "cache": "frames and checkpoints on disk, the bake loop",
}


def room_of(path):
    return path.rsplit("/", 1)[0] if "/" in path else ""


def read_rooms(root):
    """The rooms that each room includes, from the `#include` lines of its files."""
    source = Path(root) / "native" / "src"
    rooms = {}
    for path in sorted(source.rglob("*.[ch]")):
        own = room_of(path.relative_to(source).as_posix())
        found = rooms.setdefault(own, set())
        for name in re.findall(r'^#include "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE):
            other = room_of(name)
            if other != own and other != "tallow":
                found.add(other)
    return rooms


def order(rooms):
    """Lower rooms first: each after all that it includes, in the order of KNOWS where there is a choice. Rooms that
    include each other come last."""
    left, done = [room for room in KNOWS if room in rooms] + sorted(set(rooms) - set(KNOWS)), []
    while left:
        ready = [room for room in left if not (rooms[room] & set(left)) - {room}]
        if not ready:
            print(f"These rooms include each other: {', '.join(left)}", file=sys.stderr)
            return done + left
        done.append(ready[0])
        left.remove(ready[0])
    return done


def make_table(root):
    rooms = read_rooms(root)
    names = order(rooms)
    rank = {name: n for n, name in enumerate(names)}
    lines = ["| room | knows | includes |", "|---|---|---|"]
    for room in names:
        others = sorted(rooms[room], key=lambda name: rank.get(name, -1))
        lines.append(f"| `{room}` | {KNOWS.get(room, '')} | {', '.join(others)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(make_table(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]))
