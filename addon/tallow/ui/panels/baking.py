# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake."""

import bpy

from ... import playback
from ...baking import job, melting, newer, paths, session, staleness
from ...baking.export import checks
from ...core import bake_list, estimate, integrity
from ...core.events import format_seconds
from ...core.statistics import details, stage_words, stages, summary
from ...model import domain, shot
from .common import Sidebar, facts, fields, wrapped

MOST_WARNINGS = 6
MOST_CHANGES = 8
MESHED = ("mesh_detail", "mesh_smoothing")  # changes that need no new simulation
TITLES = {"starting": "Starting", "baking": "Baking", "paused": "Paused", "cancelling": "Cancelling"}


class TALLOW_PT_bake(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_bake"
    bl_label = "Bake"

    def draw(self, context):
        scene = context.scene
        status = job.status_of(scene)
        if not status.running:
            _draw_ready(context, self.layout, status)
        _draw_messages(context, self.layout, status)
        column = fields(self.layout)
        column.enabled = not status.running
        column.prop(scene.tallow, "use_scene_range")
        if not scene.tallow.use_scene_range:
            column.prop(scene.tallow, "frame_start")
            column.prop(scene.tallow, "frame_end")
        column = fields(self.layout)
        column.enabled = not status.running
        column.prop(scene.tallow, "cache_folder", text="")
        _draw_folder(context, column)


def button_text(scene, cache) -> str:
    """A preview and the final bake never go by the same name."""
    if domain.is_preview(scene):
        return "Bake Preview Again" if cache and cache.preview < 100 else "Bake Preview"
    return "Bake" if not cache else "Bake Final" if cache.preview < 100 else "Bake Again"


def _draw_ready(context, layout, status) -> None:
    cache = playback.cache_of(context.scene)
    problems = checks.known_problems(context.scene)
    problem = next((p for p in problems if p.fatal), None)
    _draw_newer(context, layout)
    column = layout.column(align=True)
    row = column.row(align=True)
    row.scale_y = 1.5
    row.enabled = problem is None
    row.operator("tallow.bake", text=button_text(context.scene, cache), icon="PHYSICS")
    if cache:
        row = column.row(align=True)
        part = row.row(align=True)
        # Else there is nothing to go on with.
        part.enabled = not cache.order or cache.order[-1] < shot.frame_range(context.scene)[1]
        part.operator("tallow.resume", icon="PLAY")
        row.operator("tallow.free", icon="TRASH")
        column.operator("tallow.bake_from", icon="NEXT_KEYFRAME")
        if cache.order:
            _draw_baked(context, layout, cache)
    for note in checks.known_notes(context.scene):
        wrapped(context, layout, note.text, "INFO")
    kept = paths.kept_before(context.scene)
    if kept:
        wrapped(context, layout, kept, "INFO")
    if problem:
        wrapped(context, layout, problem.text, "INFO")
    if session.is_searching(context.scene):
        wrapped(context, layout, melting.SEARCHING, "INFO")
    for other in problems:
        if not other.fatal and other.text not in status.warnings:  # else it is listed with those of the bake
            wrapped(context, layout, other.text, "ERROR")


def _draw_newer(context, layout) -> None:
    """Bakes that the file does not know of."""
    found = newer.adopted(context.scene)
    if found:
        wrapped(context, layout, found, "INFO")
    entry = newer.newest(context.scene)
    if entry is None:
        return
    box = layout.box()
    wrapped(context, box, f"A newer bake of this file exists ({newer.words(entry)}):", "INFO", inset=60)
    row = box.row(align=True)
    row.operator("tallow.use_bake", text="Show It", icon="HIDE_OFF").folder = str(entry.folder)
    row.operator("tallow.keep_shown", text="", icon="X")


def _draw_baked(context, layout, cache) -> None:
    """The frames that are there, and whether they are those of the scene as it is."""
    frames, preview = f"frames {cache.order[0]} to {cache.order[-1]}", cache.preview < 100
    faults = integrity.describe(playback.shown.all_faults(context.scene))
    for text in faults:
        box = layout.box()
        box.alert = True
        wrapped(context, box, f"{text}. Bake again to have all frames.", "ERROR", inset=60)
    changes = staleness.found_changes(context.scene)
    changed = staleness.describe(changes)
    if not changed:
        what = f"Preview ({cache.preview} %)" if preview else "Baked"
        layout.label(text=f"{what}{' with gaps' if faults else ''}: {frames}",
                     icon="ERROR" if faults else "INFO" if preview else "CHECKMARK")
        rest = missing_range(cache, shot.frame_range(context.scene)[1])
        if rest:
            wrapped(context, layout, rest, "INFO")
        return
    box = layout.box()
    wrapped(context, box, f"The {'preview' if preview else 'bake'} of {frames} is stale. Changed since:", "ERROR", inset=60)
    for line in changed[:MOST_CHANGES]:
        wrapped(context, box, line, "DOT", inset=60)
    if len(changed) > MOST_CHANGES:
        box.label(text=f"and {len(changed) - MOST_CHANGES} more", icon="BLANK1")
    if all(change.part == "output" and change.member in MESHED for change in changes):
        box.operator("tallow.mesh_again", icon="MOD_REMESH")
    else:
        wrapped(context, box, "Bake again, or undo.", "BLANK1", inset=60)


def missing_range(cache, last: int) -> str:
    """A sentence about frames of the range that no bake has made yet."""
    first = cache.order[-1] + 1
    if first > last:
        return ""
    frames = f"Frame {last} is" if first == last else f"Frames {first} to {last} are"
    return f"{frames} not baked yet. Resume goes on there."


def _draw_running(context, layout, status) -> None:
    tallow = context.scene.tallow
    title = "Meshing" if status.meshing and status.state in ("starting", "baking") else TITLES[status.state]
    text = f"{title}: frame {max(status.frame, status.first - 1)} of {status.last}"
    if hasattr(layout, "progress"):
        layout.progress(factor=status.fraction, text=text)
    else:
        layout.label(text=text)
        layout.prop(tallow, "progress", text="", slider=True)
    row = layout.row(align=True)
    row.scale_y = 1.2
    if status.state == "paused":
        row.operator("tallow.resume", icon="PLAY")
    else:
        row.operator("tallow.pause", icon="PAUSE")
    row.operator("tallow.cancel", icon="CANCEL")
    left = status.seconds_left
    rows = [("Time left", format_seconds(left))] if left is not None else []
    facts(layout, rows + ([("Now", stage_words(status.stage))] if status.stage else []))
    row = layout.row()
    row.prop(tallow, "follow")
    row.prop(tallow, "show_plot")


def _draw_messages(context, layout, status) -> None:
    if status.error:
        box = layout.box()
        box.alert = True
        wrapped(context, box, status.error, "ERROR", inset=60)
    cache = playback.cache_of(context.scene)
    entry = bake_list.entry_of(cache.folder) if cache else None
    size = [("Disk", estimate.format_bytes(entry.bytes))] if entry else []
    facts(layout, shown_rows(context.scene, cache, status) + size)
    for text in status.warnings[:MOST_WARNINGS]:
        wrapped(context, layout, text, "ERROR")
    if len(status.warnings) > MOST_WARNINGS:
        layout.label(text=f"and {len(status.warnings) - MOST_WARNINGS} more warnings", icon="BLANK1")


def shown_rows(scene, cache, status):
    """Volume and what has melted on the frame on screen, and the memory that the bake took up to its last one."""
    frame = cache.nearest(scene.frame_current) if cache else None
    if frame is None:
        return summary(status.entry)
    last = cache.frames[cache.order[-1]]
    entry = {**cache.frames[frame], "peak_memory": (status.entry or last).get("peak_memory") or last.get("peak_memory")}
    return [("Frame", str(frame))] + summary(entry, cache.melts)


def _draw_folder(context, column) -> None:
    hint = column.column(align=True)
    hint.active = False
    if paths.is_temporary(context.scene):
        wrapped(context, hint, f"Save the file to keep its bake. Until then it is in {paths.display_root(context.scene)}, and "
                               "gone when Blender closes or opens another file.", "INFO")
        return
    folder = paths.bake_folder(context.scene)
    if folder and folder.parent != paths.cache_root(context.scene):
        wrapped(context, hint, f"This bake is in {paths.display_root(context.scene, folder.parent)}. The next one goes to "
                               f"{paths.display_root(context.scene)}.")
    elif not context.scene.tallow.cache_folder:
        wrapped(context, hint, "In " + paths.display_root(context.scene))


class TALLOW_PT_running(Sidebar, bpy.types.Panel):
    """At the top of the sidebar, where Pause and Cancel are seen without scrolling."""

    bl_idname = "TALLOW_PT_running"
    bl_label = "A Bake Is Running"

    @classmethod
    def poll(cls, context):
        return job.status_of(context.scene).running

    def draw(self, context):
        _draw_running(context, self.layout, job.status_of(context.scene))


class TALLOW_PT_solver(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_solver"
    bl_label = "Solver"
    bl_parent_id = "TALLOW_PT_bake"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        tallow = context.scene.tallow
        column = fields(self.layout)
        column.prop(tallow, "transport")
        column.prop(tallow, "coupling")
        column = fields(self.layout)
        if tallow.transport == "FLIP":
            column.prop(tallow, "flip_blend")
        for name in ("cfl", "max_substeps", "particles_per_axis", "seed", "threads"):
            column.prop(tallow, name)


class TALLOW_PT_output(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_output"
    bl_label = "Files"
    bl_parent_id = "TALLOW_PT_bake"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        tallow = context.scene.tallow
        column = fields(self.layout, align=False)
        column.prop(tallow, "save_particles")
        column.prop(tallow, "save_vdb")
        column.prop(tallow, "save_compact")
        column.prop(tallow, "carry")
        column.prop(tallow, "keep_detail")
        column.prop(tallow, "keep_old")
        column = fields(self.layout)
        column.prop(tallow, "mesh_detail")
        column.prop(tallow, "mesh_smoothing")
        if tallow.bake_path:
            column.operator("tallow.mesh_again", icon="MOD_REMESH")
        column = fields(self.layout)
        column.prop(tallow, "checkpoint_every")
        column.prop(tallow, "keep_every")


class TALLOW_PT_statistics(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_statistics"
    bl_label = "Statistics"
    bl_parent_id = "TALLOW_PT_bake"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return bool(context.scene.tallow.bake_path)

    def draw(self, context):
        cache = playback.cache_of(context.scene)
        frame = cache.nearest(context.scene.frame_current) if cache else None
        if frame is None:
            self.layout.label(text="No frame is baked yet", icon="INFO")
            return
        entry = cache.frames[frame]
        self.layout.prop(context.scene.tallow, "keep_plot")
        self.layout.label(text=f"Frame {frame}", icon="INFO")
        facts(self.layout, summary(entry, cache.melts) + details(entry))
        rows = stages(entry)
        if rows:
            self.layout.label(text="Where the time went", icon="TIME")
            facts(self.layout, rows)


FIRST = (TALLOW_PT_running,)
CLASSES = (TALLOW_PT_bake, TALLOW_PT_solver, TALLOW_PT_output, TALLOW_PT_statistics)
