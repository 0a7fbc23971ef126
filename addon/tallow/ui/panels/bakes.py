# SPDX-License-Identifier: GPL-3.0-or-later
"""The bakes that are on the disk."""

import bpy

from ...baking import comparing, paths
from ...core import bake_list
from .common import Sidebar, facts, wrapped

MOST_ROWS = 12


class TALLOW_PT_bakes(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_bakes"
    bl_label = "Bakes on the Disk"
    bl_parent_id = "TALLOW_PT_bake"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return bool(bake_list.entries(*paths.roots(context.scene)))

    def draw(self, context):
        facts(self.layout, (("In all", paths.room(context.scene)),))
        shown = paths.bake_folder(context.scene)
        found = bake_list.entries(*paths.roots(context.scene))
        for entry in found[:MOST_ROWS]:
            column = self.layout.column(align=True)
            row = column.row(align=True)
            is_shown = entry.folder == shown
            row.label(text="", icon="RADIOBUT_ON" if is_shown else "RADIOBUT_OFF")
            part = row.row(align=True)
            part.enabled = not is_shown
            part.operator("tallow.use_bake", text=bake_list.date(entry)).folder = str(entry.folder)
            if shown and not is_shown:
                row.operator("tallow.compare_bake", text="", icon="ARROW_LEFTRIGHT").folder = str(entry.folder)
            row.operator("tallow.free_bake", text="", icon="TRASH").folder = str(entry.folder)
            row = column.row()
            row.scale_y, row.active = 0.8, False
            row.label(text=bake_list.size(entry), icon="BLANK1")
            for line in comparing.lines(entry.folder, shown) or ():
                wrapped(context, column, line, "DOT")
        if len(found) > MOST_ROWS:
            wrapped(context, self.layout, f"and {len(found) - MOST_ROWS} older ones in {paths.display_root(context.scene)}")


CLASSES = (TALLOW_PT_bakes,)
