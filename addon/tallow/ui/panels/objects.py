# SPDX-License-Identifier: GPL-3.0-or-later
"""What is this object?"""

import bpy

from ...baking.export import checks
from ...core import plot, presets
from ...core.presets import ZERO_CELSIUS
from ...model import domain, icons, roles
from ...model.materials import chosen, find_custom, is_user_preset, lookup
from .. import previews
from .common import Sidebar, facts, fields, wrapped


class TALLOW_PT_object(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_object"
    bl_label = "What is this object?"

    def draw(self, context):
        layout, obj = self.layout, context.object
        if domain.get(context.scene) is None:
            _draw_quick_start(context, layout)
        else:
            row = layout.row(align=True)
            row.operator("tallow.quick_melt", icon=icons.name("LIGHT_SUN"))
            row.operator("tallow.quick_liquid", text="", icon=icons.name("MATFLUID"))
            row.operator_menu_enum("tallow.ready_scene", "name", text="", icon="SCENE_DATA")
        if obj is None or not (obj.select_get() or obj.tallow.role != "NONE"):
            layout.label(text="Select an object", icon="RESTRICT_SELECT_OFF")
            return
        if not roles.can_have_role(obj):
            wrapped(context, layout, roles.why_no_role(obj), "INFO")
            _draw_problems(context, layout, obj)
            return
        layout.label(text=obj.name, icon="OBJECT_DATA")
        _draw_roles(layout, obj)
        if roles.of(obj).fluid:
            _draw_material(layout, context, obj.tallow)
        _draw_settings(layout, obj, roles.of(obj).settings)
        _draw_problems(context, layout, obj)


def _draw_problems(context, layout, obj) -> None:
    """What a bake would have to say about this object."""
    if roles.of(obj).identifier == "NONE" and obj != domain.get(context.scene):
        return
    for problem in checks.known_problems(context.scene):
        if problem.concerns(obj):
            wrapped(context, layout, problem.text, "INFO" if problem.fatal else "ERROR")
    for note in checks.known_notes(context.scene):
        if note.concerns(obj):
            wrapped(context, layout, note.text, "INFO")


def _draw_quick_start(context, layout) -> None:
    box = layout.box()
    wrapped(context, box, "Select a mesh, then press one:", inset=60)
    column = box.column(align=True)
    column.scale_y = 1.3
    column.operator("tallow.quick_melt", icon=icons.name("LIGHT_SUN"))
    column.operator("tallow.quick_liquid", icon=icons.name("MATFLUID"))
    box.operator_menu_enum("tallow.ready_scene", "name", text="Ready Scenes", icon="SCENE_DATA")


def _draw_roles(layout, obj) -> None:
    grid = layout.grid_flow(row_major=True, columns=2, even_columns=True, even_rows=True, align=True)
    for role in roles.TABLE[1:] + roles.TABLE[:1]:  # "None" last
        grid.operator("tallow.set_role", text=role.button or role.label, icon=icons.name(*role.icons),
                      depress=obj.tallow.role == role.identifier).role = role.identifier


def _draw_settings(layout, obj, groups: roles.Groups) -> None:
    for group in groups:
        settings = roles.active(group, obj)
        column = fields(layout) if settings else None
        for setting in settings:
            if setting.expand:
                column.row(align=True).prop(obj.tallow, setting.name, expand=True)
            else:
                column.prop(obj.tallow, setting.name)


def _draw_material(layout, context, tallow) -> None:
    row = layout.row(align=True)
    row.prop(tallow, "material", text="", icon="MATERIAL")
    own = find_custom(context.scene, tallow.material)
    row.operator("tallow.edit_material", text="", icon="DUPLICATE" if own else "GREASEPENCIL")
    if is_user_preset(tallow.material):
        row.operator("tallow.delete_preset", text="", icon="REMOVE")
    material = lookup(context.scene, tallow.material)
    if material and not own:
        facts(layout, presets.describe(material))


class _ForSettings(Sidebar):
    """A closed sub-panel that only some roles have."""
    bl_parent_id = "TALLOW_PT_object"
    bl_options = {"DEFAULT_CLOSED"}
    part = ""  # of `Role`

    @classmethod
    def poll(cls, context):
        return roles.can_have_role(context.object) and bool(getattr(roles.of(context.object), cls.part))

    def draw(self, context):
        _draw_settings(self.layout, context.object, getattr(roles.of(context.object), self.part))


class TALLOW_PT_motion(_ForSettings, bpy.types.Panel):
    bl_idname = "TALLOW_PT_motion"
    bl_label = "Motion at the Start"
    part = "motion"


class TALLOW_PT_heat(_ForSettings, bpy.types.Panel):
    bl_idname = "TALLOW_PT_heat"
    bl_label = "Heat"
    part = "heat"


class TALLOW_PT_material(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_material"
    bl_label = "Material"
    bl_parent_id = "TALLOW_PT_object"

    @classmethod
    def poll(cls, context):
        obj = context.object
        return (roles.can_have_role(obj) and roles.of(obj).fluid
                and find_custom(context.scene, chosen(obj)) is not None)

    def draw(self, context):
        layout = self.layout
        own = find_custom(context.scene, context.object.tallow.material)
        row = layout.row(align=True)
        row.prop(own, "name", text="")
        row.operator("tallow.save_preset", text="", icon="PRESET_NEW")
        row.operator("tallow.remove_material", text="", icon="TRASH")
        column = fields(layout)
        column.prop(own, "color", text="")
        for name in ("solidus", "liquidus", "latent_heat"):
            column.prop(own, name)
        layout.row(align=True).prop(own, "frozen", expand=True)
        if own.frozen == "SOFT":
            fields(layout).prop(own, "solid_viscosity")
        _draw_curve(context, layout, own)
        _draw_pairs(layout, own)


def _draw_pairs(layout, own) -> None:
    """Quantities that differ between solid and liquid, side by side."""
    column = layout.column(align=True)
    _headings(column, "Solid", "Liquid")
    for name in ("density", "specific_heat", "conductivity"):
        column.label(text=own.bl_rna.properties[name].name)
        row = column.row(align=True)
        row.prop(own, name, index=0, text="")
        row.prop(own, name, index=1, text="")


def _headings(column, *names) -> None:
    row = column.row(align=True)
    row.active = False
    for name in names:
        cell = row.row()
        cell.alignment = "CENTER"
        cell.label(text=name)


def _draw_curve(context, layout, own) -> None:
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
    _headings(column, "°C", "Pa·s")
    for index, point in enumerate(own.points):
        row = column.row(align=True)
        row.prop(point, "temperature", text="")
        row.prop(point, "viscosity", text="")
        row.operator("tallow.remove_curve_point", text="", icon="X").index = index
    box.operator("tallow.add_curve_point", icon="ADD")
    for problem in presets.problems(material):
        wrapped(context, box, problem[0].upper() + problem[1:], "ERROR", inset=60)


CLASSES = (TALLOW_PT_object, TALLOW_PT_material, TALLOW_PT_motion, TALLOW_PT_heat)
