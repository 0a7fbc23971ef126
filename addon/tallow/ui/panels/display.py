# SPDX-License-Identifier: GPL-3.0-or-later
"""Show."""

import bpy

from ... import playback
from ...playback.coloring import OWN
from .common import AfterBake, BeforeBake, fields, wrapped


class _Show:
    bl_label = "Show"

    def draw(self, context):
        tallow = context.scene.tallow
        grid = self.layout.grid_flow(row_major=True, columns=2, even_columns=True, align=True)
        for name in ("show_surface", "show_particles", "show_cells", "show_slice"):
            grid.prop(tallow, name, toggle=True)
        column = fields(self.layout, align=False)
        _draw_colors(column, tallow)
        if tallow.show_slice:
            row = column.row(align=True)
            row.prop(tallow, "slice_axis", expand=True)
            row.prop(tallow, "slice_place", text="", slider=True)
        row = column.row(align=True)
        if tallow.show_surface:
            row.prop(tallow, "smoothing")
        if tallow.show_particles:
            row.prop(tallow, "particle_percent")
        for note in (playback.note(context.scene), playback.cells.trouble(context.scene)):
            if note:
                wrapped(context, self.layout, note, "INFO")


class TALLOW_PT_show(_Show, BeforeBake, bpy.types.Panel):
    bl_idname = "TALLOW_PT_show"


class TALLOW_PT_show_baked(_Show, AfterBake, bpy.types.Panel):
    bl_idname = "TALLOW_PT_show_baked"


def _draw_colors(column, tallow) -> None:
    """What to colour by, its range, and the legend."""
    row = column.row(align=True)
    row.prop(tallow, "show_color", text="", icon="COLOR")
    if tallow.show_color == "NONE" and not tallow.show_slice:
        return
    row.prop(tallow, "show_legend", text="", icon="WORDWRAP_ON")
    if tallow.show_color != "NONE":
        row.prop(tallow, "render_colors", text="", icon="RESTRICT_RENDER_OFF")
    if tallow.show_color not in OWN:
        return  # it is 0 to 100 %
    part = column.column(align=True)
    part.row(align=True).prop(tallow, "color_range", expand=True)
    if tallow.color_range == "OWN":
        name = OWN[tallow.show_color][0]
        row = part.row(align=True)
        row.prop(tallow, name, index=0, text="From")
        row.prop(tallow, name, index=1, text="To")
        line = part.row()
        line.active = False
        line.label(text=tallow.bl_rna.properties[name].name)


FIRST = (TALLOW_PT_show_baked,)
CLASSES = (TALLOW_PT_show,)
