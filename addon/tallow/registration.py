# SPDX-License-Identifier: GPL-3.0-or-later
"""Registers everything in the order that Blender needs, and takes it back in reverse."""

from __future__ import annotations

from . import playback
from .baking import comparing, installation, job, newer, staleness
from .model import keepsakes, properties, updates, versions
from .ui import menus, operators, overlay, panels, preferences, previews

MODULES = (preferences, properties, versions, updates, keepsakes, operators, panels, menus, playback, overlay, previews, staleness,
           comparing, job, newer)


def register() -> None:
    for module in MODULES:
        module.register()
    incomplete = installation.problem()
    if incomplete:
        print(f"Tallow: {incomplete}")  # for those who have no window


def unregister() -> None:
    for module in reversed(MODULES):
        module.unregister()
