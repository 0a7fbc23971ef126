# SPDX-License-Identifier: GPL-3.0-or-later
"""Shaders and volumes for the render."""

from typing import Dict, List

import bpy
from bpy.props import EnumProperty

from ... import playback
from ...model import domain, roles, units
from ...model.materials import lookup
from ...playback import shading

WAX_SMOOTHING = 2  # passes that wax begins with; liquids stay sharp at the walls of their tanks


def materials_in_order(context) -> List[Dict]:
    """What the scene's liquids are made of, in the order in which a bake counts materials."""
    scene = context.scene
    sources = [obj for obj in roles.with_role(scene, *roles.FLUIDS) if roles.takes_part(obj, context.view_layer)]
    found = [lookup(scene, identifier) for identifier in dict.fromkeys(obj.tallow.material for obj in sources)]
    return [material for material in found if material]


def give_material(context, style: str) -> bpy.types.Material:
    """Build a shader and put it on the surface. AUTO looks at what the liquid is made of."""
    scene = context.scene
    made_of = materials_in_order(context)
    colors = [tuple(material["color"][:3]) for material in made_of] or [(0.9, 0.85, 0.7)]
    if style == "AUTO":
        style = "LIQUID" if made_of and all(material["latent_heat"] <= 0.0 for material in made_of) else "WAX"
    extent = domain.size(scene)
    size = 0.5 * max(extent) / units.metres_per_unit(scene) if extent else 1.0
    if style == "WAX":
        material = shading.wax_material(colors, size)
    else:
        material = shading.liquid_material(colors, [material["viscosity"][-1][1] < 0.05 for material in made_of] or [False])
    shading.assign(playback.surface.get_object(scene, create=True), material)
    if style == "WAX" and not scene.tallow.is_property_set("smoothing"):
        scene.tallow.smoothing = WAX_SMOOTHING
    elif style == "LIQUID" and scene.tallow.smoothing == WAX_SMOOTHING:
        scene.tallow.property_unset("smoothing")
        playback.surface.smooth(scene)
    return material


def give_look(context) -> None:
    """A shader for the surface, unless an object has a material that its artist made: the surface keeps that one."""
    sources = [obj for obj in roles.with_role(context.scene, *roles.FLUIDS) if roles.takes_part(obj, context.view_layer)]
    if not (context.scene.tallow.carry and any(shading.is_made(slot.material) for obj in sources for slot in obj.material_slots)):
        give_material(context, "AUTO")


class TALLOW_OT_add_material(bpy.types.Operator):
    bl_idname = "tallow.add_material"
    bl_label = "Add Wax Material"
    bl_description = ("Give the surface a shader that is matt and milky where the wax is solid, and wet and clear where it has "
                      "melted. Its texture sticks to the wax as it flows. Every material has its own colour")
    bl_options = {"REGISTER", "UNDO"}

    style: EnumProperty(name="Look", default="WAX", description="What the surface looks like", items=(
        ("AUTO", "Automatic", "By what the liquid is made of"),
        ("WAX", "Wax", "Matt where solid, wet where molten"),
        ("LIQUID", "Liquid", "Clear or glossy")))

    def execute(self, context):
        give_material(context, self.style)
        return {"FINISHED"}


class TALLOW_OT_own_materials(bpy.types.Operator):
    bl_idname = "tallow.own_materials"
    bl_label = "Use Own Materials"
    bl_description = ("Give the surface the materials of the objects that it is made of. Their UV maps, colours and attributes melt "
                      "with them")
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return bool(context.scene.tallow.bake_path)

    def execute(self, context):
        scene = context.scene
        cache, obj = playback.cache_of(scene), playback.surface.get_object(scene, create=True)
        if cache is None or cache.carried is None or not any(cache.carried.materials):
            self.report({"WARNING"}, "This bake carries no materials. Give the wax or liquid a material, turn on Carry Textures under "
                                     "Bake, Files, and bake again")
            return {"CANCELLED"}
        playback.slots.forget(obj)
        playback.slots.show(obj, cache.carried)
        return {"FINISHED"}


class TALLOW_OT_add_volume(bpy.types.Operator):
    bl_idname = "tallow.add_volume"
    bl_label = "Add VDB Volume"
    bl_description = ("Add a Volume object that plays the baked OpenVDB files: surface, temperature, viscosity and velocity, "
                      "for geometry nodes and volume shaders")
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return bool(context.scene.tallow.bake_path)

    def execute(self, context):
        scene = context.scene
        cache = playback.cache_of(scene)
        frames = [frame for frame in (cache.order if cache else []) if cache.surface_path(frame).is_file()]
        if not frames:
            self.report({"WARNING"}, "This bake has no OpenVDB files. Turn on OpenVDB Volumes under Bake, Files, and bake again")
            return {"CANCELLED"}
        obj = scene.tallow.volume_object
        if obj is None or obj.name not in scene.objects:
            obj = bpy.data.objects.new("Tallow Volume", bpy.data.volumes.new("Tallow Volume"))
            scene.collection.objects.link(obj)
            scene.tallow.volume_object = obj
        volume = obj.data
        volume.filepath = str(cache.surface_path(frames[0]))
        volume.is_sequence = True
        volume.velocity_unit, volume.velocity_scale = "SECOND", cache.pace(frames[0])
        volume.frame_start, volume.frame_duration = frames[0], frames[-1] - frames[0] + 1
        volume.frame_offset, volume.sequence_mode = frames[0] - 1, "EXTEND"
        obj.scale = (1.0 / units.metres_per_unit_of(scene, cache),) * 3
        return {"FINISHED"}


CLASSES = (TALLOW_OT_add_material, TALLOW_OT_own_materials, TALLOW_OT_add_volume)
