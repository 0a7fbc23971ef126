"""Runs inside a Blender with a window: every `test_*` generator of one file.

A yield lets Blender draw for that many seconds.
"""

import importlib.util
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

import addon_utils
import bpy

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "addon"), str(Path(__file__).resolve().parent)]
PATH = Path(sys.argv[sys.argv.index("--") + 1])
PATIENCE = 600.0  # seconds; a limit that only something that hangs reaches


def until(condition):
    """Let Blender run until something is so."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        yield 0.05


def tests():
    spec = importlib.util.spec_from_file_location(PATH.stem, PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    addon_utils.enable("tallow", default_set=True)
    for name in sorted(name for name in vars(module) if name.startswith("test_")):
        for variable in ("FAKE_BAKER", "FAKE_GATE"):
            os.environ.pop(variable, None)
        with tempfile.TemporaryDirectory(prefix="tallow_test_") as folder:
            try:
                yield from getattr(module, name)(Path(folder))
                result = "PASS"
            except Exception:  # noqa: B902
                traceback.print_exc()
                result = "FAIL"
            from tallow.baking import job
            if job.current():
                job.cancel()
            while job.current():
                yield 0.1
            print(f"RESULT {result} {PATH.stem}.{name}", flush=True)


def tick():
    try:
        return next(walk)
    except StopIteration:
        code = 0
    except BaseException:  # noqa: B902
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    os._exit(code)  # a regular quit asks about unsaved changes


if __name__ == "__main__":
    walk = tests()
    bpy.app.timers.register(tick, first_interval=1.0, persistent=True)
