"""The baker process: with the stand-in program where a bake is needed, with the real one where the library is built."""

import ctypes
import json
import os
import resource
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
PATIENCE = 600.0  # seconds


@pytest.fixture
def scene(tmp_path):
    (tmp_path / "scene").mkdir()
    (tmp_path / "scene" / "scene.json").write_text(json.dumps({
        "name": "A", "frames": {"start": 1, "end": 20, "fps": 24.0}, "objects": [],
        "domain": {"min": [0, 0, 0], "max": [1, 1, 1], "cell_size": 0.1}}))
    return tmp_path


def start(scene, monkeypatch, mode="", last=None):
    """`last` is the last frame that may be baked; `open_gate` raises it."""
    monkeypatch.setenv("FAKE_BAKER", mode)
    if last is not None:
        monkeypatch.setenv("FAKE_GATE", str(scene / "gate"))
        open_gate(scene, last)
    return BakerProcess([sys.executable, str(FAKE), str(scene / "scene"), str(scene / "cache")])


def open_gate(scene, last):
    (scene / "gate.new").write_text(str(last))
    (scene / "gate.new").rename(scene / "gate")


def wait_until(condition):
    """A limit that only a baker that hangs reaches."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.02)


def drain(baker, until=lambda event: False):
    """The events up to the first for which `until` is true, or up to the end of the baker."""
    events = []

    def is_over():
        alive = baker.alive
        events.extend(baker.take_events())
        return not alive or any(until(event) for event in events)

    wait_until(is_over)
    return events


def is_frame(event):
    return event["event"] == "frame"


def is_paused(event):
    return event.get("stage") == "paused"


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
    monkeypatch.setattr(process, "GRACE_SECONDS", PATIENCE)
    baker = start(scene, monkeypatch, last=3)
    drain(baker, lambda event: is_frame(event) and event["frame"] == 3)
    baker.cancel()
    events = drain(baker)
    assert events[-1] == {"event": "cancelled", "last_frame": 3} and not any(map(is_frame, events))
    assert baker.process.returncode == 2


def test_a_baker_that_does_not_answer_is_killed(scene, monkeypatch):
    monkeypatch.setattr(process, "GRACE_SECONDS", 0.5)
    baker = start(scene, monkeypatch, "silent", last=1)
    drain(baker, is_frame)
    baker.cancel()
    drain(baker)
    assert baker.process.returncode == -9


def test_pause_stands_still_and_can_be_cancelled(scene, monkeypatch):
    monkeypatch.setattr(process, "GRACE_SECONDS", PATIENCE)
    baker = start(scene, monkeypatch, last=1)
    drain(baker, is_frame)
    baker.pause()
    drain(baker, is_paused)
    open_gate(scene, 3)
    time.sleep(0.5)  # for a baker that does not stand still
    assert not any(map(is_frame, baker.take_events()))
    baker.resume()
    drain(baker, lambda event: is_frame(event) and event["frame"] == 3)
    baker.pause()
    drain(baker, is_paused)
    baker.cancel()
    assert drain(baker)[-1]["event"] == "cancelled"


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


def words_of(path):
    return path.read_text().rsplit(")", 1)[1].split()


def processor_time(baker):
    """Seconds that a running baker has computed."""
    words = words_of(Path(f"/proc/{baker.process.pid}/stat"))
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def children_time():
    """Seconds that all processes have computed that were started here and are over."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def is_asleep(baker):
    """Whether every thread waits for something, and none for a free processor, twice in a row."""
    def waits():
        return all(words_of(path)[0] == "S" for path in Path(f"/proc/{baker.process.pid}/task").glob("*/stat"))
    before = processor_time(baker)
    first = waits()
    time.sleep(0.2)
    return first and waits() and processor_time(baker) == before


@needs_library
def test_a_real_bake_speaks_the_same_language(tmp_path):
    from tallow.core.cache import Cache
    from tallow.core.events import Status
    from tallow.core.frames import prepare
    baker, status = start_real(tmp_path, 24, 3), Status()
    for event in drain(baker):
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
def test_the_cells_of_a_real_bake_can_be_cut(tmp_path):
    from tallow.core.cache import Cache
    from tallow.core.cell_reader import CellReader
    drain(start_real(tmp_path, 24, 2))
    cache = Cache(tmp_path / "cache")
    cache.refresh()
    entry = cache.frames[2]
    assert 200.0 < entry["coldest"] <= entry["hottest"] < 400.0 and entry["enthalpy"] > 0.0
    assert entry["kinetic_energy"] > 0.0
    reader = CellReader([sys.executable, str(BAKER), "--cells"])
    try:
        reader.ask((str(cache.surface_path(2)), 0, 0.01))
        wait_until(lambda: not reader.busy)
        cells = reader.answer.cells
        assert not reader.answer.error and 100 <= len(cells) <= 200  # half of 24, squared
        assert abs(cells[:, 0] - 0.5 / 24).max() < 1e-5 and abs(cells[:, 1]).max() < 0.27
        assert abs(cells[:, 4] - 10.0).max() < 0.1 and 0.0 < cells[:, 5].max() < 2.0
        reader.ask((str(tmp_path / "gone.vdb"), 0, 0.0))
        wait_until(lambda: not reader.busy)
        assert "gone.vdb" in reader.answer.error
        (tmp_path / "bad.vdb").write_bytes(b"no volume")
        reader.ask((str(tmp_path / "bad.vdb"), 0, 0.0))
        wait_until(lambda: not reader.busy)
        assert "bad.vdb" in reader.answer.error
    finally:
        reader.close()
    assert reader.process.returncode == 0


@needs_library
def test_a_real_bake_can_be_cancelled_inside_a_frame(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "GRACE_SECONDS", PATIENCE)
    others = children_time()
    baker = start_real(tmp_path, 96, 20)
    drain(baker, lambda event: event["event"] == "progress" and event["frame"] == 2)
    whole = processor_time(baker)
    baker.cancel()
    events = drain(baker)
    assert events[-1]["event"] == "cancelled" and baker.process.returncode == 2
    assert not any(is_frame(event) and event["frame"] > 1 for event in events)
    # Of processor time, which other work on the machine hardly changes. The first frame and the set-up took the rest.
    after = children_time() - others - whole
    print(f"MEASURED {whole:.2f} s of processor up to the cancel, {after:.2f} s after it")
    assert after < 2.0


@needs_library
def test_a_search_gives_up_after_work_and_not_after_time(tmp_path):
    """A busy computer may take as long as it likes: what counts is processor time."""
    path = make_scene(tmp_path / "scene", 24, 20)
    scene = json.loads((path / "scene.json").read_text())
    scene["materials"][0].update(specific_heat=[2100, 2100], conductivity=[0.25, 0.25], solidus=330.0, liquidus=333.0,
                                 latent_heat=2e5, solid_viscosity=1e6)
    scene["objects"][0]["keys"][0]["temperature"] = 293.15
    scene["world"]["ambient_temperature"] = 400.0
    (path / "scene.json").write_text(json.dumps(scene))
    words = [sys.executable, str(BAKER), str(path), "--melt", "0.9", "--threads", "1", "--patience"]
    events = {}
    for patience in ("0.001", "1000"):
        baker = BakerProcess([*words, patience])
        events[patience] = drain(baker)
        baker.close()
    assert "0.001 s of processor time" in events["0.001"][-1]["text"], events
    assert events["1000"][-1]["event"] == "melt", events
    # One that is told to stop does.
    baker = BakerProcess([*words, "1000"])
    baker.cancel()
    assert drain(baker)[-1]["result"] == "TLW_CANCELLED"
    baker.close()


@needs_library
def test_a_real_bake_can_be_paused(tmp_path):
    baker = start_real(tmp_path, 64, 50)
    drain(baker, is_frame)
    baker.pause()
    wait_until(lambda: is_asleep(baker))
    before = processor_time(baker)
    time.sleep(1.0)  # for a baker that does not stand still
    assert processor_time(baker) - before <= 0.03
    baker.cancel()
    drain(baker)


@needs_library
def test_a_real_bake_ends_when_blender_is_gone(tmp_path):
    baker = start_real(tmp_path, 64, 200)
    drain(baker, is_frame)
    baker.process.stdin.close()
    baker.process.wait(PATIENCE)
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
    drain(baker, is_frame)
    maps = Path(f"/proc/{baker.process.pid}/maps")
    loaded = maps.read_text() if maps.exists() else ""
    assert not loaded or all(str(tmp_path / "tallow" / "lib" / name) in loaded for name in names)
    drain(baker)
    assert baker.process.returncode == 0
