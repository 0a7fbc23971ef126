# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the wax and liquid shaders, with the socket names of every Blender from 3.4 on."""

from __future__ import annotations

from typing import Dict, Optional, Sequence, Tuple

import bpy

from ..model import nodes

WAX, LIQUID, COLORS = "Tallow Wax", "Tallow Liquid", "Tallow Colours"
DEEPER = 1.35  # power to which a colour is raised where the wax is molten
STOPS = 32  # as many as a colour ramp can have
# Blender 4.0 renamed many inputs of the Principled shader.
SOCKETS: Dict[str, Tuple[str, ...]] = {
    "subsurface": ("Subsurface Weight", "Subsurface"),
    "transmission": ("Transmission Weight", "Transmission"),
    "specular": ("Specular IOR Level", "Specular"),
    "coat": ("Coat Weight", "Clearcoat"),
    "radius": ("Subsurface Radius",),
    "scale": ("Subsurface Scale",),
    "color": ("Base Color",),
    "subsurface_color": ("Subsurface Color",),
    "roughness": ("Roughness",),
    "ior": ("IOR",),
    "normal": ("Normal",),
}


def socket(node: bpy.types.Node, name: str) -> Optional[bpy.types.NodeSocket]:
    return next((node.inputs[label] for label in SOCKETS[name] if label in node.inputs), None)


def set_value(node: bpy.types.Node, name: str, value) -> None:
    found = socket(node, name)
    if found is not None:
        found.default_value = value


def new_tree(name: str) -> Tuple[bpy.types.Material, bpy.types.NodeTree, bpy.types.Node]:
    material = bpy.data.materials.new(name)
    tree = nodes.tree_of(material)
    tree.nodes.clear()
    shader = tree.nodes.new("ShaderNodeBsdfPrincipled")
    output = tree.nodes.new("ShaderNodeOutputMaterial")
    shader.location, output.location = (300, 0), (620, 0)
    tree.links.new(shader.outputs[0], output.inputs["Surface"])
    return material, tree, shader


def _attribute(tree: bpy.types.NodeTree, name: str, place: Tuple[int, int]) -> bpy.types.Node:
    node = tree.nodes.new("ShaderNodeAttribute")
    node.attribute_name = name
    node.label = name.replace("_", " ").title()
    node.location = place
    return node


def _range(tree, source, low: float, high: float, place: Tuple[int, int], label: str):
    """A number that goes from `low` where the wax is solid to `high` where it is molten."""
    node = tree.nodes.new("ShaderNodeMapRange")
    node.inputs["To Min"].default_value, node.inputs["To Max"].default_value = low, high
    node.location, node.label = place, label
    tree.links.new(source, node.inputs["Value"])
    return node.outputs[0]


def _by_material(tree, colors: Sequence[Sequence[float]], place: Tuple[int, int], label: str):
    """The colour of the material that the surface is of there; `colors` are in the order in which the bake counts materials."""
    colors = colors[:STOPS]
    number = _attribute(tree, "material", (place[0] - 560, place[1]))
    share = tree.nodes.new("ShaderNodeMapRange")
    share.location, share.label = (place[0] - 280, place[1]), "Number of the material"
    share.inputs["From Min"].default_value, share.inputs["From Max"].default_value = -0.5, len(colors) - 0.5
    tree.links.new(number.outputs["Fac"], share.inputs["Value"])
    ramp = tree.nodes.new("ShaderNodeValToRGB")
    ramp.location, ramp.label = place, label
    stops = ramp.color_ramp
    stops.interpolation = "CONSTANT"
    stops.elements[1].position = (len(colors) - 1) / len(colors)
    for index, color in enumerate(colors):
        element = stops.elements[0 if index == 0 else -1] if index in (0, len(colors) - 1) else stops.elements.new(index / len(colors))
        element.color = (*color[:3], 1.0)
    tree.links.new(share.outputs[0], ramp.inputs["Fac"])
    return ramp.outputs["Color"]


def _wax_color(tree, colors: Sequence[Sequence[float]], melt):
    """Deeper where it is molten."""
    if not differ(colors):
        ramp = tree.nodes.new("ShaderNodeValToRGB")
        ramp.location, ramp.label = (-420, 160), "Colour, solid to molten"
        ramp.color_ramp.elements[0].color = (*colors[0][:3], 1.0)
        ramp.color_ramp.elements[1].color = (*(channel ** DEEPER for channel in colors[0][:3]), 1.0)
        tree.links.new(melt, ramp.inputs["Fac"])
        return ramp.outputs["Color"]
    deeper = tree.nodes.new("ShaderNodeGamma")
    deeper.location, deeper.label = (0, 360), "Solid to molten"
    tree.links.new(_by_material(tree, colors, (-420, 360), "Colours of the materials"), deeper.inputs["Color"])
    tree.links.new(_range(tree, melt, 1.0, DEEPER, (-280, 100), "Deeper"), deeper.inputs["Gamma"])
    return deeper.outputs[0]


def wax_material(colors: Sequence[Sequence[float]], size: float) -> bpy.types.Material:
    """Matt and milky where it is solid, wet and clearer where it is molten, in the colour of each material. `size` is that of
    the scene, for the texture."""
    material, tree, shader = new_tree(WAX)
    material.diffuse_color = (*colors[0][:3], 1.0)
    melt = _attribute(tree, "melt", (-700, 0)).outputs["Fac"]
    color = _wax_color(tree, colors, melt)
    tree.links.new(color, socket(shader, "color"))
    if socket(shader, "subsurface_color"):
        tree.links.new(color, socket(shader, "subsurface_color"))
    for name, low, high, y in (("roughness", 0.42, 0.08, -80), ("transmission", 0.0, 0.35, -340), ("coat", 0.0, 0.6, -600)):
        tree.links.new(_range(tree, melt, low, high, (-120, y), name.title()), socket(shader, name))
    if hasattr(shader, "subsurface_method"):
        shader.subsurface_method = "RANDOM_WALK"  # at few samples Burley speckles
    set_value(shader, "subsurface", 0.3)
    set_value(shader, "scale", 0.02 * size)
    reach = 1.0 if "Subsurface Scale" in shader.inputs else 0.02 * size
    set_value(shader, "radius", (reach, 0.55 * reach, 0.3 * reach))
    set_value(shader, "ior", 1.44)
    _add_grain(tree, shader, melt, size)
    return material


def _add_grain(tree, shader, melt, size: float) -> None:
    """A fine grain in the solid wax that sticks to it while it flows: its coordinates are where the wax was at the start."""
    rest = _attribute(tree, "rest_position", (-980, -420))
    noise = tree.nodes.new("ShaderNodeTexNoise")
    noise.location = (-700, -420)
    noise.inputs["Scale"].default_value = 24.0 / max(size, 1e-6)
    tree.links.new(rest.outputs["Vector"], noise.inputs["Vector"])
    bump = tree.nodes.new("ShaderNodeBump")
    bump.location = (-120, -860)
    bump.inputs["Distance"].default_value = 0.004 * size
    tree.links.new(_range(tree, melt, 0.1, 0.0, (-420, -640), "Grain"), bump.inputs["Strength"])
    tree.links.new(noise.outputs[0], bump.inputs["Height"])
    tree.links.new(bump.outputs["Normal"], socket(shader, "normal"))


def liquid_material(colors: Sequence[Sequence[float]], clear: Sequence[bool]) -> bpy.types.Material:
    """Clear like water, or tinted and glossy for thick liquids; which of both is said for each material."""
    material, tree, shader = new_tree(LIQUID)
    material.diffuse_color = (*colors[0][:3], 1.0)
    tints = [tuple(0.5 + 0.5 * c for c in color[:3]) if thin else tuple(color[:3]) for color, thin in zip(colors, clear)]
    if differ(tints):
        tree.links.new(_by_material(tree, tints, (-20, 360), "Colours of the materials"), socket(shader, "color"))
    else:
        set_value(shader, "color", (*tints[0], 1.0))
    mixed = _by_material(tree, [(float(thin),) * 3 for thin in clear], (-420, -100), "Clear materials") if differ(clear) else None
    for n, (name, thick, thin) in enumerate((("transmission", 0.25, 1.0), ("roughness", 0.12, 0.02), ("ior", 1.45, 1.333))):
        if mixed is None:
            set_value(shader, name, thin if clear[0] else thick)
        else:
            tree.links.new(_range(tree, mixed, thick, thin, (0, -100 - 260 * n), name.title()), socket(shader, name))
    if any(clear):
        _let_light_through(tree, shader, colors, mixed)
    return material


def color_material() -> bpy.types.Material:
    """The colours of Colour By, whatever the light."""
    material = bpy.data.materials.new(COLORS)
    tree = nodes.tree_of(material)
    tree.nodes.clear()
    shader, output = tree.nodes.new("ShaderNodeEmission"), tree.nodes.new("ShaderNodeOutputMaterial")
    shader.location, output.location = (300, 0), (620, 0)
    tree.links.new(_attribute(tree, "tallow_color", (0, 0)).outputs["Color"], shader.inputs["Color"])
    tree.links.new(shader.outputs[0], output.inputs["Surface"])
    return material


def _let_light_through(tree, shader, colors: Sequence[Sequence[float]], mixed) -> None:
    """Light that falls through clear liquid comes from caustics, which few samples do not find: let shadows be tinted glass.
    `mixed` says where the liquid is clear, None: everywhere."""
    output = next(node for node in tree.nodes if node.type == "OUTPUT_MATERIAL")
    path, tint, mix = (tree.nodes.new(f"ShaderNode{kind}") for kind in ("LightPath", "BsdfTransparent", "MixShader"))
    path.location, tint.location, mix.location, output.location = (300, 400), (300, -640), (620, 0), (860, 0)
    shadows = [tuple(0.7 + 0.3 * c for c in color[:3]) for color in colors]
    if differ(shadows):
        tree.links.new(_by_material(tree, shadows, (0, -900), "Colours of shadows"), tint.inputs["Color"])
    else:
        tint.inputs["Color"].default_value = (*shadows[0], 1.0)
    shaded = path.outputs["Is Shadow Ray"]
    if mixed is not None:
        both = tree.nodes.new("ShaderNodeMath")
        both.operation, both.location, both.label = "MULTIPLY", (480, 240), "Shadow of a clear one"
        tree.links.new(shaded, both.inputs[0])
        tree.links.new(mixed, both.inputs[1])
        shaded = both.outputs[0]
    tree.links.new(shaded, mix.inputs[0])
    tree.links.new(shader.outputs[0], mix.inputs[1])
    tree.links.new(tint.outputs[0], mix.inputs[2])
    tree.links.new(mix.outputs[0], output.inputs["Surface"])


def differ(values: Sequence) -> bool:
    return any(value != values[0] for value in values)


def is_made(material: Optional[bpy.types.Material]) -> bool:
    """Whether somebody worked on it: the grey one of a new object is no choice."""
    if material is None:
        return False
    nodes = list(material.node_tree.nodes) if material.node_tree else []
    shader = next((node for node in nodes if node.type == "BSDF_PRINCIPLED"), None)
    if shader is None or len(nodes) != 2:
        return bool(nodes) or any(abs(value - 0.8) > 1e-3 for value in material.diffuse_color[:3])
    return any(abs(value - 0.8) > 1e-3 for value in socket(shader, "color").default_value[:3])


def assign(obj: bpy.types.Object, material: bpy.types.Material) -> None:
    """One material for all of it."""
    slots = obj.data.materials
    if len(slots) == 1:
        slots[0] = material
        return
    slots.clear()
    slots.append(material)
