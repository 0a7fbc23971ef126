"""What the surface looks like: one colour per material."""

import bpy
import numpy as np
import scenes


def add_material(obj, name, color):
    """A material of its own for an object, in a colour."""
    scenes.select(obj)
    bpy.ops.tallow.edit_material()
    own = bpy.context.scene.tallow.materials[-1]
    own.name, own.color = name, color
    return own


def two_materials(folder, first=(0.8, 0.02, 0.02), second=(0.02, 0.02, 0.8)):
    """The surface's half with x above 0 is of the material of `Blue`, whose object comes second by name."""
    red = scenes.wax_in_a_box(folder, frames=2)
    red.name = "A red one"
    blue = scenes.add_box("Blue", 0.05, (0.25, 0.0, 0.3))
    blue.tallow.role = "WAX"
    add_material(blue, "Blue wax", second)
    add_material(red, "Red wax", first)
    bpy.ops.tallow.bake()
    bpy.context.scene.frame_set(1)
    return red, blue


def looks(folder, style):
    """Mean colours of the left and of the right half of the surface, as rendered from the front."""
    scene = bpy.context.scene
    bpy.ops.tallow.add_material(style=style)
    from tallow.model import staging
    staging.ensure_camera_and_light(scene)
    surface, camera = scene.tallow.surface_object, scene.camera
    points = scenes.positions(surface.data)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    camera.data.type, camera.data.ortho_scale = "ORTHO", 1.2 * float(np.ptp(points[:, 0]))
    camera.location, camera.rotation_euler = (middle[0], middle[1] - 5.0, middle[2]), (np.pi / 2, 0.0, 0.0)
    for obj in scene.objects:
        obj.hide_render = obj.type == "MESH" and obj != surface
    from tallow.model.nodes import tree_of
    for node in tree_of(scene.world).nodes:
        if node.type == "BACKGROUND":
            node.inputs["Color"].default_value = (0.8, 0.8, 0.8, 1.0)
    scene.view_settings.view_transform = "Standard"
    size = 32
    picture = scenes.render(folder / f"{style}.png", size=size, samples=16).reshape(size, size, 4)[:, :, :3]
    inner = picture[size // 2 - 4:size // 2 + 4]
    return inner[:, 6:13].mean(axis=(0, 1)), inner[:, -13:-6].mean(axis=(0, 1))


def test_two_materials_have_two_colours(folder):
    two_materials(folder)
    for style in ("WAX", "LIQUID", "AUTO"):
        left, right = looks(folder, style)
        assert left[0] > left[2] + 0.15, (style, left, right)
        assert right[2] > right[0] + 0.15, (style, left, right)


def test_one_colour_needs_no_nodes_for_materials(folder):
    two_materials(folder, (0.3, 0.5, 0.2), (0.3, 0.5, 0.2))
    for style in ("WAX", "LIQUID"):
        bpy.ops.tallow.add_material(style=style)
        nodes = bpy.context.scene.tallow.surface_object.active_material.node_tree.nodes
        assert not any(node.type == "ATTRIBUTE" and node.attribute_name == "material" for node in nodes), style


def test_clear_and_thick_liquids_side_by_side(folder):
    thick, thin = two_materials(folder, (0.6, 0.3, 0.05), (0.9, 0.95, 1.0))
    thick.tallow.role = thin.tallow.role = "LIQUID"
    own = bpy.context.scene.tallow.materials
    for material, viscosity in ((own[-1], 20.0), (own[-2], 0.001)):  # the thick one was made last
        for point in material.points:
            point.viscosity = viscosity
    thick.tallow.material, thin.tallow.material = f"custom_{own[-1].uid}", f"custom_{own[-2].uid}"
    from tallow.playback import shading
    bpy.ops.tallow.add_material(style="LIQUID")
    tree = bpy.context.scene.tallow.surface_object.active_material.node_tree
    shader = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")
    for name in ("color", "transmission", "roughness", "ior"):
        assert shading.socket(shader, name).is_linked, name
    left, right = looks(folder, "LIQUID")
    assert left[2] < 0.6 * left[0] and right[2] > 0.9 * right[0], (left, right)


def test_more_materials_than_a_ramp_has_stops_for(folder):
    scenes.wax_in_a_box(folder, frames=1)
    from tallow.playback import shading
    colors = [(i / 40.0, 0.5, 0.5) for i in range(40)]
    material = shading.wax_material(colors, 1.0)
    ramp = next(node for node in material.node_tree.nodes if node.type == "VALTORGB")
    assert len(ramp.color_ramp.elements) == 32 and ramp.color_ramp.interpolation == "CONSTANT"
    # Between the numbers of two materials the nearer one counts.
    for number, expected in ((0.0, 0), (0.4, 0), (0.6, 1), (7.0, 7), (31.0, 31)):
        assert np.allclose(ramp.color_ramp.evaluate((number + 0.5) / 32)[:3], colors[expected], atol=1e-6), number
