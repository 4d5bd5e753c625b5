"""Memory terms: the bytes every step moves from and to device memory, and the time that takes (facts 6.1, 6.2, 6.6).

Owns bytes per access and the bandwidth laws.  Refuses overlap and kernels: `compiler.cost.model` puts steps together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from compiler.coordinates import core_boxes, depends_on, lane_loops, walk_of
from compiler.device import Device
from compiler.division import Division
from compiler.layout import StickLayout
from compiler.loops import Access, LoopOp, OpKind
from compiler.plan import Plan, Slot
from compiler.schedule import Schedule, Step
from compiler.spaces import operands

NS_PER_US = 1000


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes of one step by buffer; what is resident in LX moves none and is not listed."""

    step: str
    reads: tuple[tuple[str, int], ...]
    writes: tuple[tuple[str, int], ...]

    @property
    def read_bytes(self) -> int:
        """Bytes read from device memory."""
        return sum(size for _, size in self.reads)

    @property
    def write_bytes(self) -> int:
        """Bytes written to device memory."""
        return sum(size for _, size in self.writes)


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


def traffic_of(step: Step, schedule: Schedule, plan: Plan) -> Traffic:
    """Bytes a step moves on its own, as if no other step of its kernel shared a load."""
    division = plan.divisions.get(step.name, Division())
    reads: dict[str, int] = {}
    for access in dict.fromkeys(step.op.reads):
        if not isinstance(plan.placement.get(access.buffer), Slot):
            loads = replication(step.op, access, division) * _touched(step.op, access, schedule, plan.layouts)
            reads[access.buffer] = reads.get(access.buffer, 0) + loads
    writes: dict[str, int] = {}
    for access in step.op.writes:
        if not isinstance(plan.placement.get(access.buffer), Slot):
            writes[access.buffer] = _touched(step.op, access, schedule, plan.layouts)
    return Traffic(step.name, tuple(reads.items()), tuple(writes.items()))


def replication(op: LoopOp, access: Access, division: Division) -> int:
    """How often an operand is loaded: once, but for a true bmm once per slice of every loop it does not depend on."""
    if op.kind is not OpKind.MATMUL or not _batched(op):
        return 1
    missing = [split.factor for split in division.splits if split.loop not in access.index.loop_names]
    return math.prod(missing)


def _batched(op: LoopOp) -> bool:
    """True if some output loop runs through both operands."""
    left, right = (access.index.loop_names for access in operands(op))
    return any(loop.name in left and loop.name in right for loop in op.output_loops)


def _touched(op: LoopOp, access: Access, schedule: Schedule, layouts: Mapping[str, StickLayout]) -> int:
    """Device bytes of the sticks an access meets, each counted once: the box around it, or fewer if it picks some."""
    layout = layouts[access.buffer]
    if op.kind is OpKind.OPAQUE:
        return layout.size_bytes
    walk = walk_of(op, access, schedule.buffers[access.buffer])
    along = lane_loops(walk, layout)
    sticks = 1
    for loop in op.loops:
        if depends_on(walk, loop.name):
            sticks *= -(-loop.extent // layout.elements_per_stick) if loop.name in along else loop.extent
    box = int(core_boxes(op, access, schedule.buffers[access.buffer], layout, Division()).bytes.sum())
    return min(box, sticks * layout.elements_per_stick * layout.element_bytes)
