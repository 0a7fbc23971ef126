# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that build themselves; each is a script for `blender --python`."""
