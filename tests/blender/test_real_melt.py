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


def room_left(scene, cache):
    """Cells between the surface and the sides of the domain, on all frames."""
    from tallow.core import ply
    from tallow.model import domain, units
    low, high = domain.bounds(domain.get(scene))
    scale, least = units.metres_per_unit(scene), float("inf")
    for frame in cache.order:
        vertices = ply.read(cache.mesh_path(frame))["vertex"]
        for i, axis in enumerate("xy"):
            least = min(least, vertices[axis].min() - low[i] * scale, high[i] * scale - vertices[axis].max())
    return least / domain.cell_size(scene)


def layer(scene, entry):
    """Cells that the puddle is deep, about."""
    from tallow.model import domain, puddle, roles, shot, units
    from tallow.model.materials import lookup
    waxes = roles.with_role(scene, "WAX")
    radius = puddle.of_objects(scene, waxes, lookup(scene, waxes[0].tallow.material), shot.seconds(scene)) * units.metres_per_unit(scene)
    return entry["target_volume"] / (3.14 * radius ** 2) / domain.cell_size(scene)


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
    edge = room_left(scene, playback.cache_of(scene))
    half = next(number for number in sorted(frames) if frames[number]["melted"] > 0.5)
    print(f"MEASURED {shape} {size:g} m {heat.lower()}: {100 * goal['melted']:.0f} % by frame {goal['frame']}, "
          f"half at {half}, volume {volume:.4f}, mesh {mesh:.3f}, room left {edge:.1f} cells")
    assert edge > 1.0, "the puddle reaches an invisible wall"
    assert goal["melted"] > 0.9, (shape, size, heat, goal["melted"])
    assert frames[FRAMES // 8]["melted"] < 0.75, "it is a shot, and not a cut"
    # The surface of a puddle that is thinner than two cells is less exact.
    assert abs(volume - 1.0) < 0.01 and abs(mesh - 1.0) < (0.03 if layer(scene, last) > 2.0 else 0.1), (shape, size, heat, volume, mesh)
    assert not job.status_of(scene).warnings, job.status_of(scene).warnings


def test_everything_melts_on_a_plate(folder):
    for number, shape in enumerate(SHAPES):
        melt(folder / shape, shape, SIZES[number % 4], "PLATE")


def test_everything_melts_under_a_lamp(folder):
    for number, shape in enumerate(SHAPES):
        melt(folder / shape, shape, SIZES[(number + 2) % 4], "LAMP")
