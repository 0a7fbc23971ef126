"""What an artist does with the mouse, as functions: add, select, shade, choose a role. Used by the steps of all pages."""

from __future__ import annotations

import bpy


def delete_cube() -> None:
    """The first scene of Blender has one, selected."""
    select("Cube")
    bpy.ops.object.delete()


def select(*names: str) -> bpy.types.Object:
    """Click on an object, with Shift on the others. The last one is the active one."""
    bpy.ops.object.select_all(action="DESELECT")
    for name in names:
        bpy.data.objects[name].select_set(True)
    bpy.context.view_layer.objects.active = bpy.data.objects[names[-1]]
    return bpy.context.object


def add(kind: str, name: str, location=(0.0, 0.0, 0.0), scale=(1.0, 1.0, 1.0), **sizes) -> bpy.types.Object:
    """Add > Mesh > ..., and what the box at the lower left of the view says."""
    getattr(bpy.ops.mesh, f"primitive_{kind}_add")(location=location, **sizes)
    bpy.context.object.name = name
    bpy.context.object.scale = scale
    bpy.context.view_layer.update()
    return bpy.context.object


def role(role: str) -> None:
    """A button under *What is this object?*, for the selected object."""
    bpy.ops.tallow.set_role(role=role)


def frames(last: int) -> None:
    """*End* in the timeline."""
    bpy.context.scene.frame_end = last


def new_material():
    """*New* under Material Properties: the nodes and the shader."""
    material = bpy.data.materials.new(bpy.context.object.name)
    from tallow.model import nodes
    bpy.context.object.data.materials.append(material)
    return nodes.tree_of(material), nodes.find(material, "BSDF_PRINCIPLED")


def bake() -> None:
    """The button *Bake*. `run.py` and the tests say beforehand where the bake goes."""
    bpy.ops.tallow.bake()
