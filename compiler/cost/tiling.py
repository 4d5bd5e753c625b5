"""Tiling: what counted loops do to the bandwidth and the loads of the kernel inside them (facts 6.1, 6.5, 6.7).

Owns the laws for tiles, working sets and loads repeated in every iteration.  Refuses to choose tiles.
"""

from __future__ import annotations

import math

from compiler.cost.delivery import partitioned_us
from compiler.cost.memory import NS_PER_US, one_way_us
from compiler.cost.requests import operand_request_us
from compiler.device import Device

BUFFERS = 2


def loop_factor(trips: int, advances: bool) -> int:
    """How often an argument is moved in `trips` iterations: once if it advances with them.

    >>> loop_factor(8, True), loop_factor(8, False), loop_factor(1, False)
    (1, 8, 1)
    """
    return 1 if advances else trips


def tile_efficiency(device: Device, rows: float, columns: int) -> float:
    """Share of the bandwidth in a kernel with a tiled output, by rows per core and tile and by row width; may be > 1.

    >>> from compiler.device import load_device
    >>> tiles = ((16, 2048), (8, 2048), (4, 2048), (2, 2048), (4, 512), (4, 256), (4, 128))
    >>> [round(tile_efficiency(load_device("spyre"), *tile), 3) for tile in tiles]
    [1.08, 1.006, 0.712, 0.503, 0.42, 0.323, 0.248]
    """
    raw = math.pow(rows / device.number("tile_rows"), device.number("tile_rows_exponent")) * math.pow(
        columns / device.number("tile_columns"), device.number("tile_columns_exponent")
    )
    least = device.number("tile_least")
    if raw < least:
        return least * math.pow(raw / least, device.number("tile_least_exponent"))
    return min(device.number("tile_best"), raw)


def matmul_tile_efficiency(device: Device, rows: float) -> float:
    """The same for a row-tiled matmul in the older form, which reports still use to explain.

    >>> from compiler.device import load_device
    >>> [round(matmul_tile_efficiency(load_device("spyre"), rows), 3) for rows in (16, 13, 8, 2, 1)]
    [0.95, 0.95, 0.719, 0.28, 0.261]
    """
    fewest = device.number("matmul_tile_least_rows")
    reached = math.pow(max(rows, fewest) / device.number("matmul_tile_rows"), device.number("matmul_tile_exponent"))
    below = math.pow(min(1.0, rows / fewest), device.number("matmul_tile_least_exponent"))
    return min(device.number("matmul_tile_best"), reached * below)


def overflow_factor(device: Device, rows: float, columns: int, element_bytes: int, matmul: bool) -> float:
    """Share of the bandwidth that is left to a working set of two buffers of rows per core and tile times columns.

    >>> from compiler.device import load_device
    >>> spyre = load_device("spyre")
    >>> [round(overflow_factor(spyre, rows, 2048, 2, False), 4) for rows in (64, 128, 256)]
    [1.0, 0.9593, 0.9202]
    >>> [round(overflow_factor(spyre, rows, 2048, 2, True), 4) for rows in (256, 512)]
    [1.0, 0.9013]
    """
    kind = "matmul_overflow" if matmul else "overflow"
    used = BUFFERS * rows * columns * element_bytes
    return min(1.0, math.pow(device.number(f"{kind}_bytes") / used, device.number(f"{kind}_exponent")))


def derated_us(memory_us: float, efficiency: float, overflow: float = 1.0) -> float:
    """Memory time under both shares; compute time is not touched.

    Softmax of [4096, 2048] in 8 tiles of rows on 32 cores: 16 rows per core and tile.

    >>> from compiler.device import load_device
    >>> round(derated_us(319.99, tile_efficiency(load_device("spyre"), 16, 2048)), 1)
    296.3
    """
    return memory_us / (efficiency * overflow)


def invariant_us(device: Device, size_bytes: int, trips: int) -> float:
    """Time of a matmul operand that is loaded again in every iteration, such as B while M is tiled.

    >>> from compiler.device import load_device
    >>> round(invariant_us(load_device("spyre"), 2048 * 1024 * 2, 8), 1)
    166.4
    """
    return device.number("invariant_operand_share") * one_way_us(device, (trips - 1) * size_bytes)


def fixed_input_us(device: Device, size_bytes: int, trips: int) -> float:
    """Time beyond its bytes of an input, not of a matmul, that is loaded from the same place in every iteration.

    >>> from compiler.device import load_device
    >>> round(fixed_input_us(load_device("spyre"), 1_500_000, 3), 2)
    100.0
    """
    again = (trips - 1) * size_bytes
    return again / device.number("looped_input_bytes_per_ns") / NS_PER_US - one_way_us(device, again)


def looped_operand_us(device: Device, size_bytes: int, run_bytes: int, cores: int, trips: int) -> float:
    """Time beyond its bytes of a matmul operand loaded in every iteration: requests or partition, whichever is more.

    128 experts of [2816, 704], 11 columns of sticks; then of [704, 2816] in runs of 512 B:

    >>> from compiler.device import load_device
    >>> spyre = load_device("spyre")
    >>> expert = 2816 * 704 * 2
    >>> [round(looped_operand_us(spyre, expert, run, cores, 128)) for run, cores in ((128, 22), (512, 11), (4096, 22))]
    [26354, 6459, 1538]
    """
    return trips * max(
        operand_request_us(device, size_bytes, run_bytes, cores), partitioned_us(device, size_bytes, cores)
    )
