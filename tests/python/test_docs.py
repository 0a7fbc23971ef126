"""The pages that are made from the code are those of this code, and what they link to is there."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import rooms  # noqa: E402


def test_the_table_of_rooms_is_that_of_the_includes():
    table = rooms.make_table(ROOT)
    assert table in (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"), f"architecture.md needs:\n{table}"


def test_a_room_includes_only_rooms_above_it():
    found = rooms.read_rooms(ROOT)
    above = set()
    for room in rooms.order(found):
        assert found[room] <= above, f"{room} includes {', '.join(sorted(found[room] - above))}"
        above.add(room)


def test_the_stages_of_the_page_are_the_files():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    files = {path.name for path in (ROOT / "native" / "src" / "step").glob("stage_*.c")}
    assert set(re.findall(r"`(stage_\w+\.c)`", page)) == files


def test_links_lead_somewhere():
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for link in re.findall(r"\]\(([^)#\s]+)\)", page.read_text(encoding="utf-8")):
            assert link.startswith("http") or (page.parent / link).exists(), f"{page.name}: {link}"


def test_the_readme_shows_a_moving_picture_and_then_how_to_install():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first = re.search(r"!\[[^\]]*\]\(([^)]+)\)", text)
    hero = (ROOT / first.group(1)).read_bytes()
    assert first.start() == 0 and hero[:4] == b"RIFF" and hero[8:12] == b"WEBP"
    assert b"ANIM" in hero and hero.count(b"ANMF") > 10, "the first picture stands still"
    headings = re.findall(r"^#+ .*$", text, re.MULTILINE)
    assert headings[:2] == ["# Tallow", "## Installing"]
    above = text[:text.index("## Installing")]
    assert above.count("](docs/images/") >= 5, "the pictures come first"


# "Carlson 2004", "van Kan 1986", "Batty, Bertails and Bridson 2007", "Enright et al. 2002", "Karis (2013)"
CITED = re.compile(r"((?:van )?[A-Z][a-z][\w-]*(?:(?:, [A-Z]\w+)* and [A-Z]\w+| et al\.)?),? \(?((?:19|20)\d\d)\b")


def test_every_paper_that_is_cited_is_in_the_list():
    known = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
    pages = [path for path in (ROOT / "docs").rglob("*.md") if path.name not in ("materials.md", "benchmarks.md")]
    sources = [path for folder in ("native", "tests") for path in (ROOT / folder).rglob("*")
               if path.suffix in (".c", ".h", ".cpp", ".py")]
    for path in pages + sources:
        text = re.sub(r"\n\s*(//)? ?", " ", path.read_text(encoding="utf-8"))
        for name, year in CITED.findall(text):
            assert f"| {name} {year} |" in known, f"{path.name} cites {name} {year}, which references.md does not have"
