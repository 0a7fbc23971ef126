# SPDX-License-Identifier: GPL-3.0-or-later
"""One bake at a time: exports, starts the baker, watches it from a timer, and tells when frames land."""

from __future__ import annotations

import atexit
import shutil
import time
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

import bpy
from bpy.app.handlers import persistent

from ..core import cache as cache_files
from ..core import owners, scene_file
from ..core.events import Status, format_seconds
from ..core.process import BakerProcess, explain_exit
from ..model import observers, role_effects, roles, shot
from . import command, paths, session
from .export import ExportError, checks, export_scene

INTERVAL = 0.15  # seconds between looks at the baker
_job: Optional["Job"] = None


class BakeError(Exception):
    """The bake cannot start; the text is for the artist."""


class SetUpError(BakeError):
    """The scene is not ready. Panels say so by themselves, as long as it is true."""


class Job:
    """A running bake."""

    def __init__(self, scene: bpy.types.Scene, folder: Path, process: BakerProcess, warnings: List[str],
                 first: int, last: int, previous: Optional[Path], since: int = 0, meshing: bool = False) -> None:
        self.session = session.claim(scene)
        self.folder = folder
        self.process = process
        self.status = Status(first=first, last=last, frame=first - 1, warnings=list(warnings), meshing=meshing)
        self.previous = previous  # replaced once this bake has a frame of its own
        self.since = since  # frame up to which it shares the frames of the previous one; 0: of none
        self.session.status = self.status

    @property
    def scene(self) -> Optional[bpy.types.Scene]:
        return self.session.find()

    def poll(self) -> bool:
        """Take in what the baker said. False once it is over."""
        alive = self.process.alive
        new_frame = False
        for event in self.process.take_events():
            self._try(lambda: self.status.apply(event), "A message of the baker cannot be read")
            new_frame = new_frame or event["event"] == "frame"
        if new_frame and not self.status.meshing:
            self._try(self._show_frame, f"Frame {self.status.frame} cannot be shown")
        if alive:
            if self.status.running:
                self.status.state = ("cancelling" if self.process.cancelling else
                                     "paused" if self.process.paused else
                                     self.status.state if self.status.state == "starting" else "baking")
            return True
        self._finish()
        return False

    def _try(self, action: Callable[[], object], otherwise: str) -> None:
        """Blender drops a timer that raises. A frame that cannot be shown is no reason to stop watching the bake."""
        try:
            action()
        except Exception as error:  # noqa: B902  (whatever it is, the bake goes on)
            self.status.warn(f"{otherwise}: {getattr(error, 'strerror', None) or error or type(error).__name__}.")

    def _show_frame(self) -> None:
        scene = self.scene
        if scene is None:
            return
        if scene.tallow.bake_path != str(self.folder):
            self._adopt(scene)
        frame = self.status.frame
        if scene.tallow.follow and not bpy.app.background and not _is_playing():
            scene.frame_set(frame)  # the frame handler fills the surface
        observers.frames_landed(scene)

    def _adopt(self, scene: bpy.types.Scene) -> None:
        """The new bake has something to show: it takes the place of the previous one."""
        if self.status.meshing:
            owners.sign(self.folder, maker_of(scene))  # not before: meshes of two kinds are no bake
        paths.set_bake(scene, self.folder)
        role_effects.update_sources(roles.with_role(scene, *roles.SOURCES), baked=True)
        if self.previous and self.previous != self.folder:
            paths.remember_previous(self.session, self.previous)
            paths.replace(scene, self.previous)
        observers.bake_changed(scene)

    def _finish(self) -> None:
        status = self.status
        if status.running:
            if self.process.cancelling:
                status.state = "cancelled"
            else:
                code = self.process.process.returncode
                kept = status.frame if status.frame >= status.first and not status.meshing else 0
                status.fail(explain_exit(code, list(self.process.stderr), kept))
        self.process.close()
        scene = self.scene
        if status.meshing and status.state == "done" and scene:
            self._adopt(scene)
        elif (status.meshing or not (self.folder / "bake.json").is_file() or (self.since and status.frame <= self.since)):
            # It never got to a frame of its own. Meshes of two kinds are no bake.
            self._try(lambda: cache_files.free(self.folder), f"What is left of the bake in {self.folder} cannot be deleted")
        for folder in paths.released():
            self._try(lambda: cache_files.free(folder), f"The previous bake in {folder} cannot be deleted")
        if scene:
            self._try(lambda: observers.bake_changed(scene), "The last frame cannot be shown")


def maker_of(scene: bpy.types.Scene) -> owners.Maker:
    """What a bake of the scene is made from."""
    return owners.Maker(paths.this_file(), scene.name, scene.tallow.uid, bpy.app.background)


def _is_playing() -> bool:
    return any(window.screen.is_animation_playing for window in bpy.context.window_manager.windows)


def status_of(scene: bpy.types.Scene) -> Status:
    """The status of the scene's running or last bake."""
    known = session.of(scene)
    return known.status if known and known.status else Status(state="")


def forget(scene: bpy.types.Scene) -> None:
    session.claim(scene).status = None


def forget_failure(scene: bpy.types.Scene) -> None:
    """The scene was set up anew: what an earlier bake had ended with is no longer about it."""
    if not is_baking(scene) and status_of(scene).error:
        forget(scene)


def fail(scene: bpy.types.Scene, text: str) -> None:
    """Keep a sentence for the Bake panel about a bake that did not even start."""
    status = Status()
    status.fail(text)
    session.claim(scene).status = status


def current() -> Optional[Job]:
    return _job


def is_baking(scene: bpy.types.Scene) -> bool:
    return _job is not None and _job.scene == scene


def start(context: bpy.types.Context, resume: bool = False, since: int = 0) -> Job:
    """Check, export and start the baker: anew, after the last frame (`resume`), or after frame `since` of the bake that is shown.
    Raises BakeError with one sentence for the artist."""
    scene = context.scene
    _expect_idle(scene)
    problems = checks.check_scene(scene)
    fatal = next((problem.text for problem in problems if problem.fatal), None)
    if fatal:
        raise SetUpError(fatal)
    root, words = _prepare(scene)
    previous = paths.bake_folder(scene)
    if resume and previous is None:
        raise BakeError("There is no bake to resume. Press Bake.")
    if since and previous is None:
        raise BakeError("There is no bake to go on with. Press Bake.")
    try:
        folder = previous if resume else cache_files.new_bake_folder(root)
        warnings = [problem.text for problem in problems]
        warnings += _write_scene(context, folder, resume)
        if since:
            cache_files.branch(previous, folder, since)
    except OSError as error:
        raise BakeError(f"The scene cannot be written to {root}: {error.strerror or error}.") from None
    except ValueError:
        cache_files.free(folder)
        raise BakeError("The list of frames of this bake is damaged. Press Bake Again.") from None
    words += [str(folder / "scene"), str(folder), "--threads", str(scene.tallow.threads)]
    words += (["--resume"] if resume else []) + (["--from", str(since)] if since else [])
    first, last = shot.frame_range(scene)
    return _launch(words, lambda process: Job(scene, folder, process, warnings, first, last, previous, since))


def start_meshing(context: bpy.types.Context, output: Dict[str, int]) -> Job:
    """Mesh the frames of the shown bake again, with other values of `output` in its scene.json. They become a new bake that
    shares all other files with the old one. Raises BakeError with one sentence for the artist."""
    scene = context.scene
    _expect_idle(scene)
    previous = paths.bake_folder(scene)
    cache = cache_files.Cache(previous or "")
    if previous is None or not cache.refresh() or not cache.order:
        raise BakeError("There is no bake whose frames could be meshed again. Press Bake.")
    root, words = _prepare(scene)
    folder = None
    try:
        folder = cache_files.new_bake_folder(root)
        owners.begin(folder)
        cache_files.copy_scene(previous, folder)
        scene_file.change(folder / "scene", "output", output)
        cache_files.branch(previous, folder, cache.order[-1])
    except (OSError, ValueError) as error:
        if folder:
            cache_files.free(folder)
        raise BakeError(f"The bake cannot be copied within {root}: {getattr(error, 'strerror', None) or error}.") from None
    words += [str(folder / "scene"), str(folder), "--threads", str(scene.tallow.threads), "--mesh"]
    return _launch(words, lambda process: Job(scene, folder, process, [], cache.order[0], cache.order[-1], previous, meshing=True))


def _expect_idle(scene: bpy.types.Scene) -> None:
    if _job is not None:
        raise BakeError(f"A bake of {_job.session.name} is running already. Wait for it, or cancel it first.")
    forget(scene)


def _prepare(scene: bpy.types.Scene) -> Tuple[Path, List[str]]:
    """The cache folder, and the command that runs the baker."""
    root = paths.cache_root(scene)
    wrong = checks.check_folder(root)
    if wrong:
        raise BakeError(wrong)
    words = command.baker_command()
    if words is None:
        raise BakeError("No Python 3.9 or newer was found to run the baker. Install Python, or name one in Edit > Preferences "
                        "> Add-ons > Tallow.")
    return root, words


def _launch(words: List[str], make: Callable[[BakerProcess], Job]) -> Job:
    global _job
    try:
        process = BakerProcess(words + ([] if bpy.app.background else ["--gentle"]))
    except OSError as error:
        raise BakeError(f"The baker does not start: {error}.") from None
    _job = make(process)
    if not bpy.app.background and not bpy.app.timers.is_registered(_tick):
        bpy.app.timers.register(_tick, first_interval=INTERVAL)
    return _job


def _write_scene(context: bpy.types.Context, folder: Path, resume: bool) -> List[str]:
    """Export into the bake's own scene folder. A resumed bake must still be the same scene."""
    target = folder / ("scene_resume" if resume else "scene")
    try:
        if not resume:
            owners.begin(folder, maker_of(context.scene))
        warnings = export_scene(context, target)
        if resume:
            changed = scene_file.difference(folder / "scene", target)
            if changed:
                raise BakeError(f"This bake cannot go on, because {changed} changed since it was made. Press Bake to start "
                                "anew, or undo the change.")
            scene_file.go_on(folder / "scene", target)
        return warnings
    except ExportError as error:
        raise BakeError(str(error)) from None
    finally:
        if resume:
            shutil.rmtree(target, ignore_errors=True)
        elif not (target / "scene.json").is_file():
            cache_files.free(folder)


def pause() -> None:
    if _job:
        _job.process.pause()
        _job.status.state = "paused"


def resume_paused() -> None:
    if _job:
        _job.process.resume()
        _job.status.state = "baking"


def cancel() -> None:
    if _job:
        _job.process.cancel()
        _job.status.state = "cancelling"


def _tick() -> Optional[float]:
    """The timer. Any defect in showing a frame must not stop the watching."""
    global _job
    if _job is None:
        return None
    if bpy.app.is_job_running("RENDER"):
        return INTERVAL  # the scene is the render's now; what the baker says waits
    try:
        running = _job.poll()
    except Exception as error:  # noqa: B902  (a timer that raises is dropped, and nobody would see the bake end)
        _job.status.warn(f"Tallow lost sight of the bake for a moment: {error or type(error).__name__}.")
        running = _job.process.process.poll() is None
    if not running:
        _job = None
    redraw()
    return INTERVAL if running else None


def wait(report=print) -> Status:
    """Without a window timers do not fire: watch the baker here and print how it goes."""
    global _job
    job, said, warned = _job, None, 0
    try:
        while job.poll():
            warned = _print_news(job.status, said, warned, report)
            said = job.status.frame
            time.sleep(0.05)
    except KeyboardInterrupt:
        job.process.cancel()
        while job.poll():
            time.sleep(0.05)
    finally:
        _job = None
    _print_news(job.status, said, warned, report)
    return job.status


def _print_news(status: Status, said: Optional[int], warned: int, report) -> int:
    for text in status.warnings[warned:]:
        report(f"Tallow: {text}")
    if status.finished and status.frame != said:
        left = status.seconds_left
        report(f"Tallow: frame {status.frame} of {status.last}" + (f", {format_seconds(left)} left" if left else ""))
    return len(status.warnings)


def redraw() -> None:
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def _answer_progress(scene: bpy.types.Scene) -> float:
    return status_of(scene).fraction


@persistent
def _on_load_pre(*_args) -> None:
    """Another file is about to open: this one's bake stops, and keeps its frames if the file was ever saved."""
    _stop()
    paths.forget_replaced()
    paths.drop_temporary()


@persistent
def _on_save_pre(*_args) -> None:
    paths.note_file()
    paths.write_down()


@persistent
def _on_save_post(*_args) -> None:
    for scene in bpy.data.scenes:
        paths.settle(scene, may_move=not is_baking(scene))
    paths.settle_rest(may_move=current() is None)
    paths.settle_owners()


def _stop() -> None:
    global _job
    if _job:
        _job.process.cancel()
        _job.process.close()
        _job = None
    session.clear()


HANDLERS = (("load_pre", _on_load_pre), ("save_pre", _on_save_pre), ("save_post", _on_save_post))


def register() -> None:
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).append(function)
    observers.ask_progress.connect(_answer_progress)
    # Not taken back: a Blender that closes disables its add-ons first.
    atexit.unregister(paths.drop_temporary)
    atexit.register(paths.drop_temporary)


def unregister() -> None:
    _stop()
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).remove(function)
    observers.ask_progress.disconnect(_answer_progress)
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)
