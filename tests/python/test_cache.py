import json
from datetime import datetime

from tallow.core import cache as cache_files
from tallow.core.cache import Cache


def fill(folder, frames=(1, 2, 5)):
    for place, name in (("mesh", "mesh_{:06d}.ply"), ("surface", "surface_{:06d}.vdb"), ("rigid", "rigid_{:06d}.json"),
                        ("particles", "particles_{:06d}.ply"), ("state", "state_{:06d}.tlw")):
        (folder / place).mkdir(parents=True, exist_ok=True)
        for frame in frames:
            (folder / place / name.format(frame)).write_text("{}")
    (folder / "scene" / "meshes").mkdir(parents=True, exist_ok=True)
    (folder / "scene" / "scene.json").write_text(json.dumps({"materials": [{"name": "Paraffin"}]}))
    (folder / "scene" / "meshes" / "Suzanne.ply").write_text("x")
    (folder / "bake.json").write_text(json.dumps({"frames": [{"frame": frame} for frame in frames]}))


def test_the_nearest_earlier_frame_is_shown(tmp_path):
    fill(tmp_path)
    cache = Cache(tmp_path)
    assert cache.refresh() and not cache.refresh()
    assert [cache.nearest(frame) for frame in (-3, 1, 3, 4, 5, 99)] == [1, 1, 2, 2, 5, 5]
    assert cache.materials == [{"name": "Paraffin"}]


def test_a_missing_or_damaged_cache_is_empty_and_raises_nothing(tmp_path):
    cache = Cache(tmp_path)
    cache.refresh()
    assert cache.nearest(1) is None and cache.particles(1) is None and cache.bodies(1) == [] and cache.materials == []
    for text in ("", "[]", "{\"frames\": [{}]}", "{\"frames\": 3}", "\x00"):
        (tmp_path / "bake.json").write_text(text)
        cache.refresh()
        assert cache.nearest(1) is None


def test_new_frames_are_noticed(tmp_path):
    fill(tmp_path, (1,))
    cache = Cache(tmp_path)
    cache.refresh()
    fill(tmp_path, (1, 2))
    assert cache.refresh() and cache.order == [1, 2]


def test_free_deletes_only_what_tallow_wrote(tmp_path):
    bake = tmp_path / "bake_20260101_000000"
    fill(bake)
    mine = [bake / "notes.txt", bake / "mesh" / "mesh_1.ply", bake / "mesh" / "my_mesh_000001.ply",
            bake / "surface" / "surface_000001.vdb.bak", bake / "scene" / "old.json"]
    for path in mine:
        path.write_text("precious")
    (bake / "mesh" / "mesh_000009.ply.tmp12").write_text("an interrupted write")
    freed = cache_files.free(bake)
    assert freed.left == len(mine) and all(path.read_text() == "precious" for path in mine)
    assert not (bake / "bake.json").exists() and not (bake / "rigid").exists()
    assert freed.files == 5 * 3 + 3 + 1


def test_free_removes_the_folder_when_nothing_else_is_in_it(tmp_path):
    bake = tmp_path / "bake_20260101_000000"
    fill(bake)
    assert cache_files.free(bake).left == 0 and not bake.exists()
    assert cache_files.free(bake).files == 0


def test_free_does_not_follow_links(tmp_path):
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (outside / "mesh_000001.ply").write_text("precious")
    bake = tmp_path / "bake_20260101_000000"
    (bake / "mesh").mkdir(parents=True)
    (bake / "mesh" / "mesh_000002.ply").symlink_to(outside / "mesh_000001.ply")
    (bake / "rigid").symlink_to(outside)
    cache_files.free(bake)
    assert (outside / "mesh_000001.ply").read_text() == "precious"


def test_every_bake_gets_a_folder_of_its_own(tmp_path):
    now = datetime(2026, 1, 2, 3, 4, 5)
    folders = [cache_files.new_bake_folder(tmp_path / "deep" / "cache", now) for _ in range(3)]
    assert [folder.name for folder in folders] == ["bake_20260102_030405", "bake_20260102_030405_2",
                                                   "bake_20260102_030405_3"]
    (tmp_path / "deep" / "cache" / "other").mkdir()
    assert cache_files.bakes(tmp_path / "deep" / "cache") == folders
