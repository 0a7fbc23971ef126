# SPDX-License-Identifier: GPL-3.0-or-later
"""From a Blender scene to a scene folder."""

from .scene import ExportError, export_scene

__all__ = ("ExportError", "export_scene")
