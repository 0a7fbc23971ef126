# SPDX-License-Identifier: GPL-3.0-or-later
"""What the baker says, one JSON object per line, and what it adds up to for the artist."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Dict, List, Optional

RUNNING = ("starting", "baking", "paused", "cancelling")


def parse(line: str) -> Optional[Dict]:
    """The event on a line; None for anything else a library may print there."""
    line = line.strip()
    if not line.startswith("{"):
        return None
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and isinstance(event.get("event"), str) else None


@dataclass
class Status:
    """The state of a bake as its events tell it."""

    state: str = "starting"  # one of RUNNING, or done, cancelled, failed
    first: int = 1
    last: int = 1
    frame: int = 0  # last finished
    part: float = 0.0  # of the frame in the works, 0 to 1
    stage: str = ""
    cells: int = 0
    finished: int = 0  # frames in this run
    seconds: List[float] = field(default_factory=list)
    entry: Dict = field(default_factory=dict)  # statistics of the last frame
    start_volume: float = 0.0
    warnings: List[str] = field(default_factory=list)
    error: str = ""
    meshing: bool = False  # nothing is simulated: the times of frames are those of their bake

    @property
    def running(self) -> bool:
        return self.state in RUNNING

    def apply(self, event: Dict) -> None:
        handler = getattr(self, "_on_" + event["event"], None)
        if handler:
            handler(event)

    def _on_start(self, event: Dict) -> None:
        frames = event.get("frames") or [self.first, self.last]
        self.first, self.last = int(frames[0]), int(frames[1])
        self.cells = int(event.get("cells") or 0)
        resumed = event.get("resume_from")
        self.frame = int(resumed) if resumed else self.first - 1
        if self.state == "starting":
            self.state = "baking"

    def _on_progress(self, event: Dict) -> None:
        self.part = min(1.0, max(0.0, float(event.get("done") or 0.0)))
        self.stage = str(event.get("stage") or "")

    def _on_frame(self, event: Dict) -> None:
        self.entry = event
        self.frame = int(event.get("frame", self.frame))
        self.part = 0.0
        self.finished += 1
        self.seconds.append(float(event.get("seconds") or 0.0))
        if not self.start_volume:
            self.start_volume = float(event.get("particle_volume") or 0.0)

    def _on_log(self, event: Dict) -> None:
        text = str(event.get("text") or "")
        if event.get("level") in ("warning", "error") and text:
            self.warn(text)

    def warn(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)

    def _on_done(self, _event: Dict) -> None:
        self.state = "done"
        self.part = 0.0

    def _on_cancelled(self, event: Dict) -> None:
        self.state = "cancelled"
        self.part = 0.0
        if event.get("last_frame") is not None:
            self.frame = int(event["last_frame"])

    def _on_error(self, event: Dict) -> None:
        self.fail(str(event.get("text") or "The bake failed."))

    def fail(self, text: str) -> None:
        self.state, self.error, self.part = "failed", text, 0.0

    @property
    def fraction(self) -> float:
        """How much of the range is done, 0 to 1."""
        total = self.last - self.first + 1
        done = self.frame - self.first + 1 + self.part
        return min(1.0, max(0.0, done / total)) if total > 0 else 0.0

    @property
    def seconds_left(self) -> Optional[float]:
        """Expected from the last frames, since frames get slower or faster as the wax spreads. None before the first."""
        # The first frame is the initial state and costs no simulation.
        recent = [s for s in self.seconds[-8:] if s > 0.0]
        if not recent or not self.running or self.meshing:
            return None
        return sum(recent) / len(recent) * max(0.0, self.last - self.frame - self.part)

    @property
    def volume_drift(self) -> Optional[float]:
        """How far the volume is from what it should be, as a share. None when unknown."""
        volume, target = self.entry.get("particle_volume"), self.entry.get("target_volume")
        return volume / target - 1.0 if volume and target else None


def format_seconds(seconds: float) -> str:
    """`0.25 s`, `42 s`, `3 min 20 s`, `2 h 5 min`, `40 days`."""
    if 0.0 < seconds < 1.0:
        return f"{max(seconds, 0.01):.2g} s"
    seconds = int(round(seconds))
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    if seconds >= 3 * 86400:
        return f"{seconds // 86400} days"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"
