"""Shapes for Quick Melt, and what a bake of one gives."""

import resource
from typing import NamedTuple

import bpy


def _add_text(turn):
    bpy.ops.object.text_add()
    data = bpy.context.object.data
    data.body, data.size, data.extrude = "Melt", 0.5, 0.12
    bpy.context.object.rotation_euler = (turn, 0.0, 0.0)


SHAPES = {
    "cube": lambda: bpy.ops.mesh.primitive_cube_add(size=1.0),
    "sphere": lambda: bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5),
    "torus": lambda: bpy.ops.mesh.primitive_torus_add(major_radius=0.36, minor_radius=0.14),
    "Suzanne": lambda: bpy.ops.mesh.primitive_monkey_add(size=0.73),
    "text": lambda: _add_text(1.5708),
    "lying text": lambda: _add_text(0.0),
}
SIZES = (0.02, 0.2, 2.0, 20.0)
HEATS = ("PLATE", "LAMP")
LEAST_MOLTEN, MOST_DRIFT = 0.9, 0.01
# Cells along the domain, from which on the mesh keeps the volume as well. A puddle thinner than a cell is a mesh of
# some more.
FINE = 96
COARSE_DRIFT = 0.06
EARLY = 0.75  # of the wax may be molten after an eighth of the shot: it is a shot, and not a cut
SEEN = 0.05  # of the wax molten can be seen


class Melt(NamedTuple):
    """One bake of Quick Melt. Times are processor seconds, which other work on the machine does not change much."""

    shape: str
    size: float
    heat: str
    molten: float  # share, at the frame that Quick Melt promised
    goal: int
    early: float
    volume: float  # of the last frame, over that of the first
    mesh: float  # volume of the last mesh, over that of the particles
    click: float  # seconds that Quick Melt took
    seen: float  # seconds from the click until a frame shows that it melts
    bake: float
    resolution: int
    room: float  # cells that stay free at the sides of the domain
    warnings: list

    def faults(self):
        found = list(self.warnings)
        if self.molten < LEAST_MOLTEN:
            found.append(f"{100 * self.molten:.0f} % molten")
        if self.early >= EARLY:
            found.append(f"{100 * self.early:.0f} % molten after an eighth of the shot")
        if abs(self.volume - 1.0) >= MOST_DRIFT:
            found.append(f"volume {self.volume:.4f}")
        if abs(self.mesh - 1.0) >= (MOST_DRIFT if self.resolution >= FINE else COARSE_DRIFT):
            found.append(f"volume of the mesh {self.mesh:.4f}")
        if self.room <= 1.0:
            found.append("the puddle reaches a side of the domain")
        return found

    def __str__(self):
        return (f"{self.shape} {self.size:g} m {self.heat.lower()}: {100 * self.molten:.1f} % by frame {self.goal}, "
                f"volume {self.volume:.4f}, mesh {self.mesh:.4f}, room for {self.room:.0f} cells; "
                f"processor seconds: click {self.click:.1f}, seen after {self.seen:.1f}, bake {self.bake:.1f}")


def _seconds():
    """Of this process and of those that it waited for."""
    return sum(used.ru_utime + used.ru_stime
               for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


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


def melt(folder, shape, size, heat, frames=120, resolution=64, threads=0):
    """Press Quick Melt and Bake for a shape of so many Blender units."""
    from tallow import playback
    from tallow.baking import job
    from tallow.baking.export import checks
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    SHAPES[shape]()
    obj = bpy.context.object
    obj.scale = (size, size, size)
    scene = bpy.context.scene
    scene.tallow.threads = threads
    scene.tallow.cache_folder = str(folder)
    bpy.context.view_layer.update()
    start = _seconds()
    bpy.ops.tallow.quick_melt(frames=frames, resolution=resolution, heat=heat)
    click = _seconds() - start
    before = [problem.text for problem in checks.check_scene(scene)]
    pressed = _seconds()
    bpy.ops.tallow.bake()
    bake = _seconds() - pressed
    baked = playback.cache_of(scene).frames
    goal, last = baked[scene.tallow.melt_frame], baked[frames]
    seen = next((n for n in range(1, frames + 1) if baked[n]["melted"] > SEEN), frames)
    part = sum(baked[n]["seconds"] for n in range(1, seen + 1)) / sum(baked[n]["seconds"] for n in range(1, frames + 1))
    return Melt(shape, size, heat, goal["melted"], goal["frame"], baked[max(frames // 8, 1)]["melted"],
                last["particle_volume"] / baked[1]["particle_volume"], last["mesh_volume"] / last["target_volume"],
                click, click + part * bake, bake, scene.tallow.resolution, room_left(scene, playback.cache_of(scene)),
                before + job.status_of(scene).warnings)
