#!/usr/bin/env python3
"""Potential flow of a collapsing column, by boundary elements: what `verify dam_break` is compared with.

A column of water, one wide and two high, is let go at once on a slippery floor beside a slippery wall. Without
viscosity and spin the velocity is the gradient of a potential that is harmonic inside. Its value on the free surface
follows Bernoulli's law along the particles there (Longuet-Higgins and Cokelet 1976); its normal derivative follows from
Green's identity with linear elements, with no flow through wall and floor. This shares nothing with our solver.

The time is T = t sqrt(2 g / a), the front Z = x / a, as Martin and Moyce 1952 write them. The tongue gets too thin for
the elements at T = 2.
"""

from __future__ import annotations

import numpy as np

TIMES = (0.832, 1.219, 1.6, 1.997)


def element_integrals(nodes: np.ndarray) -> tuple[np.ndarray, ...]:
    """Of ln r and its normal derivative, times the two shape functions, over every element as seen from every node."""
    along = np.roll(nodes, -1, 0) - nodes
    length = np.hypot(*along.T)
    along = along / length[:, None]
    inward = np.stack([-along[:, 1], along[:, 0]], 1)
    offset = nodes[:, None, :] - nodes[None]
    x, y = np.einsum("fei,ei->fe", offset, along), np.einsum("fei,ei->fe", offset, inward)
    rest, flat = length - x, np.abs(y) < 1e-9 * length
    safe = np.where(flat, 1.0, y)
    angle = np.where(flat, 0.0, np.arctan(rest / safe) + np.arctan(x / safe))
    tiny = 1e-300
    near, far = 0.5 * np.log(np.maximum(x * x + y * y, tiny)), 0.5 * np.log(np.maximum(rest * rest + y * y, tiny))
    single = rest * far + x * near - length + y * angle
    moment = 0.5 * ((rest**2 + y * y) * far - (x * x + y * y) * near) - 0.25 * (rest**2 - x * x)
    single_end, double_end = (moment + x * single) / length, (y * (far - near) + x * angle) / length
    return single - single_end, single_end, angle - double_end, double_end


def slopes(s: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Derivative at the points that makes a monotone cubic (Fritsch and Butland 1984)."""
    h, d = np.diff(s), np.diff(f) / np.diff(s)
    out = np.empty_like(f)
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    same = d[1:] * d[:-1] > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        out[1:-1] = np.where(same, (w1 + w2) / (w1 / d[:-1] + w2 / d[1:]), 0.0)
    for end, h0, h1, d0, d1 in ((0, h[0], h[1], d[0], d[1]), (-1, h[-1], h[-2], d[-1], d[-2])):
        value = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
        out[end] = 0.0 if value * d0 <= 0 else 3 * d0 if d0 * d1 < 0 and abs(value) > 3 * abs(d0) else value
    return out


def interpolate(s: np.ndarray, f: np.ndarray, at: np.ndarray) -> np.ndarray:
    slope, i = slopes(s, f), np.clip(np.searchsorted(s, at, "right") - 1, 0, len(s) - 2)
    h = s[i + 1] - s[i]
    t = (at - s[i]) / h
    return ((1 + 2 * t) * (1 - t) ** 2 * f[i] + t * (1 - t) ** 2 * h * slope[i] + t * t * (3 - 2 * t) * f[i + 1]
            + t * t * (t - 1) * h * slope[i + 1])


def arc(points: np.ndarray) -> np.ndarray:
    return np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])


class Column:
    """The free surface, from the front on the floor to the wall, and the potential on it; g = a = 1."""

    def __init__(self, elements: int, finest: float):
        self.elements, self.finest, self.floor, self.wall = elements, finest, elements // 2, elements // 3
        up = np.stack([np.ones(200), np.linspace(0, 2, 200)], 1)
        top = np.stack([np.linspace(1, 0, 100), np.full(100, 2.0)], 1)
        self.surface = np.concatenate([up, top[1:]])
        self.potential = np.zeros(len(self.surface))
        self.respace()

    def respace(self) -> None:
        """Spread the points anew, closest at the front."""
        s = arc(self.surface)
        q = np.linspace(0, s[-1], 4000)
        density = 1 / (self.finest + 0.03 * np.minimum(q, 1.5))
        share = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]) * np.diff(q))])
        at = np.interp(np.linspace(0, 1, self.elements + 1), share / share[-1], q)
        self.surface, self.potential = (np.stack([interpolate(s, self.surface[:, a], at) for a in (0, 1)], 1),
                                        interpolate(s, self.potential, at))

    def smooth(self) -> None:
        """Take out zigzags from point to point (Longuet-Higgins and Cokelet 1976)."""
        for f in (self.surface[:, 0], self.surface[:, 1], self.potential):
            f[2:-2] = (-f[:-4] + 4 * f[1:-3] + 10 * f[2:-2] + 4 * f[3:-1] - f[4:]) / 16

    def velocity(self, surface: np.ndarray, potential: np.ndarray) -> np.ndarray:
        front, height, m = surface[0, 0], surface[-1, 1], self.elements
        floor = front * (1 - (1 - np.linspace(0, 1, self.floor + 1)) ** 2)
        wall = height * (1 - np.linspace(0, 1, self.wall + 1))
        zero = np.zeros_like
        nodes = np.concatenate([np.stack([floor, zero(floor)], 1)[:-1], surface[:-1],
                                np.stack([zero(wall), wall], 1)[:-1]])
        count = len(nodes)
        single, single_end, double, double_end = element_integrals(nodes)
        kernel = double + np.roll(double_end, 1, axis=1)
        kernel[np.diag_indices(count)] -= kernel.sum(1)  # a constant potential has no flow
        free = slice(self.floor, self.floor + m)
        flux = np.zeros((count, m + 1))
        flux[:, :-1] += single[:, free]
        flux[:, 1:] += single_end[:, free]
        known = np.arange(self.floor, self.floor + m + 1)
        other = np.setdiff1d(np.arange(count), known)
        solved = np.linalg.solve(np.concatenate([kernel[:, other], -flux], 1), -kernel[:, known] @ potential)
        normal = solved[len(other):]
        s = arc(surface)
        tangent = np.stack([slopes(s, surface[:, 0]), slopes(s, surface[:, 1])], 1)
        length = np.maximum(np.hypot(*tangent.T), 1e-12)[:, None]
        tangent = tangent / length
        across = np.stack([tangent[:, 1], -tangent[:, 0]], 1)
        velocity = slopes(s, potential)[:, None] / length * tangent + normal[:, None] * across
        on_floor = np.append(solved[self.floor - 3:self.floor], potential[0])
        velocity[0] = np.polyfit(floor[-4:] - front, on_floor, 2)[1], 0.0
        velocity[-1, 0] = 0.0
        return velocity

    def rate(self, surface: np.ndarray, potential: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        velocity = self.velocity(surface, potential)
        return velocity, 0.5 * (velocity**2).sum(1) - surface[:, 1]

    def step(self, dt: float) -> None:
        moved, changed = self.rate(self.surface, self.potential)
        moved, changed = self.rate(self.surface + 0.5 * dt * moved, self.potential + 0.5 * dt * changed)
        self.surface, self.potential = self.surface + dt * moved, self.potential + dt * changed
        self.surface[0, 1] = self.surface[-1, 0] = 0.0
        self.respace()


def front(times: tuple[float, ...], elements: int = 100, dt: float = 0.003, finest: float = 0.02) -> list[float]:
    """Z at ascending times T."""
    column, time, steps, out = Column(elements, finest), 0.0, 0, []
    for target in times:
        target /= np.sqrt(2.0)
        while time < target - 1e-12:
            step = min(dt, target - time)
            column.step(step)
            time, steps = time + step, steps + 1
            if steps % 3 == 0:
                column.smooth()
        out.append(float(column.surface[0, 0]))
    return out


if __name__ == "__main__":
    for sizes in ((80, 0.004, 0.025), (100, 0.004, 0.02), (100, 0.002, 0.02)):
        print(*(f"T {t:.3f}: Z {z:.4f}  " for t, z in zip(TIMES, front(TIMES, *sizes))))
