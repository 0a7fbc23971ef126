"""Roles are one table: nothing else in the add-on compares an object's role with a name."""

import ast
from pathlib import Path

ADDON = Path(__file__).resolve().parents[2] / "addon" / "tallow"
TABLE = ADDON / "model" / "roles.py"
NAMES = {node.args[0].value for node in ast.walk(ast.parse(TABLE.read_text(encoding="utf-8")))
         if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Role"}
# Modules that build scenes name the roles that they give to objects, and compare none.
MODULES = [path for path in sorted(ADDON.rglob("*.py")) if path != TABLE and "lib" not in path.relative_to(ADDON).parts]


def strings(node):
    return {part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)}


def is_role(node):
    if isinstance(node, ast.Attribute):
        return node.attr in ("role", "last_role")
    return isinstance(node, ast.Name) and node.id == "role"


def role_questions(tree):
    """Lines that compare a role with names, or look one up in a table of their own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and any(is_role(side) for side in (node.left, *node.comparators)):
            if strings(node) & NAMES - {"NONE"}:
                yield node.lineno
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "with_role" and strings(node) & NAMES:
            yield node.lineno
        elif isinstance(node, ast.Dict) and len(
                {key.value for key in node.keys if isinstance(key, ast.Constant)} & NAMES) > 2:
            yield node.lineno


def test_the_table_is_found():
    assert {"NONE", "WAX", "LIQUID", "INFLOW", "OUTFLOW", "SOLID", "RIGID", "HEAT"} <= NAMES


def test_the_search_finds_what_it_looks_for():
    for text in ("obj.tallow.role == 'WAX'", "role in ('SOLID', 'RIGID')", "with_x = roles.with_role(scene, 'HEAT')",
                 "x = {'WAX': 1, 'LIQUID': 2, 'HEAT': 3}"):
        assert list(role_questions(ast.parse(text))), text


def test_only_the_table_knows_the_roles_by_name():
    found = {str(path.relative_to(ADDON)): list(role_questions(ast.parse(path.read_text(encoding="utf-8"))))
             for path in MODULES}
    assert not {path: lines for path, lines in found.items() if lines}
