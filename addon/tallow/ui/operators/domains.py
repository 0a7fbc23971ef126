# SPDX-License-Identifier: GPL-3.0-or-later
"""The domain, and how fast heat moves in it."""

import bpy
from bpy.props import BoolProperty

from ...core import animation
from ...model import domain, heating, roles


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


class TALLOW_OT_melt_in_shot(bpy.types.Operator):
    bl_idname = "tallow.melt_in_shot"
    bl_label = "Melt Within the Shot"
    bl_description = ("Choose the speed-up of heat so that the wax melts within the frames of the bake. In life it takes minutes "
                      "to days")
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return heating.slowest(context.scene) is not None

    def execute(self, context):
        if "tallow.thermal_speed" in animation.paths(context.scene.animation_data):
            self.report({"ERROR"}, "Heat Speed-up is animated, and its keyframes or driver would undo this. Clear them first "
                                   "(right-click on Heat Speed-up)")
            return {"CANCELLED"}
        context.scene.tallow.thermal_speed = heating.slowest(context.scene).speed
        return {"FINISHED"}


CLASSES = (TALLOW_OT_fit_domain, TALLOW_OT_melt_in_shot)
