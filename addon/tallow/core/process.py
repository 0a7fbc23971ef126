# SPDX-License-Identifier: GPL-3.0-or-later
"""The baker as a process of its own: start, listen, pause, cancel, and what to say when it dies."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from pathlib import Path
from typing import Deque, Dict, List, Optional

from . import events

GRACE_SECONDS = 5.0  # between a polite cancel and a kill, and for what it said last to arrive


def clean_environment() -> Dict[str, str]:
    """Blender may point Python at its own library; another Python must not see that."""
    return {key: value for key, value in os.environ.items() if key not in ("PYTHONHOME", "PYTHONPATH")}


class BakerProcess:
    """Commands go to the baker's standard input. When Blender dies the input closes, and the baker stops."""

    def __init__(self, command: List[str]) -> None:
        flags = {"creationflags": subprocess.CREATE_NO_WINDOW} if os.name == "nt" else {"start_new_session": True}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, encoding="utf-8", errors="replace", bufsize=1,
                                        env=clean_environment(), **flags)
        self.events: "queue.Queue[Dict]" = queue.Queue()
        self.stderr: Deque[str] = deque(maxlen=20)
        self.paused = False
        self._cancelled_at: Optional[float] = None
        self._threads = [threading.Thread(target=self._listen, daemon=True),
                         threading.Thread(target=self._listen_errors, daemon=True)]
        for thread in self._threads:
            thread.start()

    def _listen(self) -> None:
        for line in self.process.stdout:
            event = events.parse(line)
            if event:
                self.events.put(event)

    def _listen_errors(self) -> None:
        for line in self.process.stderr:
            self.stderr.append(line.rstrip())

    def send(self, word: str) -> None:
        try:
            self.process.stdin.write(word + "\n")
            self.process.stdin.flush()
        except (OSError, ValueError):
            pass  # it is gone already; `alive` tells

    def pause(self) -> None:
        self.paused = True
        self.send("pause")

    def resume(self) -> None:
        self.paused = False
        self.send("resume")

    def cancel(self) -> None:
        if self._cancelled_at is None:
            self._cancelled_at = time.monotonic()
            self.send("cancel")

    @property
    def cancelling(self) -> bool:
        return self._cancelled_at is not None

    @property
    def alive(self) -> bool:
        """Whether it still runs. Also where a cancel that got no answer turns into a kill."""
        if self.process.poll() is not None:
            for thread in self._threads:
                thread.join(GRACE_SECONDS)  # so that its last words are in the queue
            return False
        if self._cancelled_at is not None and time.monotonic() - self._cancelled_at > GRACE_SECONDS:
            self.process.kill()
        return True

    def take_events(self) -> List[Dict]:
        taken: List[Dict] = []
        while True:
            try:
                taken.append(self.events.get_nowait())
            except queue.Empty:
                return taken

    def close(self) -> None:
        """End it now, whatever it does. The cache stays valid: frames are renamed into place."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(5.0)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except OSError:
                pass


def explain_exit(code: int, stderr: List[str], last_frame: int) -> str:
    """One sentence for a baker that ended without saying why."""
    kept = f" Frames up to {last_frame} are kept; press Resume to go on." if last_frame > 0 else ""
    if code == -getattr(signal, "SIGKILL", 9):
        why = "was stopped by the system, most often because memory ran out. Try a lower resolution."
    elif code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = str(-code)
        why = f"crashed ({name}). This is a defect in Tallow; please report it."
    else:
        last = next((line for line in reversed(stderr) if line.strip()), "")
        why = f"ended unexpectedly (code {code})" + (f": {last.strip()}" if last else ".")
    return f"The baker {why}{kept}"


def find_interpreter(candidates: List[str], baker: Path) -> Optional[str]:
    """The first Python that can run the baker. Each one has to prove it: a path may be a shim, or too old."""
    tried = set()
    for candidate in candidates:
        if not candidate or candidate in tried:
            continue
        tried.add(candidate)
        try:
            result = subprocess.run([candidate, "-E", "-s", "-B", str(baker), "--self-check"], capture_output=True, text=True,
                                    timeout=20, stdin=subprocess.DEVNULL, env=clean_environment())
        except (OSError, subprocess.SubprocessError):
            continue
        if result.returncode == 0 and "tallow baker ready" in result.stdout:
            return candidate
    return None
