"""The table that `verify dam_break` is compared with is what the boundary elements give."""

import importlib.util
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]


def load_reference():
    spec = importlib.util.spec_from_file_location("dam_break", TESTS / "reference" / "dam_break.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_dam_break_table():
    source = (TESTS.parent / "native" / "cli" / "verify_flow.c").read_text()
    row = re.search(r"POTENTIAL_FLOW\[\] = \{(.*?)\};", source, re.S).group(1)
    table = [tuple(map(float, pair)) for pair in re.findall(r"\{([\d.]+), ([\d.]+)\}", row)]
    reference = load_reference()
    assert [time for time, _ in table] == list(reference.TIMES)
    fronts = reference.front(reference.TIMES[:2], elements=80, dt=0.004, finest=0.025)
    for (_, expected), measured in zip(table, fronts):
        assert abs(measured - expected) < 0.004 * expected
