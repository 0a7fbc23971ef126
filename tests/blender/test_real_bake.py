"""The whole path with the native library: a marked mesh, a bake, playback, Cycles."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import bpy
import numpy as np
import scenes

ROOT = Path(__file__).resolve().parents[2]
INSTALL = """
import bpy, addon_utils, sys
from pathlib import Path
archive, out = sys.argv[sys.argv.index("--") + 1:]
bpy.ops.preferences.addon_install(filepath=archive)
addon_utils.enable("tallow", default_set=True)
import tallow
bpy.ops.tallow.ready_scene(name="toothpaste")
scene = bpy.context.scene
scene.frame_end, scene.tallow.resolution, scene.tallow.cache_folder = 2, 16, out
assert bpy.ops.tallow.bake() == {"FINISHED"}
assert len(scene.tallow.surface_object.data.polygons)
print("INSTALLED", Path(tallow.__file__).parent)
"""


def library_is_there():
    from tallow.baker import library
    path = next((path for path in library.candidates() if path.is_file()), None)
    # Looked for in the file, not loaded: Blender's process never loads it.
    return path is not None and b"tlwBake\0" in path.read_bytes()


def stats(scene):
    from tallow import playback
    cache = playback.cache_of(scene)
    return [cache.frames[frame] for frame in cache.order]


def middle(scene):
    return scenes.positions(scene.tallow.surface_object.data).mean(axis=0)


def test_a_drop_falls_as_gravity_says_and_renders(folder):
    if not library_is_there():
        return "SKIP"
    scenes.clear()
    scene = bpy.context.scene
    drop = scenes.add_box("Drop", 0.3, (0.0, 0.0, 0.9))
    drop.tallow.role = "LIQUID"
    floor = scenes.add_box("Floor", 1.2, (0.0, 0.0, -0.6))
    floor.tallow.role = "SOLID"
    from mathutils import Vector
    from tallow.model import domain, staging
    domain.place(domain.ensure(scene), Vector((-0.6, -0.6, -0.1)), Vector((0.6, 0.6, 1.1)))
    scene.tallow.resolution, scene.tallow.cache_folder = 32, str(folder)
    scene.frame_start, scene.frame_end = 1, 8
    assert bpy.ops.tallow.bake() == {"FINISHED"}
    scene.frame_set(1)
    start = middle(scene)
    assert np.allclose(start, (0, 0, 0.9), atol=0.02)
    scene.frame_set(8)
    fallen = start[2] - middle(scene)[2]
    expected = 0.5 * 9.81 * (7 / 24) ** 2
    assert abs(fallen - expected) < 0.06 * expected, (fallen, expected)
    frames = stats(scene)
    assert len(frames) == 8
    for entry in frames:
        assert abs(entry["particle_volume"] / entry["target_volume"] - 1) < 0.01
        assert abs(entry["mesh_volume"] / 0.027 - 1) < 0.05
    staging.ensure_camera_and_light(scene)
    bpy.ops.tallow.add_material(style="AUTO")
    pictures = []
    for frame in (1, 8):
        scene.frame_set(frame)
        pictures.append(scenes.render(folder / f"{frame}.png"))
    assert pictures[0].std() > 0.01 and np.abs(pictures[0] - pictures[1]).mean() > 0.003


def test_wax_on_a_hot_plate_melts(folder):
    if not library_is_there():
        return "SKIP"
    scenes.clear()
    scene = bpy.context.scene
    scenes.select(scenes.add_box("Wax", 0.1, (0.0, 0.0, 0.05)))
    bpy.ops.tallow.quick_melt(frames=24, resolution=24)
    scene.tallow.cache_folder = str(folder)
    began = time.monotonic()
    bpy.ops.tallow.bake()
    frames = stats(scene)
    print(f"MEASURED wax cube at 24 cells, 24 frames: {time.monotonic() - began:.1f} s, "
          f"molten {frames[-1]['melted']:.2f}", flush=True)
    assert frames[0]["melted"] < 0.01 < frames[-1]["melted"]
    scene.frame_set(24)
    mesh = scene.tallow.surface_object.data
    melt, heat = (np.empty(len(mesh.vertices), np.float32) for _ in range(2))
    mesh.attributes["melt"].data.foreach_get("value", melt)
    mesh.attributes["temperature"].data.foreach_get("value", heat)
    assert melt.max() > 0.5 and heat.max() > 333.0 and heat.min() > 280.0


def test_a_light_body_rises_in_water_and_the_object_follows(folder):
    if not library_is_there():
        return "SKIP"
    scenes.clear()
    scene = bpy.context.scene
    water = scenes.add_box("Water", 0.8, (0.0, 0.0, 0.4))
    water.tallow.role = "LIQUID"
    cork = scenes.add_box("Cork", 0.25, (0.0, 0.0, 0.4))
    cork.tallow.role, cork.tallow.density = "RIGID", 300.0
    from mathutils import Vector
    from tallow.model import domain
    domain.place(domain.ensure(scene), Vector((-0.4, -0.4, 0.0)), Vector((0.4, 0.4, 1.2)))
    scene.tallow.resolution, scene.tallow.cache_folder = 24, str(folder)
    scene.frame_start, scene.frame_end = 1, 8
    bpy.ops.tallow.bake()
    scene.frame_set(8)
    assert cork.matrix_world.translation.z > 0.42
    bpy.ops.tallow.free()
    assert abs(cork.matrix_world.translation.z - 0.4) < 1e-5


def test_volumes_can_be_added(folder):
    if not library_is_there():
        return "SKIP"
    scenes.wax_in_a_box(folder, frames=3)
    scene = bpy.context.scene
    bpy.ops.tallow.bake()
    assert bpy.ops.tallow.add_volume() == {"FINISHED"}
    volume = scene.tallow.volume_object.data
    for frame in (1, 3):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        shown = graph.id_eval_get(volume) if hasattr(graph, "id_eval_get") else volume.evaluated_get(graph)
        grids = shown.grids
        assert grids.load()
        assert {"surface", "temperature", "viscosity", "velocity"} <= {grid.name for grid in grids}


def test_a_longer_range_resumes(folder):
    if not library_is_there():
        return "SKIP"
    scenes.wax_in_a_box(folder, frames=3)
    scene = bpy.context.scene
    paddle = scenes.add_box("Paddle", 0.1, (0.0, 0.0, 0.1))
    paddle.tallow.role = "SOLID"
    for frame in (1, 9):  # it moves on in the longer range
        paddle.location.x = 0.01 * frame
        paddle.keyframe_insert("location", frame=frame)
    bpy.ops.tallow.bake()
    first = json.loads((Path(scene.tallow.bake_path) / "bake.json").read_text())["frames"]
    scene.frame_end = 5
    bpy.ops.tallow.resume()
    frames = stats(scene)
    assert [entry["frame"] for entry in frames] == [1, 2, 3, 4, 5] and frames[:3] == first


def test_what_the_library_warns_of_reaches_the_panel(folder):
    if not library_is_there():
        return "SKIP"
    wax = scenes.wax_in_a_box(folder, frames=1)
    milk = scenes.add_box("Milk", 0.2, wax.location)
    milk.tallow.role = "LIQUID"
    tap = scenes.add_box("Tap", 0.2, wax.location)
    tap.tallow.role, tap.tallow.velocity, tap.scale.z = "INFLOW", (0.0, 0.0, -1.0), 0.02
    bpy.context.view_layer.update()
    bpy.ops.tallow.bake()
    from tallow.baking import job
    warnings = job.status_of(bpy.context.scene).warnings
    assert any("Milk and Wax overlap" in text and "only Milk" in text for text in warnings), warnings
    assert any(text.startswith("Tap is 0.004 m thin, less than a cell") for text in warnings), warnings


def test_bad_scenes_are_one_sentence(folder):
    if not library_is_there():
        return "SKIP"
    wax = scenes.wax_in_a_box(folder, frames=3)
    wax.data.vertices[0].co.x = float("nan")
    text = scenes.expect_error(bpy.ops.tallow.bake, "Wax")
    assert len(text.strip().splitlines()) == 1


def test_melting_stays_calm(folder):
    """Half-frozen cells once fed the pressure until speeds were infinite, four frames after the start."""
    if not library_is_there():
        return "SKIP"
    from tallow import demo
    demo.build("ice_cube", frames=8)
    bpy.context.scene.tallow.cache_folder = str(folder)
    assert bpy.ops.tallow.bake() == {"FINISHED"}
    frames = stats(bpy.context.scene)
    assert len(frames) == 8 and max(entry["max_speed"] for entry in frames) < 2.0


def test_the_release_zip_installs_and_bakes(folder):
    if not library_is_there() or os.environ.get("TALLOW_LIBRARY"):  # a library from elsewhere is packed elsewhere
        return "SKIP"
    subprocess.run([sys.executable, str(ROOT / "addon" / "package.py"), "--out", str(folder)], check=True,
                   capture_output=True)
    (folder / "install.py").write_text(INSTALL)
    names = ("TALLOW_BAKER", "TALLOW_LIBRARY", "PYTHONPATH", "PYTHONHOME")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment["BLENDER_USER_SCRIPTS"] = str(folder / "scripts")  # as of somebody who has no add-ons yet
    result = subprocess.run([bpy.app.binary_path, "-b", "--factory-startup", "--python-exit-code", "1",
                             "--python", str(folder / "install.py"), "--", str(next(folder.glob("*.zip"))),
                             str(folder / "out")], capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"INSTALLED {folder / 'scripts' / 'addons' / 'tallow'}" in result.stdout, result.stdout
    assert list((folder / "out").rglob("mesh_000002.ply"))


def test_a_plane_holds_liquid_like_a_box(folder):
    from tallow.baking import job
    from tallow.model import domain
    lowest = []
    for name in ("plane", "box"):
        wax = scenes.wax_in_a_box(folder / name, frames=12, resolution=20)
        wax.tallow.role = "LIQUID"
        scene = bpy.context.scene
        scene.tallow.domain.scale.z *= 1.5
        if name == "plane":
            bpy.ops.mesh.primitive_plane_add(size=2.0, location=(0.0, 0.0, 0.02))
            floor = bpy.context.object
        else:
            floor = scenes.add_box("Floor", 2.0, (0.0, 0.0, -0.98))
        floor.tallow.role = "SOLID"
        bpy.context.view_layer.update()
        assert bpy.ops.tallow.bake() == {"FINISHED"} and not job.status_of(scene).warnings
        scene.frame_set(12)
        lowest.append(float(scenes.positions(scene.tallow.surface_object.data)[:, 2].min()))
    assert abs(lowest[0] - lowest[1]) < 0.25 * domain.cell_size(scene), lowest
