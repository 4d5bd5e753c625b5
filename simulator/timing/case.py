"""Case: one step with all that its work follows from.

Owns the cores that have something to do, and which accesses move data: equal ones once, each with its tensor and its
reach.  Refuses to charge anything for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from compiler.device import Device
from compiler.layout import STICK_BYTES
from compiler.loops import Apply, Const, Index, IndexValue, Instruction, Load, LoopOp, OpKind
from compiler.program import CoreSlice, DeviceOp, DeviceTensor, Memory
from simulator.timing.conditions import conditions_of
from simulator.timing.pieces import AccessForm
from simulator.timing.reach import Reach
from simulator.timing.routes import Routes
from simulator.timing.work import Counts, Times

CONTRACTIONS = (OpKind.MATMUL, OpKind.CONV)


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """An access that moves data: what of the tensor each core touches, and by which `reads` of the op; `gathered` if
    values in memory say where.

    `bytes` are whole sticks, `run_bytes` the mean contiguous run, `number` is equal for cores that touch the same.
    """

    tensor: DeviceTensor
    write: bool
    reads: tuple[int, ...]
    reach: Reach
    gathered: bool
    bytes: Counts
    run_bytes: Times
    number: Counts

    @property
    def on_card(self) -> bool:
        """True if the tensor is in device memory."""
        return self.tensor.memory is Memory.HBM


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A step; `parts` are the slices with work in them.  Arrays have one entry per part."""

    step: DeviceOp
    device: Device
    routes: Routes
    parts: tuple[CoreSlice, ...]
    moved: tuple[Moved, ...]

    @property
    def op(self) -> LoopOp:
        """The loop nest."""
        return self.step.op

    @property
    def cores(self) -> Counts:
        """The cores that take part."""
        return np.array([part.core for part in self.parts], dtype=np.int64)

    @property
    def reads(self) -> tuple[Moved, ...]:
        """What is read."""
        return tuple(one for one in self.moved if not one.write)

    @property
    def writes(self) -> tuple[Moved, ...]:
        """What is written."""
        return tuple(one for one in self.moved if one.write)

    @property
    def split(self) -> bool:
        """True if cores hand partial results on."""
        return any(part.pass_to >= 0 for part in self.parts)

    def count(self, loops: frozenset[str] | set[str]) -> Counts:
        """Iterations of some of the loops on each core."""
        places = [place for place, loop in enumerate(self.op.loops) if loop.name in loops]
        sizes = [[high - low for low, high in (part.ranges[place] for place in places)] for part in self.parts]
        return np.array([np.prod(each, dtype=np.int64) for each in sizes], dtype=np.int64)

    def nothing(self) -> Times:
        """Zero for every core."""
        return np.zeros(len(self.parts))


def case_of(step: DeviceOp, tensors: Mapping[str, DeviceTensor], device: Device, routes: Routes) -> Case:
    """The case of a step; `tensors` holds all that it touches."""
    parts = tuple(part for part in step.slices if all(low < high for low, high in part.ranges))
    reads, write = distinct_reads(step.op), step.op.write
    places = [_moved(step, tensors, parts, step.op.reads[each[0]].buffer, each) for each in reads]
    return Case(step, device, routes, parts, (*places, _moved(step, tensors, parts, write.buffer, ())))


def distinct_reads(op: LoopOp) -> tuple[tuple[int, ...], ...]:
    """The reads of an op; those that fetch the same are one."""
    groups: dict[object, list[int]] = {}
    for place, access in enumerate(op.reads):
        groups.setdefault((access, conditions_of(op, place)), []).append(place)
    return tuple(map(tuple, groups.values()))


def _moved(
    step: DeviceOp,
    tensors: Mapping[str, DeviceTensor],
    parts: tuple[CoreSlice, ...],
    buffer: str,
    reads: tuple[int, ...],
) -> Moved:
    op, tensor = step.op, tensors[buffer]
    index = op.reads[reads[0]].index if reads else op.write.index
    chosen = _choosing(op, index)
    conditions = conditions_of(op, reads[0]) if reads else ()
    kept = tuple(one for one in conditions if not one.loops & chosen)
    form = AccessForm(_without(index, chosen), op.loops, tensor.layout, kept)
    reach = Reach(form, chosen, not reads or op.kind in CONTRACTIONS)
    found = [reach.part(part.ranges) for part in parts]
    sticks = np.array([part.sticks for part in found], dtype=np.int64)
    if not reads:
        sticks = sticks * np.array([part.pass_to < 0 for part in parts], dtype=np.int64)
    return Moved(
        tensor,
        not reads,
        reads,
        reach,
        bool(index.gathers),
        sticks * STICK_BYTES,
        np.array([part.run for part in found]) * STICK_BYTES,
        np.array([part.number for part in found], dtype=np.int64),
    )


def _choosing(op: LoopOp, index: Index) -> frozenset[str]:
    """The loops that values depend on which say where an access goes."""
    return frozenset(name for gather in index.gathers for name in _depends(op, gather.value))


def _depends(op: LoopOp, place: int) -> Iterator[str]:
    """The loops that the value of a body instruction depends on; with repeats."""
    step: Instruction = op.body[place]
    if isinstance(step, Apply):
        for arg in step.args:
            yield from _depends(op, arg)
    elif isinstance(step, IndexValue):
        yield from step.index.loop_names
    elif not isinstance(step, Const):
        yield from _loaded(op, step)


def _loaded(op: LoopOp, step: Load) -> Iterator[str]:
    index = op.reads[step.read].index
    yield from index.loop_names
    for gather in index.gathers:
        yield from _depends(op, gather.value)


def _without(index: Index, loops: frozenset[str]) -> Index:
    """The part of an index that no chosen element moves."""
    terms = tuple(term for term in index.terms if not {name for name, _ in term.loops} & loops)
    return replace(index, terms=terms, gathers=())
