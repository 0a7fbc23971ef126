# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles."""

import bpy
from bpy.props import EnumProperty

from ...model import roles
from ...model.properties.objects import ROLES


class TALLOW_OT_set_role(bpy.types.Operator):
    bl_idname = "tallow.set_role"
    bl_label = "Set Role"
    bl_description = "Set what the selected objects are in the simulation"
    bl_options = {"REGISTER", "UNDO"}

    role: EnumProperty(name="Role", description="What the selected objects are in the simulation", items=ROLES, default="WAX")

    @classmethod
    def description(cls, _context, properties) -> str:
        return roles.BY_NAME[properties.role].description

    def execute(self, context):
        chosen = [obj for obj in (context.selected_objects or [context.object]) if roles.can_have_role(obj)]
        if not chosen:
            self.report({"WARNING"}, roles.why_no_role(context.object))
            return {"CANCELLED"}
        for obj in chosen:
            if obj.tallow.role != self.role:
                obj.tallow.role = self.role
        return {"FINISHED"}


CLASSES = (TALLOW_OT_set_role,)
