# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a rigid body is between two baked frames, for motion blur."""

from __future__ import annotations

import math
from typing import Dict, Sequence, Tuple

Vec = Tuple[float, ...]


def between(first: Dict, second: Dict, share: float, seconds: float) -> Tuple[Vec, Vec]:
    """Position and rotation at a share of the way between two entries of rigid_*.json that are `seconds` apart."""
    position = tuple(a + share * (b - a) for a, b in zip(first["position"], second["position"]))
    # Two rotations do not tell how often a body turned between them. Its spin does: it turns evenly by that, and what is missing
    # to the second rotation is the short way.
    turn = [0.5 * (a + b) * seconds for a, b in zip(_spin(first), _spin(second))]
    start, end = _normalised(first["rotation"]), _normalised(second["rotation"])
    missing = _turn_of(_times(end, _conjugate(_times(_rotation_by(turn), start))))
    steps = (_rotation_by([share * part for part in missing]), _rotation_by([share * part for part in turn]))
    return position, _times(steps[0], _times(steps[1], start))


def _spin(body: Dict) -> Sequence[float]:
    return body.get("spin") or (0.0, 0.0, 0.0)


def _normalised(q: Sequence[float]) -> Vec:
    length = math.sqrt(sum(part * part for part in q))
    return tuple(part / length for part in q) if length > 0.0 else (1.0, 0.0, 0.0, 0.0)


def _conjugate(q: Vec) -> Vec:
    return q[0], -q[1], -q[2], -q[3]


def _times(p: Vec, q: Vec) -> Vec:
    """First q, then p."""
    return (p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
            p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
            p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0])


def _rotation_by(turn: Sequence[float]) -> Vec:
    """Of an axis times an angle."""
    angle = math.sqrt(sum(part * part for part in turn))
    factor = math.sin(0.5 * angle) / angle if angle > 1e-12 else 0.5
    return (math.cos(0.5 * angle), *(factor * part for part in turn))


def _turn_of(q: Vec) -> Vec:
    """Axis times angle of the short way, at most half a turn."""
    if q[0] < 0.0:
        q = tuple(-part for part in q)
    sine = math.sqrt(sum(part * part for part in q[1:]))
    factor = 2.0 * math.atan2(sine, q[0]) / sine if sine > 1e-12 else 2.0
    return tuple(factor * part for part in q[1:])
