"""Materials, UV maps, colours and attributes of wax on its surface, with the native library."""

import json
from pathlib import Path

import bpy
import numpy as np
import scenes
from test_real_bake import library_is_there

SIZE, CENTRE = 0.4, (0.0, 0.0, 0.3)


def values(items, member, width):
    array = np.empty(len(items) * width, np.float32)
    items.foreach_get(member, array)
    return array.reshape(-1, width)


def new_material(name, color=(0.2, 0.4, 0.6)):
    material = bpy.data.materials.new(name)
    from tallow.model import nodes
    nodes.find(material, "BSDF_PRINCIPLED").inputs["Base Color"].default_value = (*color, 1.0)
    return material


def decorate(obj, top="Top"):
    """A UV island of its own for each side: its number in tens, and where on the side a corner is, 0 to 1.

    Attributes say where they are. The second material is on top.
    """
    mesh = obj.data
    # All are made before any is written to: a new one moves the others.
    mesh.uv_layers.new(name="Sides")
    mesh.color_attributes.new("Tint", "BYTE_COLOR", "CORNER")
    mesh.attributes.new("height", "FLOAT", "POINT")
    mesh.attributes.new("place", "FLOAT_VECTOR", "POINT")
    mesh.attributes.new("side", "INT", "FACE")
    layer, colors = mesh.uv_layers["Sides"], mesh.color_attributes["Tint"]
    height, place, side = (mesh.attributes[name] for name in ("height", "place", "side"))
    for polygon in mesh.polygons:
        for loop in polygon.loop_indices:
            share = np.array(mesh.vertices[mesh.loops[loop].vertex_index].co) / SIZE + 0.5
            axes = [axis for axis in range(3) if abs(polygon.normal[axis]) < 0.5]
            layer.data[loop].uv = (10.0 * polygon.index + share[axes[0]], share[axes[1]])
            colors.data[loop].color = (*share, 1.0)
    mesh.color_attributes.render_color_index = mesh.color_attributes.find("Tint")
    for vertex in mesh.vertices:
        height.data[vertex.index].value, place.data[vertex.index].vector = vertex.co.z, vertex.co
    for polygon in mesh.polygons:
        side.data[polygon.index].value = 100 + polygon.index
        polygon.material_index = int(polygon.normal.z > 0.5)
    for name in ("Sides", top):
        mesh.materials.append(new_material(name))


def bake(scene):
    assert bpy.ops.tallow.bake() == {"FINISHED"}
    scene.frame_set(scene.frame_end)
    return scene.tallow.surface_object


def test_unmelted_wax_shows_the_uv_map_and_the_attributes_of_its_object(folder):
    if not library_is_there():
        return "SKIP"
    wax = scenes.wax_in_a_box(folder, frames=3)
    decorate(wax)
    scene = bpy.context.scene
    obj = bake(scene)
    mesh = obj.data
    cell = 0.03
    assert [material.name for material in mesh.materials] == ["Sides", "Top"]
    assert mesh.uv_layers["Sides"].active_render
    assert mesh.color_attributes[mesh.color_attributes.render_color_index].name == "Tint"
    vertices = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", vertices)
    places = scenes.positions(mesh)
    local = places - (places.min(axis=0) + places.max(axis=0)) / 2
    uv = values(mesh.uv_layers["Sides"].data, "uv", 2).reshape(-1, 3, 2)
    side = np.floor(uv[:, :, 0] / 10.0 + 0.05).astype(int)
    assert (side == side[:, :1]).all(), "corners of one face come from two islands"
    assert set(side[:, 0]) == set(range(6))
    place = local[vertices].reshape(-1, 3, 3) / SIZE + 0.5
    normals = np.array([polygon.normal[:] for polygon in wax.data.polygons])
    for number in range(6):
        axes = [axis for axis in range(3) if abs(normals[number][axis]) < 0.5]
        mine = side[:, 0] == number
        found = uv[mine] - (10.0 * number, 0.0)
        assert np.abs(found - np.clip(place[mine][:, :, axes], 0, 1)).max() < 1.0 * cell / SIZE, number
    tint = values(mesh.color_attributes["Tint"].data, "color", 4)[:, :3]
    assert np.abs(tint - np.clip(place.reshape(-1, 3), 0, 1)).max() < 1.2 * cell / SIZE
    assert np.abs(values(mesh.attributes["place"].data, "vector", 3) - local).max() < 0.6 * cell
    assert np.abs(values(mesh.attributes["height"].data, "value", 1)[:, 0] - local[:, 2]).max() < 0.6 * cell
    numbers = np.empty(len(mesh.polygons), np.int32)
    mesh.attributes["side"].data.foreach_get("value", numbers)
    assert (numbers == 100 + side[:, 0]).all()
    slots = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("material_index", slots)
    assert (slots == (normals[side[:, 0]][:, 2] > 0.5)).all()


def test_a_modifier_and_a_mirrored_object_keep_their_maps(folder):
    if not library_is_there():
        return "SKIP"
    wax = scenes.wax_in_a_box(folder, frames=1)
    decorate(wax)
    wax.scale.x = -1.0
    modifier = wax.modifiers.new("Sub", "SUBSURF")
    modifier.levels, modifier.subdivision_type = 2, "SIMPLE"
    bpy.context.view_layer.update()
    mesh = bake(bpy.context.scene).data
    local = scenes.positions(mesh) - np.array(CENTRE)
    found = values(mesh.attributes["place"].data, "vector", 3)
    assert np.abs(found * (-1.0, 1.0, 1.0) - local).max() < 0.02
    side = np.floor(values(mesh.uv_layers["Sides"].data, "uv", 2).reshape(-1, 3, 2)[:, :, 0] / 10.0 + 0.05)
    assert (side == side[:, :1]).all() and len(set(side[:, 0])) == 6


def test_two_objects_bring_their_materials(folder):
    if not library_is_there():
        return "SKIP"
    wax = scenes.wax_in_a_box(folder, frames=2)
    decorate(wax)
    other = scenes.add_box("Other", 0.1, (0.28, 0.0, 0.3))
    other.tallow.role = "WAX"
    other.data.materials.append(new_material("Plain", (0.9, 0.1, 0.1)))
    bare = scenes.add_box("Without", 0.1, (-0.28, 0.0, 0.3))
    bare.tallow.role = "WAX"
    scene = bpy.context.scene
    obj = bake(scene)
    mesh = obj.data
    assert [material and material.name for material in mesh.materials] == ["Plain", "Sides", "Top", None]
    for polygon in mesh.polygons:
        name = mesh.materials[polygon.material_index] and mesh.materials[polygon.material_index].name
        x = polygon.center.x
        assert name == ("Plain" if x > 0.215 else None if x < -0.215 else name) and (name or x < -0.2), (name, x)
    # A look that the artist chooses stays, through frames and another bake, until they ask for their own materials.
    bpy.ops.tallow.add_material(style="WAX")
    scene.frame_set(1)
    bake(scene)
    assert [material.name for material in mesh.materials] == ["Tallow Wax"]
    bpy.ops.tallow.own_materials()
    assert len(mesh.materials) == 4
    mesh.materials[0] = new_material("Mine")
    scene.frame_set(1)
    assert mesh.materials[0].name == "Mine"


def test_without_the_switch_or_without_anything_to_carry_files_are_as_ever(folder):
    if not library_is_there():
        return "SKIP"
    wax = scenes.wax_in_a_box(folder, frames=1)
    scene = bpy.context.scene

    def files():
        bake(scene)
        path = Path(scene.tallow.bake_path)
        members = json.loads((path / "scene" / "scene.json").read_text())["objects"]
        return any("carry" in member for member in members), (path / "mesh" / "mesh_000001.ply").read_bytes()

    bare = files()
    decorate(wax)
    carried = files()
    scene.tallow.carry = False
    off = files()
    assert not bare[0] and b"origin" not in bare[1]
    assert carried[0] and b"element origin" in carried[1]
    assert off == bare
    body = bare[1].split(b"end_header\n", 1)[1]
    assert carried[1].split(b"end_header\n", 1)[1].startswith(body)
    assert bpy.ops.tallow.own_materials() == {"CANCELLED"}


def test_names_that_cannot_be_carried_are_said(folder):
    if not library_is_there():
        return "SKIP"
    wax = scenes.wax_in_a_box(folder, frames=1)
    wax.data.attributes.new("melt", "FLOAT", "POINT")
    wax.data.attributes.new("mark", "FLOAT", "POINT")
    other = scenes.add_box("Other", 0.1, (0.28, 0.0, 0.3))
    other.tallow.role = "WAX"
    other.data.attributes.new("mark", "FLOAT_VECTOR", "POINT")
    bake(bpy.context.scene)
    from tallow.baking import job
    warnings = job.status_of(bpy.context.scene).warnings
    assert any("Wax: its attribute melt" in text for text in warnings), warnings
    assert any("attribute mark" in text and "Other" in text and "Wax" in text for text in warnings), warnings
    assert "mark" in bpy.context.scene.tallow.surface_object.data.attributes


def test_quick_melt_keeps_a_material_that_somebody_made(folder):
    scenes.clear()
    wax = scenes.add_box("Wax", 0.1, (0.0, 0.0, 0.05))
    wax.data.materials.append(bpy.data.materials.new("Material"))
    from tallow.model import nodes
    nodes.tree_of(wax.data.materials[0])
    scenes.select(wax)
    bpy.ops.tallow.quick_melt(frames=2, resolution=16)
    scene = bpy.context.scene
    assert scene.tallow.surface_object.data.materials[0].name.startswith("Tallow")
    bpy.data.objects.remove(scene.tallow.surface_object)
    wax.data.materials[0] = new_material("Skin")
    scenes.select(wax)
    bpy.ops.tallow.quick_melt(frames=2, resolution=16)
    scene.tallow.cache_folder = str(folder)
    if not library_is_there():
        return "SKIP"
    assert [material.name for material in bake(scene).data.materials] == ["Skin"]
