# SPDX-License-Identifier: GPL-3.0-or-later
"""Where does it happen?"""

import bpy

from .. import domain
from ..core import estimate
from .common import Sidebar, split_column

WALL_ROWS = ("wall_x0", "wall_x1", "wall_y0", "wall_y1", "wall_z0", "wall_z1")


class TALLOW_PT_domain(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_domain"
    bl_label = "Where does it happen?"

    def draw(self, context):
        layout, scene = self.layout, context.scene
        tallow = scene.tallow
        column = split_column(layout)
        if tallow.domain:
            column.prop(tallow, "domain")
        row = column.row()
        row.scale_y = 1.2
        row.operator("tallow.fit_domain", icon="SHADING_BBOX")
        column.prop(tallow, "padding")
        if not tallow.domain:
            return
        column.separator(factor=0.5)
        column.prop(tallow, "resolution")
        row = column.row(heading="Draft")
        row.prop(tallow, "draft", text="")
        part = row.row()
        part.active = tallow.draft
        part.prop(tallow, "draft_percent", text="")
        _draw_numbers(column, scene)


def _draw_numbers(column, scene) -> None:
    cell = domain.cell_size(scene)
    counts = estimate.cell_counts(domain.size(scene), cell)
    memory = estimate.memory(domain.liquid_volume(scene), cell)
    rows = column.column(align=True)
    rows.scale_y, rows.active = 0.85, False
    for label, text in (("Cell size", estimate.format_length(cell)), ("Cells", " × ".join(str(n) for n in counts)),
                        ("Memory", "about " + estimate.format_bytes(memory))):
        split = rows.split(factor=0.4)
        left = split.row()
        left.alignment = "RIGHT"
        left.label(text=label)
        split.label(text=text)


class TALLOW_PT_walls(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_walls"
    bl_label = "Walls"
    bl_parent_id = "TALLOW_PT_domain"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return context.scene.tallow.domain is not None

    def draw(self, context):
        tallow = context.scene.tallow
        column = split_column(self.layout)
        sides = column.column(align=True)
        for name in WALL_ROWS:
            sides.prop(tallow, name)
        column.prop(tallow, "wall_friction", text="Friction")


CLASSES = (TALLOW_PT_domain, TALLOW_PT_walls)
