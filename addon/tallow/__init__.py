# SPDX-License-Identifier: GPL-3.0-or-later
"""Tallow melts things: wax, liquids, heat and rigid bodies, baked by a native library in a process of its own."""

bl_info = {
    "name": "Tallow",
    "author": "The Tallow authors",
    "version": (0, 3, 0),
    "blender": (3, 4, 0),
    "location": "3D Viewport > Sidebar (N) > Tallow",
    "description": "Melting wax, flowing liquids and rigid bodies with heat",
    "category": "Physics",
}


# Nothing of Blender is imported before `register`, so that `tallow.core` can be used and tested without it.

def register() -> None:
    from . import registration
    registration.register()


def unregister() -> None:
    from . import registration
    registration.unregister()
