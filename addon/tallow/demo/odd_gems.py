# SPDX-License-Identifier: GPL-3.0-or-later
"""Two odd gems tumble in a shaft of water (Carlson 2004, fig. 21)."""

from . import _tank, kit

LABEL, TEXT = "Odd Gems", "Gems turn as they sink, since they prefer to fall broadside"
FRAMES, RESOLUTION, FPS = 40, 72, 30
SHEET, SHAPE = (1, 8, 16, 24, 32, 40), _tank.SHAPE


def build() -> None:
    _tank.fill()
    for name, radii, place, turn, color in (
            ("Ruby", (0.11, 0.09, 0.10), (-0.12, 0.0, 1.98), (0.4, 0.3, 0.0), (0.6, 0.01, 0.04)),
            ("Emerald", (0.13, 0.07, 0.08), (-0.09, 0.0, 1.76), (0.9, -0.5, 0.3), (0.01, 0.4, 0.08))):
        body = kit.cast(kit.gem(name, radii, place), "RIGID", density=3500.0, surface="SLIP")
        body.rotation_euler = turn
        kit.paint(body, color, 0.1)
