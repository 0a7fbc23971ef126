"""The baker process: with the stand-in program where a bake is needed, with the real one where the library is built."""

import ctypes
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tallow.baker import library
from tallow.core import process
from tallow.core.process import BakerProcess

ROOT = Path(__file__).resolve().parents[2]
BAKER = ROOT / "addon" / "tallow" / "baker"
FAKE = ROOT / "tests" / "fake" / "baker.py"


@pytest.fixture
def scene(tmp_path):
    (tmp_path / "scene").mkdir()
    (tmp_path / "scene" / "scene.json").write_text(json.dumps({
        "name": "A", "frames": {"start": 1, "end": 20, "fps": 24.0}, "objects": [],
        "domain": {"min": [0, 0, 0], "max": [1, 1, 1], "cell_size": 0.1}}))
    return tmp_path


def start(scene, monkeypatch, mode=""):
    monkeypatch.setenv("FAKE_BAKER", mode)
    return BakerProcess([sys.executable, str(FAKE), str(scene / "scene"), str(scene / "cache")])


def drain(baker, seconds=20.0, until=None):
    events, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        alive = baker.alive
        events += baker.take_events()
        if not alive or (until and any(event["event"] == until for event in events)):
            return events
        time.sleep(0.02)
    raise AssertionError("the baker did not end")


def test_self_check():
    result = subprocess.run([sys.executable, "-E", "-s", str(BAKER), "--self-check"], capture_output=True, text=True)
    assert result.returncode == 0 and "tallow baker ready" in result.stdout


def test_needs_no_package_besides_the_standard_library():
    result = subprocess.run([sys.executable, "-I", "-S", str(BAKER), "--self-check"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_an_interpreter_has_to_prove_itself(tmp_path):
    liar = tmp_path / "python"
    liar.write_text("#!/bin/sh\necho fine\n")
    liar.chmod(0o755)
    assert process.find_interpreter(["", str(liar), "/nowhere"], BAKER) is None
    assert process.find_interpreter([str(liar), sys.executable], BAKER) == sys.executable


def run_baker(tmp_path, *arguments, **environment):
    result = subprocess.run([sys.executable, str(BAKER), str(tmp_path), str(tmp_path / "out"), *arguments],
                            capture_output=True,
                            text=True, stdin=subprocess.PIPE, env={**os.environ, **environment})
    return result.returncode, [json.loads(line) for line in result.stdout.splitlines()]


def test_missing_library_is_said_in_plain_words(tmp_path, monkeypatch):
    monkeypatch.setattr(library, "candidates", lambda given=None: [tmp_path / "a" / "x.so"])
    with pytest.raises(library.LibraryError) as error:
        library.find()
    assert "missing" in str(error.value) and str(tmp_path / "a") in str(error.value)


def test_a_file_that_is_no_library_is_said_in_plain_words(tmp_path):
    (tmp_path / "libtallow.so").write_text("no")
    code, events = run_baker(tmp_path, TALLOW_LIBRARY=str(tmp_path / "libtallow.so"))
    assert code == 1 and [event["event"] for event in events] == ["error"]
    assert "does not load" in events[0]["text"]


def test_the_environment_comes_first(tmp_path, monkeypatch):
    path = tmp_path / "mine.so"
    path.write_text("x")
    monkeypatch.setenv("TALLOW_LIBRARY", str(path))
    assert library.find() == path.resolve()


def test_a_whole_bake(scene, monkeypatch):
    baker = start(scene, monkeypatch)
    events = drain(baker)
    assert events[0]["event"] == "start" and events[-1]["event"] == "done"
    assert [event["frame"] for event in events if event["event"] == "frame"] == list(range(1, 21))


def test_cancel_is_answered(scene, monkeypatch):
    baker = start(scene, monkeypatch, "slow")
    drain(baker, until="frame")
    began = time.monotonic()
    baker.cancel()
    assert drain(baker)[-1]["event"] == "cancelled" and time.monotonic() - began < 2.0


def test_a_baker_that_does_not_answer_is_killed(scene, monkeypatch):
    monkeypatch.setattr(process, "GRACE_SECONDS", 0.5)
    baker = start(scene, monkeypatch, "silent")
    drain(baker, until="frame")
    baker.cancel()
    drain(baker, seconds=4.0)
    assert baker.process.returncode == -9


def test_pause_stands_still_and_can_be_cancelled(scene, monkeypatch):
    baker = start(scene, monkeypatch, "slow")
    drain(baker, until="frame")
    baker.pause()
    time.sleep(0.8)
    baker.take_events()
    time.sleep(0.8)
    assert not [event for event in baker.take_events() if event["event"] == "frame"]
    baker.resume()
    drain(baker, until="frame")
    baker.pause()
    baker.cancel()
    drain(baker, seconds=3.0)


def test_every_way_to_die_has_words():
    assert "memory" in process.explain_exit(-9, [], 12) and "12" in process.explain_exit(-9, [], 12)
    assert "SIGSEGV" in process.explain_exit(-11, [], 0)
    assert "No module" in process.explain_exit(1, ["Traceback", "ImportError: No module", ""], 0)


# With the native library, where it is built.

NATIVE = next((path for path in library.candidates() if path.is_file()), None)
needs_library = pytest.mark.skipif(NATIVE is None or not hasattr(ctypes.CDLL(str(NATIVE)), "tlwBake"),
                                   reason="the native library is not built")


@needs_library
def test_the_library_has_the_version_that_the_baker_expects():
    native = library.load(NATIVE)
    assert native.tlwGetAbiVersion() == library.ABI_VERSION and native.tlwGetVersion()
    assert native.tlwDefaultContextDef().cookie == native.tlwDefaultContextDef().cookie != 0


@needs_library
def test_a_missing_scene_is_one_sentence(tmp_path):
    code, events = run_baker(tmp_path)
    errors = [event for event in events if event["event"] == "error"]
    assert code == 1 and len(errors) == 1 and "scene.json" in errors[0]["text"]


def make_scene(folder, resolution, frames, size=0.5):
    """A block of honey in a box, as a scene folder."""
    import numpy as np
    from tallow.core.scene_file import SceneData, SceneWriter
    writer = SceneWriter(folder)
    corners = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], np.float32) * size / 2
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    faces = [triangle for a, b, c, d in quads for triangle in ((a, b, c), (a, c, d))]
    path = writer.write_mesh("Block", corners, np.array(faces))
    writer.write_scene(SceneData(
        name="Block", frames={"start": 1, "end": frames, "fps": 24.0},
        domain={"min": [-0.5, -0.5, 0.0], "max": [0.5, 0.5, 1.0], "cell_size": 1.0 / resolution}, world={}, solver={},
        output={},
        materials=[{"name": "Honey", "density": [1400, 1400], "latent_heat": 0, "viscosity": 10.0}],
        objects=[{"name": "Block", "role": "liquid", "mesh": path, "material": "Honey",
                  "keys": [{"time": 0.0, "position": [0, 0, 0.5]}]}]))
    return folder


def start_real(tmp_path, resolution=32, frames=4, *arguments):
    make_scene(tmp_path / "scene", resolution, frames)
    return BakerProcess([sys.executable, str(BAKER), str(tmp_path / "scene"), str(tmp_path / "cache"), *arguments])


@needs_library
def test_a_real_bake_speaks_the_same_language(tmp_path):
    from tallow.core.cache import Cache
    from tallow.core.events import Status
    from tallow.core.frames import prepare
    baker, status = start_real(tmp_path, 24, 3), Status()
    for event in drain(baker, 120):
        status.apply(event)
    assert status.state == "done" and status.frame == 3 and status.finished == 3, (status, list(baker.stderr))
    assert abs(status.volume_drift) < 0.01
    cache = Cache(tmp_path / "cache")
    cache.refresh()
    assert cache.order == [1, 2, 3]
    frame = prepare(cache.mesh_path(3), 1.0, "VISCOSITY", cache.materials)
    assert len(frame.corners) > 1000 and len(frame.edges) == len(frame.corners) // 2
    assert len(cache.particles(3)["vertex"]) == status.entry["particles"]


@needs_library
def test_a_real_bake_can_be_cancelled_inside_a_frame(tmp_path):
    baker = start_real(tmp_path, 96, 20)
    drain(baker, 120, until="frame")
    time.sleep(0.5)
    began = time.monotonic()
    baker.cancel()
    assert drain(baker, 20)[-1]["event"] == "cancelled"
    assert time.monotonic() - began < 2.0


@needs_library
def test_a_real_bake_can_be_paused(tmp_path):
    def processor_time():
        words = Path(f"/proc/{baker.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(words[11]) + int(words[12])
    baker = start_real(tmp_path, 64, 50)
    drain(baker, 60, until="frame")
    baker.pause()
    time.sleep(2.0)
    before = processor_time()
    time.sleep(1.0)
    assert processor_time() - before <= 3  # hundredths of a second
    baker.cancel()
    drain(baker, 20)


@needs_library
def test_a_real_bake_ends_when_blender_is_gone(tmp_path):
    baker = start_real(tmp_path, 64, 200)
    drain(baker, 60, until="frame")
    baker.process.stdin.close()
    baker.process.wait(20)
    assert baker.process.returncode == 2


@needs_library
def test_the_release_zip_brings_all_that_the_library_needs(tmp_path):
    import zipfile
    subprocess.run([sys.executable, str(ROOT / "addon" / "package.py"), "--library", str(NATIVE), "--out",
                    str(tmp_path)], check=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.zip"))) as archive:
        archive.extractall(tmp_path)
    names = (tmp_path / "tallow" / "lib" / "dependencies.txt").read_text().split()
    assert names and (tmp_path / "tallow" / "presets" / "materials" / "paraffin.json").is_file()
    make_scene(tmp_path / "scene", 8, 1)
    baker = BakerProcess([sys.executable, str(tmp_path / "tallow" / "baker"), str(tmp_path / "scene"),
                          str(tmp_path / "cache")])
    drain(baker, 60, until="frame")
    maps = Path(f"/proc/{baker.process.pid}/maps")
    loaded = maps.read_text() if maps.exists() else ""
    assert not loaded or all(str(tmp_path / "tallow" / "lib" / name) in loaded for name in names)
    drain(baker, 60)
    assert baker.process.returncode == 0
