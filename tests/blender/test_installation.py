"""A copy of the add-on that is not whole says so at once, and a material that is not there is never replaced."""

import os
import shutil
import subprocess
from pathlib import Path

import bpy
import scenes
from paper import drawn

ADDON = Path(__file__).resolve().parents[2] / "addon" / "tallow"
BARE = """
import addon_utils, bpy, sys
sys.path.append(TESTS)
from paper import drawn
addon_utils.enable("tallow", default_set=True, handle_error=lambda error: exit(str(error)))
from tallow.baking import installation
from tallow.baking.export import checks
from tallow.ui.panels.incomplete import TALLOW_PT_incomplete
text = installation.problem()
assert "libtallow.so" in text and "material presets" in text and "addon-zip" in text and "Preferences" in text, text
assert TALLOW_PT_incomplete.poll(bpy.context)
preferences = bpy.context.preferences.addons["tallow"].preferences
paper = drawn(type(preferences).draw, 2000)
assert " ".join(paper.texts).split() == text.split(), paper.texts
cube = bpy.data.objects["Cube"]
cube.tallow.role = "WAX"
assert cube.tallow.material == "", cube.tallow.material
bpy.ops.tallow.fit_domain()
assert [(p.fatal, p.text) for p in checks.check_scene(bpy.context.scene)] == [(True, text)]
count = len(bpy.context.scene.objects)
for run in (bpy.ops.tallow.bake, bpy.ops.tallow.quick_melt, bpy.ops.tallow.quick_liquid, bpy.ops.tallow.ready_scene):
    try:
        run()
    except RuntimeError as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"{run} did not refuse")
assert len(bpy.context.scene.objects) == count
print("REFUSED")
"""


def test_a_bare_source_folder_says_what_is_missing(folder):
    """As of somebody who zipped addon/tallow by hand and installed that."""
    ignored = shutil.ignore_patterns("__pycache__", "lib", "presets")
    shutil.copytree(ADDON, folder / "scripts" / "addons" / "tallow", ignore=ignored)
    (folder / "bare.py").write_text(f"TESTS = {str(Path(__file__).parent)!r}\n{BARE}")
    names = ("TALLOW_BAKER", "TALLOW_LIBRARY", "PYTHONPATH", "PYTHONHOME")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment["BLENDER_USER_SCRIPTS"] = str(folder / "scripts")
    result = subprocess.run([bpy.app.binary_path, "-b", "--factory-startup", "--python-exit-code", "1", "--python",
                             str(folder / "bare.py")], capture_output=True, text=True, env=environment)
    assert result.returncode == 0 and "REFUSED" in result.stdout, result.stdout + result.stderr
    assert "Tallow: This copy of Tallow cannot bake" in result.stdout


def test_a_whole_copy_has_nothing_to_say(folder):
    from tallow.baking import installation
    from tallow.ui.panels.incomplete import TALLOW_PT_incomplete
    assert installation.problem() is None
    assert not TALLOW_PT_incomplete.poll(bpy.context)
    preferences = type(bpy.context.preferences.addons["tallow"].preferences)
    assert drawn(preferences.draw).texts == []


def test_a_material_that_is_not_there_is_named_and_nothing_is_baked(folder):
    from tallow.model import materials
    wax = scenes.wax_in_a_box(folder, frames=2)
    name = wax.tallow.material
    taken = materials.all_presets().pop(name)
    try:
        text = scenes.expect_error(bpy.ops.tallow.bake, "Wax", taken["label"], "is not there", "Choose another one")
        assert "Traceback" not in text and not list(folder.rglob("*.ply"))
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / "lost.blend"))
    finally:
        materials.all_presets()[name] = taken
    bpy.ops.wm.open_mainfile(filepath=str(folder / "lost.blend"))
    assert bpy.data.objects["Wax"].tallow.material == name  # the file did not forget its choice
    assert bpy.ops.tallow.bake() == {"FINISHED"}


def test_wax_without_a_wax_preset_is_not_made_of_water(folder):
    from tallow.model import materials, roles
    taken = {name: materials.all_presets().pop(name) for name in roles.BY_NAME["WAX"].materials}
    try:
        cube = bpy.data.objects["Cube"]
        cube.tallow.role = "LIQUID"
        assert cube.tallow.material == "water"
        cube.tallow.role = "WAX"
        assert cube.tallow.material == ""
        scenes.select(cube)
        bpy.ops.tallow.fit_domain()
        scenes.expect_error(bpy.ops.tallow.bake, "Cube has no material", "Choose one")
        scenes.expect_error(bpy.ops.tallow.quick_melt, "Cube has no material")
    finally:
        materials.all_presets().update(taken)
