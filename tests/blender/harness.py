"""Runs inside Blender: enables the add-on, then runs every `test_*` function of one file, each in a fresh scene."""

import importlib.util
import os
import sys
import tempfile
import traceback
from pathlib import Path

import addon_utils
import bpy

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "addon"), str(Path(__file__).resolve().parent)]


def _raise(error):
    raise error


def run(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in sorted(name for name in vars(module) if name.startswith("test_")):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=False)
        addon_utils.enable("tallow", default_set=True, handle_error=_raise)
        for variable in ("FAKE_BAKER", "FAKE_GATE"):
            os.environ.pop(variable, None)
        with tempfile.TemporaryDirectory(prefix="tallow_test_") as folder:
            try:
                result = getattr(module, name)(Path(folder))
            except BaseException:  # noqa: B902  (a test must not end the run, whatever it raises)
                traceback.print_exc()
                result = "FAIL"
            print(f"RESULT {'SKIP' if result == 'SKIP' else 'FAIL' if result == 'FAIL' else 'PASS'} {path.stem}.{name}",
                  flush=True)


run(Path(sys.argv[sys.argv.index("--") + 1]))
