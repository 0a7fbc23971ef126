"""How the sources look: layout, length of files and functions, and what does not belong into them."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Iterator, List

import pytest

ROOT = Path(__file__).resolve().parents[2]
C_ENDINGS = (".c", ".h", ".cpp", ".hpp", ".inc")
TEXT_ENDINGS = C_ENDINGS + (".py", ".sh", ".txt", ".cmake", ".in", ".md", ".toml")
FILE_LINES, FUNCTION_LINES, COLUMNS = 500, 60, 120

# What breaks a rule and may.
LONG_FILES = {"native/include/tallow/tallow.h"}  # one header is the whole interface, and its manual
LONG_FUNCTIONS: set = set()
LEFT_UNFORMATTED: set = set()
WIDE_TEXT = {"tests/bench/page.py"}  # sentences of a page, each on its line

UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b(?!X)")
# Papers are cited by author and year; a path of one machine helps nobody on another.
BARE_REFERENCE = re.compile(r"(?<![\d.,])00\d,? (s|eq\.|ch\.|fig\.|p\.) ?\d|\bmission row\b")
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(work|tmp|home|root|Users|mnt)/|\b[A-Z]:\\\\")


def files(*folders: str, endings=TEXT_ENDINGS) -> List[Path]:
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob("*"))
             if path.suffix in endings and path.is_file() and "__pycache__" not in path.parts]
    assert found
    return found


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def lines(path: Path) -> List[str]:
    return path.read_text(encoding="utf-8").splitlines()


def matches(pattern: re.Pattern, paths: List[Path]) -> List[str]:
    return [f"{name(path)}:{number}: {line.strip()}" for path in paths
            for number, line in enumerate(lines(path), 1) if pattern.search(line)]


def long_functions(path: Path) -> Iterator[str]:
    """Functions whose braces, alone in the first column as clang-format puts them, are too far apart."""
    text, start = lines(path), None
    for number, line in enumerate(text):
        if line == "{":
            start = number
        elif line == "}" and start is not None:
            head = "\n".join(text[max(0, start - 6):start]).split("\n\n")[-1]
            if number - start + 1 > FUNCTION_LINES:
                yield re.findall(r"(\w+)\(", head)[0]
            start = None


def test_c_files_are_short():
    long = {name(path) for path in files("native", "tests", endings=C_ENDINGS) if len(lines(path)) >= FILE_LINES}
    assert long <= LONG_FILES


def test_python_files_are_short():
    assert [name(path) for path in files("addon", "tests", endings=(".py",)) if len(lines(path)) >= FILE_LINES] == []


def test_c_functions_fit_a_screen():
    long = {f"{name(path)}: {function}" for path in files("native", "tests", endings=C_ENDINGS)
            for function in long_functions(path)}
    assert {item for item in long if item.split(": ")[1] not in LONG_FUNCTIONS} == set()


def test_lines_fit_the_window():
    code = files("native", "tests", endings=C_ENDINGS + (".py", ".sh", ".txt"))
    wide = [f"{name(path)}:{number}" for path in code if name(path) not in LEFT_UNFORMATTED | WIDE_TEXT
            for number, line in enumerate(lines(path), 1) if len(line) > COLUMNS]
    assert wide == []


def test_nothing_is_left_for_later():
    here = files("native", "addon", "docs", "tests")
    assert matches(UNFINISHED, [path for path in here if path != Path(__file__).resolve()]) == []


def test_papers_are_cited_by_author_and_year():
    assert matches(BARE_REFERENCE, files("native", "addon", "docs")) == []


def test_no_path_of_one_machine():
    assert matches(MACHINE_PATH, files("native", "addon", "docs")) == []


@pytest.mark.skipif(not shutil.which("clang-format"), reason="clang-format is missing")
def test_clang_format_would_change_nothing():
    paths = [path for path in files("native", "tests", "docs/example", endings=C_ENDINGS)
             if name(path) not in LEFT_UNFORMATTED]
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", *map(str, paths)], cwd=ROOT, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr[:4000]
