import zlib

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


def pack(rows, faces=None, ushort=()):
    """A compact file as the library writes it: byte planes, 16 bits of a range, differences."""
    def planes(numbers):
        return numbers.view("u1").reshape(len(numbers), -1).T.tobytes()
    kinds = {"<f4": "float", "|u1": "uchar", "<u4": "uint"}
    header, columns, body = f"ply\nformat tallow_compact 1.0\nelement vertex {len(rows)}\n", "", b""
    for name in rows.dtype.names:
        header += f"property {kinds[rows.dtype[name].str]} {name}\n"
        numbers, coding = np.ascontiguousarray(rows[name]), "planes"
        if name in ushort:
            low, high = float(numbers.min()), float(numbers.max())
            numbers = np.round((numbers - low) / max(high - low, 1e-30) * 65535).astype("<u2")
            coding = f"ushort {low:.9g} {high:.9g}"
        elif name == "id":
            numbers, coding = np.diff(numbers, prepend=np.uint32(0)).astype("<u4"), "delta"
        packed = zlib.compress(planes(numbers))
        columns += f"comment column {name} {coding} {len(packed)}\n"
        body += packed
    if faces is not None:
        header += f"element face {len(faces)}\nproperty list uchar int vertex_indices\n"
        packed = zlib.compress(planes(np.diff(faces.ravel(), prepend=np.int32(0)).astype("<i4")))
        columns += f"comment column vertex_indices delta {len(packed)}\n"
        body += packed
    return (header + columns + "end_header\n").encode() + body


def wavy(count=500):
    rows = np.zeros(count, np.dtype([(name, "<f4") for name in ("x", "y", "z", "vx", "vy", "vz", "melt")]))
    for place, name in enumerate(rows.dtype.names):
        rows[name] = np.sin(0.01 * np.arange(count) * (place + 1))
    rows["melt"] = np.linspace(0, 1, count)
    return rows, np.arange(3 * count, dtype=np.int32).reshape(-1, 3) % count


def test_compact_meshes_are_read(tmp_path):
    rows, faces = wavy()
    (tmp_path / "m.ply").write_bytes(pack(rows, faces, ("vx", "vy", "vz", "melt")))
    data = ply.read(tmp_path / "m.ply")
    assert np.array_equal(ply.columns(data["vertex"], "x", "y", "z"), ply.columns(rows, "x", "y", "z"))
    velocities = [ply.columns(table, "vx", "vy", "vz") for table in (data["vertex"], rows)]
    assert np.allclose(*velocities, atol=2e-5)
    melt = data["vertex"]["melt"]
    assert melt[0] == 0.0 and melt[-1] == 1.0 and melt.max() == 1.0
    assert np.array_equal(data["face"]["vertex_indices"], faces)


def test_compact_particles_are_read(tmp_path):
    rows = np.zeros(300, np.dtype([("x", "<f4"), ("material", "u1"), ("id", "<u4")]))
    rows["x"], rows["material"] = np.linspace(2, 3, 300), np.arange(300) % 7
    rows["id"] = (np.arange(300) * 2 ** 25) % 2 ** 32
    (tmp_path / "p.ply").write_bytes(pack(rows, ushort=("x",)))
    got = ply.read(tmp_path / "p.ply")["vertex"]
    assert np.array_equal(got["id"], rows["id"]) and np.array_equal(got["material"], rows["material"])
    assert np.allclose(got["x"], rows["x"], atol=2e-5)


def test_damaged_compact_files_are_refused(tmp_path):
    content = pack(*wavy(), ("vx",))
    for place in range(0, len(content), 97):
        (tmp_path / "m.ply").write_bytes(content[:place])
        with pytest.raises(ply.PlyError):
            ply.read(tmp_path / "m.ply")
    for words in ((b"column x planes", b"column x ushort"), (b"column x planes", b"column q planes"),
                  (b"element vertex 500", b"element vertex 501"),
                  (b"element vertex 500", b"element vertex 99999999999")):
        (tmp_path / "m.ply").write_bytes(content.replace(*words))
        with pytest.raises(ply.PlyError):
            ply.read(tmp_path / "m.ply")


def test_an_empty_compact_file_has_no_rows(tmp_path):
    (tmp_path / "m.ply").write_bytes(b"ply\nformat tallow_compact 1.0\nelement vertex 0\nend_header\n")
    assert len(ply.read(tmp_path / "m.ply")["vertex"]) == 0
