# SPDX-License-Identifier: GPL-3.0-or-later
"""Registers everything in the order that Blender needs, and takes it back in reverse."""

from __future__ import annotations

from . import playback
from .baking import job
from .model import properties, versions
from .ui import operators, overlay, panels, preferences, previews

MODULES = (preferences, properties, versions, operators, panels, playback, overlay, previews, job)


def register() -> None:
    for module in MODULES:
        module.register()


def unregister() -> None:
    for module in reversed(MODULES):
        module.unregister()
