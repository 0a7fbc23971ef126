import sys

import numpy as np
import pytest
from tallow.core import colors, presets
from tallow.core.cell_reader import CellReader

WAX = {"name": "Wax", "latent_heat": 2e5, "solidus": 320.0, "liquidus": 330.0, "solid_viscosity": 1e4,
       "viscosity": [[330.0, 10.0], [400.0, 0.01]]}
ENTRIES = [{"coldest": 293.15, "hottest": 293.15, "max_speed": 0.0},
           {"coldest": 290.15, "hottest": 373.15, "max_speed": 2.0}]


def test_a_scale_spans_what_the_bake_says():
    scale = colors.find_scale("TEMPERATURE", ENTRIES, [WAX])
    assert (scale.low, scale.high) == (290.15, 373.15)
    assert scale.text(0.0) == "17" and scale.text(1.0) == "100" and scale.kind.unit == "°C"
    assert colors.find_scale("SPEED", ENTRIES, []).high == 2.0
    assert [colors.find_scale("MELT", ENTRIES, []).text(place) for place in (0.0, 0.5, 1.0)] == ["0", "50", "100"]


def test_colours_go_from_the_first_to_the_last():
    scale = colors.make_scale("TEMPERATURE", 300.0, 400.0)
    found = scale.colors(np.array([200.0, 300.0, 400.0, 900.0]))
    assert np.allclose(found[:2, :3], colors.COLD_TO_HOT[0]) and np.allclose(found[2:, :3], colors.COLD_TO_HOT[-1])
    viscous = colors.make_scale("VISCOSITY", 0.01, 100.0)
    assert viscous.at(0.5) == pytest.approx(1.0)
    assert np.allclose(viscous.colors([viscous.at(0.5)])[0, :3], colors.DARK_TO_BRIGHT[2])


@pytest.mark.parametrize("mode", colors.KINDS)
@pytest.mark.parametrize("low, high", [(1.0, 1.0), (2.0, 1.0), (0.0, 0.0), (-5.0, 3.0)])
def test_any_two_numbers_make_a_scale(mode, low, high):
    scale = colors.make_scale(mode, low, high)
    assert scale.low < scale.high
    assert np.isfinite(scale.colors(np.array([low, high, 0.0]))).all()


def test_a_bake_that_does_not_tell_has_the_melting_point_in_the_middle():
    scale = colors.find_scale("TEMPERATURE", [{"frame": 1}], [WAX])
    assert scale.at(0.5) == pytest.approx(330.0)
    assert colors.find_scale("SPEED", [{}], []).low == 0.0


def test_a_scene_of_one_temperature_has_two_degrees_between_its_colours():
    scale = colors.find_scale("TEMPERATURE", ENTRIES[:1], [WAX])
    assert scale.high - scale.low == pytest.approx(2.0)


@pytest.mark.parametrize("value, text", [(0.0032, "0.0032"), (361.0, "360"), (2000.0, "2,000"), (1.0, "1"),
                                         (0.5, "0.5"), (63.2, "63"), (4.1e6, "4.1e+06"), (1e-6, "1e-06")])
def test_numbers_of_a_legend_are_written_out(value, text):
    assert colors.format_digits(value) == text


def test_cells_have_the_values_of_their_columns():
    cells = np.array([[0, 0, 0, 325.0, 5.0, 0.5], [0, 0, 0, 310.0, 7.0, 0.25]], np.float32)
    assert colors.cell_values("TEMPERATURE", cells, [WAX]).tolist() == [325.0, 310.0]
    assert colors.cell_values("VISCOSITY", cells, [WAX]).tolist() == [5.0, 7.0]
    assert colors.cell_values("SPEED", cells, [WAX]).tolist() == [0.5, 0.25]
    assert colors.cell_values("MELT", cells, [WAX]).tolist() == [0.5, 0.0]
    assert colors.cell_values("MELT", cells, [WAX, WAX]) is None


def test_the_screen_gets_display_colours():
    assert np.allclose(colors.to_display(np.array([[0.0, 1.0, 0.2140411, 0.3]])), [[0.0, 1.0, 0.5, 0.3]], atol=1e-4)


READER = """
import base64, json, struct, sys
for line in sys.stdin:
    wanted = json.loads(line)
    if wanted["path"] == "bad":
        print(json.dumps({"error": "bad cannot be read."}), flush=True)
    elif wanted["path"] == "end":
        sys.exit(1)
    else:
        row = struct.pack("<6f", wanted["axis"], wanted["place"], 0, 300, 1, 2)
        print(json.dumps({"cells": base64.b64encode(row).decode()}), flush=True)
"""


def ask(reader, request):
    reader.ask(request)
    with reader.done:
        reader.done.wait_for(lambda: not reader.busy, 60.0)
    assert not reader.busy
    return reader.answer


def test_slices_come_from_a_process_beside_blender():
    reader = CellReader([sys.executable, "-c", READER])
    try:
        found = ask(reader, ("a.vdb", 1, 0.25))
        assert found.cells.tolist() == [[1.0, 0.25, 0.0, 300.0, 1.0, 2.0]] and not found.error
        assert ask(reader, ("bad", 0, 0.0)).error == "bad cannot be read."
        assert ask(reader, ("b.vdb", 2, 0.5)).cells[0, 0] == 2.0
        assert "ended" in ask(reader, ("end", 0, 0.0)).error
    finally:
        reader.close()
    assert reader.process.returncode is not None


def test_the_viscosity_of_the_legend_is_that_of_the_materials():
    scale = colors.find_scale("VISCOSITY", [{"coldest": 330.0, "hottest": 400.0}], [WAX])
    curve = presets.viscosity_at(presets.normalised(WAX, ""), np.array([330.0, 400.0]))
    assert scale.high >= curve.max() * 0.999 and scale.low <= curve.min() * 1.001
