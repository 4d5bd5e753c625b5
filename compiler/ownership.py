"""Ownership: which core holds which part of a buffer, and whether every reader finds its part at home (facts 4.3).

Owns the comparison of what cores write with what cores read, as boxes of device coordinates and never as split
factors: equal factors with another order of the loops give other owners.  Refuses placement.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from compiler.coordinates import Boxes, core_boxes
from compiler.counts import counted
from compiler.division import Division
from compiler.layout import StickLayout
from compiler.loops import Access, LoopOp, OpKind
from compiler.plan import Plan
from compiler.schedule import Schedule, Step
from compiler.spaces import layout_of


@dataclass(frozen=True, slots=True)
class Holding:
    """A buffer as its writing step leaves it: the box of every core and the box of the whole buffer."""

    step: Step
    buffer: str
    layout: StickLayout
    division: Division
    boxes: Boxes
    whole: Boxes

    @property
    def replicas(self) -> int:
        """How many cores hold each part."""
        return self.step.edit.replicas if self.step.edit is not None else 1

    @property
    def bytes_per_core(self) -> int:
        """Bytes of the largest box."""
        return int(self.boxes.bytes.max())


def holding(step: Step, buffer: str, schedule: Schedule, plan: Plan) -> Holding:
    """What the cores hold of `buffer` after `step` wrote it."""
    access = next(write for write in step.op.writes if write.buffer == buffer)
    layout = layout_of(plan.layouts, buffer)
    division = plan.divisions.get(step.name, Division())
    host = schedule.buffers[buffer]
    boxes = core_boxes(step.op, access, host, layout, division)
    whole = core_boxes(step.op, access, host, layout, Division())
    return Holding(step, buffer, layout, division, boxes, whole)


def partial_sums(held: Holding) -> str:
    """Why the writer leaves partial results on most of its cores; empty if it does not."""
    reduced = {loop.name for loop in held.step.op.reduction_loops}
    split = [split for split in held.division.splits if split.loop in reduced]
    if not split:
        return ""
    return (
        f"{held.step.name} splits its reduced loop {split[0].loop} by {split[0].factor}; "
        f"finished values are on 1 core in {split[0].factor} only"
    )


def gap(held: Holding) -> str:
    """Why the boxes of the cores are not equal tiles of the tensor, each on as many cores as the copy has replicas;
    empty if they are."""
    sizes, total = held.boxes.size, held.layout.sticks * held.layout.elements_per_stick
    if (sizes != sizes[0]).any():
        return f"its cores hold between {held.boxes.bytes.min():,} and {held.boxes.bytes.max():,} B of it"
    if not held.boxes.exact.all() or int(sizes.prod(axis=1).sum()) != held.replicas * total:
        each = f"{held.replicas} times " if held.replicas > 1 else ""
        return f"its cores write {held.boxes.bytes.sum():,} B of {each}the {held.layout.size_bytes:,} B of its layout"
    return ""


def partial_read(held: Holding, reader: Step, schedule: Schedule) -> str:
    """Why a step does not read the whole buffer; empty if it does."""
    for access in _reads(reader.op, held.buffer):
        if any(reader.op.masked(number) for number, read in enumerate(reader.op.reads) if read == access):
            return f"{reader.name} reads it under a mask"
        seen = core_boxes(reader.op, access, schedule.buffers[held.buffer], held.layout, Division())
        if not _same(seen, held.whole):
            sticks, total = seen.size[0, :-1].prod(), held.whole.size[0, :-1].prod()
            return f"{reader.name} reads {sticks:,} of its {counted(total, 'stick')}"
        if not seen.exact.all():
            return f"{reader.name} reads it with gaps"
    return ""


def mismatch(held: Holding, reader: Step, schedule: Schedule, plan: Plan) -> str:
    """Why a core of `reader` does not find what it reads on itself; empty if every core does."""
    division = plan.divisions.get(reader.name, Division())
    for access in _reads(reader.op, held.buffer):
        seen = core_boxes(reader.op, access, schedule.buffers[held.buffer], held.layout, division)
        cores = min(len(seen.start), len(held.boxes.start))
        far = (seen.start[:cores] != held.boxes.start[:cores]) | (seen.size[:cores] != held.boxes.size[:cores])
        wrong = np.flatnonzero(far.any(axis=1))
        if len(seen.start) != cores or len(held.boxes.start) != cores or len(wrong):
            core = int(wrong[0]) if len(wrong) else cores
            return (
                f"{held.step.name} is divided {held.division}, {reader.name} {division}; "
                f"core {core} does not hold what it reads"
            )
        if not seen.exact.all():
            return f"{reader.name} reads it with gaps"
    return ""


def may_take_over(child: Step, parent: str, schedule: Schedule, plan: Plan) -> bool:
    """True if the result of `child` may lie where `parent` lies: pointwise, same elements, same layout (facts 4.4).

    That the parent dies in this step is for the caller to know.  A copy takes no place: both ends are there meanwhile.
    """
    if child.edit is not None or child.op.kind is not OpKind.POINTWISE or len(child.op.writes) != 1:
        return False
    written = child.op.write
    reads = _reads(child.op, parent)
    same_place = bool(reads) and all(read.index == written.index for read in reads)
    source, target = schedule.buffers[parent], schedule.buffers[written.buffer]
    same_shape = (source.shape, source.strides) == (target.shape, target.strides)
    return same_place and same_shape and plan.layouts[parent] == plan.layouts[written.buffer]


def _reads(op: LoopOp, buffer: str) -> tuple[Access, ...]:
    return tuple(dict.fromkeys(read for read in op.reads if read.buffer == buffer))


def _same(one: Boxes, other: Boxes) -> bool:
    return bool(np.array_equal(one.start, other.start) and np.array_equal(one.size, other.size))
