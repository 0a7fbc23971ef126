# SPDX-License-Identifier: GPL-3.0-or-later
"""Two sinking stones draft, kiss and tumble (Carlson 2004, fig. 20)."""

from . import _tank, kit

LABEL, TEXT = "Tumbling Stones", "The upper of two sinking stones drifts into the wake of the lower one; they touch and tumble"
FRAMES, RESOLUTION, FPS = 40, 72, 30
SHEET, SHAPE = (1, 8, 16, 24, 32, 40), _tank.SHAPE


def build() -> None:
    _tank.fill()
    for name, x, z, color in (("Turquoise", -0.20, 1.98, kit.JADE), ("Marble", -0.185, 1.78, (0.75, 0.72, 0.68))):
        kit.paint(kit.cast(kit.ball(name, 0.0825, (x, 0.0, z)), "RIGID", density=5700.0, surface="SLIP"), color, 0.4)
