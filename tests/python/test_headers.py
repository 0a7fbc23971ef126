"""A header carries the name of the file that defines its functions, so that a reader finds both in one guess."""

import re
from pathlib import Path
from typing import Dict, Iterator

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "native" / "src"
# A line that begins a function or a prototype; what follows the closing bracket tells which.
HEAD = re.compile(r"^(?!static|typedef|return|#|//|\s)[\w \*]*?[ \*](tlw\w+)\(([^;{}]*)\)\s*([{;])", re.M | re.S)


def functions(path: Path, end: str) -> Iterator[str]:
    text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
    return (found[1] for found in HEAD.finditer(text) if found[3] == end)


def declared() -> Dict[str, Path]:
    return {function: path for path in SOURCE.rglob("*.h") for function in functions(path, ";")}


def public() -> str:
    return (ROOT / "native" / "include" / "tallow" / "tallow.h").read_text(encoding="utf-8")


def test_functions_are_declared_under_the_name_of_their_file():
    headers, shown, wrong, count = declared(), public(), [], 0
    for path in sorted(SOURCE.rglob("*.c")):
        for function in functions(path, "{"):
            count += 1
            if f" {function}(" in shown or f"*{function}(" in shown:
                continue
            header = headers.get(function)
            if path.name.startswith("stage_"):  # step/stages.h lists the stages in their order
                text = (SOURCE / "step" / "stages.h").read_text(encoding="utf-8")
                if not re.search(rf"\b{function}\b", text):
                    wrong.append(f"{path.relative_to(ROOT)}: {function} is not in step/stages.h")
            elif header is None:
                wrong.append(f"{path.relative_to(ROOT)}: {function} is in no header; make it static")
            elif header.with_suffix(".c") != path:
                wrong.append(f"{path.relative_to(ROOT)}: {function} is declared in {header.relative_to(ROOT)}")
    assert count > 300
    assert wrong == []


def test_every_stage_of_the_step_has_its_file():
    table = (SOURCE / "step" / "step.c").read_text(encoding="utf-8")
    order = []
    for path in sorted((SOURCE / "step").glob("stage_*.c")):
        assert re.fullmatch(r"stage_\d\d_[a-z]+\.c", path.name), path.name
        first = next(function for function in functions(path, "{") if function.startswith("tlwStage"))
        order.append(table.index("{" + first + ","))
    assert order == sorted(order), "the numbers of the files are not the order of the table in step.c"
    assert len(order) > 10
