"""Scene folders of the benchmark: the monkey that Mantaflow bakes too, and melting Suzanne."""

import json
import shutil
import struct
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def write_box(path, low, high):
    """A closed box as a PLY file of triangles."""
    points = [(x, y, z) for z in (low[2], high[2]) for y in (low[1], high[1]) for x in (low[0], high[0])]
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    with open(path, "wb") as file:
        file.write(b"ply\nformat binary_little_endian 1.0\n"
                   b"element vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
                   b"element face 12\nproperty list uchar int vertex_indices\nend_header\n")
        for point in points:
            file.write(struct.pack("<3f", *point))
        for triangle in triangles:
            file.write(struct.pack("<B3i", 3, *triangle))


def write_scene(folder, scene, meshes):
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "meshes").mkdir(parents=True)
    for name, source in meshes.items():
        if callable(source):
            source(folder / "meshes" / name)
        else:
            shutil.copy(source, folder / "meshes" / name)
    (folder / "scene.json").write_text(json.dumps(scene, indent=1))
    return folder


def place(position=(0, 0, 0), scale=1.0, temperature=293.15):
    return [{"time": 0.0, "position": list(position), "scale": [scale] * 3, "temperature": temperature}]


def monkey(folder, mesh, resolution, frames=24):
    """As mantaflow.py builds it. Mantaflow's viscosity is kinematic: 10 m2/s are 1e4 Pa s at 1000 kg/m3."""
    walls = {side: "slip" for side in ("-x", "+x", "-y", "+y", "-z", "+z")}
    return write_scene(folder, {
        "format": "tallow-scene", "version": 1, "name": "monkey",
        "frames": {"start": 1, "end": frames, "fps": 24.0},
        "domain": {"min": [-1.2, -1.2, -0.6], "max": [1.2, 1.2, 1.8], "cell_size": 2.4 / resolution, "walls": walls},
        "solver": {"cfl": 2.0},
        # What Mantaflow writes too: a mesh of twice the resolution, particles and level set for each frame.
        "output": {"particles": True, "vdb": True, "mesh": True, "mesh_detail": 2, "checkpoint_every": 1},
        "materials": [{"name": "Goo", "density": [1000, 1000], "latent_heat": 0, "viscosity": 1e4}],
        "objects": [
            {"name": "Monkey", "role": "liquid", "mesh": "meshes/monkey.ply", "material": "Goo",
             "keys": place((0, 0, 0.9))},
            {"name": "Slab", "role": "solid", "mesh": "meshes/slab.ply", "surface": "stick", "keys": place()}],
    }, {"monkey.ply": mesh, "slab.ply": lambda path: write_box(path, (-1.0, -1.0, -0.5), (1.0, 1.0, -0.4))})


def melting_suzanne(folder, mesh, resolution, frames=24):
    """Paraffin Suzanne, 20 cm, in a domain of 38 cm on a plate of 170 C; heat moves 60 times as fast as in life."""
    wax = json.loads((ROOT / "presets/materials/paraffin.json").read_text())
    wax = {key: value for key, value in wax.items() if key not in ("label", "description", "sources")}
    return write_scene(folder, {
        "format": "tallow-scene", "version": 1, "name": "melting_suzanne",
        "frames": {"start": 1, "end": frames, "fps": 24.0},
        "domain": {"min": [-0.19, -0.19, -0.02], "max": [0.19, 0.19, 0.30], "cell_size": 0.38 / resolution,
                   "walls": {side: "open" for side in ("-x", "+x", "-y", "+y", "-z", "+z")}},
        "world": {"thermal_speed": 60.0},
        "output": {"particles": True, "vdb": True, "mesh": True, "mesh_detail": 1, "checkpoint_every": 1},
        "materials": [wax],
        "objects": [
            {"name": "Suzanne", "role": "liquid", "mesh": "meshes/monkey.ply", "material": "Paraffin",
             "keys": place((0, 0, 0.098), 0.2, 326.15)},
            {"name": "Plate", "role": "heat", "heat_kind": "solid", "mesh": "meshes/plate.ply", "surface": "stick",
             "conductivity": 50.0, "keys": place(temperature=443.15)}],
    }, {"monkey.ply": mesh, "plate.ply": lambda path: write_box(path, (-0.17, -0.17, -0.012), (0.17, 0.17, 0.0))})


def thesis_melt(folder, mesh, resolution, frames=600):
    """The setting of the melting bunny in Carlson's thesis (2004, table 6): 35 x 28 x 38 cells of 10 cm, kinematic
    viscosity 0.1 to 10,000 m2/s and no rigid pieces, as there. Suzanne stands in for the bunny; a hot plate melts her
    within the 600 frames. The thesis gives no size of step; a frame here is 1/24 s."""
    cell = 3.8 / resolution
    goo = {"name": "Goo", "density": [1000, 1000], "specific_heat": [2000, 2000], "conductivity": [0.2, 0.2],
           "solidus": 328.15, "liquidus": 333.15, "latent_heat": 50000, "viscosity": [[333.15, 1e4], [353.15, 1e2]],
           "solid_viscosity": 1e7, "frozen": "soft"}
    return write_scene(folder, {
        "format": "tallow-scene", "version": 1, "name": "thesis_melt",
        "frames": {"start": 1, "end": frames, "fps": 24.0},
        "domain": {"min": [-1.75, -1.4, 0], "cell_size": cell,
                   "max": [-1.75 + round(3.5 / cell) * cell, -1.4 + round(2.8 / cell) * cell, 3.8]},
        "world": {"thermal_speed": 2e5, "ambient_temperature": 353.15},
        "output": {"particles": True, "vdb": True, "mesh": True, "mesh_detail": 1, "checkpoint_every": 1},
        "materials": [goo],
        "objects": [
            {"name": "Suzanne", "role": "liquid", "mesh": "meshes/monkey.ply", "material": "Goo",
             "keys": place((0, 0, 1.18), 2.0, 320.15)},
            {"name": "Plate", "role": "heat", "heat_kind": "solid", "mesh": "meshes/plate.ply", "surface": "stick",
             "conductivity": 50.0, "keys": place(temperature=373.15)}],
    }, {"monkey.ply": mesh, "plate.ply": lambda path: write_box(path, (-1.7, -1.35, -0.1), (1.7, 1.35, 0.2))})


def falling_box(folder, viscosity, resolution, frames=12):
    """A box of 0.5 m falls 0.15 m onto the floor of a room of 1 m. Viscosity is kinematic, m2/s."""
    return write_scene(folder, {
        "format": "tallow-scene", "version": 1, "name": "falling_box",
        "frames": {"start": 1, "end": frames, "fps": 24.0},
        "domain": {"min": [0, 0, 0], "max": [1, 1, 1], "cell_size": 1.0 / resolution,
                   "walls": {side: "slip" for side in ("-x", "+x", "-y", "+y", "-z", "+z")}},
        "solver": {"cfl": 2.0},
        "output": {"particles": False, "vdb": False, "mesh": True, "mesh_detail": 1, "checkpoint_every": 0},
        "materials": [{"name": "Liquid", "density": [1000, 1000], "latent_heat": 0,
                       "viscosity": max(1000 * viscosity, 1e-9)}],
        "objects": [{"name": "Box", "role": "liquid", "mesh": "meshes/box.ply", "material": "Liquid", "keys": place()}],
    }, {"box.ply": lambda path: write_box(path, (0.25, 0.25, 0.15), (0.75, 0.75, 0.65))})
