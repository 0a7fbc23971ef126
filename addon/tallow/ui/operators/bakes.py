# SPDX-License-Identifier: GPL-3.0-or-later
"""Choosing among the bakes of a cache folder, and freeing single ones."""

from pathlib import Path

import bpy
from bpy.props import StringProperty

from ... import playback
from ...baking import comparing, job, newer, paths
from ...core import bake_list, estimate, owners
from ...core import cache as cache_files
from ...model import role_effects, roles


class _OfABake(bpy.types.Operator):
    bl_options = {"REGISTER", "UNDO"}
    folder: StringProperty(name="Bake", options={"HIDDEN", "SKIP_SAVE"}, description="Folder of the bake")

    @classmethod
    def poll(cls, context):
        return job.current() is None

    def entry(self):
        found = bake_list.entry_of(Path(self.folder)) if self.folder else None
        if found is None:
            self.report({"WARNING"}, f"There is no bake in {self.folder}" if self.folder else "No bake was named")
        return found


class TALLOW_OT_use_bake(_OfABake):
    bl_idname = "tallow.use_bake"
    bl_label = "Show This Bake"
    bl_description = "Show this bake instead of the present one. Both stay on the disk"

    def execute(self, context):
        scene, entry = context.scene, self.entry()
        if entry is None:
            return {"CANCELLED"}
        newer.show(scene, entry.folder)
        return {"FINISHED"}


class TALLOW_OT_compare_bake(bpy.types.Operator):
    bl_idname = "tallow.compare_bake"
    bl_label = "Compare"
    bl_description = "List in which settings this bake differs from the one that is shown. Press again to fold the list"
    folder: StringProperty(name="Bake", options={"HIDDEN", "SKIP_SAVE"}, description="Folder of the bake")

    @classmethod
    def poll(cls, context):
        return paths.bake_folder(context.scene) is not None

    def execute(self, context):
        comparing.toggle(Path(self.folder), paths.bake_folder(context.scene))
        return {"FINISHED"}


class TALLOW_OT_keep_shown(bpy.types.Operator):
    bl_idname = "tallow.keep_shown"
    bl_label = "Keep What Is Shown"
    bl_description = "Do not offer the newer bakes again. They stay on the disk, under Bakes on the Disk"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        paths.remember_seen(context.scene)
        return {"FINISHED"}


class TALLOW_OT_free_bake(_OfABake):
    bl_idname = "tallow.free_bake"
    bl_label = "Free This Bake"
    bl_description = "Delete this bake from the disk. Deletes only files that Tallow wrote"

    def invoke(self, context, event):
        return context.window_manager.invoke_props_dialog(self, width=420)

    def draw(self, context):
        entry = bake_list.entry_of(Path(self.folder))
        self.layout.label(text=f"Delete the bake of {bake_list.date(entry)}, {bake_list.size(entry)}?" if entry else "This bake is gone")
        for scene in bpy.data.scenes:
            if scene != context.scene and paths.bake_folder(scene) == Path(self.folder):
                self.layout.label(text=f"The scene {scene.name} of this file shows it, too.", icon="ERROR")
        for name in sorted(owners.others(Path(self.folder), paths.this_file())):
            shown = "Another file" if name == owners.UNKNOWN else Path(name).name
            self.layout.label(text=f"{shown} may show it, too.", icon="ERROR")

    def execute(self, context):
        entry = self.entry()
        if entry is None:
            return {"CANCELLED"}
        try:
            freed = cache_files.free(entry.folder)
        except OSError as error:
            self.report({"ERROR"}, f"The bake cannot be deleted: {error.strerror or error}")
            return {"CANCELLED"}
        for scene in bpy.data.scenes:
            if scene.tallow.bake_path == str(entry.folder):
                let_go(scene)
        self.report({"INFO"}, f"Freed {estimate.format_bytes(freed.bytes)}"
                    + (f"; {freed.left} files that Tallow did not write were left" if freed.left else ""))
        return {"FINISHED"}


def let_go(scene: bpy.types.Scene) -> None:
    """The scene shows no bake any more, and its objects as they were."""
    playback.clear(scene)
    paths.set_bake(scene, None)
    role_effects.update_sources(roles.with_role(scene, *roles.SOURCES), baked=False)
    job.forget(scene)


CLASSES = (TALLOW_OT_use_bake, TALLOW_OT_compare_bake, TALLOW_OT_keep_shown, TALLOW_OT_free_bake)
