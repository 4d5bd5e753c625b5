"""Memory: the ordinary rates of device memory and of restickifies (facts 6.2, 6.3).

Owns the laws.  Refuses bytes, overlap and kernels.
"""

from __future__ import annotations

from compiler.device import Device

NS_PER_US = 1000


def one_way_us(device: Device, moved: int) -> float:
    """Time of `moved` bytes at the sustained one-way rate.

    >>> from compiler.device import load_device
    >>> round(one_way_us(load_device("spyre"), 2 * 2097152), 2)
    27.96
    """
    return moved / device.number("hbm_one_way_bytes_per_ns") / NS_PER_US


def turnaround_us(device: Device, read: int, written: int) -> float:
    """What changing between reads and writes adds; with equal amounts the rate falls to 104.86 bytes per ns.

    >>> from compiler.device import load_device
    >>> spyre = load_device("spyre")
    >>> round(turnaround_us(spyre, 2097152, 2097152), 2)
    12.04
    >>> size = 10**6
    >>> round(2 * size / (one_way_us(spyre, 2 * size) + turnaround_us(spyre, size, size)) / 1000, 2)
    104.86
    """
    return min(read, written) * device.number("hbm_turnaround_ns_per_byte") / NS_PER_US


def restickify_us(device: Device, moved: int) -> float:
    """Time of a copy to another stick dim, device memory to device memory, bytes read plus bytes written.

    >>> from compiler.device import load_device
    >>> round(restickify_us(load_device("spyre"), 2 * 2097152), 2)
    36.16
    """
    return moved / device.number("restickify_bytes_per_ns") / NS_PER_US
