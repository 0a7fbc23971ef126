# SPDX-License-Identifier: GPL-3.0-or-later
"""One click from a mesh to something that melts or flows."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty
from mathutils import Vector

from ...baking import installation, job, melting
from ...baking.export import shape_checks
from ...model import amount, domain, heating, puddle, roles, shot, staging, units
from ...model.materials import lookup, why_none
from .render import give_look
from .searching import Searching

MOST_CELLS = 128  # along a side, that thin parts get: more is for the artist to choose


class _Quick(bpy.types.Operator):
    bl_options = {"REGISTER", "UNDO"}

    frames: IntProperty(name="Frames", default=120, min=2, max=10000, description="Length of the shot")
    resolution: IntProperty(name="Resolution", default=64, min=8, max=512,
                            description="Cells along the object and the room around it. Thin parts, and a puddle that runs far, ask for "
                                        "more")

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT"

    def chosen(self, context, role):
        incomplete = installation.problem()
        if incomplete:
            self.report({"ERROR"}, incomplete)
            return []
        objects = [obj for obj in context.selected_objects if roles.can_have_role(obj)]
        if not objects and roles.can_have_role(context.object):
            objects = [context.object]
        if not objects:
            self.report({"WARNING"}, roles.why_no_role(context.object))
        context.view_layer.update()
        unfit = next(filter(None, (shape_checks.why_unfit(obj, roles.BY_NAME[role]) for obj in objects)), "")
        if unfit:
            self.report({"ERROR"}, unfit)
            return []
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

    def fine_enough(self, context, objects, usual) -> int:
        """Set and give the resolution that keeps thin parts."""
        scene = context.scene
        scene.tallow.resolution = usual
        context.view_layer.update()
        needed = max(shape_checks.resolution_for(scene, obj) for obj in objects)
        scene.tallow.resolution = max(usual, min(needed, MOST_CELLS * usual // self.resolution))
        return scene.tallow.resolution

    def finish(self, context, view=None):
        scene = context.scene
        scene.frame_end = scene.frame_start + self.frames - 1
        staging.ensure_camera_and_light(scene, view)
        job.forget_failure(scene)
        give_look(context)
        return {"FINISHED"}


class TALLOW_OT_quick_melt(Searching, _Quick):
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

    strengthened = False  # in this run

    def draw(self, _context):
        column = self.layout.column()
        column.use_property_split, column.use_property_decorate = True, False
        plate = ("temperature",) if self.heat == "PLATE" else ()
        for name in ("frames", "resolution", "heat", *plate, "percent", "by", "warm_air"):
            column.prop(self, name)

    def prepare(self, context):
        self.strengthened = False
        objects = self.chosen(context, "WAX")
        if not objects:
            return {"CANCELLED"}
        scene = context.scene
        self.give_role(objects, "WAX")
        if self.lack_material(scene, objects):
            return {"CANCELLED"}
        stage = self.make_stage(context, objects)
        if self.warm_air:
            heating.warm_air(scene, objects)
        staging.make_solid(scene, "Tallow Floor", stage.floor, self.floor_temperature(scene))
        if self.heat == "PLATE":
            staging.make_hot_plate(scene, stage.plate, self.temperature)
            staging.remove(scene, "Tallow Lamp")
        else:
            staging.make_lamp(scene, stage)
            staging.remove(scene, "Tallow Hot Plate")
        done = self.finish(context, stage.view)
        self.aim(context)
        return done

    def make_stage(self, context, objects):
        """Boxes in cells of the size that thin parts ask for, and the domain around them and the puddle."""
        scene = context.scene
        low, high = domain.bounds_of(objects)
        cell = staging.cell_for(low, high, sum(map(amount.filled, objects)), self.resolution)
        seconds = scene.tallow.time_scale * self.frames / shot.frame_rate(scene)
        material = lookup(scene, objects[0].tallow.material)
        thin = cell * units.metres_per_unit(scene)
        seen = puddle.reach(scene, objects, material, seconds, thin)
        reach = puddle.reach(scene, objects, material, seconds, thin, slides=self.heat == "PLATE")
        stage = staging.Stage(low, high, cell, reach, plate=self.heat == "PLATE", seen=seen)
        domain.place(domain.ensure(scene), *stage.domain)
        for most in (MOST_CELLS, 1.1, 1.1):  # the stage rounds its cells, so a few may still lack
            finer = self.fine_enough(context, objects, stage.resolution)
            if not stage.resolution < finer <= most * stage.resolution:
                break
            cell *= stage.resolution / finer
            stage = staging.Stage(low, high, cell, reach, plate=self.heat == "PLATE", seen=seen)
            domain.place(domain.ensure(scene), *stage.domain)
        scene.tallow.resolution = stage.resolution
        return stage

    def floor_temperature(self, scene) -> float:
        """What falls off the plate goes on melting where air is warm: the floor is half as hot there, as around a stove."""
        air = scene.tallow.ambient
        return 0.5 * (air + self.temperature) if self.warm_air and self.heat == "PLATE" else air

    def aim(self, context) -> None:
        scene = context.scene
        scene.tallow.melt_percent = self.percent
        scene.tallow.melt_frame = scene.frame_start + max(1, round(0.01 * self.by * (self.frames - 1)))
        melting.forget(scene)
        context.view_layer.update()

    def follow_up(self, context, plan) -> bool:
        """A heater that is too weak is our own choice here: a stronger one takes its place, once."""
        if plan.found or plan.strength <= 0.0 or self.strengthened:
            return False
        self.strengthened = True
        melting.strengthen(context.scene, plan.strength)
        return True

    def fail(self, error):
        self.report({"WARNING"}, f"All is there but the heat speed-up: {error}")
        return {"FINISHED"}


class TALLOW_OT_quick_liquid(_Quick):
    bl_idname = "tallow.quick_liquid"
    bl_label = "Quick Liquid"
    bl_description = "Make the selected mesh liquid, and add a domain for it to splash in. Then press Bake"

    def execute(self, context):
        objects = self.chosen(context, "LIQUID")
        if not objects:
            return {"CANCELLED"}
        scene = context.scene
        self.give_role(objects, "LIQUID")
        if self.lack_material(scene, objects):
            return {"CANCELLED"}
        low, high = domain.bounds_of(objects)
        cell = staging.cell_for(low, high, 0.0, self.resolution)
        stage = staging.Stage(low, high, cell, Vector((0.0, 0.0, 0.0)), plate=False)
        bottom, top = stage.domain
        bottom.z = low.z - 0.5 * max(high - low)
        domain.place(domain.ensure(scene), bottom, top)
        scene.tallow.wall_z0 = "NO_SLIP"
        self.fine_enough(context, objects, self.resolution)
        return self.finish(context)


CLASSES = (TALLOW_OT_quick_melt, TALLOW_OT_quick_liquid)
