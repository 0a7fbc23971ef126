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


# Parts of the add-on that tell artists what is wrong, and what they call with the text.
REPORTING = ("baker", "baking", "core", "playback", "ui/operators", "model/materials.py")
REPORTS = {"warn", "fail", "_try", "Problem", "BakeError", "ExportError", "MeltError"}
# Sentences that need no row: they say all that there is to do, or tell what was done.
EXPLAIN_THEMSELVES = {
    # What becomes of a bake, in its dialog.
    "The earlier bake (frames … to …) is kept. Bakes on the Disk shows it.",
    "The old one stays on the disk.", "The old one stays: another scene shows it.", "The old one stays: … may show it.",
    "The old one stays: a copy of this file may show it.",
    "The old one stays: …, which is not there now, may show it.",
    "The old one stays until the new one is finished and this file is saved.",
    "No saved file has the old one: it is deleted once the new one is finished.", "On the disk now: ….",
    "The scene … of this file shows it, too.", "… may show it, too.", "This removes … object… from the scene.",
    # What Tallow found or did.
    "Nothing differs but when they were made.", "Found the bake of …. Save the file to keep it.",
    "Tallow: … shows the bake of …, which was made after the file was saved.",
    "Tallow: a newer bake of … exists (…). It is not shown, since the file was not saved with it. To show it: "
    "bpy.ops.tallow.use_bake(folder=…)",
    "Tallow: …. Set Preview Quality to 100 % and bake for the final render.",
    "Tallow: the bake cannot be compared with the scene: ….",
    "The search was stopped. Press Melt Within the Shot to search again, or set Heat Speed-up by hand.",
    "The search for the heat speed-up is running. Esc stops it.",
    "All is there but the heat speed-up: …", "Frame … has the last kept state before frame ….",
    "… is ready. Press Bake", "Tallow looks for the heat speed-up (… s). Esc: stop",
    "About … % will be molten by frame …, with heat … times as fast as in life.",
    # Ends of sentences whose beginnings have rows.
    "In Tallow's repository, cmake --build build --target addon-zip makes a zip that has everything: install that one "
    "in Edit > Preferences > Add-ons, and restart Blender.",
    "Press Melt Within the Shot.",
    "closed walls push it in, and no liquid acts on it outside.", "the part outside is cut off.",
    "Put the heater nearer to the wax, add another one, or warm the air.",
    "… is … away from …: move it closer, or warm the air.",
    "… and … touch in too small a place: let them overlap more, make … larger, or warm the air.",
    " Frames up to … are kept; press Resume to go on.", " The search had aimed at … %: raise Heat Speed-up.",
    # Buttons that answer what to press instead.
    "No bake was named", "Choose a material first", "… cannot be a preset: …", "The preset cannot be saved: …",
    "A viscosity curve has at most 16 points", "A viscosity curve needs at least one point",
    "Select the objects that the domain should hold, or give them a role",
    # Of the programs that the add-on talks to; an artist never gives these words.
    "A slice needs a path, an axis and a place.", "The bake failed.",
}


def docstrings(tree):
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, kinds)]
    return {body[0].value for body in bodies if body and isinstance(body[0], ast.Expr)}


def tells(node):
    """Whether it is a call that tells artists what is wrong."""
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    is_bad = name == "report" and any(kind in ast.unparse(node.args[0]) for kind in ("ERROR", "WARNING"))
    return is_bad or name in REPORTS


def is_sentence(text):
    return len(re.findall(r"[a-z]+", text)) > 2 and bool(re.search(r"[a-z…%)]\.(\s|…|$)", text))


def sentences(source):
    """What a file of the add-on says in whole sentences, and what it reports in any words."""
    tree = ast.parse(source)
    left_out = docstrings(tree) | {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)
                                   for value in node.values for part in ast.walk(value)}
    left_out |= {node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "description"}
    left_out |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Assign)
                 and ast.unparse(node.targets[0]) in ("bl_description", "TEXT", "LABEL, TEXT")}
    reported = [part for node in ast.walk(tree) if tells(node) for argument in node.args for part in ast.walk(argument)]
    found = [words_of(node) for node in reported if node not in left_out and re.search(r"[a-z] ", words_of(node) or "")]
    whole = [words_of(node) for node in ast.walk(tree) if node not in left_out]
    return found + [text for text in whole if is_sentence(text or "")]


def test_every_sentence_of_the_addon_has_a_row_or_explains_itself():
    said = {}
    for path in sources():
        place = path.relative_to(ROOT / "addon" / "tallow").as_posix()
        if place.startswith(REPORTING):
            said.update({text: place for text in sentences(path.read_text(encoding="utf-8"))})
    known = [message.strip(GAP + " ") for message in quoted()]
    rows = {text for text in said if any(message in text for message in known)}
    lacking = {text: place for text, place in said.items() if text not in rows | EXPLAIN_THEMSELVES}
    assert lacking == {}, "a row in when-it-goes-wrong.md, or a line in EXPLAIN_THEMSELVES"
    assert len(rows) > 90
    assert EXPLAIN_THEMSELVES - set(said) == set(), "these are not said any more"
    assert EXPLAIN_THEMSELVES & rows == set(), "these have rows"


def test_a_sentence_without_a_row_is_found():
    source = """
def check(self, obj):
    '''This describes the function.'''
    self.report({"ERROR"}, f"{obj.name} is too odd" if obj else "Nothing is odd")
    self.report({"INFO"}, "All is well.")
    return [Problem(False, f"{obj.name} is odd. Make it even.")]
"""
    assert set(sentences(source)) == {"… is too odd", "Nothing is odd", "All is well.", "… is odd. Make it even."}


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
