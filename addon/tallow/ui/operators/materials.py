# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom materials and the points of their viscosity curve."""

import bpy
from bpy.props import IntProperty

from ...core import presets
from ...model import role_effects, roles
from ...model.materials import (chosen, CUSTOM, add_custom, delete_preset, find_custom, first_preset, is_user_preset, lookup, save_preset)


class _ForMaterial(bpy.types.Operator):
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.object is not None

    def material(self, context):
        return find_custom(context.scene, chosen(context.object))


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
        own = add_custom(scene, name, source)
        tallow.material = f"{CUSTOM}{own.uid}"
        return {"FINISHED"}


class TALLOW_OT_remove_material(_ForMaterial):
    bl_idname = "tallow.remove_material"
    bl_label = "Remove Material"
    bl_description = "Remove this material from the scene. Objects that have it get the first one of the list for their role"

    def execute(self, context):
        own = self.material(context)
        if own is None:
            return {"CANCELLED"}
        identifier = f"{CUSTOM}{own.uid}"
        for obj in context.scene.objects:
            if chosen(obj) == identifier:
                role_effects.choose_material(obj, first_preset(*roles.of(obj).materials))
        materials = context.scene.tallow.materials
        materials.remove(next(i for i, other in enumerate(materials) if other.uid == own.uid))
        return {"FINISHED"}


class TALLOW_OT_save_preset(_ForMaterial):
    bl_idname = "tallow.save_preset"
    bl_label = "Save as Preset"
    bl_description = "Keep this material in your list, for all files. A preset of yours with the same name is replaced"

    def execute(self, context):
        own = self.material(context)
        if own is None:
            return {"CANCELLED"}
        wrong = presets.problems(own.as_dict())
        if wrong:
            self.report({"ERROR"}, f"{own.name} cannot be a preset: {wrong[0]}")
            return {"CANCELLED"}
        try:
            save_preset(own)
        except OSError as error:
            self.report({"ERROR"}, f"The preset cannot be saved: {error.strerror or error}")
            return {"CANCELLED"}
        self.report({"INFO"}, f"{own.name} is in the list of materials of every file now")
        return {"FINISHED"}


class TALLOW_OT_delete_preset(_ForMaterial):
    bl_idname = "tallow.delete_preset"
    bl_label = "Delete Preset"
    bl_description = "Take this preset of yours out of the list. Objects of this scene that have it keep an editable copy"

    def invoke(self, context, event):
        return context.window_manager.invoke_confirm(self, event)

    def execute(self, context):
        identifier = context.object.tallow.material
        if not is_user_preset(identifier):
            return {"CANCELLED"}
        source = lookup(context.scene, identifier)
        users = [obj for obj in context.scene.objects if chosen(obj) == identifier]
        own = add_custom(context.scene, source["label"], source)
        for obj in users:
            obj.tallow.material = f"{CUSTOM}{own.uid}"
        try:
            delete_preset(identifier)
        except OSError as error:
            self.report({"ERROR"}, f"The preset cannot be deleted: {error.strerror or error}")
            return {"CANCELLED"}
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


CLASSES = (TALLOW_OT_edit_material, TALLOW_OT_remove_material, TALLOW_OT_save_preset, TALLOW_OT_delete_preset,
            TALLOW_OT_add_curve_point, TALLOW_OT_remove_curve_point)
