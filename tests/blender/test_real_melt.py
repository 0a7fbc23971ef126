"""Quick Melt with the real baker melts any shape of any size by the frame that it promised, by a plate or a lamp.

A share of the combinations in few cells. `tests/quick-melt` bakes all of them, in as many cells as the button takes.
"""

import quick_melts

FRAMES, RESOLUTION = 72, 28


def melt(folder, shape, size, heat):
    found = quick_melts.melt(folder, shape, size, heat, FRAMES, RESOLUTION)
    print(f"MEASURED {found}")
    assert not found.faults(), (shape, size, heat, found.faults())


def test_everything_melts_on_a_plate(folder):
    for number, shape in enumerate(quick_melts.SHAPES):
        melt(folder / shape, shape, quick_melts.SIZES[number % 4], "PLATE")


def test_everything_melts_under_a_lamp(folder):
    for number, shape in enumerate(quick_melts.SHAPES):
        melt(folder / shape, shape, quick_melts.SIZES[(number + 2) % 4], "LAMP")


def test_what_falls_off_the_plate_melts_on(folder):
    """A large lump of this size of Suzanne comes to lie beside the plate."""
    melt(folder, "Suzanne", 0.02, "PLATE")
