"""Delivery: what loads of matmul operands and stores by value take beyond their bytes at full rate (facts 6.2, 6.5).

Owns who loads an operand how often, and the laws for replicated, shared and partitioned operands.  Refuses sums: which
loads a kernel shares is for `compiler.cost.model`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from compiler.cost.memory import NS_PER_US
from compiler.device import Device
from compiler.division import Division
from compiler.loops import Access, LoopOp, OpKind
from compiler.spaces import operands

BATCHED_OPERAND = 3  # batch, its own rows or columns, and the contracted loop
REPLICATED_WORDS = "loads * bytes / cores / {replicated_bytes_per_ns_core} B per ns; each core that needs it loads it"
SHARED_WORDS = (
    "bytes / {hbm_one_way_bytes_per_ns} B per ns * ((readers / {reader_fan_free}) ^ {reader_fan_exponent} - 1); "
    "one load for many readers"
)
PARTITIONED_WORDS = (
    "bytes / (cores * {hbm_one_way_bytes_per_ns_core}) - bytes / {hbm_one_way_bytes_per_ns} B per ns; "
    "each core loads its part once and uses it once"
)
STORE_WORDS = (
    "written / (cores * {indirect_store_bytes_per_ns_core}) - written / {hbm_one_way_bytes_per_ns} B per ns; "
    "stores whose place is a value"
)


def replication(op: LoopOp, access: Access, division: Division) -> int:
    """Slices of a division that need the same part of an operand of a contraction; 1 for any other access."""
    if op.kind not in (OpKind.MATMUL, OpKind.CONV) or access not in op.reads:
        return 1
    names = access.index.loop_names
    return math.prod(split.factor for split in division.splits if split.loop not in names)


def shares(op: LoopOp, access: Access) -> bool:
    """True if one load serves all cores that need an operand: always, but for the operands of a true bmm.

    An operand of a true bmm that lacks its batch, its rows or its contracted loop is shared too (facts 6.1).
    """
    if op.kind is not OpKind.MATMUL:
        return True
    left, right = (read.index.loop_names for read in operands(op))
    batch = {loop.name for loop in op.output_loops if loop.name in left and loop.name in right}
    own = access.index.loop_names
    return not batch or len(own - batch) + bool(own & batch) < BATCHED_OPERAND


def replicated_us(device: Device, size_bytes: int, loads: int, cores: int) -> float:
    """Time of an operand that is loaded `loads` times, away from the bandwidth that all cores share.

    >>> from compiler.device import load_device
    >>> round(replicated_us(load_device("spyre"), 256 * 1024, 8, 32), 2)
    28.49
    """
    return loads * size_bytes / cores / device.number("replicated_bytes_per_ns_core") / NS_PER_US


def crowding(device: Device, readers: int) -> float:
    """How much longer one load takes that is for many readers.

    >>> from compiler.device import load_device
    >>> [round(crowding(load_device("spyre"), readers), 4) for readers in (1, 8, 12, 16, 25, 32)]
    [1.0, 1.0, 1.3554, 1.6818, 2.3504, 2.8284]
    """
    return max(1.0, math.pow(readers / device.number("reader_fan_free"), device.number("reader_fan_exponent")))


def shared_us(device: Device, size_bytes: int, readers: int) -> float:
    """Time beyond its bytes of an operand that many cores read in one load.

    >>> from compiler.device import load_device
    >>> round(shared_us(load_device("spyre"), 8192, 25), 4)
    0.0737
    """
    plain = size_bytes / device.number("hbm_one_way_bytes_per_ns") / NS_PER_US
    return plain * (crowding(device, readers) - 1)


def partitioned_us(device: Device, size_bytes: int, cores: int) -> float:
    """Time beyond its bytes of an operand of which each core loads a part and uses it once: one core loads slowly.

    >>> from compiler.device import load_device
    >>> [round(partitioned_us(load_device("spyre"), 26_214_400, cores), 2) for cores in (16, 22, 25, 32)]
    [174.76, 79.44, 48.93, 0.0]
    """
    own = size_bytes / (cores * device.number("hbm_one_way_bytes_per_ns_core"))
    return max(0.0, own - size_bytes / device.number("hbm_one_way_bytes_per_ns")) / NS_PER_US


def stored_us(device: Device, size_bytes: int, cores: int) -> float:
    """Time beyond its bytes of a store whose place is a value in memory.

    >>> from compiler.device import load_device
    >>> [round(stored_us(load_device("spyre"), 1_500_000, cores), 2) for cores in (1, 4, 5, 32)]
    [40.0, 2.5, 0.0, 0.0]
    """
    full = device.number("hbm_one_way_bytes_per_ns")
    reached = min(full, cores * device.number("indirect_store_bytes_per_ns_core"))
    return (size_bytes / reached - size_bytes / full) / NS_PER_US


def load_us(excesses: Iterable[tuple[float, float]]) -> float:
    """Time beyond its bytes of one input read several times in a kernel: the dearest read pays, and of a read its
    delivery or its requests, whichever is more.

    >>> load_us([(10, 10), (1, 20)])
    20
    """
    return max((max(excess) for excess in excesses), default=0.0)
