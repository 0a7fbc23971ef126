# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake, pause, resume, cancel, free."""

from typing import List

import bpy
from bpy.props import BoolProperty

from ... import playback
from ...baking import job, newer, paths
from ...core import cache as cache_files
from ...core import bake_list, estimate, owners
from ...model import shot
from .bakes import let_go


def _run(operator, context, start=job.start, done="baked up to frame {}", **arguments):
    """Start; without a window, also wait. Errors become one sentence."""
    try:
        start(context, **arguments)
    except job.BakeError as error:
        if not isinstance(error, job.SetUpError):
            job.fail(context.scene, str(error))
        operator.report({"ERROR"}, str(error))
        return {"CANCELLED"}
    if not bpy.app.background:
        job.redraw()
        return {"FINISHED"}
    status = job.wait()
    if status.state == "failed":
        operator.report({"ERROR"}, status.error)
        return {"CANCELLED"}
    operator.report({"INFO"}, "Tallow: " + done.format(status.frame))
    return {"FINISHED"}


class TALLOW_OT_bake(bpy.types.Operator):
    bl_idname = "tallow.bake"
    bl_label = "Bake"
    bl_description = ("Simulate and keep every frame on disk. Blender stays usable meanwhile; without a window it waits until "
                      "the bake is done")
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return job.current() is None

    def invoke(self, context, _event):
        """Ask before another bake takes the place of this one."""
        cache = playback.cache_of(context.scene)
        if cache is None or not cache.order:
            return self.execute(context)
        return context.window_manager.invoke_props_dialog(self, width=420)

    def draw(self, context):
        for line in again_lines(context.scene):
            self.layout.label(text=line)

    def execute(self, context):
        return _run(self, context, resume=False)


def again_lines(scene) -> List[str]:
    """What Bake asks when there is a bake already."""
    folder = paths.bake_folder(scene)
    entry = bake_list.entry_of(folder) if folder else None
    count = bake_list.frames(entry) if entry else "0 frames"
    return [f"Bake again, in place of the bake with {count}?", paths.fate(scene), f"On the disk now: {paths.room(scene)}."]


class TALLOW_OT_resume(bpy.types.Operator):
    bl_idname = "tallow.resume"
    bl_label = "Resume"
    bl_description = "Go on: with a paused bake, or after the last frame of one that was cancelled or got a longer range"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if job.current() is not None:
            return job.is_baking(context.scene) and job.current().process.paused
        return bool(context.scene.tallow.bake_path) or bpy.app.background

    def execute(self, context):
        newer.look_once()
        if job.current() is not None:
            job.resume_paused()
            return {"FINISHED"}
        return _run(self, context, resume=True)


class TALLOW_OT_bake_from(bpy.types.Operator):
    bl_idname = "tallow.bake_from"
    bl_label = "Bake From Here"
    bl_description = ("Keep the frames up to the present one and bake the rest again, with the heaters, inflows, keyframes, world and "
                      "solver settings as they are now. Starts at the last kept state (Keep State Every under Files)")
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return job.current() is None and bool(context.scene.tallow.bake_path)

    def invoke(self, context, _event):
        """Say what is kept and what is baked again."""
        if _state_here(context) is None:
            return self.execute(context)
        return context.window_manager.invoke_props_dialog(self, width=420)

    def draw(self, context):
        state, last = _state_here(context), shot.frame_range(context.scene)[1]
        self.layout.label(text=f"Keep the frames up to {state} and bake {state + 1} to {last} again?")
        if state != context.scene.frame_current:
            self.layout.label(text=f"Frame {state} has the last kept state before frame {context.scene.frame_current}.")
        self.layout.label(text=paths.fate(context.scene))

    def execute(self, context):
        state, wrong = _state_here(context), ""
        if state is None:
            cache = playback.cache_of(context.scene)
            first = cache.first_state() if cache else None
            wrong = ("This bake has no states to go on from. Turn on Keep State Every under Files and bake again" if first is None else
                     f"No state is kept at or before frame {context.scene.frame_current}; the first one is of frame {first}")
        elif state >= shot.frame_range(context.scene)[1]:
            wrong = f"Frame {state} is the last one of the shot: there is nothing to bake after it"
        if wrong:
            self.report({"ERROR"}, wrong)
            return {"CANCELLED"}
        return _run(self, context, since=state)


class TALLOW_OT_mesh_again(bpy.types.Operator):
    bl_idname = "tallow.mesh_again"
    bl_label = "Mesh Again"
    bl_description = ("Make the surface of all baked frames anew with the Surface Detail and Surface Smoothing above, without "
                      "simulating. Needs the OpenVDB volumes of the bake")
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return job.current() is None and bool(context.scene.tallow.bake_path)

    def execute(self, context):
        tallow = context.scene.tallow
        return _run(self, context, job.start_meshing, "meshed up to frame {}",
                    output={"mesh_detail": tallow.mesh_detail, "mesh_smoothing": tallow.mesh_smoothing})


def _state_here(context):
    cache = playback.cache_of(context.scene)
    return cache.state_before(context.scene.frame_current) if cache else None


class TALLOW_OT_pause(bpy.types.Operator):
    bl_idname = "tallow.pause"
    bl_label = "Pause"
    bl_description = "Let the bake stand still, to have the computer for something else"

    @classmethod
    def poll(cls, context):
        return job.is_baking(context.scene) and not job.current().process.paused

    def execute(self, _context):
        job.pause()
        return {"FINISHED"}


class TALLOW_OT_cancel(bpy.types.Operator):
    bl_idname = "tallow.cancel"
    bl_label = "Cancel"
    bl_description = "Stop the bake. Finished frames are kept, and Resume goes on from there"

    @classmethod
    def poll(cls, context):
        return job.current() is not None

    def execute(self, _context):
        job.cancel()
        return {"FINISHED"}


class TALLOW_OT_free(bpy.types.Operator):
    bl_idname = "tallow.free"
    bl_label = "Free"
    bl_description = ("Delete this scene's bake from disk and show the objects as they were. Deletes only files that Tallow "
                      "wrote")
    bl_options = {"REGISTER", "UNDO"}

    all_bakes: BoolProperty(name="All Bakes", default=False,
                            description="Also delete the other bakes in the cache folder, but for those that other files show")

    @classmethod
    def poll(cls, context):
        return job.current() is None and bool(context.scene.tallow.bake_path)

    def invoke(self, context, event):
        return context.window_manager.invoke_confirm(self, event)

    def execute(self, context):
        scene = context.scene
        folder = paths.bake_folder(scene)
        folders = {folder} if folder else set()
        if self.all_bakes:
            folders.update(path for path in cache_files.bakes(paths.cache_root(scene))
                           if not owners.others(path, paths.this_file()))
        try:
            freed = [cache_files.free(path) for path in folders]
        except OSError as error:
            self.report({"ERROR"}, f"The bake cannot be deleted: {error.strerror or error}")
            return {"CANCELLED"}
        let_go(scene)
        left = sum(entry.left for entry in freed)
        self.report({"INFO"}, f"Freed {estimate.format_bytes(sum(entry.bytes for entry in freed))}"
                    + (f"; {left} files that Tallow did not write were left" if left else ""))
        return {"FINISHED"}


class TALLOW_OT_bodies_to_keyframes(bpy.types.Operator):
    bl_idname = "tallow.bodies_to_keyframes"
    bl_label = "Bodies to Keyframes"
    bl_description = "Give the rigid bodies ordinary keyframes from the bake, so that they move without Tallow"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return bool(context.scene.tallow.bake_path)

    def execute(self, context):
        scene = context.scene
        cache = playback.cache_of(scene)
        if cache is None or not cache.order:
            self.report({"WARNING"}, "There is no bake to take the motion from")
            return {"CANCELLED"}
        keyed = {}  # object: its last rotation, so that angles do not jump by a full turn
        original = scene.frame_current
        for frame in cache.order:
            for obj, _position, _rotation in list(playback.bodies.placements(scene, cache, frame)):
                keyed.setdefault(obj, None)
            playback.bodies.show(scene, cache, frame)
            for obj, last in keyed.items():
                if last and obj.rotation_mode not in ("QUATERNION", "AXIS_ANGLE"):
                    rotation = obj.rotation_euler.copy()
                    rotation.make_compatible(last)
                    obj.rotation_euler = rotation
                _key_transform(obj, frame)
                keyed[obj] = obj.rotation_euler.copy()
        for obj in keyed:
            obj.tallow.follow_bake = False
        scene.frame_set(original)
        self.report({"INFO"}, f"{len(keyed)} bodies have keyframes now")
        return {"FINISHED"}


def _key_transform(obj, frame: int) -> None:
    rotations = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
    for path in ("location", rotations.get(obj.rotation_mode, "rotation_euler")):
        obj.keyframe_insert(path, frame=frame)


CLASSES = (TALLOW_OT_bake, TALLOW_OT_resume, TALLOW_OT_bake_from, TALLOW_OT_mesh_again, TALLOW_OT_pause, TALLOW_OT_cancel, TALLOW_OT_free,
           TALLOW_OT_bodies_to_keyframes)
