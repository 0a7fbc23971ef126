import numpy as np
import pytest
from tallow.core import charts


def entry(frame, **more):
    return {"frame": frame, "stages": {"pressure": 0.2, "viscosity": 0.3, "heat": 0.1, "mesh": 0.05, "forces": 0.04,
                                       "gather": 0.01}, "pressure_residual": 2e-6 * frame, "viscosity_residual": 0.0,
            "particle_volume": 1.0 + 0.01 * (frame - 1), "target_volume": 1.0, "enthalpy": 1e5 + 1e3 * frame,
            "kinetic_energy": 2.0 / frame, **more}


def by_title(entries):
    return {chart.title: chart for chart in charts.make_charts(entries)}


def test_the_charts_are_those_of_the_frames_in_their_order():
    found = by_title([entry(3), entry(1), entry(2)])
    assert list(found) == ["Time per Frame", "Residual", "Volume Drift", "Heat", "Motion"]
    assert all(chart.frames.tolist() == [1.0, 2.0, 3.0] for chart in found.values())
    assert found["Volume Drift"].text == "+2.00 %" and found["Heat"].text == "103 kJ"
    assert np.allclose(found["Motion"].series[0].values, [2.0, 1.0, 2.0 / 3.0])


def test_the_longest_stages_have_names_and_nothing_is_left_out():
    chart = by_title([entry(1), entry(2)])["Time per Frame"]
    assert [series.label for series in chart.series] == ["Viscosity", "Pressure", "Heat", "Surface mesh", "Other"]
    assert sum(series.values[0] for series in chart.series) == pytest.approx(0.7)
    lower, upper = chart.stack()[-1]
    assert np.allclose(upper, 1.0) and np.allclose(chart.stack()[0][0], 0.0) and (lower < upper).all()
    assert chart.text == "0.7 s"


def test_a_residual_of_nothing_solved_is_a_gap():
    chart = by_title([entry(1, viscosity_residual=1e-3), entry(2)])["Residual"]
    pressure, viscosity = chart.series
    assert chart.logarithmic and chart.low <= 2e-6 and chart.high >= 1e-3
    assert np.isnan(viscosity.values[1]) and np.isfinite(pressure.values).all()
    assert chart.place(np.array([chart.low, chart.high])).tolist() == [0.0, 1.0]


def test_a_small_drift_looks_small():
    chart = by_title([entry(1, particle_volume=1.000001), entry(2, particle_volume=0.999999)])["Volume Drift"]
    assert np.allclose(chart.place(chart.series[0].values), 0.5, atol=0.01)


@pytest.mark.parametrize("entries", [[], [{}], [{"frame": 1}], [{"frame": 1, "stages": None, "enthalpy": "x"}],
                                     [{"frame": 1, "target_volume": 0.0, "particle_volume": 0.0}]])
def test_bakes_that_tell_little_have_no_charts(entries):
    assert charts.make_charts(entries) == []


def test_one_frame_and_no_motion_make_charts():
    for chart in charts.make_charts([entry(1, kinetic_energy=0.0)]):
        for series in chart.series:
            assert chart.low < chart.high and len(series.values) == 1
            assert np.isfinite(chart.place(np.nan_to_num(series.values))).all()


@pytest.mark.parametrize("joules, text", [(0.0, "0 J"), (4.2e-3, "4.2 mJ"), (42.0, "42 J"), (1850.0, "1.85 kJ"),
                                          (-3e6, "-3 MJ"), (5e-6, "5 µJ")])
def test_energies_have_units(joules, text):
    assert charts.format_energy(joules) == text
