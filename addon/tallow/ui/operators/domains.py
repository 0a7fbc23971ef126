# SPDX-License-Identifier: GPL-3.0-or-later
"""The domain, and how fast heat moves in it."""

import bpy
from bpy.props import BoolProperty

from ...baking import melting
from ...core import animation
from ...model import domain, heating, roles
from .searching import Searching


class TALLOW_OT_fit_domain(bpy.types.Operator):
    bl_idname = "tallow.fit_domain"
    bl_label = "Fit Domain"
    bl_description = ("Put the domain around the selected objects, or around everything that has a role when nothing is "
                      "selected. Makes a domain when there is none")
    bl_options = {"REGISTER", "UNDO"}

    use_selection: BoolProperty(name="Selected Objects Only", default=True,
                                description="Fit to the selection; off: to everything that has a role")

    def execute(self, context):
        scene = context.scene
        context.view_layer.update()  # so that bounds are those of this moment
        chosen = [obj for obj in context.selected_objects if roles.can_have_role(obj)] if self.use_selection else []
        if not any(roles.of(obj).fluid for obj in chosen) and roles.with_role(scene, *roles.FLUIDS):
            # A heater or a floor that was just made is still selected, and a domain around it alone would hold nothing.
            chosen = roles.with_role(scene, *roles.FITTED) if chosen else []
        chosen = chosen or roles.with_role(scene)
        if not chosen:
            self.report({"WARNING"}, "Select the objects that the domain should hold, or give them a role")
            return {"CANCELLED"}
        domain.fit(scene, chosen, scene.tallow.padding)
        return {"FINISHED"}


class TALLOW_OT_straighten_domain(bpy.types.Operator):
    bl_idname = "tallow.straighten_domain"
    bl_label = "Straighten Domain"
    bl_description = "Turn the domain so that its sides lie along the axes, as those of its cells do. Its place and size stay"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        box = domain.get(context.scene)
        return box is not None and domain.is_turned(box)

    def execute(self, context):
        domain.straighten(domain.get(context.scene))
        return {"FINISHED"}


class _Search(Searching, bpy.types.Operator):
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return bool(roles.with_role(context.scene, *roles.FLUIDS))

    def prepare(self, context):
        if "tallow.thermal_speed" in animation.paths(context.scene.animation_data):
            self.report({"ERROR"}, "Heat Speed-up is animated, and its keyframes or driver would undo this. Clear them first "
                                   "(right-click on Heat Speed-up)")
            return {"CANCELLED"}
        melting.forget(context.scene)
        return {"FINISHED"}


class TALLOW_OT_melt_in_shot(_Search):
    bl_idname = "tallow.melt_in_shot"
    bl_label = "Melt Within the Shot"
    bl_description = ("Find the speed-up of heat at which the wax has melted by the frame below. In life it takes minutes to days. "
                      "Heat and flow are solved on a coarse copy of the scene, which takes some seconds. Esc stops the search")


class TALLOW_OT_strengthen_heat(_Search):
    bl_idname = "tallow.strengthen_heat"
    bl_label = "Make Heaters Strong Enough"
    bl_description = "Give the heaters what the search found to be enough, and search again"

    @classmethod
    def poll(cls, context):
        return context.scene.tallow.melt_strength > 1.0

    def prepare(self, context):
        strength = context.scene.tallow.melt_strength
        done = super().prepare(context)
        if "FINISHED" in done:
            melting.strengthen(context.scene, strength)
            context.view_layer.update()
        return done


class TALLOW_OT_warm_air(_Search):
    bl_idname = "tallow.warm_air"
    bl_label = "Warm the Air"
    bl_description = "Make the air a little warmer than the wax melts, so that all of it can melt and stays molten, and search again"

    def prepare(self, context):
        done = super().prepare(context)
        if "FINISHED" in done:
            heating.warm_air(context.scene, roles.with_role(context.scene, *roles.FROZEN))
            context.view_layer.update()
        return done


CLASSES = (TALLOW_OT_fit_domain, TALLOW_OT_straighten_domain, TALLOW_OT_melt_in_shot, TALLOW_OT_strengthen_heat,
           TALLOW_OT_warm_air)
