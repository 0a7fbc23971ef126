"""One part of tests/blender-matrix inside Blender: bake a small melting scene with the installed add-on, play it back,
or render a frame of it. Prints `RESULT words` when the part did what it should, and fails otherwise.

    blender -b [FILE] --python-exit-code 1 --python matrix_shot.py -- PART FOLDER
"""

import importlib
import json
import sys
import warnings
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

FRAMES, RESOLUTION, LOOK_AT = 24, 48, 18
# Add-ons are called as their folder, extensions as their repository too.
ADDON = next((name for name in bpy.context.preferences.addons.keys() if name.split(".")[-1] == "tallow"), None)
PACKAGE = "tallow" if ADDON is None else ADDON
aged = []  # what Blender says it will take away


def module(name):
    return importlib.import_module(f"{PACKAGE}.{name}")


def note_aging(message, category, filename, line, *_rest):
    if issubclass(category, DeprecationWarning) and "tallow" in filename:
        aged.append(f"{Path(filename).name}:{line} {message}")


def positions():
    mesh = bpy.context.scene.tallow.surface_object.data
    array = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", array)
    return array.reshape(-1, 3)


def box(name, low, high):
    middle, size = (np.array(low) + high) / 2, np.array(high) - low
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=middle)
    bpy.context.object.name, bpy.context.object.scale = name, size
    return bpy.context.object


def bake(folder):
    """A cube of wax on a hot plate above a floor. Keyframes on the way: the plate gets hotter."""
    scene = bpy.context.scene
    for obj in list(scene.objects):
        if obj.type == "MESH":
            bpy.data.objects.remove(obj)
    plate, floor = box("Plate", (-0.16, -0.11, -0.13), (0.16, 0.11, -0.09)), box("Floor", (-1, -1, -0.2), (1, 1, -0.13))
    wax = box("Wax", (-0.07, -0.07, -0.09), (0.07, 0.07, 0.05))
    wax.tallow.role, floor.tallow.role, plate.tallow.role = "WAX", "SOLID", "HEAT"
    wax.tallow.material = "paraffin"
    for frame, celsius in ((1, 150.0), (FRAMES, 250.0)):
        plate.tallow.temperature = celsius
        plate.keyframe_insert("tallow.temperature", frame=frame)
    plate.select_set(True)
    bpy.ops.tallow.fit_domain()
    scene.tallow.resolution, scene.tallow.thermal_speed = RESOLUTION, 15000.0
    scene.tallow.cache_folder = str(folder / "cache")
    scene.frame_start, scene.frame_end = 1, FRAMES
    scene.camera.location, scene.camera.data.lens = (0.48, -0.66, 0.35), 55.0
    scene.camera.rotation_euler = Vector((0.55, -0.75, 0.47)).to_track_quat("Z", "Y").to_euler()
    light = next(obj for obj in scene.objects if obj.type == "LIGHT")
    light.location, light.data.energy = (-0.6, -0.5, 1.0), 40.0
    bpy.ops.tallow.add_material(style="WAX")
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    assert bpy.ops.tallow.bake() == {"FINISHED"}
    bpy.ops.wm.save_mainfile()
    assert module("playback").cache_of(scene).order == list(range(1, FRAMES + 1))
    keys = json.loads(next(folder.rglob("scene.json")).read_text(encoding="utf-8"))["objects"]
    assert "523.15" in json.dumps(keys), "the keyframes of the plate were not exported"
    return f"{FRAMES} frames of {RESOLUTION} cells"


def play(folder):
    """Every frame has its own surface, and wax that melts."""
    scene = bpy.context.scene
    cache = module("playback").cache_of(scene)
    counts, shares = [], []
    for frame in cache.order:
        scene.frame_set(frame)
        mesh = scene.tallow.surface_object.data
        melt = np.empty(len(mesh.vertices), np.float32)
        mesh.attributes["melt"].data.foreach_get("value", melt)
        assert np.isfinite(positions()).all() and mesh.validate() is False
        counts.append(len(mesh.vertices))
        shares.append(float((melt > 0.5).mean()))
    scene.frame_set(1)
    first = positions()
    scene.frame_set(FRAMES)
    last = positions()
    assert first.shape != last.shape or not np.allclose(first, last)
    assert min(counts) > 500 and shares[0] < 0.1 and shares[-1] > shares[0] + 0.1, (counts, shares)
    return f"{100 * shares[-1]:.0f} % of the surface molten"


def render(folder, engine):
    """A picture in which the wax can be seen: it differs from the one without."""
    scene = bpy.context.scene
    scene.render.engine = engine
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 320, 240, 100
    scene.render.image_settings.file_format = "PNG"
    if engine == "CYCLES":
        scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", 24, False
    elif hasattr(scene.eevee, "taa_render_samples"):
        scene.eevee.taa_render_samples = 16
    scene.frame_set(LOOK_AT)
    name = "cycles" if engine == "CYCLES" else "eevee"
    picture = take_picture(folder / f"{name}.png")
    scene.tallow.surface_object.hide_render = True
    without = take_picture(folder / f"{name}_without.png")
    share = float((np.abs(picture - without).max(axis=1) > 0.05).mean())
    assert picture.std() > 0.02, f"the picture is one colour, {picture.mean():.2f}"
    assert 0.02 < share < 0.9, f"{100 * share:.1f} % of the picture are wax"
    return f"{100 * share:.0f} % of the picture is wax"


def take_picture(path):
    scene = bpy.context.scene
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(path))
    array = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(array)
    return array.reshape(-1, 4)[:, :3]


def eevee_name():
    """Eevee was rewritten in 4.2 under another name, and took its old name back in 5.0."""
    known = bpy.types.RenderSettings.bl_rna.properties["engine"].enum_items.keys()
    return "BLENDER_EEVEE_NEXT" if (4, 2, 0) <= bpy.app.version < (5, 0, 0) or "BLENDER_EEVEE_NEXT" in known \
        else "BLENDER_EEVEE"


PARTS = {"bake": bake, "play": play, "cycles": lambda folder: render(folder, "CYCLES"),
         "eevee": lambda folder: render(folder, eevee_name())}

part, out = sys.argv[sys.argv.index("--") + 1:]
assert ADDON, "the add-on is not enabled"
warnings.simplefilter("always")
warnings.showwarning = note_aging
words = PARTS[part](Path(out))
for line in sorted(set(aged)):
    print(f"AGED {line}")
print(f"RESULT {words}", flush=True)
