# SPDX-License-Identifier: GPL-3.0-or-later
"""Slices of cells out of OpenVDB files, read by a baker's process beside Blender, since Blender never loads the library."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import threading
from typing import List, NamedTuple, Optional, Tuple

import numpy as np

from .process import clean_environment

NUMBERS = 6  # x y z (m), temperature (K), viscosity (Pa s), speed (m/s)
Request = Tuple[str, int, float]  # file, axis (0 to 2), place on it in metres
NO_CELLS = np.empty((0, NUMBERS), np.float32)


class Slice(NamedTuple):
    request: Request
    cells: np.ndarray  # (n, NUMBERS) float32
    error: str = ""


class CellReader:
    """Reads in a thread. When requests come faster than answers, only the last one counts."""

    def __init__(self, command: List[str]) -> None:
        flags = {"creationflags": subprocess.CREATE_NO_WINDOW} if os.name == "nt" else {"start_new_session": True}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, encoding="utf-8", errors="replace", bufsize=1, env=clean_environment(), **flags)
        self.answer: Optional[Slice] = None
        self._wanted: Optional[Request] = None
        self._closed = False
        self._news = threading.Condition()
        self.done = threading.Condition()  # an answer came
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether the answer to the last request is still to come."""
        return self._wanted is not None and (self.answer is None or self.answer.request != self._wanted)

    def ask(self, request: Request) -> None:
        with self._news:
            self._wanted = request
            self._news.notify()

    def close(self) -> None:
        with self._news:
            self._closed = True
            self._news.notify()
        try:
            self.process.stdin.close()  # by which it knows that it is no longer needed
            self.process.wait(2.0)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self._thread.join(2.0)
        self.process.stdout.close()

    def _work(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._closed or self.busy)
                if self._closed:
                    return
                request = self._wanted
            answer = self._read(request)
            with self.done:
                self.answer = answer
                self.done.notify_all()

    def _read(self, request: Request) -> Slice:
        path, axis, place = request
        try:
            self.process.stdin.write(json.dumps({"path": path, "axis": axis, "place": place}) + "\n")
            self.process.stdin.flush()
            reply = json.loads(self.process.stdout.readline())
            if "error" in reply:
                return Slice(request, NO_CELLS, str(reply["error"]))
            numbers = np.frombuffer(base64.b64decode(reply["cells"]), "<f4")
            return Slice(request, numbers.reshape(-1, NUMBERS))
        except (OSError, ValueError, KeyError, TypeError):
            return Slice(request, NO_CELLS, "The program that reads cells ended. Turn the slice off and on again.")
