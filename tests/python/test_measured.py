"""What a bake says of its volume and mass, against an independent count on its files."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from columns import ball, box, cup, volume_within
from tallow.core import ply
from tallow.core.scene_file import SceneData, SceneWriter

ROOT = Path(__file__).resolve().parents[2]
TALLOW = Path(os.environ.get("TALLOW_COMMAND", ROOT / "build" / "tallow"))
needs_tallow = pytest.mark.skipif(not TALLOW.is_file(), reason="the native command is not built")
CLOSED = {"-x": "slip", "+x": "slip", "-y": "slip", "+y": "slip", "-z": "slip", "+z": "slip"}
DENSITY = 1000.0


def bake(folder, liquid, solids, low, high, cell, frames, walls=None, viscosity=1e-3, **output):
    writer = SceneWriter(folder / "scene")
    objects = [{"name": "Liquid", "role": "liquid", "material": "Liquid", "keys": [{"time": 0.0}],
                "mesh": writer.write_mesh("Liquid", *liquid)}]
    objects += [{"name": f"Solid{n}", "role": "solid", "keys": [{"time": 0.0}],
                 "mesh": writer.write_mesh(f"Solid{n}", *mesh)} for n, mesh in enumerate(solids)]
    writer.write_scene(SceneData(
        name="Measured", frames={"start": 1, "end": frames, "fps": 24.0}, world={}, solver={},
        output={"vdb": False, "checkpoint_every": 1000, **output},
        domain={"min": list(low), "max": list(high), "cell_size": cell, "walls": walls or CLOSED}, objects=objects,
        materials=[{"name": "Liquid", "density": [DENSITY, DENSITY], "latent_heat": 0, "viscosity": viscosity}]))
    cache = folder / "cache"
    done = subprocess.run([str(TALLOW), "bake", str(folder / "scene"), "--out", str(cache), "--threads", "1"],
                          capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr
    return cache, json.loads((cache / "bake.json").read_text())["frames"]


def mesh_of(cache, frame):
    data = ply.read(cache / "mesh" / f"mesh_{frame:06d}.ply")
    return ply.columns(data["vertex"], "x", "y", "z"), np.asarray(data["face"]["vertex_indices"])


def particles_of(cache, frame):
    return ply.read(cache / "particles" / f"particles_{frame:06d}.ply")["vertex"]


def assert_volume_is_measured(cache, frames, low, high, solids, cell):
    """The mesh holds what the particles stand for, and the file says what the mesh holds."""
    rows = []
    for entry in frames:
        measured = volume_within(mesh_of(cache, entry["frame"]), low, high, solids, cell / 5)
        rows.append((entry["frame"], measured / entry["particle_volume"] - 1, entry["mesh_volume"] / measured - 1))
    for frame, off, said in rows:
        print(f"frame {frame}: measured {off:+.4f} of the particles, said {said:+.4f} of measured")
    assert max(abs(off) for _, off, _ in rows) < 0.01
    assert max(abs(said) for _, _, said in rows) < 0.01


def test_lines_measure_known_shapes():
    sphere, half = 4 / 3 * np.pi, ((-2, -2, 0), (2, 2, 2))
    around = ball((0.1, 0, 0), 1, 128)
    assert abs(volume_within(around, (-2, -2, -2), (2, 2, 2), [], 0.02) / sphere - 1) < 2e-3
    assert abs(volume_within(around, *half, [], 0.02) / sphere - 0.5) < 2e-3
    assert abs(volume_within(around, (-2, -2, -2), (2, 2, 2), [box(*half)], 0.02) / sphere - 0.5) < 2e-3
    half_block = volume_within(box((0, 0, 0), (1, 1, 1)), (0.25, 0, 0), (2, 2, 2), [box((0, 0.5, 0), (2, 3, 3))], 0.01)
    assert abs(half_block - 0.375) < 2e-3
    tumbler = cup((0, 0, 0), 1, 1, 0.2)
    exact = 32 * np.sin(np.pi / 32) * (1 - 0.64 * 0.8)
    assert abs(volume_within(tumbler, (-2, -2, -2), (2, 2, 2), [], 0.01) / exact - 1) < 3e-3


@needs_tallow
def test_splash_in_a_domain_that_is_not_whole_cells(tmp_path):
    cell, low, high = 1 / 32, (0.02, -0.3, 0.0), (1.02, 0.323, 0.571)
    post = ball((0.61, 0.02, 0.15), 0.13)
    cache, frames = bake(tmp_path, box(low, (0.42, high[1], 0.4)), [post], low, high, cell, 13)
    assert_volume_is_measured(cache, frames[::3], low, high, [post], cell)
    for entry in frames:
        rows = particles_of(cache, entry["frame"])
        for axis, name in enumerate("xyz"):
            assert low[axis] - 0.1 * cell < rows[name].min() and rows[name].max() < high[axis] + 0.1 * cell


@needs_tallow
@pytest.mark.parametrize("output", [{}, {"mesh_detail": 2}, {"mesh_smoothing": 4}])
def test_ball_that_falls_into_a_cup(tmp_path, output):
    cell, low, high = 1 / 32, (0, 0, 0), (1, 1, 1)
    tumbler = cup((0.5, 0.5, 0.1), 0.3, 0.4, 0.08)
    cache, frames = bake(tmp_path, ball((0.52, 0.5, 0.45), 0.2), [tumbler], low, high, cell, 13, **output)
    assert_volume_is_measured(cache, frames[::3], low, high, [tumbler], cell)


@needs_tallow
def test_box_that_starts_inside_the_floor_of_a_cup(tmp_path):
    cell, low, high = 1 / 32, (0, 0, 0), (1, 1, 1)
    tumbler = cup((0.5, 0.5, 0.1), 0.3, 0.4, 0.08)
    cache, frames = bake(tmp_path, box((0.3, 0.3, 0.1), (0.7, 0.7, 0.36)), [tumbler], low, high, cell, 2)
    assert_volume_is_measured(cache, frames, low, high, [tumbler], cell)


@needs_tallow
def test_thick_wax_flows_around_a_ball(tmp_path):
    cell, low, high = 1 / 32, (0, 0, 0), (1, 0.83, 0.77)
    stone = ball((0.5, 0.4, 0.3), 0.125)
    wax = box((0.3, 0.2, 0.42), (0.7, 0.6, 0.7))
    cache, frames = bake(tmp_path, wax, [stone], low, high, cell, 13, viscosity=100.0)
    assert_volume_is_measured(cache, frames[::4], low, high, [stone], cell)


@needs_tallow
@pytest.mark.parametrize("part", [0.02, 0.3, 0.5, 0.52, 0.98])
@pytest.mark.parametrize("fill", [1.0, 0.55])
def test_box_that_fills_the_domain_has_its_volume_and_rests(tmp_path, part, fill):
    cell = 0.04
    sides = np.array([14 + part, 8 + part, 8 + part]) * cell
    low = np.array([0.1, -0.2, 0.03])
    liquid = box(low, low + sides * (1, 1, fill))
    cache, frames = bake(tmp_path, liquid, [], low.tolist(), (low + sides).tolist(), cell, 3)
    for entry in frames:
        exact = np.prod(sides) * fill
        measured = volume_within(mesh_of(cache, entry["frame"]), low, low + sides, [], cell / 8)
        print(entry["particle_volume"] / exact, entry["mesh_volume"] / exact, measured / exact, entry["max_speed"])
        assert abs(entry["particle_volume"] / exact - 1) < 1e-4
        assert abs(entry["mesh_volume"] / exact - 1) < 1e-3
        assert abs(measured / exact - 1) < 3e-3
        assert entry["max_speed"] < 1e-4


@needs_tallow
@pytest.mark.parametrize("compact", [False, True])
def test_masses_of_particles_add_up(tmp_path, compact):
    low, high = (0, 0, 0), (0.5, 0.5, 0.5)
    cache, frames = bake(tmp_path, box(low, (0.2, 0.5, 0.3)), [], low, high, 1 / 32, 6, compact=compact)
    for entry in frames:
        mass = np.asarray(particles_of(cache, entry["frame"])["mass"], float)
        assert len(mass) == entry["particles"] and mass.min() > 0
        assert abs(mass.sum() / (DENSITY * entry["particle_volume"]) - 1) < 1e-6
    assert abs(mass.sum() / (DENSITY * 0.03) - 1) < 0.005
