# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom materials and the points of their viscosity curve."""

import bpy
from bpy.props import IntProperty

from ...model.materials import CUSTOM, find_custom, lookup


class _ForMaterial(bpy.types.Operator):
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.object is not None

    def material(self, context):
        return find_custom(context.scene, context.object.tallow.material)


class TALLOW_OT_edit_material(_ForMaterial):
    bl_idname = "tallow.edit_material"
    bl_label = "Make Editable"
    bl_description = "Copy this material into your scene, where you can change it"

    def execute(self, context):
        scene, tallow = context.scene, context.object.tallow
        source = lookup(scene, tallow.material)
        if source is None:
            self.report({"WARNING"}, "Choose a material first")
            return {"CANCELLED"}
        taken = {own.name for own in scene.tallow.materials}
        base = name = f"My {source['label']}" if not source["label"].startswith("My ") else source["label"]
        number = 2
        while name in taken:
            name, number = f"{base} {number}", number + 1
        own = scene.tallow.materials.add()
        own.uid = 1 + max((other.uid for other in scene.tallow.materials), default=0)
        own.name = name
        own.set_from(source)
        tallow.material = f"{CUSTOM}{own.uid}"
        return {"FINISHED"}


class TALLOW_OT_remove_material(_ForMaterial):
    bl_idname = "tallow.remove_material"
    bl_label = "Remove Material"
    bl_description = "Remove this material from the scene. Objects that use it get water"

    def execute(self, context):
        own = self.material(context)
        if own is None:
            return {"CANCELLED"}
        identifier = f"{CUSTOM}{own.uid}"
        for obj in context.scene.objects:
            if obj.tallow.material == identifier:
                obj.tallow.material = "water"
        materials = context.scene.tallow.materials
        materials.remove(next(i for i, other in enumerate(materials) if other.uid == own.uid))
        return {"FINISHED"}


class TALLOW_OT_add_curve_point(_ForMaterial):
    bl_idname = "tallow.add_curve_point"
    bl_label = "Add Point"
    bl_description = "Add a point to the viscosity curve"

    def execute(self, context):
        own = self.material(context)
        if own is None:
            return {"CANCELLED"}
        if len(own.points) >= 16:
            self.report({"WARNING"}, "A viscosity curve has at most 16 points")
            return {"CANCELLED"}
        hottest = max(own.points, key=lambda p: p.temperature, default=None)
        temperature, viscosity = (hottest.temperature + 20.0, hottest.viscosity) if hottest else (20.0, 0.001)
        point = own.points.add()
        point.temperature, point.viscosity = temperature, viscosity
        return {"FINISHED"}


class TALLOW_OT_remove_curve_point(_ForMaterial):
    bl_idname = "tallow.remove_curve_point"
    bl_label = "Remove Point"
    bl_description = "Remove this point from the viscosity curve"

    index: IntProperty(min=0)

    def execute(self, context):
        own = self.material(context)
        if own is None or not 0 <= self.index < len(own.points) or len(own.points) == 1:
            self.report({"WARNING"}, "A viscosity curve needs at least one point")
            return {"CANCELLED"}
        own.points.remove(self.index)
        return {"FINISHED"}


CLASSES = (TALLOW_OT_edit_material, TALLOW_OT_remove_material, TALLOW_OT_add_curve_point, TALLOW_OT_remove_curve_point)
