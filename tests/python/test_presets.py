import json
from pathlib import Path

import numpy as np
import pytest
from tallow.core import colors, estimate, plot, presets

ADDON = Path(__file__).resolve().parents[2] / "addon" / "tallow"
PRESETS = ADDON.parents[1] / "presets" / "materials"
WAX = presets.normalised({"density": [900, 780], "solidus": 328.15, "liquidus": 333.15, "latent_heat": 210000,
                          "specific_heat": [2100, 2900],
                          "conductivity": [0.25, 0.15], "viscosity": [[333.15, 0.0075], [353.15, 0.005]],
                          "solid_viscosity": 1e5}, "wax")


def test_without_presets_there_is_no_material_at_all():
    """Wax must not become water because its preset is missing."""
    assert presets.load_materials(Path("/nowhere/x/y")) == {}


@pytest.mark.parametrize("name", sorted(presets.load_materials(ADDON)))
def test_every_shipped_preset_can_be_simulated(name):
    material = presets.load_materials(ADDON)[name]
    assert presets.problems(material) == []
    assert all(np.isfinite(presets.viscosity_at(material, np.linspace(200, 2000, 50))))
    assert len(presets.describe(material)) == 2
    assert plot.viscosity_curve(material).shape == (192, 192, 4)


@pytest.mark.parametrize("path", sorted(PRESETS.glob("*.json")), ids=lambda path: path.stem)
def test_the_page_on_materials_says_what_the_presets_hold(path):
    page = (ADDON.parents[1] / "docs" / "materials.md").read_text(encoding="utf-8")
    preset = json.loads(path.read_text(encoding="utf-8"))
    sources = "".join(f"- {source}\n" for source in preset["sources"])
    assert f"**{preset['label']}.** {preset['description']}\n\n{sources}" in page
    row = next(line for line in page.splitlines() if line.startswith(f"| {preset['label']} | "))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    for cell, key in ((1, "density"), (2, "specific_heat"), (3, "conductivity")):
        assert cells[cell] == " / ".join(dict.fromkeys(f"{value:g}" for value in preset[key]))
    assert (cells[5], cells[6]) == (f"{preset['latent_heat'] / 1000:g}", f"{preset['surface_tension']:g}")


def test_a_damaged_preset_is_left_out(tmp_path):
    folder = tmp_path / "presets" / "materials"
    folder.mkdir(parents=True)
    (folder / "bad.json").write_text("{")
    (folder / "odd.json").write_text('{"viscosity": "thick"}')
    (folder / "mud.json").write_text(json.dumps({"label": "Mud", "viscosity": 3}))
    found = presets.load_materials(tmp_path)
    assert set(found) == {"mud"} and found["mud"]["viscosity"] == [[293.15, 3.0]]


def test_viscosity_goes_through_its_points_and_is_solid_when_cold():
    assert presets.viscosity_at(WAX, 353.15) == pytest.approx(0.005)
    assert presets.viscosity_at(WAX, 1000.0) == pytest.approx(0.005)
    assert presets.viscosity_at(WAX, 343.15) == pytest.approx((0.005 * 0.0075) ** 0.5)
    assert presets.viscosity_at(WAX, 300.0) == pytest.approx(1e5)


@pytest.mark.parametrize("change, word", [({"density": [0, 1]}, "density"), ({"solidus": 400, "liquidus": 300}, "melt"),
                                          ({"viscosity": [[1, 0.0]]}, "viscosity"),
                                          ({"viscosity": [[1, 2], [1, 3]]}, "same temperature")])
def test_impossible_materials_are_explained(change, word):
    assert any(word in text for text in presets.problems({**WAX, **change}))


def test_scene_member_has_what_the_format_asks_for():
    member = presets.scene_member(WAX, "Wax 2")
    assert member["name"] == "Wax 2" and set(member) == {"name", *presets.MEMBERS}


def test_thermal_speed_melts_in_the_time_given():
    speed = estimate.thermal_speed(WAX, 293.15, 453.15, 0.1, 4.0)
    real = 900 * (210000 + 2100 * 35) * 0.1 ** 2 / (2 * 0.2 * 120)
    assert speed == pytest.approx(real / 4.0, rel=0.3) and speed > 1000
    assert estimate.thermal_speed(WAX, 293.15, 300.0, 0.1, 4.0) == 1.0
    assert estimate.thermal_speed(presets.WATER, 293.15, 453.15, 0.1, 4.0) == 1.0


def test_numbers_for_the_panel():
    assert estimate.cell_size((1.2, 2.4, 0.6), 64) == pytest.approx(0.0375)
    assert estimate.cell_counts((1.2, 2.4, 0.61), 0.0375) == (32, 64, 17)
    assert estimate.format_length(0.0375) == "3.75 cm" and estimate.format_length(0.0012) == "1.2 mm"
    assert estimate.format_bytes(2.34e9) == "2.3 GB"
    assert estimate.memory(1.0, 0.01) > 5 * estimate.memory(1.0, 0.02) - 4 * estimate.BYTES_PROCESS


@pytest.mark.parametrize("volume, cell, measured", [
    (0.2503, 0.075, 77.6e6), (0.2503, 0.0375, 115.4e6), (0.2503, 0.025, 190.3e6), (0.2503, 0.015, 468.7e6),
    (0.0020024, 0.38 / 64, 140.6e6), (0.0020024, 0.38 / 96, 287.8e6)])
def test_memory_is_what_bakes_took(volume, cell, measured):
    python = 10.6e6  # measured with `tallow bake`; the baker has its Python on top
    assert estimate.memory(volume, cell) == pytest.approx(measured + python, rel=0.1)


def test_colours_of_a_frame_are_finite_and_ordered():
    names = ["vx", "vy", "vz", "temperature", "melt", "material"]
    rows = np.zeros(3, np.dtype([(name, "<f4") for name in names]))
    rows["temperature"], rows["melt"], rows["vx"] = (280, 330, 400), (0, 0.5, 1), (0, 1, 2)
    for mode in ("TEMPERATURE", "MELT", "SPEED", "VISCOSITY"):
        color = colors.vertex_colors(mode, rows, [WAX])
        assert color.shape == (3, 4) and np.isfinite(color).all() and not np.allclose(color[0], color[2])
    assert colors.vertex_colors("NONE", rows, [WAX]) is None
    assert colors.vertex_viscosity(rows, [WAX])[0] > 1e4
