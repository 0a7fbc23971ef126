"""The volume of closed meshes, counted along vertical lines. It shares no code with the library that it judges."""

from __future__ import annotations

from typing import Sequence, Tuple

import numpy as np

Mesh = Tuple[np.ndarray, np.ndarray]  # positions and triangles, which run counter-clockwise seen from outside
TURN = 0.3711  # radians about z: lines in rows along the grid would meet its walls all at once or not at all
QUADS = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
FACES = np.array([triangle for a, b, c, d in QUADS for triangle in ((a, b, c), (a, c, d))])


def box(low: Sequence[float], high: Sequence[float]) -> Mesh:
    places = [[x, y, z] for z in (low[2], high[2]) for y in (low[1], high[1]) for x in (low[0], high[0])]
    return np.array(places, float), FACES


def lathe(profile: Sequence[Tuple[float, float]], centre: Sequence[float], sides: int = 64) -> Mesh:
    """A closed outline of radii and heights, counter-clockwise with radii to the right, turned about the z axis."""
    angles = 2 * np.pi * np.arange(sides) / sides
    places, rings, triangles = [], [], []
    for radius, height in profile:
        first, count = len(places), sides if radius else 1
        places += [(radius * np.cos(a), radius * np.sin(a), height) for a in angles[:count]]
        rings.append([first + n % count for n in range(sides)])
    for low, high in zip(rings, rings[1:] + rings[:1]):
        for n in range(sides):
            m = (n + 1) % sides
            for triangle in ((low[n], low[m], high[m]), (low[n], high[m], high[n])):
                if len(set(triangle)) == 3:
                    triangles.append(triangle)
    return np.array(places) + centre, np.array(triangles)


def ball(centre: Sequence[float], radius: float, sides: int = 64) -> Mesh:
    turns = np.pi * np.arange(sides // 2 + 1) / (sides // 2)
    profile = [(radius * np.sin(t), -radius * np.cos(t)) for t in turns]
    profile[0], profile[-1] = (0, -radius), (0, radius)
    return lathe(profile, centre, sides)


def cup(centre: Sequence[float], radius: float, height: float, wall: float) -> Mesh:
    room = radius - wall
    return lathe([(0, 0), (radius, 0), (radius, height), (room, height), (room, wall), (0, wall)], centre)


def volume_within(mesh: Mesh, low: Sequence[float], high: Sequence[float], solids: Sequence[Mesh],
                  spacing: float) -> float:
    """Volume of a mesh inside a box and outside solids, from lines that stand `spacing` apart."""
    parts = [mesh, box(low, high), *solids]
    corner = np.min(_turned(parts[1][0]), axis=0)
    found = [_crossings(_turned(positions) - corner, triangles, spacing) for positions, triangles in parts]
    line, height, turn = (np.concatenate([part[n] for part in found]) for n in range(3))
    owner = np.concatenate([np.full(len(part[0]), n) for n, part in enumerate(found)])
    order = np.lexsort((height, line))
    line, height = line[order], height[order]
    inside = [np.cumsum(np.where(owner == n, turn, 0)[order]) > 0.5 for n in range(len(parts))]
    wet = inside[0] & inside[1]
    for solid in inside[2:]:
        wet &= ~solid
    return spacing * spacing * float(np.sum(np.diff(height) * (wet[:-1] & (line[1:] == line[:-1]))))


def _turned(positions: np.ndarray) -> np.ndarray:
    c, s = np.cos(TURN), np.sin(TURN)
    return np.asarray(positions, float) @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])


def _crossings(positions: np.ndarray, triangles: np.ndarray, spacing: float) -> Tuple[np.ndarray, ...]:
    """Number of the line, height and turn of each crossing: +1 where a line enters from below, -1 where it leaves."""
    corners = positions[triangles]
    plane = corners[:, :, :2] / spacing - (0.5137, 0.4789)
    first, last = np.ceil(plane.min(axis=1)).astype(np.int64), np.floor(plane.max(axis=1)).astype(np.int64)
    size = np.maximum(last - first + 1, 0)
    number = size[:, 0] * size[:, 1]
    found = [(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))]
    for part in np.array_split(np.flatnonzero(number), max(1, int(number.sum() // 2_000_000))):
        owner = np.repeat(part, number[part])
        place = np.arange(len(owner)) - np.repeat(np.cumsum(number[part]) - number[part], number[part])
        x, y = first[owner, 0] + place % size[owner, 0], first[owner, 1] + place // size[owner, 0]
        point = np.stack([x, y], axis=1)
        a, b, c = (plane[owner, n] - point for n in range(3))
        weights = np.stack([_cross(b, c), _cross(c, a), _cross(a, b)])
        hit = np.all(weights > 0, axis=0) | np.all(weights < 0, axis=0)
        weights, owner = weights[:, hit], owner[hit]
        whole = weights.sum(axis=0)
        height = sum(weights[n] * corners[owner, n, 2] for n in range(3)) / whole
        found.append((x[hit] + (y[hit] << 32), height, -np.sign(whole)))
    return tuple(np.concatenate([part[n] for part in found]) for n in range(3))


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
