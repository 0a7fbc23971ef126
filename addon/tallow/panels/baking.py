# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake."""

import bpy

from .. import bake, cache_paths, playback
from ..core import estimate
from ..core.events import format_seconds
from ..export import checks
from .common import Sidebar, split_column, wrapped

MOST_WARNINGS = 6
TITLES = {"starting": "Starting", "baking": "Baking", "paused": "Paused", "cancelling": "Cancelling"}


class TALLOW_PT_bake(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_bake"
    bl_label = "Bake"

    def draw(self, context):
        scene = context.scene
        status = bake.status_of(scene)
        if status.running:
            _draw_running(context, self.layout, status)
        else:
            _draw_ready(context, self.layout, status)
        _draw_messages(context, self.layout, status)
        column = split_column(self.layout)
        column.enabled = not status.running
        column.prop(scene.tallow, "use_scene_range")
        if not scene.tallow.use_scene_range:
            frames = column.column(align=True)
            frames.prop(scene.tallow, "frame_start")
            frames.prop(scene.tallow, "frame_end")
        column.prop(scene.tallow, "cache_folder", text="Folder")
        _draw_folder(context, column)


def _draw_ready(context, layout, status) -> None:
    tallow = context.scene.tallow
    cache = playback.cache_of(context.scene)
    problem = next((p for p in checks.check_scene(context.scene) if p.fatal), None)
    column = layout.column(align=True)
    row = column.row(align=True)
    row.scale_y = 1.5
    row.enabled = problem is None
    row.operator("tallow.bake", text="Bake Again" if cache else ("Bake Draft" if tallow.draft else "Bake"), icon="PHYSICS")
    if cache:
        row = column.row(align=True)
        row.operator("tallow.resume", icon="PLAY")
        row.operator("tallow.free", icon="TRASH")
        if cache.order:
            layout.label(text=f"Baked: frames {cache.order[0]} to {cache.order[-1]}", icon="CHECKMARK")
    if problem:
        wrapped(context, layout, problem.text, "INFO")


def _draw_running(context, layout, status) -> None:
    tallow = context.scene.tallow
    text = f"{TITLES[status.state]}: frame {max(status.frame, status.first - 1)} of {status.last}"
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
    facts = layout.column(align=True)
    facts.scale_y = 0.85
    left = status.seconds_left
    if left is not None:
        facts.label(text=f"{format_seconds(left)} left", icon="TIME")
    if status.stage:
        facts.label(text=f"Now: {status.stage}", icon="BLANK1")
    layout.prop(tallow, "follow")


def _draw_messages(context, layout, status) -> None:
    if status.error:
        box = layout.box()
        box.alert = True
        wrapped(context, box, status.error, "ERROR", inset=60)
    entry = status.entry
    if entry:
        facts = layout.column(align=True)
        facts.scale_y = 0.85
        drift = status.volume_drift
        volume = entry.get("particle_volume")
        if volume:
            change = f" ({drift * 100.0:+.2f} %)" if drift is not None else ""
            facts.label(text=f"Volume {volume * 1000.0:.4g} litres{change}", icon="MOD_FLUIDSIM")
        if entry.get("melted") is not None:
            facts.label(text=f"Molten {entry['melted'] * 100.0:.0f} %", icon="BLANK1")
        if entry.get("peak_memory"):
            facts.label(text=f"Memory {estimate.format_bytes(entry['peak_memory'])}", icon="BLANK1")
    for text in status.warnings[:MOST_WARNINGS]:
        wrapped(context, layout, text, "ERROR")
    if len(status.warnings) > MOST_WARNINGS:
        layout.label(text=f"and {len(status.warnings) - MOST_WARNINGS} more warnings", icon="BLANK1")


def _draw_folder(context, column) -> None:
    hint = column.column(align=True)
    hint.active = False
    if not context.scene.tallow.cache_folder:
        wrapped(context, hint, "In " + cache_paths.display_root(context.scene))
    if not cache_paths.is_saved():
        wrapped(context, hint, "This file is not saved: the bake goes to a temporary folder.", "INFO")


class TALLOW_PT_solver(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_solver"
    bl_label = "Solver"
    bl_parent_id = "TALLOW_PT_bake"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        tallow = context.scene.tallow
        column = split_column(self.layout)
        column.prop(tallow, "transport")
        if tallow.transport == "FLIP":
            column.prop(tallow, "flip_blend")
        column.prop(tallow, "coupling")
        column.prop(tallow, "particles_per_axis")
        column.prop(tallow, "cfl")
        column.prop(tallow, "max_substeps")
        column.prop(tallow, "surface_tension")
        column.prop(tallow, "seed")
        column.prop(tallow, "threads")


class TALLOW_PT_output(Sidebar, bpy.types.Panel):
    bl_idname = "TALLOW_PT_output"
    bl_label = "Files"
    bl_parent_id = "TALLOW_PT_bake"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        tallow = context.scene.tallow
        column = split_column(self.layout)
        kinds = column.column(heading="Write")
        kinds.prop(tallow, "save_particles")
        kinds.prop(tallow, "save_vdb")
        column.prop(tallow, "mesh_detail")
        column.prop(tallow, "checkpoint_every")
        column.prop(tallow, "keep_old")


CLASSES = (TALLOW_PT_bake, TALLOW_PT_solver, TALLOW_PT_output)
