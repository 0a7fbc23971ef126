# SPDX-License-Identifier: GPL-3.0-or-later
"""One click from a mesh to something that melts or flows."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from ...baking import installation, melting
from ...baking.export import shape_checks
from ...core import presets
from ...model import amount, domain, roles, staging
from ...model.materials import lookup, why_none
from .domains import melt_in_shot
from .render import give_look

MOST_CELLS = 128  # along a side, that thin parts get: more is for the artist to choose
ABOVE_MELTING = 5.0  # degrees, of warm air


class _Quick(bpy.types.Operator):
    bl_options = {"REGISTER", "UNDO"}

    frames: IntProperty(name="Frames", default=120, min=2, max=10000, description="Length of the shot")
    resolution: IntProperty(name="Resolution", default=64, min=8, max=512,
                            description="Cells along the longest side of the domain. Thin parts ask for more")

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

    def finish(self, context, objects):
        scene = context.scene
        scene.tallow.resolution = self.resolution
        context.view_layer.update()
        needed = max(shape_checks.resolution_for(scene, obj) for obj in objects)
        scene.tallow.resolution = max(self.resolution, min(needed, MOST_CELLS))
        scene.frame_end = scene.frame_start + self.frames - 1
        staging.ensure_camera_and_light(scene)
        give_look(context)
        return {"FINISHED"}


class TALLOW_OT_quick_melt(_Quick):
    bl_idname = "tallow.quick_melt"
    bl_label = "Quick Melt"
    bl_description = ("Make the selected mesh wax, and add all that it needs to melt: a domain, a floor and heat. Then press "
                      "Bake")

    heat: EnumProperty(name="Heat", default="PLATE", description="What melts the wax", items=(
        ("PLATE", "Hot plate", "The wax stands on a hot plate"),
        ("LAMP", "Lamp", "A heat lamp shines on the wax")))
    temperature: FloatProperty(name="Plate (°C)", default=180.0, min=0.0, max=2000.0, description="Temperature of the hot plate")
    percent: IntProperty(name="Molten", default=95, min=1, max=100, subtype="PERCENTAGE",
                         description="How much of the wax is to melt")
    by: IntProperty(name="After", default=80, min=10, max=100, subtype="PERCENTAGE",
                    description="The part of the shot by which so much has melted")
    warm_air: BoolProperty(name="Warm Air", default=True,
                           description="Make the air as warm as molten wax, so that nothing hardens again on the floor. Off: the "
                                       "air stays as it is under World")

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
        stage = staging.Stage(low, high, sum(map(amount.filled, objects)), self.resolution, plate=self.heat == "PLATE")
        domain.place(domain.ensure(scene), *stage.domain)
        material = lookup(scene, objects[0].tallow.material)
        if self.warm_air and material and presets.freezes(material):
            scene.tallow.ambient = material["liquidus"] - presets.ZERO_CELSIUS + ABOVE_MELTING
        staging.make_solid(scene, "Tallow Floor", stage.floor)
        if self.heat == "PLATE":
            staging.make_hot_plate(scene, stage.plate, self.temperature)
            staging.remove(scene, "Tallow Lamp")
        else:
            staging.make_lamp(scene, stage)
            staging.remove(scene, "Tallow Hot Plate")
        done = self.finish(context, objects)
        self.time_it(context)
        return done

    def time_it(self, context) -> None:
        """Find the speed-up of heat. A heater that is too weak is our own choice here: a stronger one takes its place."""
        scene = context.scene
        scene.tallow.melt_percent = self.percent
        scene.tallow.melt_frame = scene.frame_start + max(1, round(0.01 * self.by * (self.frames - 1)))
        context.view_layer.update()
        try:
            plan = melt_in_shot(context)
            if not plan.found and plan.strength > 0.0:
                melting.strengthen(scene, plan.strength)
                plan = melt_in_shot(context)
        except melting.MeltError as error:
            self.report({"WARNING"}, f"All is there but the heat speed-up: {error}")
            return
        self.report({"INFO"} if plan.found else {"WARNING"}, scene.tallow.melt_note)


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
        stage = staging.Stage(low, high, 0.0, self.resolution, plate=False)
        bottom, top = stage.domain
        bottom.z = low.z - 0.5 * max(high - low)
        domain.place(domain.ensure(scene), bottom, top)
        scene.tallow.wall_z0 = "NO_SLIP"
        return self.finish(context, objects)


CLASSES = (TALLOW_OT_quick_melt, TALLOW_OT_quick_liquid)
