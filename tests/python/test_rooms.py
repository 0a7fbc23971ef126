"""The rooms of the add-on: which may import which, which may use Blender's modules, and no circle of imports."""

import ast
from pathlib import Path

ADDON = Path(__file__).resolve().parents[2] / "addon" / "tallow"
# A room, and the rooms that it may import. `baker` is a program of its own, and `.` is the add-on's top folder.
MATRIX = {
    "core": set(),
    "baker": set(),
    "model": {"core"},
    "baking": {"core", "model", "baker"},
    "playback": {"core", "model", "baking"},
    "demo": {"core", "model", "playback"},
    "ui": {"core", "model", "baking", "playback", "demo"},
    ".": {"model", "baking", "playback", "ui"},
}
WITH_BLENDER = {"model", "baking", "playback", "demo", "ui"}
BLENDER = {"bpy", "bmesh", "mathutils", "gpu", "gpu_extras", "addon_utils", "bpy_extras"}
# Nothing of Blender may be loaded before Blender asks for it.
LAZY = {("__init__", "register"), ("__init__", "unregister")}
MODULES = {".".join(path.relative_to(ADDON).with_suffix("").parts): path for path in sorted(ADDON.rglob("*.py"))
           if "__pycache__" not in path.parts and path.relative_to(ADDON).parts[0] not in ("lib", "presets")}


def room_of(module):
    return module.split(".")[0] if "." in module else "."


def existing(parts):
    """The module that an import of these parts loads; None when it is a name inside of one."""
    name = ".".join(parts)
    inside = ".".join([*parts, "__init__"])
    return name if name in MODULES else inside if inside in MODULES else None


def targets(module, node):
    """(our modules, top names of other packages) that an import statement names."""
    if isinstance(node, ast.Import):
        tops = [alias.name.split(".")[0] for alias in node.names]
        own = [existing([*module.split(".")[:-1], top]) for top in tops] if room_of(module) == "baker" else []
        return [name for name in own if name], tops
    if not node.level:
        return [], [node.module.split(".")[0]]
    base = module.split(".")[:-1]
    base = base[:len(base) - (node.level - 1)] + (node.module.split(".") if node.module else [])
    return [existing([*base, alias.name]) or existing(base) for alias in node.names], []


def imports(module):
    """(statement, whether it is inside of a function and of which) of a module."""
    found = []

    def visit(node, function):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.Import, ast.ImportFrom)):
                found.append((child, function))
            named = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) and not function
            inner = child.name if named else function
            visit(child, inner)

    visit(ast.parse(MODULES[module].read_text(encoding="utf-8")), "")
    return found


def own_imports(module):
    return {name for node, _ in imports(module) for name in targets(module, node)[0] if name}


def test_every_folder_is_a_room_of_the_matrix():
    assert {room_of(module) for module in MODULES} == set(MATRIX)


def test_a_module_imports_only_rooms_that_it_may():
    wrong = [f"{module} imports {name}" for module in MODULES for name in own_imports(module)
             if room_of(name) not in MATRIX[room_of(module)] | {room_of(module)}]
    assert not wrong


def test_the_matrix_allows_no_more_than_is_used():
    used = {room: {room_of(name) for module in MODULES if room_of(module) == room
                   for name in own_imports(module)} - {room}
            for room in MATRIX}
    assert used == MATRIX


def test_the_matrix_has_no_circle():
    left = dict(MATRIX)
    while left:
        free = [room for room, below in left.items() if not below & set(left)]
        assert free, f"these rooms import each other: {sorted(left)}"
        for room in free:
            del left[room]


def test_no_modules_import_each_other_in_a_circle():
    left = {module: own_imports(module) - {module} for module in MODULES}
    while left:
        free = [module for module, below in left.items() if not below & set(left)]
        assert free, f"a circle among: {sorted(left)}"
        for module in free:
            del left[module]


def test_blender_is_imported_only_where_it_is_needed():
    wrong = {module for module in MODULES if room_of(module) not in WITH_BLENDER
             for node, _ in imports(module) if set(targets(module, node)[1]) & BLENDER}
    assert not wrong


def test_no_function_imports_a_module_of_ours():
    hidden = [f"{module}.{function}" for module in MODULES for node, function in imports(module)
              if function and targets(module, node)[0] and (module, function) not in LAZY]
    assert not hidden


def test_files_are_short():
    assert not [module for module, path in MODULES.items() if len(path.read_text(encoding="utf-8").splitlines()) >= 500]
