"""Attributes of the objects on the surface: from the origins in a mesh file to values."""

import json

import numpy as np
from tallow.core import carry, frames, ply

ORIGIN = [("triangle", "<u4"), ("u", "<u2"), ("v", "<u2")]
SEAM = [("face", "<u4")] + [(f"{name}_{n}", kind) for n in range(3) for name, kind in ORIGIN]
NONE = 2 ** 32 - 1
ALL = 65535


def entry(name, kind, domain, *columns):
    return {"name": name, "kind": kind, "domain": domain, "columns": list(columns)}


def write_object(folder, stem, attributes, columns, face_columns, materials=(None,), uv=None, color=None):
    """Two triangles, a unit square in x and y; with a split vertex the second is an island of its own."""
    positions = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    ply.write_mesh(folder / "meshes" / f"{stem}.ply", np.array(positions), [(0, 1, 2), (3, 4, 5)], columns,
                   {"material": [0, 1], **face_columns})
    return {"name": stem, "carry": {"mesh": f"meshes/{stem}.ply", "attributes": attributes, "uv": uv, "color": color,
                                    "materials": list(materials)}}


def write_scene(folder, *objects):
    (folder / "scene.json").write_text(json.dumps({"objects": [{"name": "Floor"}, *objects]}))
    return carry.load(folder)


def surface(origins, seams=(), faces=((0, 1, 2),)):
    corners = np.array(faces, np.uint32).ravel()
    return {"origin": np.array(origins, ORIGIN), "seam": np.array(list(seams), SEAM)}, corners


def find(layers, name):
    return next(layer for layer in layers if layer.name == name)


UV = entry("UVMap", "uv", "corner", "a0_0", "a0_1")
UV_COLUMNS = {"a0_0": [0, 1, 0, 5, 5, 4], "a0_1": [0, 0, 1, 0, 1, 1]}


def make(tmp_path, **changes):
    (tmp_path / "meshes").mkdir(exist_ok=True)
    return write_object(tmp_path, changes.pop("stem", "A"), [UV, entry("weight", "float", "point", "a1_0"),
                                                             entry("part", "int", "face", "a2_0"),
                                                             entry("number", "int", "point", "a3_0")],
                        {**UV_COLUMNS, "a1_0": [0, 1, 2, 1, 3, 2], "a3_0": [7, 8, 9, 8, 10, 9]}, {"a2_0": [40, 41]},
                        materials=("Skin", "Hair"), uv="UVMap", **changes)


def test_a_vertex_takes_the_mean_of_its_triangle(tmp_path):
    carried = write_scene(tmp_path, make(tmp_path))
    data, corners = surface([(0, 0, 0), (0, ALL, 0), (0, ALL // 4, ALL // 2)])
    layers = carried.layers(data, corners)
    uv, weight, number = (find(layers, name) for name in ("UVMap", "weight", "number"))
    assert uv.domain == "corner" and uv.active and np.allclose(uv.values, [(0, 0), (1, 0), (0.25, 0.5)], atol=1e-4)
    assert weight.domain == "point" and np.allclose(weight.values, [0, 1, 1.25], atol=1e-4)
    assert number.values.dtype == np.int32 and number.values.tolist() == [7, 8, 9], "a whole number is never a mean"


def test_faces_take_the_material_and_the_face_attributes_of_their_triangle(tmp_path):
    carried = write_scene(tmp_path, make(tmp_path))
    data, corners = surface([(0, 0, 0), (1, 0, 0), (0, 0, 0)], faces=((0, 2, 0), (1, 1, 1)))
    layers = carried.layers(data, corners)
    assert carried.materials == ["Skin", "Hair"] and find(layers, "material_index").values.tolist() == [0, 1]
    assert find(layers, "part").domain == "face" and find(layers, "part").values.tolist() == [40, 41]


def test_a_face_across_a_seam_has_corners_of_its_own(tmp_path):
    carried = write_scene(tmp_path, make(tmp_path))
    seam = (1, 1, 0, 0, 1, ALL, 0, 1, 0, ALL)  # the second face, all three corners in the second triangle
    data, corners = surface([(0, 0, 0), (0, ALL, 0), (1, 0, ALL), (0, 0, ALL)], [seam], ((0, 1, 3), (1, 2, 3)))
    layers = carried.layers(data, corners)
    assert np.allclose(find(layers, "UVMap").values, [(0, 0), (1, 0), (0, 1), (5, 0), (5, 1), (4, 1)], atol=1e-4)
    assert find(layers, "material_index").values.tolist() == [0, 1]


def test_what_comes_from_nowhere_is_zero(tmp_path):
    carried = write_scene(tmp_path, make(tmp_path))
    data, corners = surface([(NONE, 0, 0), (0, ALL, 0), (NONE, 0, 0)])
    layers = carried.layers(data, corners)
    assert find(layers, "UVMap").values[0].tolist() == [0, 0] and find(layers, "number").values.tolist() == [0, 8, 0]
    assert find(layers, "material_index").values.tolist() == [0]


def test_objects_share_names_and_the_first_name_for_the_uv_map(tmp_path):
    (tmp_path / "meshes").mkdir()
    attributes = [entry("Other", "uv", "corner", "a0_0", "a0_1"), entry("Col", "color", "point", *"rgba")]
    columns = {**UV_COLUMNS, **{name: [0.5] * 6 for name in "rgba"}}
    second = write_object(tmp_path, "B", attributes, columns, {}, materials=("Skin", None), uv="Other", color="Col")
    carried = write_scene(tmp_path, make(tmp_path), second)
    assert carried.materials == ["Skin", "Hair", None]
    data, corners = surface([(0, ALL, 0), (2, ALL, 0), (3, 0, 0)], faces=((0, 0, 0), (1, 1, 1), (2, 2, 2)))
    layers = carried.layers(data, corners)
    assert np.allclose(find(layers, "UVMap").values[::3], [(1, 0), (1, 0), (5, 0)], atol=1e-4)
    assert np.allclose(find(layers, "Other").values[::3], [(0, 0), (1, 0), (5, 0)], atol=1e-4)
    color = find(layers, "Col")
    assert np.allclose(color.values, [(0,) * 4, (0.5,) * 4, (0.5,) * 4], atol=1e-4) and color.active
    assert find(layers, "material_index").values.tolist() == [0, 0, 2]


def test_old_bakes_and_damaged_files_show_nothing_carried(tmp_path):
    carried = write_scene(tmp_path, make(tmp_path))
    data, corners = surface([(0, 0, 0)] * 3)
    assert carried.layers({}, corners) == ()
    data["seam"] = np.array([(9, *(0,) * 9)], SEAM)
    assert carried.layers(data, corners) == (), "a seam of a face that is not there"
    (tmp_path / "meshes" / "A.ply").write_bytes(b"ply\n")
    assert carry.load(tmp_path) is None
    (tmp_path / "scene.json").write_text('{"objects": [{"name": "A"}]}')
    assert carry.load(tmp_path) is None
    assert carry.load(tmp_path / "nowhere") is None


def test_a_frame_has_layers_only_with_something_to_carry(tmp_path):
    carried = write_scene(tmp_path, make(tmp_path))
    path = tmp_path / "mesh.ply"
    ply.write_mesh(path, np.eye(3), [(0, 1, 2)])
    assert frames.prepare(path, 1.0, "NONE", []).layers == ()
    assert frames.prepare(path, 1.0, "NONE", [], carried=carried).layers == ()
    head, body = path.read_bytes().split(b"end_header\n", 1)
    row = (("triangle", "uint"), ("u", "ushort"), ("v", "ushort"))
    more = "".join(f"property {kind} {name}\n" for name, kind in row).encode()
    seam = "property uint face\n" + "".join(f"property {kind} {name}_{n}\n" for n in range(3) for name, kind in row)
    seam = seam.encode()
    path.write_bytes(head + b"element origin 3\n" + more + b"element seam 0\n" + seam + b"end_header\n" + body
                     + np.array([(0, 0, 0), (0, ALL, 0), (0, 0, ALL)], ORIGIN).tobytes())
    layers = frames.prepare(path, 1.0, "NONE", [], carried=carried).layers
    assert np.allclose(find(layers, "UVMap").values, [(0, 0), (1, 0), (0, 1)], atol=1e-4)
