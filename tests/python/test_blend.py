"""Bodies between two baked frames."""

import math

import pytest

from tallow.core import blend

TIME = 1 / 24


def body(position, angle, axis=(0.0, 0.0, 1.0), spin=(0.0, 0.0, 0.0)):
    half = 0.5 * angle
    return {"position": list(position), "rotation": [math.cos(half), *(math.sin(half) * part for part in axis)],
            "spin": list(spin)}


def same_rotation(a, b):
    return abs(sum(x * y for x, y in zip(a, b))) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.75, 1.0])
def test_a_body_moves_and_turns_evenly(share):
    first, second = body((0, 0, 1), 0.2), body((0.2, 0, 0.5), 1.0)
    position, rotation = blend.between(first, second, share, TIME)
    assert position == pytest.approx((0.2 * share, 0.0, 1.0 - 0.5 * share))
    assert same_rotation(rotation, body((0, 0, 0), 0.2 + 0.8 * share)["rotation"])


@pytest.mark.parametrize("turns", [0.3, 0.6, 1.0, 2.45, -1.2])
def test_a_body_that_turns_by_more_than_half_a_turn_turns_the_way_it_spins(turns):
    axis = (0.6, 0.0, 0.8)
    spin = [2 * math.pi * turns / TIME * part for part in axis]
    first = body((0, 0, 0), 0.7, axis, [0.96 * part for part in spin])  # the spin changes during the frame
    second = body((0, 0, 0), 0.7 + 2 * math.pi * turns, axis, [1.02 * part for part in spin])
    _, rotation = blend.between(first, second, 0.25, TIME)
    assert same_rotation(rotation, body((0, 0, 0), 0.7 + 0.25 * 2 * math.pi * turns, axis)["rotation"])


def test_the_ends_are_the_baked_frames_whatever_the_spin_says():
    first, second = body((0, 0, 0), 0.4, (1, 0, 0), (30, -80, 5)), body((1, 2, 3), 2.0, (0, 1, 0), (0, 0, 200))
    for share, end in ((0.0, first), (1.0, second)):
        position, rotation = blend.between(first, second, share, TIME)
        assert position == pytest.approx(end["position"]) and same_rotation(rotation, end["rotation"])


def test_signs_of_quaternions_do_not_matter():
    first, second = body((0, 0, 0), 0.2), body((0, 0, 0), 1.0)
    second["rotation"] = [-part for part in second["rotation"]]
    assert same_rotation(blend.between(first, second, 0.5, TIME)[1], body((0, 0, 0), 0.6)["rotation"])


def test_an_entry_without_a_spin_takes_the_short_way():
    first, second = body((0, 0, 0), 0.0), body((0, 0, 0), 1.0)
    del first["spin"], second["spin"]
    assert same_rotation(blend.between(first, second, 0.5, TIME)[1], body((0, 0, 0), 0.5)["rotation"])
