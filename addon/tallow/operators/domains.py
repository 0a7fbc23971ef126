# SPDX-License-Identifier: GPL-3.0-or-later
"""The domain."""

import bpy
from bpy.props import BoolProperty

from .. import domain, roles


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
        chosen = chosen or roles.with_role(scene)
        if not chosen:
            self.report({"WARNING"}, "Select the objects that the domain should hold, or give them a role")
            return {"CANCELLED"}
        domain.fit(scene, chosen, scene.tallow.padding)
        return {"FINISHED"}


CLASSES = (TALLOW_OT_fit_domain,)
