"""The guide names buttons that are there, quotes what Tallow says, and has a picture and a script for each page."""

import ast
import functools
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "guide"
PAGES = sorted(path for path in GUIDE.glob("*.md") if path.name != "README.md")
TROUBLE = GUIDE / "when-it-goes-wrong.md"
SHOWN = {"name", "text", "bl_label", "label", "button"}  # arguments and members that end up on the screen
GAP = "…"
LIMIT, MOVING_LIMIT = 300_000, 2_000_000  # bytes

# What pages name in italics and Blender has, or pages have themselves.
BLENDERS = {"Add > Mesh > Monkey", "Object > Shade Smooth", "Material Properties", "New", "Base Color", "Image Texture",
            "Color Grid", "Attribute", "Map Range", "Color Ramp", "Emission", "Transmission", "Roughness"}
OWN = {"Candle", "Honey", "Lava"}  # names that a page gives


def sources():
    return sorted((ROOT / "addon" / "tallow").rglob("*.py"))


def words_of(node):
    """A text of Python with a gap for each value in it; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else GAP for part in node.values)
    return None


@functools.lru_cache(maxsize=None)
def names_on_screen():
    """Names of properties, panels, buttons, choices, roles and materials."""
    found = {json.loads(path.read_text(encoding="utf-8"))["label"]
             for path in (ROOT / "presets" / "materials").glob("*.json")}
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg in SHOWN:
                found.update(part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant))
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name) and target.id == "bl_label":
                        found.add(words_of(node.value))
                    elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):  # LABEL, TEXT = ...
                        found.update(words_of(part) for part in node.value.elts)
            elif isinstance(node, ast.Return) and isinstance(node.value, ast.IfExp):  # a button with several names
                found.update(part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant))
            elif isinstance(node, (ast.Tuple, ast.Call)):  # a row of choices, a role, a wall
                rows = node.elts if isinstance(node, ast.Tuple) else node.args
                found.update(words_of(part) for part in rows if words_of(part))
    return found


def marked(page, pattern):
    """What a page has between signs, without line breaks. Code does not count."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [" ".join(words.split()) for words in re.findall(pattern, text)]


@functools.lru_cache(maxsize=None)
def printed():
    """All texts of add-on and library, with a gap for each value."""
    found = []
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found.append(words_of(node) or "")
    for path in sorted((ROOT / "native" / "src").rglob("*.c")):
        for literals in re.findall(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', path.read_text(encoding="utf-8")):
            text = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', literals))
            found.append(re.sub(r"%[-+ #0]*[\d.]*(?:ll|l|z)?[a-zA-Z]", GAP, text).replace("%%", "%"))
    return found


@pytest.mark.parametrize("page", [*PAGES, GUIDE / "README.md"], ids=lambda page: page.stem)
def test_every_button_of_the_guide_is_in_the_addon(page):
    names = names_on_screen()
    missing = [name for name in marked(page, r"\*\*([^*]+)\*\*") if name not in names | {"Tallow"}]
    assert missing == [], f"{page.name} names what the add-on does not have"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_panel_and_choice_of_the_guide_is_in_the_addon_or_in_blender(page):
    names = names_on_screen() | BLENDERS | OWN | {"Tallow"}
    missing = [name for name in marked(page, r"(?<!\*)\*([^*]+)\*(?!\*)") if name not in names]
    assert missing == [], f"{page.name} names what nobody has"


def quoted():
    return re.findall(r"^\| `([^`]+)` \|", TROUBLE.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("message", quoted())
def test_every_message_of_the_guide_is_printed(message):
    assert any(message.strip(GAP + " ") in text for text in printed()), f"nothing prints: {message}"


def test_every_sentence_that_stops_a_bake_is_in_the_guide():
    """What `check_scene` calls fatal."""
    checks = ROOT / "addon" / "tallow" / "baking" / "export" / "checks.py"
    fatal = [words_of(node.args[1]) for node in ast.walk(ast.parse(checks.read_text(encoding="utf-8")))
             if isinstance(node, ast.Call) and ast.unparse(node).startswith("Problem(True, ")]
    known = [message.strip(GAP + " ") for message in quoted()]
    assert len(fatal) > 8
    assert [text for text in fatal if text and not any(message in text for message in known)] == []


def test_messages_are_compared_by_their_words():
    known = printed()
    assert any("is outside the domain. Move it inside, or press Fit Domain." in text for text in known)
    assert not any("is outside the domain. Move it in, or press Fit Domain." in text for text in known)
    assert any("could not be written: …; choose a folder you may write to." in text for text in known)
    assert len(quoted()) > 40


def test_every_page_has_its_picture_its_script_and_as_many_steps():
    index = (GUIDE / "README.md").read_text(encoding="utf-8")
    for page in PAGES:
        assert f"({page.name})" in index, page.name
        if page == TROUBLE:
            continue
        text, name = page.read_text(encoding="utf-8"), page.stem.replace("-", "_")
        script = (GUIDE / "steps" / f"{name}.py").read_text(encoding="utf-8")
        assert f"(images/{name}.webp)" in text
        assert (GUIDE / "images" / f"{name}.webp").is_file(), "docs/guide/make-pictures makes it"
        steps = [int(number) for number in re.findall(r"^(\d+)\. ", text, re.MULTILINE)]
        done = [int(number) for number in re.findall(r"# (\d+)$", script, re.MULTILINE)]
        assert steps == list(range(1, len(steps) + 1)) and done == sorted(done) and set(done) <= set(steps), page.name


def numbers_of(node):
    """Numbers that an assignment gives, as a page writes them."""
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return []
    values = value if isinstance(value, tuple) else (value,)
    return [f"{number:g}" for number in values
            if isinstance(number, (int, float)) and not isinstance(number, bool) and number]


@pytest.mark.parametrize("page", [page for page in PAGES if page != TROUBLE], ids=lambda page: page.stem)
def test_a_page_gives_the_values_that_its_script_sets(page):
    """Settings of Tallow and their materials. So the picture is what a reader gets."""
    text = page.read_text(encoding="utf-8")
    script = ast.parse((GUIDE / "steps" / f"{page.stem.replace('-', '_')}.py").read_text(encoding="utf-8"))
    steps = next(node for node in script.body if isinstance(node, ast.FunctionDef) and node.name == "steps")
    for node in ast.walk(steps):
        if isinstance(node, ast.Assign) and ".tallow." in ast.unparse(node.targets[0]):
            for number in numbers_of(node.value):
                assert re.search(rf"(?<![\d.-]){re.escape(number)}(?![\d]|\.\d)", text), ast.unparse(node)
            if ast.unparse(node.targets[0]).endswith(".material"):
                preset = ROOT / "presets" / "materials" / f"{node.value.value}.json"
                assert f"*{json.loads(preset.read_text(encoding='utf-8'))['label']}*" in text, ast.unparse(node)


def test_pictures_are_small():
    pictures = [path for path in (ROOT / "docs").rglob("*") if path.suffix in (".png", ".jpg", ".webp", ".gif")]
    large = {path.name: path.stat().st_size for path in pictures
             if path.stat().st_size >= (MOVING_LIMIT if path.name == "hero.webp" else LIMIT)}
    assert pictures and large == {}
