# SPDX-License-Identifier: GPL-3.0-or-later
"""One click from a mesh to something that melts or flows."""

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty

from ...baking import installation
from ...core import estimate
from ...core.presets import ZERO_CELSIUS
from ...model import domain, roles, staging
from ...model.materials import lookup, why_none
from .render import give_material


class _Quick(bpy.types.Operator):
    bl_options = {"REGISTER", "UNDO"}

    frames: IntProperty(name="Frames", default=120, min=2, max=10000, description="Length of the shot")
    resolution: IntProperty(name="Resolution", default=64, min=8, max=512,
                            description="Cells along the longest side of the domain")

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT"

    def chosen(self, context):
        incomplete = installation.problem()
        if incomplete:
            self.report({"ERROR"}, incomplete)
            return []
        objects = [obj for obj in context.selected_objects if roles.can_have_role(obj)]
        if not objects and roles.can_have_role(context.object):
            objects = [context.object]
        if not objects:
            self.report({"WARNING"}, roles.why_no_role(context.object))
        return objects

    @staticmethod
    def give_role(objects, role):
        """Setting a role again would throw away the material and the temperature that were chosen for it."""
        for obj in objects:
            if obj.tallow.role != role:
                obj.tallow.role = role

    def lack_material(self, scene, objects) -> bool:
        """Whether one of them has none, which is said."""
        without = next((obj for obj in objects if lookup(scene, obj.tallow.material) is None), None)
        if without:
            self.report({"ERROR"}, why_none(without))
        return without is not None

    def finish(self, context):
        scene = context.scene
        scene.tallow.resolution = self.resolution
        scene.frame_end = scene.frame_start + self.frames - 1
        staging.ensure_camera_and_light(scene)
        give_material(context, "AUTO")
        return {"FINISHED"}


class TALLOW_OT_quick_melt(_Quick):
    bl_idname = "tallow.quick_melt"
    bl_label = "Quick Melt"
    bl_description = ("Make the selected mesh wax, and add all that it needs to melt: a domain, a floor and heat. Then press "
                      "Bake")

    heat: EnumProperty(name="Heat", default="PLATE", description="What melts the wax", items=(
        ("PLATE", "Hot plate", "The wax stands on a hot plate"),
        ("LAMP", "Lamp", "A heat lamp shines on the wax")))
    seconds: FloatProperty(name="Melts In (s)", default=4.0, min=0.1, max=1000.0,
                           description="About how long the melting takes, in seconds of the shot")
    temperature: FloatProperty(name="Heat (°C)", default=180.0, min=0.0, max=2000.0, description="Temperature of the hot plate")

    def execute(self, context):
        objects = self.chosen(context)
        if not objects:
            return {"CANCELLED"}
        scene = context.scene
        context.view_layer.update()
        self.give_role(objects, "WAX")
        if self.lack_material(scene, objects):
            return {"CANCELLED"}
        low, high = domain.bounds_of(objects)
        stage = staging.Stage(low, high, self.resolution, plate=self.heat == "PLATE")
        domain.place(domain.ensure(scene), *stage.domain)
        staging.make_solid(scene, "Tallow Floor", stage.floor)
        scale = scene.unit_settings.scale_length
        material = lookup(scene, objects[0].tallow.material)
        scene.tallow.thermal_speed = estimate.thermal_speed(
            material, objects[0].tallow.temperature + ZERO_CELSIUS, self.temperature + ZERO_CELSIUS,
            staging.MELT_DEPTH * (high.z - low.z) * scale, self.seconds)
        if self.heat == "PLATE":
            staging.make_hot_plate(scene, stage.plate, self.temperature)
        else:
            staging.make_lamp(scene, stage, material, self.seconds)
        return self.finish(context)


class TALLOW_OT_quick_liquid(_Quick):
    bl_idname = "tallow.quick_liquid"
    bl_label = "Quick Liquid"
    bl_description = "Make the selected mesh liquid, and add a domain for it to splash in. Then press Bake"

    def execute(self, context):
        objects = self.chosen(context)
        if not objects:
            return {"CANCELLED"}
        scene = context.scene
        context.view_layer.update()
        self.give_role(objects, "LIQUID")
        if self.lack_material(scene, objects):
            return {"CANCELLED"}
        low, high = domain.bounds_of(objects)
        stage = staging.Stage(low, high, self.resolution, plate=False)
        bottom, top = stage.domain
        bottom.z = low.z - 0.5 * max(high - low)
        domain.place(domain.ensure(scene), bottom, top)
        scene.tallow.wall_z0 = "NO_SLIP"
        return self.finish(context)


CLASSES = (TALLOW_OT_quick_melt, TALLOW_OT_quick_liquid)
