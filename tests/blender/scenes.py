"""Scenes that the tests build."""

import json
from pathlib import Path

import bpy
import numpy as np


def clear():
    """An empty scene in metres."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    bpy.context.scene.tallow.life_size = "UNITS"


def add_box(name, size=1.0, location=(0.0, 0.0, 0.0)):
    half = size / 2
    corners = [(x * half, y * half, z * half) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    obj = bpy.data.objects.new(name, mesh)
    obj.location = location
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.update()
    return obj


def select(*objects):
    for obj in bpy.context.scene.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[0] if objects else None


def wax_in_a_box(folder, frames=6, resolution=24):
    """A wax cube above a domain's floor, ready to bake into `folder`."""
    clear()
    scene = bpy.context.scene
    wax = add_box("Wax", 0.4, (0.0, 0.0, 0.3))
    select(wax)
    bpy.ops.tallow.set_role(role="WAX")
    bpy.ops.tallow.fit_domain()
    scene.tallow.resolution = resolution
    scene.tallow.cache_folder = str(folder)
    scene.frame_start, scene.frame_end = 1, frames
    return wax


def set_headless(bake, value):
    """Let a bake say that it was made without a window, or with one."""
    path = Path(bake) / "owners.json"
    made = json.loads(path.read_text())
    made["made"]["headless"] = value
    path.write_text(json.dumps(made))


def positions(mesh):
    array = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", array)
    return array.reshape(-1, 3)


def expect_error(operator, *words, **arguments):
    """Run an operator that must fail with a sentence that holds all the words."""
    try:
        operator(**arguments)
    except RuntimeError as error:
        text = str(error)
        missing = [word for word in words if word not in text]
        assert not missing, f"{missing} not in: {text}"
        return text
    raise AssertionError("no error")


def render(path, size=64, samples=4):
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", samples, False
    scene.cycles.use_adaptive_sampling = False
    scene.render.resolution_x = scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    return pixels(path)


def pixels(path):
    image = bpy.data.images.load(str(path))
    array = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(array)
    bpy.data.images.remove(image)
    return array
