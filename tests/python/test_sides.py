"""Wax that runs against a closed side of the domain is told while it is baked."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from columns import box
from tallow.core.scene_file import SceneData, SceneWriter

ROOT = Path(__file__).resolve().parents[2]
TALLOW = Path(os.environ.get("TALLOW_COMMAND", ROOT / "build" / "tallow"))
pytestmark = pytest.mark.skipif(not TALLOW.is_file(), reason="the native command is not built")
WAX = {"name": "Wax", "density": [900, 900], "solidus": 330.0, "liquidus": 335.0, "latent_heat": 2e5, "viscosity": 0.5}


def warnings(folder, low, high, walls):
    """Sides that the bake of a block of hot wax, in a room of 16 x 12 x 8 cells, warns of."""
    writer = SceneWriter(folder / "scene")
    wax = {"name": "Block", "role": "liquid", "material": "Wax", "keys": [{"time": 0.0, "temperature": 350.0}],
           "mesh": writer.write_mesh("Block", *box(low, high))}
    sides = {"-x": "slip", "+x": "slip", "-y": "slip", "+y": "slip", "-z": "slip", "+z": "open", **walls}
    writer.write_scene(SceneData(
        name="Sides", frames={"start": 1, "end": 13, "fps": 24.0}, world={"thermal_speed": 0.0}, solver={},
        output={"vdb": False, "mesh": False, "particles": False, "checkpoint_every": 0}, objects=[wax], materials=[WAX],
        domain={"min": [0, 0, 0], "max": [0.16, 0.12, 0.08], "cell_size": 0.01, "walls": sides}))
    command = [str(TALLOW), "bake", str(folder / "scene"), "--out", str(folder / "cache"), "--threads", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr
    return re.findall(r"what melts has reached the closed side (..) of the domain", done.stdout + done.stderr)


def test_a_puddle_that_reaches_sides_is_told_once_for_each(tmp_path):
    low, high = (0.05, 0.02, 0.0), (0.09, 0.10, 0.07)
    assert sorted(warnings(tmp_path, low, high, {})) == ["+X", "+Y", "-X", "-Y"]
    assert sorted(warnings(tmp_path / "open", low, high, {"+x": "open"})) == ["+Y", "-X", "-Y"]


def test_sides_that_hold_it_from_the_start_are_meant_to(tmp_path):
    assert warnings(tmp_path, (0.0, 0.0, 0.0), (0.16, 0.12, 0.05), {}) == []
