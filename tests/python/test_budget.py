"""No change makes the simulation a tenth more expensive unnoticed: see tests/bench/budget.py."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))
import budget  # noqa: E402

pytestmark = pytest.mark.skipif(not budget.TALLOW.exists(), reason="the command line is not built")


@pytest.mark.parametrize("name", sorted(budget.SCENES))
def test_scene_stays_within_its_budget(name):
    figures = budget.measure(name, budget.can_count())
    assert not budget.faults(name, figures, json.loads(budget.STORE.read_text()))


def test_a_tenth_more_is_noticed():
    stored = json.loads(budget.STORE.read_text())
    for name, figures in stored.items():
        assert not budget.faults(name, figures, stored)
        for part in budget.PARTS if name not in budget.ITERATIONS_ONLY else ():
            assert budget.faults(name, {**figures, part: int(figures[part] * 1.11)}, stored)
        assert budget.faults(name, {**figures, "substeps": figures["substeps"] * 2 + 2}, stored)
