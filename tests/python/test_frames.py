import threading
from pathlib import Path

import numpy as np
import pytest
from tallow.core import frames, ply

TETRAHEDRON = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], np.int32)
NAMES = "x y z vx vy vz temperature melt rest_x rest_y rest_z material".split()


def write(path, faces=TETRAHEDRON, vertices=4, names=NAMES):
    rows = np.arange(len(names) * vertices, dtype="<f4").reshape(vertices, len(names))
    body = np.empty(len(faces), ply.TRIANGLE)
    body["count"], body["vertex"] = 3, faces
    header = ("ply\nformat binary_little_endian 1.0\n" + f"element vertex {vertices}\n"
              + "".join(f"property float {n}\n" for n in names)
              + f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n")
    path.write_bytes(header.encode() + rows.tobytes() + body.tobytes())
    return rows


def test_every_corner_knows_its_edge():
    edges, corner_edges = frames.find_edges(TETRAHEDRON.astype(np.uint32).ravel())
    assert len(edges) == 6 and len({tuple(edge) for edge in edges.tolist()}) == 6
    for corner, edge in enumerate(corner_edges):
        face, side = divmod(corner, 3)
        assert set(edges[edge].tolist()) == {TETRAHEDRON[face, side], TETRAHEDRON[face, (side + 1) % 3]}


def test_pairs_of_half_edges_are_the_edges_that_sorting_finds():
    n = 12
    i, j = (index.ravel() for index in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    a, b, c, d = i * n + j, (i + 1) % n * n + j, (i + 1) % n * n + (j + 1) % n, i * n + (j + 1) % n
    torus = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]).astype(np.uint32)
    first, second = torus.ravel(), np.roll(torus, -1, axis=1).ravel()
    edges, corner_edges = frames._pair_edges(first, second)
    other, other_edges = frames._sort_edges(first, second)
    assert len(edges) == len(other) == 3 * n * n
    assert np.array_equal(edges[corner_edges], other[other_edges])
    # One triangle turned over, or missing: then only sorting will do.
    turned = torus.copy()
    turned[3] = turned[3, ::-1]
    for faces in (turned, torus[1:], np.concatenate([torus, torus])):
        assert frames._pair_edges(faces.ravel(), np.roll(faces, -1, axis=1).ravel()) is None


def test_open_and_empty_meshes_have_edges_too():
    edges, corner_edges = frames.find_edges(np.array([0, 1, 2, 2, 1, 3], np.uint32))
    assert len(edges) == 5 and corner_edges.max() == 4
    edges, corner_edges = frames.find_edges(np.empty(0, np.uint32))
    assert edges.shape == (0, 2) and len(corner_edges) == 0


def test_a_frame_carries_its_attributes_in_blender_units(tmp_path):
    rows = write(tmp_path / "a.ply")
    frame = frames.prepare(tmp_path / "a.ply", 10.0, "NONE", [])
    assert np.allclose(frame.positions, rows[:, :3] * 10)
    assert np.allclose(frame.attributes["velocity"], rows[:, 3:6] * 10)
    assert np.allclose(frame.attributes["rest_position"], rows[:, 8:11] * 10)
    assert np.allclose(frame.attributes["melt"], rows[:, 7])
    assert set(frame.attributes) == {"velocity", "rest_position", "temperature", "celsius", "melt", "material"}
    assert "tallow_color" in frames.prepare(tmp_path / "a.ply", 1.0, "MELT", []).attributes


def test_whatever_a_file_holds_per_vertex_is_an_attribute(tmp_path):
    rows = write(tmp_path / "a.ply", names=[*NAMES, "ash", "flow_x", "flow_y", "flow_z", "odd_y", "x_axis"])
    found = frames.prepare(tmp_path / "a.ply", 10.0, "NONE", []).attributes
    # Not lengths: as in the file.
    assert np.allclose(found["ash"], rows[:, 12]) and np.allclose(found["flow"], rows[:, 13:16])
    assert np.allclose(found["odd_y"], rows[:, 16]) and np.allclose(found["x_axis"], rows[:, 17])
    assert {"velocity", "rest_position", "temperature", "celsius", "melt", "material"} < set(found)
    assert "flow_x" not in found


def test_a_file_with_places_alone_is_a_frame(tmp_path):
    write(tmp_path / "a.ply", names=["x", "y", "z"])
    assert frames.prepare(tmp_path / "a.ply", 1.0, "NONE", []).attributes == {}
    assert frames.prepare(tmp_path / "a.ply", 1.0, "MELT", []) is None  # nothing to colour it by
    write(tmp_path / "a.ply", names=["x", "y", "melt"])
    assert frames.prepare(tmp_path / "a.ply", 1.0, "NONE", []) is None


def test_an_empty_surface_is_a_frame(tmp_path):
    write(tmp_path / "a.ply", np.empty((0, 3), np.int32), 0)
    frame = frames.prepare(tmp_path / "a.ply", 1.0, "SPEED", [])
    assert len(frame.positions) == 0 and len(frame.corners) == 0


@pytest.mark.parametrize("faces", [[[0, 1, 4]], [[0, -1, 2]]])
def test_an_index_that_points_nowhere_is_refused(tmp_path, faces):
    write(tmp_path / "a.ply", np.array(faces, np.int32))
    assert frames.prepare(tmp_path / "a.ply", 1.0, "NONE", []) is None
    assert frames.prepare(tmp_path / "none.ply", 1.0, "NONE", []) is None


def test_reading_ahead_gives_what_was_asked_for():
    free, loaded = threading.Event(), []

    def load(path):
        here = threading.current_thread() is threading.main_thread()
        if not here:
            free.wait()
        loaded.append((str(path), here))
        return str(path)

    ahead = frames.ReadAhead(load)
    ahead.expect((Path("b"),))
    assert ahead.take((Path("a"),)) == "a"
    ahead.expect((Path("c"),))  # still busy with the first
    free.set()
    assert [ahead.take((Path(name),)) for name in "bbc"] == ["b", "b", "c"]
    assert loaded == [("a", True), ("b", False), ("b", True), ("c", True)]
