import numpy as np
import pytest
from tallow.core import ply


def cube():
    points = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float32)
    return points, np.array([[0, 1, 2], [1, 3, 2], [4, 6, 5]], np.int32)


def test_mesh_comes_back_as_it_was_written(tmp_path):
    points, faces = cube()
    ply.write_mesh(tmp_path / "a.ply", points, faces)
    data = ply.read(tmp_path / "a.ply")
    assert np.array_equal(ply.columns(data["vertex"], "x", "y", "z"), points)
    assert np.array_equal(data["face"]["vertex_indices"], faces)
    assert list(tmp_path.iterdir()) == [tmp_path / "a.ply"]


def test_rows_have_the_size_that_the_format_promises(tmp_path):
    points, faces = cube()
    ply.write_mesh(tmp_path / "a.ply", points, faces)
    data = (tmp_path / "a.ply").read_bytes()
    assert len(data) - data.index(b"end_header\n") - 11 == 12 * len(points) + 13 * len(faces)


def test_mixed_columns_are_read(tmp_path):
    rows = np.zeros(3, np.dtype([("x", "<f4"), ("material", "u1"), ("id", "<u4")]))
    rows["x"], rows["material"], rows["id"] = (1, 2, 3), (0, 1, 2), (7, 8, 2 ** 31)
    header = ("ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty uchar material\n"
              "property uint id\nend_header\n")
    (tmp_path / "p.ply").write_bytes(header.encode() + rows.tobytes())
    got = ply.read(tmp_path / "p.ply")["vertex"]
    assert np.array_equal(got["id"], rows["id"]) and np.array_equal(ply.columns(got, "x"), [1, 2, 3])
    assert ply.columns(got, "x", "material").shape == (3, 2)


@pytest.mark.parametrize("damage",
                         [b"", b"ply\n", b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n",
                          b"ply\nformat binary_little_endian 1.0\nelement vertex 9\nproperty float x\nend_header\n1234",
                          b"ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty quaternion x\n"
                          b"end_header\n1234"])
def test_damaged_files_are_refused(tmp_path, damage):
    (tmp_path / "bad.ply").write_bytes(damage)
    with pytest.raises(ply.PlyError):
        ply.read(tmp_path / "bad.ply")


def test_faces_that_are_not_triangles_are_refused(tmp_path):
    points, faces = cube()
    ply.write_mesh(tmp_path / "a.ply", points, faces)
    data = bytearray((tmp_path / "a.ply").read_bytes())
    data[-13] = 4
    (tmp_path / "a.ply").write_bytes(bytes(data))
    with pytest.raises(ply.PlyError):
        ply.read(tmp_path / "a.ply")
