"""Inside Blender: the monkey scene baked by Mantaflow. The last line printed is JSON with what was measured.

    blender -b --factory-startup --python-exit-code 1 --python mantaflow.py -- RESOLUTION FRAMES CACHE_FOLDER
"""

import json
import os
import resource
import sys
import time

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from monkey_mesh import make_monkey, measure_volume  # noqa: E402


def add_box(name, low, high):
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=[(a + b) / 2 for a, b in zip(low, high)])
    box = bpy.context.object
    box.name = name
    box.scale = [b - a for a, b in zip(low, high)]
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    return box


def add_fluid(obj, kind):
    modifier = obj.modifiers.new("Fluid", "FLUID")
    modifier.fluid_type = kind
    return modifier


def build(resolution, frames, cache):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 1, frames, 24
    monkey = make_monkey()
    volume = measure_volume(monkey.data)
    flow = add_fluid(monkey, "FLOW").flow_settings
    flow.flow_type, flow.flow_behavior = "LIQUID", "GEOMETRY"
    slab = add_box("Slab", (-1.0, -1.0, -0.5), (1.0, 1.0, -0.4))
    add_fluid(slab, "EFFECTOR").effector_settings.effector_type = "COLLISION"
    domain = add_box("Domain", (-1.2, -1.2, -0.6), (1.2, 1.2, 1.8))
    settings = add_fluid(domain, "DOMAIN").domain_settings
    settings.domain_type = "LIQUID"
    settings.resolution_max = resolution
    settings.use_adaptive_timesteps, settings.cfl_condition = True, 2.0
    settings.use_viscosity, settings.viscosity_value = True, 10.0
    settings.particle_band_width = 40.0
    settings.use_mesh, settings.mesh_scale = True, 2
    settings.cache_directory = cache
    settings.cache_type = "MODULAR"
    settings.cache_data_format = "OPENVDB"
    settings.cache_frame_start, settings.cache_frame_end = 1, frames
    bpy.context.view_layer.objects.active = domain
    return domain, volume


def measure_frame(domain, frame):
    """Volume and lowest, middle height of the mesh that Mantaflow shows at a frame."""
    bpy.context.scene.frame_set(frame)
    mesh = domain.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    volume = measure_volume(mesh)
    heights = [(domain.matrix_world @ v.co).z for v in mesh.vertices]
    return volume, (min(heights) + max(heights)) / 2 if heights else 0.0, len(mesh.vertices)


def main():
    resolution, frames, cache = sys.argv[sys.argv.index("--") + 1:]
    domain, volume = build(int(resolution), int(frames), cache)
    start = time.perf_counter()
    bpy.ops.fluid.bake_data()
    data = time.perf_counter()
    bpy.ops.fluid.bake_mesh()
    end = time.perf_counter()
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    first, last = measure_frame(domain, 1), measure_frame(domain, int(frames))
    middle = measure_frame(domain, 12) if int(frames) >= 12 else last
    print("\n" + json.dumps({
        "resolution": int(resolution), "frames": int(frames), "seconds": end - start, "data_seconds": data - start,
        "mesh_seconds": end - data, "cpu_seconds": own.ru_utime + own.ru_stime + children.ru_utime,
        "peak_memory": own.ru_maxrss * 1024, "true_volume": volume,
        "mesh_volume_first": first[0], "mesh_volume_last": last[0], "fell_by_frame_12": first[1] - middle[1],
        "vertices": last[2], "version": bpy.app.version_string}))


main()
