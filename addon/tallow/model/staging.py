# SPDX-License-Identifier: GPL-3.0-or-later
"""Props for the quick scenes: floor, hot plate, lamp, camera and light."""

from __future__ import annotations

import math
from typing import Optional, Tuple

import bmesh
import bpy
from mathutils import Vector

from . import domain, nodes, roles, units

Box = Tuple[Vector, Vector]
LAMP_FLUX = 6000.0  # W/m2, at the middle of the wax: some six times the sun's


PUDDLE = 0.1  # of the size, how thick the puddle is by which the size of cells is chosen
PLATE = 1.0  # of the object, how far its hot plate comes from the middle: a core that drifts stays on it for long
MARGIN = 1.25  # of how far a puddle comes: pieces float on it and push it to one side


def cell_for(low: Vector, high: Vector, volume: float, resolution: int) -> float:
    """Cells as large as if so many lay along the object and the room around it."""
    size = max(high - low)
    puddle = math.sqrt(volume / (PUDDLE * size))
    return (size + 2.0 * max(0.55 * size, 0.5 * (puddle - min(high.x - low.x, high.y - low.y)))) / resolution


class Stage:
    """Boxes around a wax object, in Blender units: room to spread, a floor, and a plate that lifts it off the floor.

    Floor and plate end where cells of the domain do, so that wax lies on whole cells.
    """

    def __init__(self, low: Vector, high: Vector, cell: float, reach: Vector, plate: bool, seen: Optional[Vector] = None) -> None:
        """`cell`: the largest size of a cell. `reach`: how far what has melted may come from the middle, along X and Y. `seen`: how far
        the camera looks, as far as that unless said otherwise."""
        seen = reach if seen is None else seen
        self.low, self.high = low, high
        size = max(high - low)
        room = Vector([max(0.55 * size, MARGIN * reach[i] + 0.15 * size - 0.5 * (high[i] - low[i])) for i in range(2)] + [0.0])
        middle = (low + high) / 2.0
        across = high - low + 2.0 * room + Vector((0.0, 0.0, 0.15 * size))
        lifts = 6 if plate else 3  # cells below the wax
        wide, tall = math.ceil(max(across.x, across.y) / cell - 1e-6), math.ceil(across.z / cell - 1e-6) + lifts
        cell = max(across.x, across.y) / wide if wide >= tall else across.z / (tall - lifts)
        self.resolution = max(wide, tall)
        thickness = 3.0 * cell if plate else 0.0
        foot = PLATE * Vector((high.x - low.x, high.y - low.y, 0.0))
        floor_top = low.z - thickness
        self.size = size
        self.plate: Box = (Vector((middle.x - foot.x, middle.y - foot.y, floor_top)),
                           Vector((middle.x + foot.x, middle.y + foot.y, low.z)))
        bottom = floor_top - 3.0 * cell
        self.domain: Box = (Vector((low.x - room.x, low.y - room.y, bottom)),
                            Vector((high.x + room.x, high.y + room.y, high.z + 0.15 * size)))
        self.floor: Box = (Vector((low.x - 1.5 * room.x, low.y - 1.5 * room.y, bottom - 2.0 * cell)),
                           Vector((high.x + 1.5 * room.x, high.y + 1.5 * room.y, floor_top)))
        view = Vector([max(0.5 * size + 0.5 * (high[i] - low[i]), 1.1 * seen[i]) for i in range(2)] + [0.0])
        self.view: Box = (Vector((middle.x - view.x, middle.y - view.y, floor_top)), Vector((middle.x + view.x, middle.y + view.y, high.z)))
        self.lamp = middle + Vector((0.45 * size, -0.45 * size, 0.55 * size + (high.z - middle.z)))


def _replace(scene: bpy.types.Scene, name: str, mesh: bpy.types.Mesh) -> bpy.types.Object:
    """Pressing the button twice moves the props instead of piling them up."""
    obj = scene.objects.get(name)
    if obj is None or obj.type != "MESH":
        obj = bpy.data.objects.new(name, mesh)
        scene.collection.objects.link(obj)
    else:
        obj.data = mesh
    return obj


def remove(scene: bpy.types.Scene, name: str) -> None:
    """Take away a prop of the other kind of heat, which was made before."""
    obj = scene.objects.get(name)
    if obj and roles.of(obj).heater:
        bpy.data.objects.remove(obj)


def make_box(scene: bpy.types.Scene, name: str, box: Box) -> bpy.types.Object:
    low, high = box
    middle, half = (low + high) / 2.0, (high - low) / 2.0
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([tuple(c[i] * half[i] for i in range(3)) for c in domain.CORNERS], [], domain.FACES)
    obj = _replace(scene, name, mesh)
    obj.location = middle
    return obj


def simple_material(name: str, color: Tuple[float, float, float], roughness: float) -> bpy.types.Material:
    material = bpy.data.materials.get(name)
    if material is None:
        material = bpy.data.materials.new(name)
        shader = nodes.find(material, "BSDF_PRINCIPLED")
        shader.inputs["Base Color"].default_value = (*color, 1.0)
        shader.inputs["Roughness"].default_value = roughness
        material.diffuse_color = (*color, 1.0)
    return material


def make_solid(scene: bpy.types.Scene, name: str, box: Box, temperature: float) -> bpy.types.Object:
    obj = make_box(scene, name, box)
    obj.tallow.role = "SOLID"
    obj.tallow.surface = "STICK"
    obj.tallow.temperature = temperature
    obj.data.materials.append(simple_material("Tallow Floor", (0.32, 0.30, 0.28), 0.6))
    return obj


def make_hot_plate(scene: bpy.types.Scene, box: Box, temperature: float) -> bpy.types.Object:
    obj = make_box(scene, "Tallow Hot Plate", box)
    obj.tallow.role = "HEAT"
    obj.tallow.heat_kind = "SOLID"
    obj.tallow.temperature = temperature
    obj.data.materials.append(simple_material("Tallow Hot Plate", (0.035, 0.035, 0.04), 0.55))
    return obj


def make_lamp(scene: bpy.types.Scene, stage: Stage) -> bpy.types.Object:
    """A lamp that shines on the wax as strongly whatever its size."""
    mesh = bpy.data.meshes.new("Tallow Lamp")
    shape = bmesh.new()
    bmesh.ops.create_icosphere(shape, subdivisions=2, radius=0.06 * stage.size)
    shape.to_mesh(mesh)
    shape.free()
    obj = _replace(scene, "Tallow Lamp", mesh)
    obj.location = stage.lamp
    obj.tallow.role = "HEAT"
    obj.tallow.heat_kind = "LAMP"
    distance = (stage.lamp - (stage.low + stage.high) / 2.0).length * units.metres_per_unit(scene)
    obj.tallow.power = round(4.0 * math.pi * distance ** 2 * LAMP_FLUX, -1)
    return obj


def ensure_camera_and_light(scene: bpy.types.Scene, view: Optional[Box] = None) -> None:
    """So that a first render shows something, the domain unless said otherwise; what is there stays as it is."""
    low, high = view or domain.bounds(scene.tallow.domain)
    middle, size = (low + high) / 2.0, (high - low).length
    if scene.camera is None:
        camera = bpy.data.objects.new("Tallow Camera", bpy.data.cameras.new("Tallow Camera"))
        scene.collection.objects.link(camera)
        direction = Vector((0.55, -1.0, 0.5)).normalized()
        camera.location = middle + direction * size * 1.05
        # Blender's own range, 0.1 to 100 m here, cuts through scenes of centimetres and of many metres.
        camera.data.clip_start = min(camera.data.clip_start, 0.05 * size)
        camera.data.clip_end = max(camera.data.clip_end, 20.0 * size)
        camera.rotation_euler = direction.to_track_quat("Z", "Y").to_euler()
        scene.camera = camera
    if not any(obj.type == "LIGHT" for obj in scene.objects):
        data = bpy.data.lights.new("Tallow Light", "AREA")
        data.size, data.energy = 0.8 * size, 60.0 * size ** 2
        light = bpy.data.objects.new("Tallow Light", data)
        scene.collection.objects.link(light)
        direction = Vector((-0.6, -0.5, 1.0)).normalized()
        light.location = middle + direction * size
        light.rotation_euler = direction.to_track_quat("Z", "Y").to_euler()
