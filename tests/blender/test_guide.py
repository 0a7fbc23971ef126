"""The steps of each page of the guide can be done, and end in a bake. One test per page."""

import importlib
import sys
from pathlib import Path

import bpy

STEPS = Path(__file__).resolve().parents[2] / "docs" / "guide" / "steps"
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
