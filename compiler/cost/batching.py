"""Batching: how fast a contraction runs by the dim order of its three operands (facts 2.10, 6.4).

Owns which host dims are batches, which dim stands just before the stick, and the rate that follows.  A matmul runs at
the 2-D rate as soon as no operand has a batch just before its stick.  Refuses to choose an order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from compiler.contractions import Roles
from compiler.coordinates import device_dims, moves_dim, outer_dim
from compiler.device import Device
from compiler.layout import SPARSE, StickLayout
from compiler.loops import Access, Buffer, LoopOp
from compiler.spaces import layout_of, operands
from compiler.walks import walk_of

Dims = frozenset[int]


@dataclass(frozen=True, slots=True)
class Batching:
    """Batches of a contraction: their number B, whether `both` factors have some, and the host dims that they move in
    the left operand, the right operand and the result."""

    batches: int
    both: bool
    dims: tuple[Dims, Dims, Dims]


def batching_of(op: LoopOp, roles: Roles, buffers: Mapping[str, Buffer]) -> Batching:
    """The batches of a matmul or convolution; ValueError for any other op."""
    accesses = (*operands(op), op.write)
    left, right, result = (_moved(op, access, buffers[access.buffer], roles.batch) for access in accesses)
    names = accesses[0].index.loop_names & accesses[1].index.loop_names
    batches = math.prod(op.extents[loop] for loop in roles.batch)
    return Batching(batches, bool(names.intersection(roles.batch)), (left, right, result))


def just_before_stick(layout: StickLayout) -> int:
    """Host dim that stands just before the stick, without regard to dims of size 1 and to the count of sticks; -1 if
    there is none.

    >>> from compiler.layout import UNIT, stick_layout
    >>> orders = ((0, 1, 2), (1, 0, 2), (UNIT, 0, 1, 2))
    >>> [just_before_stick(stick_layout((4, 512, 64), (32768, 64, 1), 64, order)) for order in orders]
    [0, 1, 1]
    """
    dims, counts_sticks = device_dims(layout), outer_dim(layout)
    inner_first = reversed(range(len(dims) - 1))
    places = (place for place in inner_first if place != counts_sticks and layout.device_size[place] > 1)
    return next((dims[place] for place in places), SPARSE)


def sustained_rate(device: Device) -> float:
    """MAC/ns/core of a contraction without a batch just before any stick."""
    return device.number("sustained_mac_per_ns_core")


def interleaved_rate(device: Device, batching: Batching) -> float:
    """MAC/ns/core with a batch just before the stick of some operand.

    Two batched factors: the batched rate from 4 batches and 8 cores on.  One: 705 up to 4 batches, 470 above.  Measured
    was the default order of all operands; where only some are in that order, where rank is above 3, or where the
    batches of one factor are only some of the other's, the same, slower, rate is taken for all batches together.

    >>> from compiler.device import load_device
    >>> spyre, none = load_device("spyre"), frozenset[int]()
    >>> cases = ((3, True), (4, True), (4, False), (5, False))
    >>> [interleaved_rate(spyre, Batching(*case, (none,) * 3)) for case in cases]
    [1140.0, 160.0, 705.0, 470.0]
    """
    if batching.batches <= 1:
        return sustained_rate(device)
    if not batching.both:
        few = batching.batches <= device.number("half_batched_few")
        return device.number("half_batched_few_mac_per_ns_core" if few else "half_batched_mac_per_ns_core")
    slows = batching.batches >= device.number("batched_least_batch") and device.cores >= device.number(
        "batched_least_cores"
    )
    return device.number("batched_mac_per_ns_core") if slows else sustained_rate(device)


def batched_rate(
    device: Device, op: LoopOp, roles: Roles, buffers: Mapping[str, Buffer], layouts: Mapping[str, StickLayout]
) -> float:
    """MAC/ns/core of a contraction, all cores at work, by the layouts of its operands (see `interleaved_rate`)."""
    batching = batching_of(op, roles, buffers)
    accesses = (*operands(op), op.write)
    placed = (just_before_stick(layout_of(layouts, access.buffer)) for access in accesses)
    if any(dim in dims for dim, dims in zip(placed, batching.dims, strict=True)):
        return interleaved_rate(device, batching)
    return sustained_rate(device)


def contraction_us(op: LoopOp, rate: float, cores: int) -> float:
    """Time of all multiply-accumulates of a contraction at a rate in MAC/ns/core.

    >>> from compiler.loops import Loop, LoopOp, OpKind, Origin
    >>> loops = (Loop("m", 1024), Loop("n", 1024), Loop("k", 1024))
    >>> op = LoopOp("cube", OpKind.MATMUL, "sum", loops, (), (), (), (), Origin())
    >>> round(contraction_us(op, 1140, 32), 2)
    29.43
    """
    return op.iterations / cores / rate / 1000


def _moved(op: LoopOp, access: Access, buffer: Buffer, loops: tuple[str, ...]) -> Dims:
    """Host dims of a buffer that the loops move; all of them where the index cannot be followed."""
    walk = walk_of(op, access, buffer)
    if not walk.known:
        return frozenset(range(len(buffer.shape))) if loops else frozenset()
    parts = [part for part in walk.parts if set(loops) & set(part.loops)]
    return frozenset(dim for dim in range(len(buffer.shape)) for part in parts if moves_dim(part, dim))
