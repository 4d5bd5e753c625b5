"""Relayouts: which copies from LX to LX over the ring can be made, and what they take (facts 5.5).

Owns the gates, on the boxes that each core holds and is to hold, and the price between two sets of boxes.  Refuses
parts, masks and gathers: a target has boxes only where `compiler.copy_cuts` finds a copy that writes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from compiler.coordinates import Boxes
from compiler.cost.relayout import relayout_term
from compiler.counts import counted, verb
from compiler.device import Device
from compiler.layout import Arrangement, StickLayout
from compiler.loops import Buffer, BufferKind, OpKind
from compiler.plan import EditKind
from compiler.schedule import Step

READS_OF_A_MATMUL = 2


def gate(
    device: Device,
    layout: StickLayout,
    buffer: str,
    ends: tuple[Step, Step],
    source: Boxes,
    target: Boxes,
    buffers: Mapping[str, Buffer],
) -> str:
    """Why what the first of `ends` left in `source` cannot be carried over the ring to where the other needs it; '' if
    it can.

    `source` and `target` are boxes per core of the buffer with this layout; `buffers` are all of the schedule.  A split
    reduction of the writer shows in boxes that several cores write.  That it is the only writer is for the caller.
    """
    fault = edge_fault(device, layout, buffer, ends, buffers)
    return fault or ring_fault(device, layout, source, target, is_product(ends[1]))


def edge_fault(
    device: Device, layout: StickLayout, buffer: str, ends: tuple[Step, Step], buffers: Mapping[str, Buffer]
) -> str:
    """Why no divisions of a writer and a reader allow a relayout between them; '' if some may."""
    writer, reader = ends
    if writer.op.kind is OpKind.OPAQUE or any(write.index.gathers for write in writer.op.writes):
        return f"{writer.name} writes at places that are known only when it runs"
    edit = writer.edit
    if edit is not None and edit.kind is EditKind.RESTICKIFY and buffers[edit.source].kind is not BufferKind.COMPUTED:
        return f"{writer.name} only turns {edit.source}, which arrives in device memory"
    if layout.arrangement is not Arrangement.STANDARD:
        return f"its sticks are arranged as {layout.arrangement.value} leaves them, and the ring moves whole sticks"
    if layout.elements_per_stick != device.lanes(buffers[buffer].dtype):
        return f"it has sticks of {layout.elements_per_stick} elements, not those of {buffers[buffer].dtype}"
    if reader.edit is not None:
        return f"{reader.name} is itself a copy"
    if reader.op.kind is not OpKind.POINTWISE and not is_product(reader):
        return f"{reader.name} is neither pointwise nor a product of two operands"
    times = sum(read.buffer == buffer for read in reader.op.reads)
    return f"{reader.name} reads it {times} times" if times > 1 and is_product(reader) else ""


def is_product(step: Step) -> bool:
    """True for a matmul of two operands, the only reader that parts may be gathered for."""
    return step.op.kind is OpKind.MATMUL and len(step.op.reads) == READS_OF_A_MATMUL


@lru_cache(maxsize=1 << 14)
def ring_fault(device: Device, layout: StickLayout, source: Boxes, target: Boxes, product: bool) -> str:
    """Why the ring cannot make the boxes of `target` out of those of `source`; `product`: for such a reader."""
    cores, more = len(source.start), len(target.start)
    if more < cores:
        return f"the reader uses {counted(more, 'core')}, the writer {cores}: a relayout needs at least as many"
    if cores < more < device.cores:
        uses = f"the reader uses {counted(more, 'core')}, the writer {cores}"
        return f"{uses}: to more cores it goes only if to all {device.cores}"
    total = layout.sticks * layout.elements_per_stick
    distinct = _distinct(source)
    if distinct < cores:
        own = "holds a part of its own" if distinct == 1 else "hold parts of their own"
        return f"only {distinct} of {cores} cores {own}: sums are complete on the last core of each"
    if not _tile(source, total, 1):
        writers = f"the {counted(cores, 'core')} that wrote it {verb(cores, 'do', 'does')}"
        return f"{writers} not hold all of it in equal parts"
    slices = _distinct(target)
    if not _tile(target, total, more // slices):
        readers = f"the {counted(more, 'core')} {verb(more, 'do', 'does')}"
        return f"{readers} not read all of it in equal parts, each part on equally many cores"
    if slices < cores and not product:
        readers = f"{counted(more, 'core')} {verb(more, 'read')} {counted(slices, 'part')} of it"
        return f"{readers}: parts are gathered for products only"
    if cores == more and np.array_equal(source.start, target.start) and np.array_equal(source.size, target.size):
        return "every core has what it needs already"
    return _fan_fault(device, source, target)


def relayout_time_us(device: Device, layout: StickLayout, source: Boxes, target: Boxes) -> float:
    """Time of a relayout between two sets of boxes; it overlaps with nothing.

    The law knows bytes per core as the buffer over the cores of the target, and the view with the shorter run.
    """
    return relayout_term(device, layout, source, target).microseconds


@lru_cache(maxsize=1 << 12)
def _distinct(boxes: Boxes) -> int:
    return len(np.unique(np.concatenate([boxes.start, boxes.size], axis=1), axis=0))


@lru_cache(maxsize=1 << 12)
def _tile(boxes: Boxes, total: int, replicas: int) -> bool:
    """True if equal, exact boxes hold every element `replicas` times."""
    sizes = boxes.size.prod(axis=1)
    _, counts = np.unique(boxes.start, axis=0, return_counts=True)
    even = bool((boxes.size == boxes.size[0]).all()) and bool((counts == replicas).all())
    return even and bool(boxes.exact.all()) and int(sizes.sum()) == replicas * total


def _fan_fault(device: Device, source: Boxes, target: Boxes) -> str:
    """Why cores send to, or receive from, too many others or unequally many.  A core's own part counts as a way."""
    low = np.maximum(source.start[:, None], target.start[None])
    high = np.minimum((source.start + source.size)[:, None], (target.start + target.size)[None])
    ways = (low < high).all(axis=2)
    sends, receives = ways.sum(axis=1), ways.sum(axis=0)
    limit = device.count("relayout_fan_limit")
    for counts, does in ((sends, "send to"), (receives, "receive from")):
        if counts.min() != counts.max():
            return f"cores {does} between {counts.min()} and {counts.max()} cores, and not all to equally many"
        if counts[0] > limit:
            return f"each core would {does} {counts[0]} cores, the limit is {limit}"
    if len(source.start) != len(target.start) and receives[0] != 1:
        ends = f"from {len(source.start)} to {len(target.start)} cores"
        return f"{ends} each may receive from one, not from {receives[0]}"
    return ""
