# SPDX-License-Identifier: GPL-3.0-or-later
"""Node trees of materials and worlds in every Blender: older ones have to be told to use nodes, newer ones have nothing else."""

from __future__ import annotations

import bpy

ALWAYS = bpy.app.version >= (5, 0, 0)  # the switch does nothing there, and 6.0 takes it away


def tree_of(data: bpy.types.ID) -> bpy.types.NodeTree:
    """The node tree of a material or world."""
    if not ALWAYS:
        data.use_nodes = True
    return data.node_tree


def find(data: bpy.types.ID, kind: str) -> bpy.types.Node:
    """The first node of a kind, for example BSDF_PRINCIPLED, that a new material or world has."""
    return next(node for node in tree_of(data).nodes if node.type == kind)
