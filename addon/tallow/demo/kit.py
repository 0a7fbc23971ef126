# SPDX-License-Identifier: GPL-3.0-or-later
"""What the ready scenes share: shapes, roles, materials, light and camera. Lengths in metres, temperatures in degrees C."""

from __future__ import annotations

import math
from typing import Callable, Iterable, Optional, Sequence, Tuple

import bmesh
import bpy
from mathutils import Matrix, Vector

from .. import playback
from ..model import domain, nodes, roles
from ..model.materials import find_custom
from ..playback import shading

Triple = Sequence[float]
WOOD, LEAD, STONE, JADE = (0.55, 0.30, 0.13), (0.16, 0.17, 0.19), (0.33, 0.31, 0.30), (0.05, 0.45, 0.42)
STUDIO = {"light": 0.9, "sky": 0.35, "air": (0.30, 0.40, 0.55), "table": (0.30, 0.33, 0.37)}  # of `film`: a seamless blue-grey


def clear(scene: bpy.types.Scene) -> None:
    """An empty scene with Tallow's settings as they are in a new file."""
    for obj in list(scene.objects):
        bpy.data.objects.remove(obj)
    keep = {"rna_type", "name", "cache_folder", "progress"}
    for name in scene.tallow.bl_rna.properties.keys():
        if name not in keep:
            scene.tallow.property_unset(name)
    scene.tallow.materials.clear()
    scene.tallow.life_size = "UNITS"


# Shapes

def _shape(name: str, fill: Callable[[bmesh.types.BMesh], object], place: Triple, smooth: bool) -> bpy.types.Object:
    shape = bmesh.new()
    fill(shape)
    for face in shape.faces:
        face.smooth = smooth
    mesh = bpy.data.meshes.new(name)
    shape.to_mesh(mesh)
    shape.free()
    obj = bpy.data.objects.new(name, mesh)
    obj.location = place
    bpy.context.scene.collection.objects.link(obj)
    return obj


def ball(name: str, radius: float, place: Triple) -> bpy.types.Object:
    return _shape(name, lambda shape: bmesh.ops.create_icosphere(shape, subdivisions=4, radius=radius), place, True)


def block(name: str, size: Triple, place: Triple, bevel: float = 0.0) -> bpy.types.Object:
    obj = _shape(name, lambda shape: bmesh.ops.create_cube(shape, size=1.0, matrix=Matrix.Diagonal((*size, 1.0))), place, False)
    if bevel:
        modifier = obj.modifiers.new("Bevel", "BEVEL")
        modifier.width, modifier.segments = bevel, 3
    return obj


def tube(name: str, radius: float, height: float, place: Triple, top: Optional[float] = None) -> bpy.types.Object:
    """A cylinder that stands on `place`; with `top`, a cone with that radius at its upper end."""
    obj = _shape(name, lambda shape: bmesh.ops.create_cone(
        shape, cap_ends=True, segments=48, radius1=radius, radius2=radius if top is None else top, depth=height,
        matrix=Matrix.Translation((0.0, 0.0, 0.5 * height))), place, False)
    for face in obj.data.polygons:
        face.use_smooth = abs(face.normal.z) < 0.9
    return obj


def monkey(name: str, size: float, place: Triple, turn: Triple = (0.0, 0.0, 0.0)) -> bpy.types.Object:
    """Suzanne, smooth, standing on `place`."""
    obj = _shape(name, lambda shape: bmesh.ops.create_monkey(shape, matrix=Matrix.Scale(0.5 * size, 4)), place, True)
    obj.rotation_euler = turn
    obj.modifiers.new("Subdivision", "SUBSURF").levels = 2
    bpy.context.view_layer.update()
    obj.location.z += place[2] - min((obj.matrix_world @ vertex.co).z for vertex in obj.data.vertices)
    return obj


def lumps(name: str, parts: Iterable[Tuple[Triple, Triple]], place: Triple, grain: float) -> bpy.types.Object:
    """Ellipsoids, each (centre, radii), grown together into one closed shape; `grain` is its smallest detail."""
    def fill(shape: bmesh.types.BMesh) -> None:
        for centre, radii in parts:
            bmesh.ops.create_icosphere(shape, subdivisions=3, radius=1.0,
                                       matrix=Matrix.Translation(centre) @ Matrix.Diagonal((*radii, 1.0)))
    obj = _shape(name, fill, place, True)
    modifier = obj.modifiers.new("Remesh", "REMESH")
    modifier.mode, modifier.voxel_size, modifier.use_smooth_shade = "VOXEL", grain, True
    return obj


# What things are

def select(*objects: bpy.types.Object) -> None:
    bpy.context.view_layer.update()
    for obj in bpy.context.scene.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[0] if objects else None


def cast(obj: bpy.types.Object, role: str, **settings) -> bpy.types.Object:
    """Give an object its role in the simulation and the settings that go with it."""
    select(obj)
    bpy.ops.tallow.set_role(role=role)
    if roles.of(obj).frozen:
        obj.tallow.material = "paraffin"
    for name, value in settings.items():
        setattr(obj.tallow, name, value)
    return obj


def recipe(obj: bpy.types.Object, name: str, viscosity: Optional[Sequence[Tuple[float, float]]] = None, **settings) -> None:
    """The object's material, changed; `viscosity` is a list of (degrees C, Pa s)."""
    select(obj)
    bpy.ops.tallow.edit_material()
    own = find_custom(bpy.context.scene, obj.tallow.material)
    own.name = name
    for key, value in settings.items():
        setattr(own, key, value)
    if viscosity:
        own.points.clear()
        for temperature, value in viscosity:
            point = own.points.add()
            point.temperature, point.viscosity = temperature, value


def where(low: Triple, high: Triple, walls: str = "") -> None:
    """The domain; `walls` sets sides, for example "x0=OPEN z0=SLIP"."""
    scene = bpy.context.scene
    domain.place(domain.ensure(scene), Vector(low), Vector(high))
    for side, kind in (pair.split("=") for pair in walls.split()):
        setattr(scene.tallow, f"wall_{side}", kind)


# How things look

def paint(obj: bpy.types.Object, color: Triple, roughness: float = 0.5, metal: float = 0.0, glow: float = 0.0) -> bpy.types.Object:
    material = bpy.data.materials.new(obj.name)
    material.diffuse_color = (*color, 1.0)
    shader = nodes.find(material, "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (*color, 1.0)
    shader.inputs["Roughness"].default_value = roughness
    shader.inputs["Metallic"].default_value = metal
    if glow:
        shader.inputs["Emission Color" if "Emission Color" in shader.inputs else "Emission"].default_value = (*color, 1.0)
        shader.inputs["Emission Strength"].default_value = glow
    shading.assign(obj, material)
    return obj


def grainy(material: bpy.types.Material, size: float, dark: float = 0.6, coordinates: str = "") -> bpy.types.Material:
    """Grains of that size: bumps, and spots `dark` times as bright. They lie still in the world, or stick to an attribute."""
    tree = material.node_tree
    shader = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")
    place, noise, bump, spots = (tree.nodes.new(f"ShaderNode{kind}") for kind in ("Attribute", "TexNoise", "Bump", "ValToRGB"))
    if coordinates:
        place.attribute_name = coordinates
    else:
        place = tree.nodes.new("ShaderNodeNewGeometry")
    tree.links.new(place.outputs["Vector" if coordinates else "Position"], noise.inputs["Vector"])
    noise.inputs["Scale"].default_value, noise.inputs["Detail"].default_value = 1.0 / size, 6.0
    bump.inputs["Distance"].default_value, bump.inputs["Strength"].default_value = size, 0.5
    color = shading.socket(shader, "color").default_value
    for element, share, at in zip(spots.color_ramp.elements, (dark, 1.0), (0.38, 0.62)):
        element.color, element.position = (*(share * channel for channel in color[:3]), 1.0), at
    tree.links.new(noise.outputs[0], bump.inputs["Height"])
    tree.links.new(noise.outputs[0], spots.inputs["Fac"])
    tree.links.new(bump.outputs["Normal"], shading.socket(shader, "normal"))
    tree.links.new(spots.outputs["Color"], shading.socket(shader, "color"))
    return material


def unseen(obj: bpy.types.Object) -> bpy.types.Object:
    """Part of the simulation and not of the picture."""
    obj.hide_render, obj.display_type = True, "WIRE"
    return obj


def candlelight(place: Triple, energy: float, size: float) -> None:
    data = bpy.data.lights.new("Candlelight", "POINT")
    data.energy, data.shadow_soft_size, data.color = energy, size, (1.0, 0.58, 0.25)
    light = bpy.data.objects.new("Candlelight", data)
    light.location = place
    bpy.context.scene.collection.objects.link(light)


def _lamp(name: str, place: Vector, target: Vector, energy: float, size: float, color: Triple) -> None:
    data = bpy.data.lights.new(name, "AREA")
    data.energy, data.size, data.color = energy, size, color
    light = bpy.data.objects.new(name, data)
    light.location = place
    light.rotation_euler = (place - target).to_track_quat("Z", "Y").to_euler()
    bpy.context.scene.collection.objects.link(light)


def film(target: Triple, size: float, direction: Triple = (0.45, -1.0, 0.42), floor: Optional[float] = None,
         wall: Optional[float] = None, light: float = 1.0, sky: float = 0.7, air: Triple = (0.10, 0.12, 0.16), table: Triple = (0.20, 0.20, 0.22)) -> None:
    """Look at `target` from a direction so that `size` fills the picture's height; warm key, cool rim, a dim sky of the
    colour `air`, a wide table at height `floor` and a wall behind at y = `wall`."""
    scene, target = bpy.context.scene, Vector(target)
    for obj in [obj for obj in scene.objects if obj.type in ("CAMERA", "LIGHT")]:
        bpy.data.objects.remove(obj)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    scene.camera = camera
    camera.data.lens, camera.data.clip_start = 60.0, 0.01 * size
    height = 2.0 * math.tan(math.atan(0.5 * 36.0 * 0.75 / 60.0))  # of the picture at distance 1, 4 to 3
    camera.location = target + Vector(direction).normalized() * size / height
    camera.rotation_euler = (camera.location - target).to_track_quat("Z", "Y").to_euler()
    power = light * 110.0 * size ** 2
    turn = Matrix.Rotation(math.atan2(direction[0], -direction[1]), 3, "Z")
    _lamp("Key", target + size * (turn @ Vector((-1.7, -1.3, 2.2))), target, power, 1.2 * size, (1.0, 0.90, 0.78))
    _lamp("Rim", target + size * (turn @ Vector((1.3, 1.9, 1.5))), target, 0.4 * power, 1.0 * size, (0.68, 0.82, 1.0))
    scene.world = bpy.data.worlds.new("Ready Scene")
    background = nodes.find(scene.world, "BACKGROUND")
    background.inputs["Color"].default_value = (*air, 1.0)
    background.inputs["Strength"].default_value = sky
    if floor is not None:
        paint(block("Table", (40.0 * size, 40.0 * size, 0.02 * size), (0.0, 0.0, floor - 0.01 * size)), table, 0.6)
    if wall is not None:
        paint(block("Backdrop", (40.0 * size, 0.02 * size, 40.0 * size), (0.0, wall, 0.0)), table, 0.8)


def surface(style: str) -> bpy.types.Material:
    """WAX, LIQUID or AUTO, by the add-on's own operator."""
    bpy.ops.tallow.add_material(style=style)
    return bpy.context.scene.tallow.surface_object.active_material



def _see_through(name: str, tint: Triple, gloss: Triple, edge: float, roughness: float = 0.05) -> bpy.types.Material:
    """Glass or water that does not bend light: what is behind it stays clear at few samples. `gloss` shows at its edges."""
    material, tree, shader = shading.new_tree(name)
    output = next(node for node in tree.nodes if node.type == "OUTPUT_MATERIAL")
    clear, mix, facing = (tree.nodes.new(f"ShaderNode{kind}") for kind in ("BsdfTransparent", "MixShader", "LayerWeight"))
    facing.inputs["Blend"].default_value = edge
    clear.inputs["Color"].default_value = (*tint, 1.0)
    shading.set_value(shader, "color", (*gloss, 1.0))
    shading.set_value(shader, "roughness", roughness)
    tree.links.new(facing.outputs["Facing"], mix.inputs[0])
    tree.links.new(clear.outputs[0], mix.inputs[1])
    tree.links.new(shader.outputs[0], mix.inputs[2])
    tree.links.new(mix.outputs[0], output.inputs["Surface"])
    return material


def tank_water(tint: Triple = (0.74, 0.90, 0.95), gloss: Triple = (0.45, 0.68, 0.78)) -> None:
    """Water in which one sees what goes on."""
    shading.assign(playback.surface.get_object(bpy.context.scene, create=True),
                   _see_through("Tank water", tint, gloss, 0.20, 0.12))


def melting_ice() -> None:
    """Frosted where it is frozen, clear where it has melted."""
    material = _see_through("Ice", (0.86, 0.95, 0.98), (0.55, 0.72, 0.80), 0.22, 0.08)
    tree = material.node_tree
    output = next(node for node in tree.nodes if node.type == "OUTPUT_MATERIAL")
    water = output.inputs["Surface"].links[0].from_socket
    melt, mix, frost = (tree.nodes.new(f"ShaderNode{kind}") for kind in ("Attribute", "MixShader", "BsdfPrincipled"))
    melt.attribute_name = "melt"
    for name, value in (("color", (0.80, 0.92, 0.98, 1.0)), ("roughness", 0.28), ("transmission", 0.55), ("ior", 1.31)):
        shading.set_value(frost, name, value)
    tree.links.new(melt.outputs["Fac"], mix.inputs[0])
    tree.links.new(frost.outputs[0], mix.inputs[1])
    tree.links.new(water, mix.inputs[2])
    tree.links.new(mix.outputs[0], output.inputs["Surface"])
    shading.assign(playback.surface.get_object(bpy.context.scene, create=True), material)


def pane(obj: bpy.types.Object) -> bpy.types.Object:
    shading.assign(obj, _see_through(obj.name, (0.93, 0.96, 0.96), (0.75, 0.8, 0.82), 0.06))
    return obj


def cup(name: str, radius: float, height: float, wall: float, place: Triple) -> bpy.types.Object:
    """A beaker that stands on `place`; `radius` is that of its inside."""
    profile = ((0.0, 0.0), (radius + wall, 0.0), (radius + wall, height), (radius, height), (radius, wall), (0.0, wall))

    def fill(shape: bmesh.types.BMesh) -> None:
        points = [shape.verts.new((x, 0.0, z)) for x, z in profile]
        edges = [shape.edges.new(pair) for pair in zip(points, points[1:])]
        bmesh.ops.spin(shape, geom=points + edges, axis=(0, 0, 1), cent=(0, 0, 0), angle=2.0 * math.pi, steps=64)
        bmesh.ops.remove_doubles(shape, verts=shape.verts[:], dist=1e-6)
        bmesh.ops.recalc_face_normals(shape, faces=shape.faces[:])
    obj = _shape(name, fill, place, False)
    for face in obj.data.polygons:
        face.use_smooth = abs(face.normal.z) < 0.5
    return obj


def blink(obj: bpy.types.Object, on: Sequence[Tuple[int, int]]) -> None:
    """Enable an inflow or heat source from one frame to the one before another, for each pair."""
    frames = {1: False}
    for first, end in on:
        frames[first], frames[end] = True, frames.get(end, False)
    for frame, value in sorted(frames.items()):
        obj.tallow.enabled = value
        obj.keyframe_insert("tallow.enabled", frame=frame)


def glowing(low: float, high: float) -> bpy.types.Material:
    """Dark rock that glows where it is hot: not at all at `low`, fully at `high` (degrees C)."""
    material, tree, shader = shading.new_tree("Lava")
    tree_nodes = tree.nodes
    heat = tree_nodes.new("ShaderNodeAttribute")
    heat.attribute_name = "celsius"
    share = tree_nodes.new("ShaderNodeMapRange")
    share.inputs["From Min"].default_value, share.inputs["From Max"].default_value = low, high
    ramp = tree_nodes.new("ShaderNodeValToRGB")
    ramp.color_ramp.elements[0].color = (0.0, 0.0, 0.0, 1.0)
    ramp.color_ramp.elements[1].color = (1.0, 0.62, 0.12, 1.0)
    for place, color in ((0.35, (0.25, 0.01, 0.0, 1.0)), (0.7, (1.0, 0.16, 0.01, 1.0))):
        ramp.color_ramp.elements.new(place).color = color
    tree.links.new(heat.outputs["Fac"], share.inputs["Value"])
    tree.links.new(share.outputs[0], ramp.inputs["Fac"])
    emission = "Emission Color" if "Emission Color" in shader.inputs else "Emission"
    tree.links.new(ramp.outputs["Color"], shader.inputs[emission])
    shader.inputs["Emission Strength"].default_value = 2.0
    shading.set_value(shader, "color", (0.03, 0.026, 0.025, 1.0))
    shading.set_value(shader, "roughness", 0.75)
    shading.assign(playback.surface.get_object(bpy.context.scene, create=True), material)
    return material


def gear(name: str, radius: float, thickness: float, place: Triple, teeth: int = 8) -> bpy.types.Object:
    """A toothed wheel with a hole, lying flat."""
    def fill(shape: bmesh.types.BMesh) -> None:
        rim = []
        for tooth in range(teeth):
            for part, reach in ((0.0, 0.78), (0.25, 0.78), (0.35, 1.0), (0.9, 1.0)):
                angle = 2.0 * math.pi * (tooth + part) / teeth
                rim.append((math.cos(angle), math.sin(angle), reach * radius))
        rings = [[shape.verts.new((x * r, y * r, z)) for x, y, r in points] for z in (-0.5 * thickness, 0.5 * thickness)
                 for points in (rim, [(x, y, 0.38 * radius) for x, y, _ in rim])]
        low, low_hole, high, high_hole = rings
        for i, j in ((i, (i + 1) % len(rim)) for i in range(len(rim))):
            for a, b in ((low, high), (high, high_hole), (high_hole, low_hole), (low_hole, low)):
                shape.faces.new((a[i], a[j], b[j], b[i]))
        bmesh.ops.recalc_face_normals(shape, faces=shape.faces[:])
    return _shape(name, fill, place, False)


def gem(name: str, radii: Triple, place: Triple, sides: int = 7) -> bpy.types.Object:
    """A cut stone: a flat crown, a girdle and a point."""
    def fill(shape: bmesh.types.BMesh) -> None:
        for height, reach, shift in ((0.45, 0.55, 0.0), (0.1, 1.0, 0.5), (-1.0, 0.0, 0.0)):
            for side in range(sides if reach else 1):
                angle = 2.0 * math.pi * (side + shift) / sides
                shape.verts.new((radii[0] * reach * math.cos(angle), radii[1] * reach * math.sin(angle), radii[2] * height))
        bmesh.ops.convex_hull(shape, input=shape.verts[:])
        bmesh.ops.recalc_face_normals(shape, faces=shape.faces[:])
    return _shape(name, fill, place, False)
