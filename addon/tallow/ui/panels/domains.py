# SPDX-License-Identifier: GPL-3.0-or-later
"""Where does it happen?"""

import math

import bpy

from ...core import estimate
from ...model import amount, domain, units
from .common import Sidebar, facts, fields, wrapped

WALL_ROWS = ("wall_x0", "wall_x1", "wall_y0", "wall_y1", "wall_z0", "wall_z1")


class TALLOW_PT_domain(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_domain"
    bl_label = "Where does it happen?"

    def draw(self, context):
        layout, scene = self.layout, context.scene
        tallow = scene.tallow
        box = domain.get(scene)
        if units.measured(scene):
            _draw_life_size(context, layout, scene)
        if box:
            layout.prop(tallow, "domain", text="")
        column = fields(layout)
        row = column.row()
        row.scale_y = 1.2
        row.operator("tallow.fit_domain", icon="SHADING_BBOX")
        column.prop(tallow, "padding")
        if box and domain.is_turned(box):
            column.operator("tallow.straighten_domain", icon="ORIENTATION_GLOBAL")
        if not box:
            return
        column = fields(layout)
        column.prop(tallow, "resolution")
        column.prop(tallow, "preview_quality", slider=True)
        if domain.is_preview(scene):
            wrapped(context, layout, preview_words(scene), "INFO")
        cell = domain.cell_size(scene)
        facts(layout, (("Cell size", estimate.format_length(cell)),
                       ("Cells", " × ".join(str(n) for n in estimate.cell_counts(domain.size(scene), cell))),
                       ("Baker RAM", "about " + estimate.format_bytes(amount.memory(scene))),
                       ("Disk", "about " + estimate.format_bytes(amount.disk(scene)))))


def preview_words(scene) -> str:
    """How many cells a preview has, and what they are a preview of."""
    part, full = (math.prod(estimate.cell_counts(domain.size(scene), estimate.cell_size(domain.size(scene), count)))
                  for count in (domain.resolution(scene), scene.tallow.resolution))
    return (f"A preview with {estimate.format_count(part)} cells. The final bake has {estimate.format_count(full)}. In "
            "fewer cells wax melts a little later.")


def _draw_life_size(context, layout, scene) -> None:
    column = layout.column(align=True)
    column.label(text="Real Size")
    column.row(align=True).prop(scene.tallow, "life_size", expand=True)
    if scene.tallow.life_size == "OWN":
        column.prop(scene.tallow, "life_centimetres")
    line = column.row()
    line.active = False
    wrapped(context, line, f"{units.measured(scene).name} is {estimate.format_length(units.get_life_size(scene))} in life, by Real Size")


class TALLOW_PT_walls(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_walls"
    bl_label = "Walls"
    bl_parent_id = "TALLOW_PT_domain"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return domain.get(context.scene) is not None

    def draw(self, context):
        tallow = context.scene.tallow
        column = self.layout.column(align=True)
        for name in WALL_ROWS:
            column.prop(tallow, name)
        fields(self.layout).prop(tallow, "wall_friction")


CLASSES = (TALLOW_PT_domain, TALLOW_PT_walls)
