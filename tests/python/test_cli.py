"""The `tallow` command line: bakes, descriptions and the page of results, as a shell sees them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tallow.core.scene_file import SceneData, SceneWriter

ROOT = Path(__file__).resolve().parents[2]
TALLOW = Path(os.environ.get("TALLOW_COMMAND", ROOT / "build" / "tallow"))
pytestmark = pytest.mark.skipif(not TALLOW.is_file(), reason="the native command is not built")

QUADS = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
FACES = np.array([triangle for a, b, c, d in QUADS for triangle in ((a, b, c), (a, c, d))])
CLOCKS = {"seconds", "writing", "stages", "peak_memory"}  # of bake.json: they differ from run to run


def box(low, high):
    return np.array([[x, y, z] for z in (low[2], high[2]) for y in (low[1], high[1]) for x in (low[0], high[0])],
                    np.float32)


@pytest.fixture
def scene(tmp_path):
    """A column of water that falls around a post."""
    writer = SceneWriter(tmp_path / "scene")
    objects = [{"name": "Column", "role": "liquid", "material": "Water", "keys": [{"time": 0.0}],
                "mesh": writer.write_mesh("Column", box((0, 0, 0), (0.4, 1, 0.5)), FACES)},
               {"name": "Post", "role": "solid", "keys": [{"time": 0.0}],
                "mesh": writer.write_mesh("Post", box((0.6, 0.4, -0.1), (0.7, 0.6, 1.1)), FACES)}]
    writer.write_scene(SceneData(
        name="Column", frames={"start": 1, "end": 4, "fps": 24.0}, world={}, solver={}, output={"vdb": True},
        domain={"min": [0, 0, 0], "max": [1, 1, 1], "cell_size": 1 / 24},
        materials=[{"name": "Water", "density": [1000, 1000], "latent_heat": 0, "viscosity": 1e-3}], objects=objects))
    return tmp_path / "scene"


def tallow(*arguments):
    return subprocess.run([str(TALLOW), *map(str, arguments)], capture_output=True, text=True, timeout=1800)


def without_clocks(value):
    if isinstance(value, dict):
        return {key: without_clocks(item) for key, item in value.items() if key not in CLOCKS}
    return [without_clocks(item) for item in value] if isinstance(value, list) else value


def test_bake_writes_the_frames_asked_for_and_says_so(scene, tmp_path):
    done = tallow("bake", scene, "--out", tmp_path / "cache", "--frames", "1-3", "--threads", 1, "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    assert events[0]["event"] == "start" and events[0]["frames"] == [1, 3]
    assert [event["frame"] for event in events if event["event"] == "frame"] == [1, 2, 3]
    assert events[-1]["event"] == "done" and events[-1]["frames"] == 3
    written = sorted(path.name for path in (tmp_path / "cache" / "mesh").iterdir())
    assert written == [f"mesh_{n:06d}.ply" for n in (1, 2, 3)]
    again = tallow("bake", scene, "--out", tmp_path / "cache", "--resume")
    assert again.returncode == 0 and (tmp_path / "cache" / "mesh" / "mesh_000004.ply").is_file(), again.stderr


def test_the_script_of_the_page_for_contributors_reads_a_cache(scene, tmp_path):
    assert tallow("bake", scene, "--out", tmp_path / "cache", "--frames", "1-2", "--threads", 1).returncode == 0
    page = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
    script = page.split("## Read a cache")[1].split("```python")[1].split("```")[0]
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "cache")], capture_output=True, text=True,
                          cwd=ROOT)
    assert done.returncode == 0 and "triangles, hottest" in done.stdout, done.stderr


def test_info_describes_scenes_caches_and_files(scene, tmp_path):
    assert tallow("bake", scene, "--out", tmp_path / "cache", "--frames", "1-2").returncode == 0
    told = tallow("info", scene, tmp_path / "cache", tmp_path / "cache" / "mesh" / "mesh_000002.ply")
    assert told.returncode == 0 and not told.stderr
    for word in ("Column", "Post", "Water", "frame", "triangles"):
        assert word in told.stdout, told.stdout


def test_mistakes_are_one_sentence_and_a_code(scene, tmp_path):
    for arguments, code, words in ((("bake", tmp_path / "nothing", "--out", tmp_path / "cache"), 1, "scene.json"),
                                   (("bake", scene, "--out", tmp_path / "cache", "--threads", "many"), 2, "--threads"),
                                   (("bake", scene, "--out", tmp_path / "cache", "--sideways"), 2, "--sideways"),
                                   (("info", tmp_path / "nothing"), 1, "nothing"), (("info",), 2, "info needs"),
                                   (("melt",), 2, "melt")):
        done = tallow(*arguments)
        assert done.returncode == code and words in done.stderr, (arguments, done)
    assert not (tmp_path / "cache").exists() or not list((tmp_path / "cache").rglob("*.ply"))


def test_one_and_two_threads_write_the_same_files(scene, tmp_path):
    for threads in (1, 2):
        assert tallow("bake", scene, "--out", tmp_path / f"cache{threads}", "--threads", threads).returncode == 0
    one, two = tmp_path / "cache1", tmp_path / "cache2"
    names = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(two) for path in two.rglob("*") if path.is_file())
    assert {path.suffix for path in names} >= {".ply", ".vdb", ".json", ".tlw"}
    for name in names:
        if name.name == "bake.json":
            first, second = (without_clocks(json.loads((cache / name).read_text())) for cache in (one, two))
            assert first == second and len(first["frames"]) == 4
        else:
            assert (one / name).read_bytes() == (two / name).read_bytes(), name


WAX = {"name": "Wax", "density": [800, 800], "specific_heat": [2100, 2100], "conductivity": [0.2, 0.2],
       "solidus": 328.0, "liquidus": 333.0, "latent_heat": 200000.0, "viscosity": 10.0}


def test_melt_tells_its_work_and_finds_the_same_on_any_number_of_threads(tmp_path):
    writer = SceneWriter(tmp_path / "scene")
    block = writer.write_mesh("Block", box((0.09, 0.09, 0.015), (0.15, 0.15, 0.075)), FACES)
    plate = writer.write_mesh("Plate", box((0.02, 0.02, -0.015), (0.22, 0.22, 0.015)), FACES)
    writer.write_scene(SceneData(
        name="Block", frames={"start": 1, "end": 73, "fps": 24.0}, world={"ambient_temperature": 333.15},
        solver={}, output={},
        domain={"min": [0, 0, 0], "max": [0.24, 0.24, 0.1], "cell_size": 0.005}, materials=[WAX],
        objects=[{"name": "Block", "role": "liquid", "material": "Wax", "mesh": block,
                  "keys": [{"time": 0.0, "temperature": 293.15}]},
                 {"name": "Plate", "role": "heat", "heat_kind": "solid", "mesh": plate,
                  "keys": [{"time": 0.0, "temperature": 423.0}]}]))
    one, two = (json.loads(tallow("melt", tmp_path / "scene", "--json", "--threads", n).stdout) for n in (1, 2))
    assert one == two and one["found"] and one["speed"] > 0
    assert one["simulations"] == 1 and 0 < one["flow_runs"] <= 2
    assert 0 < one["flow_steps"] <= 140 and 0 < one["heat_steps"] <= 70


def sections(page):
    """What the page says under each case's heading, without the tables and lists of results."""
    found = {}
    for part in page.split("\n### `")[1:]:
        name, rest = part.split("`\n", 1)
        kept = [line for line in rest.split("\n## ")[0].splitlines() if line and not line.startswith(("|", "- "))]
        found[name] = kept
    return found


def test_the_page_of_results_has_every_case_and_what_is_known_of_it():
    page = sections((ROOT / "docs" / "validation.md").read_text(encoding="utf-8"))
    cases = [line.split()[0] for line in tallow("verify", "--list").stdout.splitlines()]
    known = sections("\n" + tallow("verify", "--markdown", "--list").stdout)
    assert len(cases) > 30 and list(known) == cases
    assert list(page) == cases, "write docs/validation.md anew: tallow verify --markdown"
    for name in cases:
        assert page[name] == known[name], f"write docs/validation.md anew: {name}"
