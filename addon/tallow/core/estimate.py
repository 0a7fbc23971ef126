# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers an artist wants before a bake: cell size, cells, memory, and how fast heat should move."""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence, Tuple

# Fitted to the peak memory of bakes of Suzanne at 32 to 160 cells and of melting Suzanne at 64 and 96 (within 6 %): a liquid cell
# with its 8 particles, the band of cells around its surface, which grows with the cells to the power 2/3, and the process itself
# with its Python. Ready scenes lie within 30 %, those with thin films at the lower end (tests/blender/test_ready_scenes.py).
BYTES_PER_LIQUID_CELL = 2300
BYTES_OF_SURFACE = 133_000
BYTES_PROCESS = 77_000_000
CELLS_THAT_SAVE = 250_000  # from here on the library gives memory back within a step
SAVED = 0.13
# Fitted to bakes of ready scenes at 36 cells and of melting Suzanne at 40 to 200: of a liquid with n cells, what grows with its
# surface counts n^(2/3) times. Scenes that hardly move take half of it, since their files pack well; thin splashes take twice.
TRIANGLES_OF_SURFACE = 25.0
BYTES_PER_TRIANGLE = {True: 13.0, False: 37.0}  # compact or not
BYTES_PER_PARTICLE = {True: 18.0, False: 49.0}
VOLUME_OF_SURFACE = 1000.0  # bytes of OpenVDB
STATE_PER_CELL, STATE_OF_SURFACE = 62.5, 9000.0  # bytes, for each particle of a cell; for the surface
MOST_SPEED = 1e7  # Heat Speed-up that the library takes


def cell_size(size: Sequence[float], resolution: int) -> float:
    """Edge of a cell when the longest side of the box has `resolution` cells."""
    return max(size) / max(1, resolution)


def cell_counts(size: Sequence[float], cell: float) -> Tuple[int, int, int]:
    """Cells along each side, rounded outwards as the library does."""
    if cell <= 0.0:
        return (0, 0, 0)
    counts = [max(1, math.ceil(side / cell - 1e-6)) for side in size]
    return (counts[0], counts[1], counts[2])


def memory(liquid_volume: float, cell: float) -> int:
    """Bytes that a bake will need, about. Cost follows the liquid, not the box around it."""
    cells = liquid_volume / cell ** 3 if cell > 0.0 else 0.0
    kept = 1.0 - SAVED if cells >= CELLS_THAT_SAVE else 1.0
    return int(BYTES_PROCESS + kept * (cells * BYTES_PER_LIQUID_CELL + cells ** (2.0 / 3.0) * BYTES_OF_SURFACE))


class Files(NamedTuple):
    """What a bake writes."""

    frames: int
    particles_per_cell: int
    particles: bool
    volumes: bool
    compact: bool
    detail: int
    states: int  # that are on the disk at the end


def disk(liquid_volume: float, cell: float, files: Files) -> int:
    """Bytes that a bake will take on the disk, about."""
    cells = liquid_volume / cell ** 3 if cell > 0.0 else 0.0
    surface = cells ** (2.0 / 3.0)
    frame = TRIANGLES_OF_SURFACE * surface * files.detail ** 2 * BYTES_PER_TRIANGLE[files.compact]
    frame += VOLUME_OF_SURFACE * surface if files.volumes else 0.0
    frame += cells * files.particles_per_cell * BYTES_PER_PARTICLE[files.compact] if files.particles else 0.0
    state = cells * files.particles_per_cell * STATE_PER_CELL + surface * STATE_OF_SURFACE
    return int(files.frames * frame + files.states * state)


def format_length(metres: float) -> str:
    """`3.75 cm`, `1.2 mm`, `2.4 m`."""
    if metres < 0.01:
        return f"{metres * 1000:.3g} mm"
    if metres < 1.0:
        return f"{metres * 100:.3g} cm"
    return f"{metres:.3g} m"


def format_bytes(count: float) -> str:
    """`140 MB`, `2.3 GB`."""
    if count < 1e9:
        return f"{count / 1e6:.0f} MB"
    return f"{count / 1e9:.1f} GB"


def format_count(count: float) -> str:
    """`950`, `12 thousand`, `3.1 million`."""
    if count < 1000:
        return f"{count:.0f}"
    if count < 1e6:
        return f"{count / 1e3:.0f} thousand"
    return f"{count / 1e6:.1f} million"


def melting_time(material: dict, start: float, heater: float, thickness: float) -> float:
    """Seconds in life until `thickness` metres have melted; 0 when they never do.

    The heat that melts a layer has to cross it: the front of the one-phase Stefan problem, with the warming up to the
    melting point counted into the latent heat.
    """
    solidus = material["solidus"]
    drive = heater - material["liquidus"]
    if material["latent_heat"] <= 0.0 or drive <= 0.0 or thickness <= 0.0:
        return 0.0
    energy = material["latent_heat"] + material["specific_heat"][0] * max(0.0, solidus - start)
    conductivity = sum(material["conductivity"]) / 2.0
    return material["density"][0] * energy * thickness ** 2 / (2.0 * conductivity * drive)


def thermal_speed(material: dict, start: float, heater: float, thickness: float, seconds: float) -> float:
    """How much faster than in life heat must move so that `thickness` metres melt in `seconds`."""
    return speed_up(melting_time(material, start, heater, thickness), seconds)


def speed_up(life: float, seconds: float) -> float:
    """How much faster than in life heat must move for something that takes `life` seconds there to take `seconds`.

    Rounded to one digit, because it is a setting and not a result.
    """
    if seconds <= 0.0:
        return 1.0
    factor = min(max(1.0, life / seconds), MOST_SPEED)
    digit = 10.0 ** math.floor(math.log10(factor))
    return round(factor / digit) * digit


def melting_energy(material: dict, start: float, volume: float) -> float:
    """Joules that melt `volume` cubic metres from the temperature `start`, in kelvin."""
    warming = material["specific_heat"][0] * max(0.0, material["liquidus"] - start)
    return volume * material["density"][0] * (material["latent_heat"] + warming)
