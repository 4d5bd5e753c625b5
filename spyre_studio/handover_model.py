"""Handover model: where a step reads on other cores than those that hold its data, as two maps of the buffer.

Owns: which pairs of writer and reader around a step are apart, the part that each core lacks, and the words for it.
Refuses: Qt, prices (the worker has them), and buffers that several steps fill.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.coordinates import core_boxes
from compiler.division import Division
from compiler.loops import OpKind
from compiler.ownership import holding, mismatch, partial_sums
from compiler.plan import HOMEWARD, Plan
from compiler.schedule import Schedule, Step
from spyre_studio.derived import Derived, schedule_of
from spyre_studio.slice_map import SliceMap, slice_map
from spyre_studio.units import format_count, format_percent

Users = tuple[tuple[Step, ...], tuple[Step, ...]]
"""Steps that write a buffer, and steps that read it."""
MOST = 24  # pairs that are looked at; a buffer that everybody reads has more


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A buffer between a writer and a reader that are apart: who holds which part, who needs which.

    `unfinished`: cores of the writer that hold partial sums only.  `why` is a sentence.
    """

    buffer: str
    writer: str
    reader: str
    writer_division: Division
    reader_division: Division
    held: SliceMap
    needed: SliceMap
    unfinished: frozenset[int]
    why: str

    @property
    def key(self) -> str:
        """Tells pairs of one step apart."""
        return f"{self.buffer}\n{self.writer}\n{self.reader}"

    @property
    def lacking(self) -> tuple[int, ...]:
        """Elements that each core of the reader needs and does not hold finished."""
        return tuple(self._lack(core) for core in range(self.needed.cores))

    def _lack(self, core: int) -> int:
        low, high = self.own_part(core)
        own = prod(max(end - first, 0) for first, end in zip(low, high, strict=True))
        return self.needed.elements(core) - own

    def held_part(self, core: int) -> tuple[list[int], list[int]]:
        """The range that a core of the writer holds finished; empty if it has partial sums only."""
        if core >= self.held.cores or core in self.unfinished:
            nothing = [0] * len(self.held.shape)
            return nothing, list(nothing)
        return self.held.low[core].tolist(), self.held.high[core].tolist()

    def own_part(self, core: int) -> tuple[list[int], list[int]]:
        """The range, in host coordinates, that a core of the reader both needs and holds; empty if there is none."""
        if core >= self.held.cores or core >= self.needed.cores or core in self.unfinished:
            nothing = [0] * len(self.held.shape)
            return nothing, list(nothing)
        low = np.maximum(self.held.low[core], self.needed.low[core])
        high = np.minimum(self.held.high[core], self.needed.high[core])
        return low.tolist(), np.maximum(low, high).tolist()

    def words(self) -> str:
        """How much is elsewhere: '31 of 32 cores lack data: 88 % of what is read lies elsewhere'."""
        lacking, cores = self.lacking, self.needed.cores
        short = sum(lack > 0 for lack in lacking)
        if not short:
            return f"every core holds what it reads of {self.buffer}, though not only that"
        total = sum(self.needed.elements(core) for core in range(cores))
        share = format_percent(sum(lacking) / total)
        return f"{short} of {format_count(cores, 'core')} lack data: {share} of what is read lies elsewhere"

    def core_words(self, core: int) -> str:
        """What one core holds, needs and lacks."""
        if core >= self.needed.cores:
            return f"core {core} does not run {self.reader}"
        holds = "partial sums only" if core in self.unfinished else self.held.index_words(core)
        lack = self._lack(core)
        missing = f"lacks {format_count(lack, 'element')}" if lack else "lacks nothing"
        return f"core {core} holds {holds}, reads {self.needed.index_words(core)}: {missing}"


@dataclass(frozen=True, slots=True)
class Handovers:
    """What a step reads of others and hands over to others: how many times, and those that are apart."""

    count: int
    apart: tuple[Pair, ...]


def handovers_of(compilation: Compilation, op: str, draft: Division | None = None) -> Handovers:
    """The handovers around a step, reads first; `draft` stands in for its division of the plan.  At most MOST are
    looked at."""
    schedule, plan = schedule_of(compilation), compilation.plan
    if draft is not None:
        plan = replace(plan, divisions=plan.divisions.set(op, draft))
    ends = (ends for ends in _around(users_of(compilation), schedule, op) if not _fetches(ends[2]))
    found = [each for each in ends if _divided(plan, *each[1:])]
    pairs = (_pair(schedule, plan, *ends) for ends in found[:MOST])
    return Handovers(len(found), tuple(pair for pair in pairs if pair is not None))


@Derived
def users_of(compilation: Compilation) -> frozendict[str, Users]:
    """Who writes and who reads each buffer, in order."""
    writers: dict[str, list[Step]] = {}
    readers: dict[str, list[Step]] = {}
    for step in schedule_of(compilation).steps:
        for found, accesses in ((writers, step.op.writes), (readers, step.op.reads)):
            for name in dict.fromkeys(access.buffer for access in accesses):
                found.setdefault(name, []).append(step)
    names = writers.keys() | readers.keys()
    return frozendict((name, (tuple(writers.get(name, ())), tuple(readers.get(name, ())))) for name in names)


def _around(users: Mapping[str, Users], schedule: Schedule, op: str) -> Iterator[tuple[str, Step, Step]]:
    """Buffer, writer and reader of what a step reads and of what it writes; nothing that several steps fill."""
    step = schedule.step_map[op]
    for name in dict.fromkeys(access.buffer for access in step.op.reads):
        writers, _ = users[name]
        if len(writers) == 1 and writers[0].name != op:
            yield name, writers[0], step
    for name in dict.fromkeys(access.buffer for access in step.op.writes):
        writers, readers = users[name]
        if len(writers) == 1:
            yield from ((name, step, reader) for reader in readers if reader.name != op)


def _fetches(reader: Step) -> bool:
    """True for a move that is there to get data from elsewhere."""
    return reader.edit is not None and reader.edit.kind in HOMEWARD


def _divided(plan: Plan, writer: Step, reader: Step) -> bool:
    return all(step.op.kind is not OpKind.OPAQUE and step.name in plan.divisions for step in (writer, reader))


def _pair(schedule: Schedule, plan: Plan, buffer: str, writer: Step, reader: Step) -> Pair | None:
    held = holding(writer, buffer, schedule, plan)
    why = partial_sums(held) or mismatch(held, reader, schedule, plan)
    if not why:
        return None
    division = plan.divisions[reader.name]
    host, layout = schedule.buffers[buffer], plan.layouts[buffer]
    write = next(access for access in writer.op.writes if access.buffer == buffer)
    read = next(access for access in reader.op.reads if access.buffer == buffer)
    has = slice_map(writer.op, write, host, layout, held.division)
    wants = slice_map(reader.op, read, host, layout, division)
    if has is None or wants is None or not core_boxes(reader.op, read, host, layout, division).size.any():
        return None
    unfinished = _unfinished(held.division, {loop.name for loop in writer.op.reduction_loops})
    return Pair(buffer, writer.name, reader.name, held.division, division, has, wants, unfinished, why)


def _unfinished(division: Division, reduced: set[str]) -> frozenset[int]:
    """Cores that are not the last of a chain of partial sums."""
    last = {split.loop: split.factor - 1 for split in division.splits if split.loop in reduced}
    if not last:
        return frozenset()
    slots = ((core, division.slots(core)) for core in range(division.cores))
    return frozenset(core for core, own in slots if any(own[loop] != place for loop, place in last.items()))
