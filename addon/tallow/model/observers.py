# SPDX-License-Identifier: GPL-3.0-or-later
"""Who wants to know what. A property or a bake tells a signal; playback listens.

So a room tells its news without importing the rooms above it.
"""

from __future__ import annotations

from typing import Any, Callable, List


class Signal:
    """Functions that are called when something happens, in the order in which they came."""

    def __init__(self) -> None:
        self._listeners: List[Callable[..., Any]] = []

    def connect(self, listener: Callable[..., Any]) -> None:
        if listener not in self._listeners:
            self._listeners.append(listener)

    def disconnect(self, listener: Callable[..., Any]) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)

    def __call__(self, *arguments: Any) -> List[Any]:
        """Tell every listener. Returns what they answered."""
        return [listener(*arguments) for listener in list(self._listeners)]


# Each is called with a scene.
display_changed = Signal()  # a setting of the Show panel
colors_changed = Signal()  # what the surface is coloured by
smoothing_changed = Signal()
frames_landed = Signal()  # the bake that is shown has new frames
bake_changed = Signal()  # another bake is shown, or the bake is over
ask_progress = Signal()  # a question: the share of the range that is baked, 0 to 1
