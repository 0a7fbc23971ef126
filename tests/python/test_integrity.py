import json

import numpy as np
from tallow.core import integrity, ply
from tallow.core.cache import Cache
from tallow.core.integrity import DAMAGED, MISSING, Fault, Inspector, describe, ranges, sentence


def make(folder, frames=(1, 2, 3, 4)):
    for name in ("mesh", "particles", "rigid", "scene"):
        (folder / name).mkdir(parents=True)
    for frame in frames:
        for kind in ("mesh", "particles"):
            ply.write_mesh(folder / kind / f"{kind}_{frame:06d}.ply", np.zeros((3, 3)), [[0, 1, 2]])
        (folder / "rigid" / f"rigid_{frame:06d}.json").write_text('{"bodies": []}')
    (folder / "scene" / "scene.json").write_text(json.dumps({"output": {"particles": True},
                                                             "objects": [{"name": "Ball", "role": "rigid"}]}))
    (folder / "bake.json").write_text(json.dumps({"frames": [{"frame": frame} for frame in frames]}))
    cache = Cache(folder)
    cache.refresh()
    return Inspector(cache)


def test_whole_files_have_no_faults(tmp_path):
    assert make(tmp_path).faults() == []


def test_missing_and_short_files_are_found_and_found_whole_again(tmp_path):
    inspector = make(tmp_path)
    path = tmp_path / "mesh" / "mesh_000002.ply"
    content = path.read_bytes()
    path.unlink()
    assert inspector.faults() == [Fault(2, "surface", MISSING)]
    path.write_bytes(content[:-1])
    assert inspector.faults() == [Fault(2, "surface", DAMAGED)] == inspector.look_at(2)
    path.write_bytes(b"")
    assert inspector.look_at(2) == [Fault(2, "surface", DAMAGED)]
    path.write_bytes(content)
    assert inspector.look_at(2) == []
    (tmp_path / "rigid" / "rigid_000004.json").write_text("{")
    assert inspector.look_at(4) == [Fault(4, "bodies", DAMAGED)] and inspector.look_at(4, ("surface",)) == []


def test_many_frames_are_looked_at_in_parts(tmp_path):
    inspector = make(tmp_path)
    (tmp_path / "mesh" / "mesh_000004.ply").unlink()
    assert inspector.faults(most=3) == [] and inspector.faults(most=3) == [Fault(4, "surface", MISSING)]
    assert inspector.faults(most=3) == [Fault(4, "surface", MISSING)]


def test_a_bake_without_bodies_or_particles_misses_none(tmp_path):
    inspector = make(tmp_path)
    (tmp_path / "scene" / "scene.json").write_text('{"output": {"particles": false}, "objects": []}')
    for path in [*(tmp_path / "particles").iterdir(), *(tmp_path / "rigid").iterdir()]:
        path.unlink()
    assert inspector.faults() == []


def test_frames_are_named_in_words():
    assert ranges([5]) == "5" and ranges([5, 6]) == "5 and 6" and ranges([9, 1, 2, 3]) == "1 to 3 and 9"
    assert ranges(list(range(0, 40, 2))) == "0, 2, 4, 6, 8, 10 and 14 more"
    faults = [Fault(3, "surface", MISSING), Fault(4, "surface", MISSING), Fault(3, "bodies", DAMAGED)]
    assert describe(faults) == ["The surface files of frames 3 and 4 are missing",
                                "The bodies file of frame 3 is damaged"]
    assert sentence(faults[::2]) == "Frame 3: its surface file is missing and its bodies file is damaged"
    assert sentence([]) == "" and integrity.describe([]) == []
