"""tests/quick-melt bakes what the tests in Blender know, and writes a page that is there."""

import importlib.machinery
import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def load():
    loader = importlib.machinery.SourceFileLoader("quick_melt", str(ROOT / "tests" / "quick-melt"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("quick_melt", loader))
    loader.exec_module(module)
    return module


def test_the_script_bakes_all_shapes_sizes_and_heats():
    text = (ROOT / "tests" / "blender" / "quick_melts.py").read_text(encoding="utf-8")
    shapes = re.findall(r'^    "([^"]+)": lambda', text, re.MULTILINE)
    values = {name: eval(re.search(rf"^{name} = (\(.*\))$", text, re.MULTILINE)[1]) for name in ("SIZES", "HEATS")}
    script = load()
    assert tuple(shapes) == script.SHAPES and values == {"SIZES": script.SIZES, "HEATS": script.HEATS}


def test_the_table_of_the_page_has_every_combination_and_all_melt():
    script = load()
    page = script.PAGE.read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in page.splitlines() if re.match(r"\| [\w ]+ \| [\d.]+ m \|", line)]
    assert {tuple(row[:3]) for row in rows} == {(f"| {shape}", f"{size:g} m", heat.lower()) for shape in script.SHAPES
                                                for size in script.SIZES for heat in script.HEATS}
    assert min(float(row[3].split()[0]) for row in rows) >= 90.0
    assert max(abs(float(row[4].split()[0])) for row in rows) < 1.0


def test_a_table_takes_the_place_of_the_one_before():
    script = load()
    page = "a\n<!-- table -->\nold\n<!-- end -->\nb\n"
    assert script.put_table(page, ["new"]) == "a\n<!-- table -->\nnew\n<!-- end -->\nb\n"
