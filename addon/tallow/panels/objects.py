# SPDX-License-Identifier: GPL-3.0-or-later
"""What is this object?"""

import bpy

from .. import previews, roles
from ..core import plot, presets
from ..core.presets import ZERO_CELSIUS
from ..properties.materials import find_custom, lookup
from ..properties.objects import ROLES
from .common import Sidebar, split_column, wrapped

ORDER = ("WAX", "LIQUID", "INFLOW", "OUTFLOW", "SOLID", "RIGID", "HEAT", "NONE")


class TALLOW_PT_object(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_object"
    bl_label = "What is this object?"

    def draw(self, context):
        layout, obj = self.layout, context.object
        if context.scene.tallow.domain is None:
            _draw_quick_start(context, layout)
        if obj is None or not (obj.select_get() or obj.tallow.role != "NONE"):
            layout.label(text="Select an object", icon="RESTRICT_SELECT_OFF")
            return
        if not roles.can_have_role(obj):
            managed = roles.is_managed(obj)
            layout.label(text=f"{obj.name}: " + ("made by Tallow" if managed else "not a mesh"), icon="INFO")
            return
        layout.label(text=obj.name, icon="OBJECT_DATA")
        _draw_roles(layout, obj)
        draw = DRAW.get(obj.tallow.role)
        if draw:
            layout.separator(factor=0.5)
            draw(split_column(layout), context, obj.tallow)


def _draw_quick_start(context, layout) -> None:
    box = layout.box()
    wrapped(context, box, "Select a mesh, then choose:", inset=60)
    row = box.row(align=True)
    row.scale_y = 1.4
    row.operator("tallow.quick_melt", icon="LIGHT_SUN")
    row.operator("tallow.quick_liquid", icon="MOD_FLUIDSIM")


def _draw_roles(layout, obj) -> None:
    items = {item[0]: item for item in ROLES}
    grid = layout.grid_flow(row_major=True, columns=2, even_columns=True, even_rows=True, align=True)
    for role in ORDER:
        item = items[role]
        grid.operator("tallow.set_role", text=item[1], icon=item[3], depress=obj.tallow.role == role).role = role


def _draw_material(column, context, tallow) -> None:
    row = column.row(align=True)
    row.prop(tallow, "material")
    own = find_custom(context.scene, tallow.material)
    row.operator("tallow.edit_material", text="", icon="DUPLICATE" if own else "GREASEPENCIL")
    material = lookup(context.scene, tallow.material)
    if material and not own:
        hint = column.column(align=True)
        hint.scale_y, hint.active = 0.8, False
        for line in presets.describe(material):
            split = hint.split(factor=0.4)
            split.label(text="")
            split.label(text=line)


def _draw_wax(column, context, tallow) -> None:
    _draw_material(column, context, tallow)
    column.prop(tallow, "temperature")
    column.prop(tallow, "velocity")
    column.prop(tallow, "spin")


def _draw_inflow(column, context, tallow) -> None:
    _draw_material(column, context, tallow)
    column.prop(tallow, "temperature")
    column.prop(tallow, "velocity")
    column.prop(tallow, "local_velocity")
    column.prop(tallow, "enabled")


def _draw_outflow(column, _context, tallow) -> None:
    column.prop(tallow, "enabled")


def _draw_solid(column, _context, tallow) -> None:
    column.row().prop(tallow, "surface", expand=True)
    column.prop(tallow, "friction")
    column.prop(tallow, "restitution")
    column.prop(tallow, "temperature")
    column.prop(tallow, "conductivity")


def _draw_rigid(column, _context, tallow) -> None:
    column.row().prop(tallow, "weigh_by", expand=True)
    column.prop(tallow, "density" if tallow.weigh_by == "DENSITY" else "mass")
    column.prop(tallow, "friction")
    column.prop(tallow, "restitution")
    column.row().prop(tallow, "surface", expand=True)
    column.prop(tallow, "velocity")
    column.prop(tallow, "spin")
    column.prop(tallow, "temperature")
    column.prop(tallow, "fixed_temperature")
    column.prop(tallow, "conductivity")
    column.prop(tallow, "specific_heat")
    column.prop(tallow, "follow_bake")


def _draw_heat(column, _context, tallow) -> None:
    column.prop(tallow, "heat_kind")
    if tallow.heat_kind == "SOLID":
        column.prop(tallow, "temperature")
        column.prop(tallow, "conductivity")
        column.row().prop(tallow, "surface", expand=True)
    else:
        column.prop(tallow, "power")
    if tallow.heat_kind == "LAMP":
        column.prop(tallow, "heat_range")
    column.prop(tallow, "enabled")


DRAW = {"WAX": _draw_wax, "LIQUID": _draw_wax, "INFLOW": _draw_inflow, "OUTFLOW": _draw_outflow, "SOLID": _draw_solid,
        "RIGID": _draw_rigid, "HEAT": _draw_heat}


class TALLOW_PT_material(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_material"
    bl_label = "Material"
    bl_parent_id = "TALLOW_PT_object"

    @classmethod
    def poll(cls, context):
        obj = context.object
        return (obj is not None and roles.can_have_role(obj) and obj.tallow.role in roles.FLUIDS
                and find_custom(context.scene, obj.tallow.material) is not None)

    def draw(self, context):
        own = find_custom(context.scene, context.object.tallow.material)
        column = split_column(self.layout)
        row = column.row(align=True)
        row.prop(own, "name", text="Name")
        row.operator("tallow.remove_material", text="", icon="TRASH")
        column.prop(own, "color")
        heat = column.column(align=True)
        heat.prop(own, "solidus")
        heat.prop(own, "liquidus")
        heat.prop(own, "latent_heat")
        column.prop(own, "frozen")
        if own.frozen == "SOFT":
            column.prop(own, "solid_viscosity")
        self.layout.label(text="Solid and liquid")
        column = split_column(self.layout)
        for name in ("density", "specific_heat", "conductivity"):
            column.row(align=True).prop(own, name)
        column.prop(own, "surface_tension")
        column.prop(own, "contact_angle")
        _draw_curve(self.layout, own)


def _draw_curve(layout, own) -> None:
    material = own.as_dict()
    box = layout.box()
    box.label(text="Viscosity by temperature", icon="FCURVE")
    icon = previews.curve_icon(f"{own.uid}", material)
    if icon:
        box.template_icon(icon, scale=7.0)
        low, high = plot.temperature_range(material)
        row = box.row()
        row.active = False
        row.label(text=f"{low - ZERO_CELSIUS:.0f} °C")
        right = row.row()
        right.alignment = "RIGHT"
        right.label(text=f"{high - ZERO_CELSIUS:.0f} °C")
    column = box.column(align=True)
    for index, point in enumerate(own.points):
        row = column.row(align=True)
        row.prop(point, "temperature", text="°C")
        row.prop(point, "viscosity", text="Pa·s")
        row.operator("tallow.remove_curve_point", text="", icon="X").index = index
    box.operator("tallow.add_curve_point", icon="ADD")
    for problem in presets.problems(material):
        box.label(text=problem[0].upper() + problem[1:], icon="ERROR")


CLASSES = (TALLOW_PT_object, TALLOW_PT_material)
