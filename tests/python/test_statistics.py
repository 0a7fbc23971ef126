import re
from pathlib import Path

from tallow.core import statistics

ENTRY = {"frame": 3, "seconds": 1.25, "substeps": 2, "particles": 81234, "cells": 10021, "particle_volume": 0.0801,
         "target_volume": 0.08, "triangles": 20480, "max_speed": 1.2, "melted": 0.4, "peak_memory": 123456789,
         "stages": {"pressure": 0.2, "viscosity": 0.9, "heat": 0.001}}


def test_a_frame_in_words():
    assert statistics.summary(ENTRY) == [("Volume", "80.1 litres"), ("Drift", "+0.12 %"), ("Molten", "40 %"),
                                         ("Baker RAM", "123 MB at most")]
    assert ("Particles", "81 thousand") in statistics.details(ENTRY) and ("Time", "1.25 s") in statistics.details(ENTRY)
    assert statistics.stages(ENTRY) == [("Viscosity", "0.90 s"), ("Pressure", "0.20 s")]


def test_every_stage_of_the_library_has_words():
    """The library's sources name the stages; an artist should not read «gather»."""
    sources = Path(__file__).resolve().parents[2] / "native" / "src"
    clocked = {name for path in sources.rglob("*.c")
               for name in re.findall(r'tlwClockStage\(sim, "(\w+)"\)', path.read_text())}
    table = set(re.findall(r'\{tlwStage\w+, "(\w+)"\}', (sources / "step" / "step.c").read_text()))
    assert len(table) > 10 and clocked | table <= set(statistics.STAGES)


def test_liquids_that_never_melt_are_not_called_molten():
    assert "Molten" not in dict(statistics.summary(ENTRY, melts=False))


def test_missing_numbers_are_left_out():
    assert statistics.summary({}) == statistics.details({}) == statistics.stages({}) == []
    assert statistics.summary({"particle_volume": 0.0, "target_volume": 0.0, "melted": 0.0}) == [("Molten", "0 %")]
    assert statistics.format_volume(2.5e-6) == "2.5 ml" and statistics.format_volume(3) == "3 m³"
