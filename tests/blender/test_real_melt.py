"""Quick Melt with the real baker melts any shape of any size by the frame that it promised, by a plate or a lamp."""

import bpy

FRAMES, RESOLUTION = 72, 28


def _add_text():
    bpy.ops.object.text_add()
    data = bpy.context.object.data
    data.body, data.size, data.extrude = "Melt", 0.5, 0.12
    bpy.context.object.rotation_euler = (1.5708, 0.0, 0.0)


SHAPES = {
    "cube": lambda: bpy.ops.mesh.primitive_cube_add(size=1.0),
    "sphere": lambda: bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5),
    "torus": lambda: bpy.ops.mesh.primitive_torus_add(major_radius=0.36, minor_radius=0.14),
    "Suzanne": lambda: bpy.ops.mesh.primitive_monkey_add(size=0.73),
    "text": _add_text,
}
SIZES = (0.02, 0.2, 2.0, 20.0)


def melt(folder, shape, size, heat):
    from tallow.baking import job
    from tallow import playback
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    SHAPES[shape]()
    obj = bpy.context.object
    obj.scale = (size, size, size)
    bpy.context.view_layer.update()
    bpy.ops.tallow.quick_melt(frames=FRAMES, resolution=RESOLUTION, heat=heat)
    scene = bpy.context.scene
    scene.tallow.cache_folder = str(folder)
    bpy.ops.tallow.bake()
    frames = playback.cache_of(scene).frames
    goal, last = frames[scene.tallow.melt_frame], frames[FRAMES]
    volume = last["particle_volume"] / frames[1]["particle_volume"]
    mesh = last["mesh_volume"] / last["target_volume"]
    half = next(number for number in sorted(frames) if frames[number]["melted"] > 0.5)
    print(f"MEASURED {shape} {size:g} m {heat.lower()}: {100 * goal['melted']:.0f} % by frame {goal['frame']}, "
          f"half at {half}, volume {volume:.4f}, mesh {mesh:.3f}")
    assert goal["melted"] > 0.9, (shape, size, heat, goal["melted"])
    assert frames[FRAMES // 8]["melted"] < 0.75, "it is a shot, and not a cut"
    assert abs(volume - 1.0) < 0.01 and abs(mesh - 1.0) < 0.03, (shape, size, heat, volume, mesh)
    assert not job.status_of(scene).warnings, job.status_of(scene).warnings


def test_everything_melts_on_a_plate(folder):
    for number, shape in enumerate(SHAPES):
        melt(folder / shape, shape, SIZES[number % 4], "PLATE")


def test_everything_melts_under_a_lamp(folder):
    for number, shape in enumerate(SHAPES):
        melt(folder / shape, shape, SIZES[(number + 2) % 4], "LAMP")
