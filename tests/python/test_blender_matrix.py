"""tests/blender-matrix says in plain words why it cannot run, before it makes anything; and writes its page."""

import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tests" / "blender-matrix"
LOADER = importlib.machinery.SourceFileLoader("blender_matrix", str(SCRIPT))
matrix = importlib.util.module_from_spec(importlib.util.spec_from_loader("blender_matrix", LOADER))
sys.modules["blender_matrix"] = matrix
sys.dont_write_bytecode, kept = True, sys.dont_write_bytecode  # it has no ending, so Python would not know the file
LOADER.exec_module(matrix)
sys.dont_write_bytecode = kept


def run(*words: str):
    return subprocess.run([sys.executable, str(SCRIPT), *words], capture_output=True, text=True)


@pytest.mark.parametrize("name, text", [
    ("sources.list", "deb http://other.example/debian-security x main\ndeb http://my.example/debian/ x main\n"),
    ("sources.list", "deb [signed-by=/k arch=amd64] http://my.example/debian bookworm main\n"),
    ("sources.list.d/debian.sources", "Types: deb\nURIs: http://my.example/debian\nSuites: bookworm\n")])
def test_the_archive_is_that_of_this_machine(tmp_path, name, text):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)
    assert matrix.mirror_of_apt(tmp_path) == "http://my.example/debian"
    assert matrix.mirror_of_apt(tmp_path / "none") == "http://deb.debian.org/debian"


def test_without_root_it_says_how_to_run_it(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(matrix.Refusal, match="Please run: sudo tests/blender-matrix"):
        matrix.check_machine(False, "http://127.0.0.1:9/debian", "sid")


def test_without_network_it_says_so_unless_the_chroot_is_there(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(matrix.shutil, "which", lambda name: name)
    with pytest.raises(matrix.Refusal, match="127.0.0.1:9/debian does not answer for sid .*needs the network"):
        matrix.check_machine(False, "http://127.0.0.1:9/debian", "sid")
    matrix.check_machine(True, "http://127.0.0.1:9/debian", "sid")


@pytest.mark.parametrize("words, sentence", [(["woody"], "There is no suite woody. There are: trixie, sid."),
                                             (["--folder", str(ROOT / "out")], "inside the repository")])
def test_what_it_does_not_know_is_one_sentence(words, sentence):
    done = run(*words)
    assert done.returncode == 2 and sentence in done.stderr and "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1 and done.stdout == ""


def test_the_page_gets_the_table_between_its_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n\n<!-- matrix -->\nold\n<!-- end -->\n\nafter\n")
    rows = [matrix.Row("trixie", "4.3.2", [("bake", True, "20 frames"), ("Eevee", False, "black")]),
            matrix.Row("sid", "5.2.2", [("bake", True, "20 frames")])]
    matrix.write_page(rows, Path("tallow-1.zip"), page)
    text = page.read_text()
    assert "old" not in text and text.startswith("before\n") and text.endswith("<!-- end -->\n\nafter\n")
    assert "| what | Blender 4.3.2 (trixie) | Blender 5.2.2 (sid) |\n|---|---|---|\n" in text
    assert "| bake | 20 frames | 20 frames |\n" in text and "| Eevee | **fails**: black | not tried |\n" in text
    assert rows[0].failed == 1 and "tallow-1.zip" in text


def test_the_real_page_has_the_marks_and_both_blenders():
    text = matrix.PAGE.read_text(encoding="utf-8")
    assert text.count("<!-- matrix -->") == text.count("<!-- end -->") == 1
    assert all(f"({suite})" in text for suite in matrix.SUITES) and "**fails**" not in text


def test_the_page_names_the_tests_that_are_left_out():
    named = re.findall(r"`(test_\w+)`", (ROOT / "docs" / "blender-versions.md").read_text(encoding="utf-8"))
    files = {path.stem for kind in ("test", "window") for path in (ROOT / "tests" / "blender").glob(f"{kind}_*.py")}
    assert set(named) == files - set(matrix.TESTS) == set(matrix.LEFT_OUT)
