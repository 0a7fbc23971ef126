"""The steps of each page of the guide can be done, and end in a bake. One test per page."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import bpy
import scenes

ROOT = Path(__file__).resolve().parents[2]
STEPS = ROOT / "docs" / "guide" / "steps"
sys.path.insert(0, str(STEPS))
PAGES = sorted(path.stem for path in STEPS.glob("*.py") if "def steps(" in path.read_text(encoding="utf-8"))


def follow(page, folder):
    """As `run.py` does: a saved file has its bake beside itself."""
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    module = importlib.import_module(page)
    module.steps()
    from tallow import playback
    from tallow.baking.export import checks
    scene = bpy.context.scene
    cache = playback.cache_of(scene)
    assert cache and cache.order[-1] == scene.frame_end, page
    assert max(module.FRAMES) <= scene.frame_end
    problems = [problem.text for problem in checks.check_scene(scene)]
    assert problems == [], f"{page}: a reader would see {problems}"
    module.look()
    scene.frame_set(module.FRAMES[-1])
    assert scene.tallow.surface_object.material_slots[0].material and scene.camera


def _test(page):
    def run(folder):
        follow(page, folder)
    return run


assert len(PAGES) >= 9
globals().update({f"test_the_steps_of_{page}": _test(page) for page in PAGES})


def commands(page):
    """The lines of a page that start Blender without a window."""
    text = re.sub(r"\\\n\s*", "", (ROOT / page).read_text(encoding="utf-8"))
    return [line.strip() for line in re.findall(r"^\s*(?:\w+=\w+ )?blender -b .*$", text, re.MULTILINE)]


def shell_for(folder):
    """Saves a small shot in the folder, without a bake. Returns what runs a command of a page there."""
    scene = bpy.context.scene
    bpy.ops.tallow.quick_melt(frames=4, resolution=16)
    scene.render.engine, scene.cycles.samples, scene.cycles.device = "CYCLES", 1, "CPU"
    scene.cycles.use_denoising = False  # Debian's Blender has no denoiser
    scene.render.resolution_x = scene.render.resolution_y = 16
    scene.render.filepath = "//picture_"
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    (folder / "scripts" / "addons").mkdir(parents=True)
    (folder / "scripts" / "addons" / "tallow").symlink_to(ROOT / "addon" / "tallow")
    binaries = os.pathsep.join([str(Path(bpy.app.binary_path).parent), os.environ["PATH"]])
    environment = {**os.environ, "BLENDER_USER_SCRIPTS": str(folder / "scripts"), "PATH": binaries}

    def run(command):
        assert command.count("blender -b") == 1
        # The reader's Blender has Tallow installed. This one must not read the settings of whoever runs the tests.
        command = command.replace("blender -b", "blender --factory-startup -b")
        return subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
    return run


def picture(folder, frame):
    path = folder / f"picture_{frame:04d}.png"
    found = scenes.pixels(path)
    path.unlink()
    return found


def test_the_commands_of_the_manual_render_what_they_bake(folder):
    run = shell_for(folder)
    bake, render = commands("docs/addon.md")
    short = re.search(r"`(blender -b FILE .*?)`", (ROOT / "README.md").read_text(encoding="utf-8")).group(1)
    saved = (folder / "shot.blend").read_bytes()
    run(render)
    bare = picture(folder, 4)
    for number, command in enumerate((bake, short.replace("FILE", "shot.blend --addons tallow"), bake)):
        done = run(command)
        assert done.returncode == 0, done.stdout + done.stderr
        bakes = sorted(path.name for path in folder.glob("tallow_cache_shot/*"))
        assert len(bakes) == number + 1
        done = run(render)
        assert done.returncode == 0 and "which was made after the file was saved" in done.stdout, done.stdout
        shown = picture(folder, 4)
        assert abs(shown - bare).mean() > 0.01, "the melted wax is not in the picture"
        assert (folder / "shot.blend").read_bytes() == saved
    done = run(render.replace(" -a", " -f 4"))  # a single frame as well
    assert abs(picture(folder, 4) - shown).max() == 0.0, done.stdout


def test_the_commands_of_the_page_bake_and_render_elsewhere(folder):
    run = shell_for(folder)
    bake, render = commands("docs/guide/bake-on-another-machine.md")
    done = run(bake)
    assert done.returncode == 0 and len(list(folder.glob("tallow_cache_shot/*/mesh/*"))) == 4, done.stdout + done.stderr
    done = run(render.replace("-e 60", "-e 2"))
    assert done.returncode == 0 and len(list(folder.glob("picture_*.png"))) == 2, done.stdout + done.stderr
    for mesh in folder.glob("tallow_cache_shot/*/mesh/mesh_000002*"):
        mesh.unlink()
    assert run(render.replace("-e 60", "-e 2")).returncode == 3
