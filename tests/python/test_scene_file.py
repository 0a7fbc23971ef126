import json

import numpy as np
import pytest
from tallow.core import scene_file
from tallow.core.scene_file import SceneData, SceneWriter, difference, merge_keys

POINTS = np.zeros((3, 3), np.float32)
FACES = np.array([[0, 1, 2]], np.int32)


def make(folder, **changes):
    writer = SceneWriter(folder)
    path = writer.write_mesh(writer.unique_stem("Suzanne"), POINTS, FACES)
    scene = SceneData(name="A", frames={"start": 1, "end": 10, "fps": 24.0}, domain={"cell_size": 0.1},
                      world={"gravity": [0, 0, -9.81]},
                      solver={"cfl": 2.0, "threads": 0}, output={"vdb": True},
                      materials=[{"name": "Wax", "viscosity": [[293.15, 0.001]]}],
                      objects=[{"name": "Suzanne", "role": "liquid", "mesh": path,
                                "material": "Wax", "keys": [{"time": 0.0}]}])
    for name, value in changes.items():
        setattr(scene, name, value)
    writer.write_scene(scene)
    return folder


def test_scene_file_is_valid_and_complete(tmp_path):
    scene = json.loads((make(tmp_path) / "scene.json").read_text())
    assert (scene["format"], scene["version"]) == ("tallow-scene", 1)
    assert set(scene) == {"format", "version", "name", "frames", "domain", "world", "solver", "output", "materials",
                          "objects", "forces", "joints", "display"}
    assert (tmp_path / scene["objects"][0]["mesh"]).is_file()


def test_number_lists_stay_on_one_line_and_values_survive(tmp_path):
    make(tmp_path, world={"gravity": [0.0, -1e-7, -9.81], "names": ["a", "b"]})
    text = (tmp_path / "scene.json").read_text()
    assert '"gravity": [0.0, -1e-07, -9.81]' in text
    assert json.loads(text)["world"] == {"gravity": [0.0, -1e-7, -9.81], "names": ["a", "b"]}


def test_a_number_that_is_not_finite_is_never_written(tmp_path):
    with pytest.raises(ValueError):
        make(tmp_path, world={"gravity": [float("nan")]})


def test_file_names_are_safe_and_unique(tmp_path):
    writer = SceneWriter(tmp_path)
    names = [writer.unique_stem(name) for name in ("Cube", "cube", "../../etc/passwd", "", "☃", "x" * 300)]
    assert len({name.lower() for name in names}) == 6
    assert all(set(name) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") for name in names)


def test_keys_that_say_nothing_new_are_left_out():
    still = [{"time": t, "position": [0, 0, 0]} for t in range(5)]
    assert merge_keys(still) == still[:1]
    moved = [{"time": t, "position": [max(0, t - 2), 0, 0]} for t in range(5)]
    assert [key["time"] for key in merge_keys(moved)] == [0, 2, 3, 4]


def test_range_name_output_and_threads_do_not_make_another_scene(tmp_path):
    a = make(tmp_path / "a")
    b = make(tmp_path / "b", name="B", frames={"start": 1, "end": 99, "fps": 24.0}, output={"vdb": False},
             solver={"cfl": 2.0, "threads": 8})
    assert difference(a, b) is None


@pytest.mark.parametrize("change, words",
                         [({"world": {"gravity": [0, 0, 0]}}, "world"), ({"domain": {"cell_size": 0.2}}, "domain"),
                          ({"frames": {"start": 2, "end": 10, "fps": 24.0}}, "start frame"),
                          ({"materials": [{"name": "Wax", "viscosity": [[293.15, 0.0011]]}]}, "material"),
                                           ({"objects": []}, "Suzanne")])
def test_a_change_is_named(tmp_path, change, words):
    assert words in difference(make(tmp_path / "a"), make(tmp_path / "b", **change))


def moving(tmp_path, name, heights, last):
    """A solid with a key per frame, merged as the exporter does it, and a wind that follows it."""
    keys = merge_keys([{"time": scene_file.number(i / 24), "position": [0, 0, z]} for i, z in enumerate(heights)])
    return make(tmp_path / name, frames={"start": 1, "end": last, "fps": 24.0},
                objects=[{"name": "Mover", "role": "solid", "keys": keys}],
                forces=[{"name": "Wind", "keys": keys}])


@pytest.mark.parametrize("heights, later",
                         [([0, 1, 2], [0, 1, 2, 9, 4]), ([3, 3, 3], [3, 3, 3, 3, 4, 4]), ([0, 3, 3], [0, 3, 3, 3, 5]),
                                            ([0, 1, 2, 5], [0, 1, 2, 7, 7, 8])])
def test_what_moves_after_the_old_last_frame_is_no_change(tmp_path, heights, later):
    a, b = moving(tmp_path, "a", heights, 3), moving(tmp_path, "b", later, len(later))
    assert difference(a, b) is None and difference(b, a) is None


@pytest.mark.parametrize("later", [[0, 1.5, 2, 3], [0, 1, 2.5, 3], [0, 0, 0, 0], [0, 1, 1, 2]])
def test_what_moves_before_it_is_a_change(tmp_path, later):
    a, b = moving(tmp_path, "a", [0, 1, 2], 3), moving(tmp_path, "b", later, 4)
    assert difference(a, b) == "the object Mover and the force field Wind"
    for folder in (a, b):
        scene = json.loads((folder / "scene.json").read_text())
        (folder / "scene.json").write_text(json.dumps({**scene, "forces": []}))
    assert difference(a, b) == "the object Mover"


def test_deforming_meshes_count_up_to_the_old_last_frame(tmp_path):
    def sheet(name, last):
        folder = make(tmp_path / name, frames={"start": 1, "end": last, "fps": 24.0}, objects=[
            {"name": "Sheet", "role": "solid", "keys": [],
             "deform": {"pattern": "meshes/s_%06d.ply", "first": 1, "last": last}}])
        for frame in range(1, last + 1):
            (folder / "meshes" / f"s_{frame:06d}.ply").write_bytes(b"%d" % frame)
        return folder
    a, b = sheet("a", 3), sheet("b", 6)
    assert difference(a, b) is None
    (b / "meshes" / "s_000005.ply").write_bytes(b"other")
    assert difference(a, b) is None
    (b / "meshes" / "s_000003.ply").write_bytes(b"other")
    assert difference(a, b) == "the mesh of Sheet"


def test_a_changed_mesh_is_named(tmp_path):
    a, b = make(tmp_path / "a"), make(tmp_path / "b")
    (b / "meshes" / "Suzanne.ply").write_bytes(b"other")
    assert difference(a, b) == "the mesh of Suzanne"
    assert "missing" in difference(tmp_path / "none", b)


def test_going_there_and_back_is_no_change():
    assert scene_file.vector([0.05 + 0.3 - 0.05, -1e-9]) == [0.3, 0.0]


def joint(x):
    return [{"name": "Axle", "kind": "hinge", "a": "Wheel", "b": None, "anchor": [x, 0.0, 2.5],
             "axis": [0.0, 1.0, 0.0]}]


def test_what_floats_lose_on_the_way_back_is_no_change(tmp_path):
    a, b = make(tmp_path / "a", joints=joint(1e-7)), make(tmp_path / "b", joints=joint(8e-7))
    assert difference(a, b) is None
    assert difference(a, make(tmp_path / "c", joints=joint(1e-5))) == "the joint Axle"
    shifted = SceneWriter(tmp_path / "b")
    shifted.write_mesh("Suzanne", np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1]]), FACES)
    assert difference(a, b) == "the mesh of Suzanne"
    SceneWriter(tmp_path / "a").write_mesh("Suzanne", np.array([[0, 3e-7, 0], [0, 0, 0], [0, 0, 1]]), FACES)
    assert difference(a, b) is None


def test_a_bake_that_goes_on_keeps_its_scene_to_the_last_digit(tmp_path):
    a = make(tmp_path / "a", joints=joint(1e-7))
    b = make(tmp_path / "b", joints=joint(2e-7), frames={"start": 1, "end": 99, "fps": 24.0},
             solver={"cfl": 2.0, "threads": 8})
    scene_file.go_on(a, b)
    scene = json.loads((a / "scene.json").read_text())
    assert scene["joints"] == joint(1e-7)
    assert scene["frames"]["end"] == 99 and scene["solver"] == {"cfl": 2.0, "threads": 8}


def test_what_the_surface_carries_is_free_to_change(tmp_path):
    for name, materials in (("old", ["Skin"]), ("new", ["Renamed"])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "scene.json").write_text(json.dumps(
            {"frames": {"end": 3}, "objects": [{"name": "Wax", "keys": [], "carry": {"materials": materials}}]}))
    assert scene_file.difference(tmp_path / "old", tmp_path / "new") is None


def airy(tmp_path, name, values, last):
    keys = [{"time": scene_file.number(i / 24), "ambient_temperature": value, "gravity": [0, 0, -9.81]}
            for i, value in enumerate(values)]
    return make(tmp_path / name, frames={"start": 1, "end": last, "fps": 24.0}, world=scene_file.world_with_keys(keys))


def test_keys_of_the_world_count_up_to_the_old_last_frame(tmp_path):
    a, b = airy(tmp_path, "a", [300, 300, 300], 3), airy(tmp_path, "b", [300, 300, 300, 300, 310], 4)
    assert "keys" not in json.loads((a / "scene.json").read_text())["world"]
    assert difference(a, b) is None and difference(b, a) is None
    assert difference(a, airy(tmp_path, "c", [300, 300, 301, 302], 4)) == "the world"
    scene_file.go_on(a, b)
    world = json.loads((a / "scene.json").read_text())["world"]
    assert world["keys"][-1]["ambient_temperature"] == 310 and "time_scale" not in world
    assert [key["ambient_temperature"] for key in world["keys"]][:-1] == [300, 300]


def renamed(folder, name, second="Spoon", **members):
    """A scene with two objects, each with its own mesh, the second under the name that is given."""
    writer = SceneWriter(folder)
    made = [(name, {"role": "liquid", "material": "Wax", **members}), (second, {"role": "solid"})]
    objects = [{"name": title, "mesh": writer.write_mesh(writer.unique_stem(title), POINTS + i, FACES),
                "keys": [{"time": 0.0}], **rest} for i, (title, rest) in enumerate(made)]
    scene = SceneData(name="A", frames={"start": 1, "end": 10, "fps": 24.0}, domain={"cell_size": 0.1}, world={},
                      solver={"threads": 0}, output={}, materials=[{"name": "Wax", "density": 900.0}],
                      objects=sorted(objects, key=lambda obj: obj["name"]),
                      joints=[{"name": "Axle", "a": name, "b": None, "anchor": [0, 0, 1]}])
    writer.write_scene(scene)
    return folder


def test_another_name_is_no_change(tmp_path):
    a, b = renamed(tmp_path / "a", "Candle"), renamed(tmp_path / "b", "Zebra")
    scene = json.loads((b / "scene.json").read_text())
    scene["materials"][0]["name"] = scene["objects"][1]["material"] = "My Wax"
    scene["frames"]["end"] = 20
    (b / "scene.json").write_text(json.dumps(scene))
    assert difference(a, b) is None
    scene_file.go_on(a, b)
    went_on = json.loads((a / "scene.json").read_text())
    assert [obj["name"] for obj in went_on["objects"]] == ["Candle", "Spoon"] and went_on["frames"]["end"] == 20


def test_all_that_changed_is_named(tmp_path):
    a = renamed(tmp_path / "a", "Candle")
    b = renamed(tmp_path / "b", "Candle", second="Fork", velocity=[0, 0, 1])
    scene = json.loads((b / "scene.json").read_text())
    scene["world"], scene["materials"][0]["density"] = {"gravity": [0, 0, 0]}, 800.0
    (b / "scene.json").write_text(json.dumps(scene))
    text = difference(a, b)
    for words in ("the world", "the object Candle", "the material Wax"):
        assert words in text, text
    assert difference(a, renamed(tmp_path / "c", "Candle", second="Fork")) is None
    (tmp_path / "c" / "meshes" / "Fork.ply").write_bytes(b"other")
    assert difference(a, tmp_path / "c") == "the mesh of Fork"
