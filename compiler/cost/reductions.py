"""Reductions: how fast one is that is a kernel of its own, and what one adds inside a kernel (facts 6.2).

Owns both laws.  Refuses to say which kernels they hold for: `compiler.cost.model` sees the kernel.
"""

from __future__ import annotations

import math

from compiler.cost.memory import NS_PER_US
from compiler.device import Device

SHARE = "reduction_share_cores_"
ALONE_WORDS = (
    "(read + written) / (min({hbm_one_way_bytes_per_ns}, {reduction_bytes_per_ns} + "
    "{reduction_few_rows_bytes_per_ns} * exp(-rows / {reduction_rows})) * share reached by its cores) B per ns; "
    "a kernel of its own"
)
FUSED_WORDS = "elements / cores / {fused_reduction_elements_per_ns_core} per ns; slowest of the kernel"


def alone_bytes_per_ns(device: Device, rows: int, cores: int) -> float:
    """Bandwidth of a reduction that is a kernel of its own, with `rows` results.

    >>> from compiler.device import load_device
    >>> spyre = load_device("spyre")
    >>> [round(alone_bytes_per_ns(spyre, rows, 32), 1) for rows in (1, 1024, 4096, 8192, 10**9)]
    [150.0, 150.0, 134.2, 120.7, 114.0]
    >>> round(alone_bytes_per_ns(spyre, 4096, 4), 1)
    57.7
    """
    few = device.number("reduction_few_rows_bytes_per_ns") * math.exp(-rows / device.number("reduction_rows"))
    full = min(device.number("hbm_one_way_bytes_per_ns"), device.number("reduction_bytes_per_ns") + few)
    return full * share(device, cores)


def share(device: Device, cores: int) -> float:
    """Share of that bandwidth that so many cores reach: measured at some numbers of cores, linear in log2 between.

    >>> from compiler.device import load_device
    >>> spyre = load_device("spyre")
    >>> [share(spyre, cores) for cores in (1, 2, 4, 8, 16, 32, 64)]
    [0.11, 0.22, 0.43, 0.54, 0.54, 1.0, 1.0]
    >>> round(share(spyre, 3), 4)
    0.3428
    """
    measured = {int(key.removeprefix(SHARE)): device.number(key) for key in device.numbers if key.startswith(SHARE)}
    below = max((count for count in measured if count <= cores), default=min(measured))
    above = min((count for count in measured if count >= cores), default=max(measured))
    if below >= above:
        return measured[below]
    way = math.log2(cores / below) / math.log2(above / below)
    return measured[below] + way * (measured[above] - measured[below])


def alone_us(device: Device, moved: int, rows: int, cores: int) -> float:
    """Time of a reduction that is a kernel of its own; `moved` bytes are read and written.

    [4096, 2048] in fp16 with one sum per row, each in a stick of its own:

    >>> from compiler.device import load_device
    >>> round(alone_us(load_device("spyre"), 4096 * 2048 * 2 + 4096 * 128, 4096, 32), 2)
    128.96
    """
    return moved / alone_bytes_per_ns(device, rows, cores) / NS_PER_US


def fused_us(device: Device, elements: int, cores: int) -> float:
    """Time that a reduction of values made in its own kernel keeps the vector units busy.

    >>> from compiler.device import load_device
    >>> [round(fused_us(load_device("spyre"), 4096 * 2048, cores)) for cores in (8, 32)]
    [699, 175]
    """
    return elements / cores / device.number("fused_reduction_elements_per_ns_core") / NS_PER_US
