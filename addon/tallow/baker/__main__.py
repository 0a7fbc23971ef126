# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes a scene folder into a cache folder and prints events, one JSON object per line (docs/scene-format.md).

Listens on standard input for `pause`, `resume` and `cancel`; a closed input means that Blender is gone, and cancels.
"""

import argparse
import base64
import ctypes
import json
import os
import signal
import sys
import threading
import time

if sys.version_info < (3, 9):
    sys.exit("Tallow's baker needs Python 3.9 or newer")

import library  # noqa: E402  (this folder is the program; see the version check above)

OK, CANCELLED = 0, 1


class Baker:
    """One bake: callbacks for the library, commands from Blender, events back."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.cancelled = threading.Event()
        self.go = threading.Event()  # cleared while paused
        self.go.set()
        self.lock = threading.Lock()
        self.frame = 0
        self.said_end = False

    def emit(self, **event) -> None:
        self.emit_line(json.dumps(event, ensure_ascii=False))

    def emit_line(self, line: str) -> None:
        with self.lock:
            try:
                sys.stdout.write(line.replace("\n", " ") + "\n")
                sys.stdout.flush()
            except OSError:
                self.cancel()  # nobody listens any more

    def cancel(self) -> None:
        self.cancelled.set()
        self.go.set()

    def listen(self) -> None:
        commands = {"pause": self.go.clear, "resume": self.go.set, "cancel": self.cancel}
        for line in sys.stdin:
            commands.get(line.strip(), lambda: None)()
        self.cancel()

    # Called by the library, on the thread that bakes.

    def on_cancel(self, _user) -> bool:
        self.go.wait()  # the pause: the bake stands still here until it may go on
        return self.cancelled.is_set() or self.took_too_long()

    def took_too_long(self) -> bool:
        """Counts work and not the clock: a computer that has other things to do as well is no reason to give up."""
        return 0.0 < self.arguments.patience < time.process_time()

    def on_event(self, _user, text: bytes) -> None:
        line = text.decode("utf-8", "replace")
        self.emit_line(line)
        try:
            event = json.loads(line)
        except ValueError:
            return
        kind = event.get("event")
        if kind == "frame":
            self.frame = event.get("frame", self.frame)
        elif kind == "start":
            self.frame = event.get("resume_from") or 0
        elif kind in ("done", "cancelled", "error"):
            self.said_end = True

    def run(self) -> int:
        try:
            native = library.load(library.find(self.arguments.library))
        except library.LibraryError as error:
            self.emit(event="error", result="TLW_BAD_FILE", text=str(error))
            return 1
        context = ctypes.c_void_p()
        definition = native.tlwDefaultContextDef()
        # Log and progress stay null: the library then sends them as events.
        definition.cancel = cancel = library.CancelFn(self.on_cancel)  # has to outlive the context
        definition.threads = self.arguments.threads
        if native.tlwCreateContext(ctypes.byref(definition), ctypes.byref(context)) != OK:
            self.emit(event="error", result="TLW_INTERNAL", text="The native library does not start.")
            return 1
        try:
            work = self.slice if self.arguments.cells else self.plan if self.arguments.melt else self.bake
            return work(native, context)
        finally:
            native.tlwDestroyContext(context)
            del cancel

    def plan(self, native, context) -> int:
        """How much faster than in life heat must move; the answer is one event."""
        definition, plan = native.tlwDefaultMeltDef(), library.MeltPlan()
        definition.scene = os.fsencode(self.arguments.scene)
        definition.share = self.arguments.melt
        definition.frame = self.arguments.frames[1]
        result = native.tlwFindMeltSpeed(context, ctypes.byref(definition), ctypes.byref(plan))
        if result != OK:
            text = native.tlwGetMessage(context).decode("utf-8", "replace")
            if result == CANCELLED and self.took_too_long():
                text = (f"The search for a heat speed-up found nothing in {self.arguments.patience:g} s of processor time. Set Heat "
                        "Speed-up by hand.")
            self.emit(event="error", result=native.tlwGetResultName(result).decode(), text=text)
            return 1
        self.emit(event="melt", found=plan.found, speed=plan.speed, most=plan.most, strength=plan.strength)
        return 0

    def slice(self, native, context) -> int:
        """Slices of cells, one for each line on standard input, until it closes."""
        capacity = 1
        cells, count = (ctypes.c_float * library.SLICE_NUMBERS)(), ctypes.c_int64()
        for line in sys.stdin:
            try:
                wanted = json.loads(line)
                path, axis, place = os.fsencode(wanted["path"]), int(wanted["axis"]), float(wanted["place"])
            except (ValueError, KeyError, TypeError):
                self.emit(error="A slice needs a path, an axis and a place.")
                continue
            result = native.tlwReadSlice(context, path, axis, place, cells, capacity, ctypes.byref(count))
            if result == OK and count.value > capacity:
                capacity = 2 * count.value
                cells = (ctypes.c_float * (library.SLICE_NUMBERS * capacity))()
                result = native.tlwReadSlice(context, path, axis, place, cells, capacity, ctypes.byref(count))
            if result == OK:
                numbers = memoryview(cells).cast("B")[:4 * library.SLICE_NUMBERS * count.value]
                self.emit(cells=base64.b64encode(numbers).decode("ascii"))
            else:
                self.emit(error=native.tlwGetMessage(context).decode("utf-8", "replace"))
        return 0

    def bake(self, native, context) -> int:
        definition = native.tlwDefaultMeshDef() if self.arguments.mesh else native.tlwDefaultBakeDef()
        definition.scene = os.fsencode(self.arguments.scene)
        definition.cache = os.fsencode(self.arguments.cache)
        definition.frame_first, definition.frame_last = self.arguments.frames
        definition.event = event = library.EventFn(self.on_event)
        if self.arguments.mesh:
            result = native.tlwMeshAgain(context, ctypes.byref(definition))
        else:
            definition.resume, definition.frame_from = self.arguments.resume, self.arguments.since
            result = native.tlwBake(context, ctypes.byref(definition))
        del event
        if result == OK:
            return 0
        if not self.said_end:
            if result == CANCELLED:
                self.emit(event="cancelled", last_frame=self.frame)
            else:
                self.emit(event="error", result=native.tlwGetResultName(result).decode(),
                          text=native.tlwGetMessage(context).decode("utf-8", "replace"))
        return 2 if result == CANCELLED else 1


def frame_range(text: str):
    first, _, last = text.partition("-")
    return int(first), int(last or first)


def be_considerate(gentle: bool) -> None:
    """When memory runs out, the system is to end this process and not Blender. With a window, Blender also draws first."""
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("500")
    except OSError:
        pass  # not Linux, or not allowed
    if gentle and hasattr(os, "nice"):
        os.nice(5)


def main() -> int:
    parser = argparse.ArgumentParser(prog="tallow-baker")
    parser.add_argument("scene", nargs="?")
    parser.add_argument("cache", nargs="?")
    parser.add_argument("--frames", type=frame_range, default=(0, 0), metavar="A-B")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--from", dest="since", type=int, default=0, metavar="FRAME", help="bake again from this frame on")
    parser.add_argument("--mesh", action="store_true", help="do not bake: mesh the frames again as the scene's output says")
    parser.add_argument("--melt", type=float, default=0.0, metavar="SHARE",
                        help="do not bake: find the speed-up of heat that melts this share by the last frame")
    parser.add_argument("--patience", type=float, default=0.0, metavar="SECONDS",
                        help="seconds of processor time after which a search gives up")
    parser.add_argument("--cells", action="store_true",
                        help="do not bake: read slices of cells, each asked for by a line on standard input")
    parser.add_argument("--library", default=None)
    parser.add_argument("--gentle", action="store_true", help="leave the processor to other programs that want it")
    parser.add_argument("--self-check", action="store_true", help="say that this Python can run the baker")
    arguments = parser.parse_args()
    if arguments.self_check:
        print("tallow baker ready", sys.version.split()[0])
        return 0
    if not arguments.cells and (not arguments.scene or not (arguments.cache or arguments.melt)):
        parser.error("a scene folder and a cache folder are needed")
    for stream in (sys.stdin, sys.stdout):
        stream.reconfigure(encoding="utf-8", errors="replace")
    be_considerate(arguments.gentle)
    baker = Baker(arguments)
    for name in ("SIGTERM", "SIGINT"):
        signal.signal(getattr(signal, name), lambda *_: baker.cancel())
    if not arguments.cells:  # slices read the input
        threading.Thread(target=baker.listen, daemon=True).start()
    return baker.run()


if __name__ == "__main__":
    sys.exit(main())
