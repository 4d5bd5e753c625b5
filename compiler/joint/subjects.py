"""Subjects: which buffers a joint problem decides on, and in which stretch of steps.

Owns what bars a buffer from LX whatever its divisions are, reader by reader.  Host ops cut the steps into stretches,
over which nothing stays in LX: a buffer is a subject of its own in each stretch that reads it.  Loose subjects are
never in LX, and only there because several steps share their load.  Refuses views and prices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from compiler.eligibility import index_buffers
from compiler.liveness import Lifetime, lifetimes
from compiler.loops import BufferKind, LoopOp, OpKind
from compiler.plan import HOMEWARD, Plan
from compiler.schedule import Schedule, Step

MOST_READ = 5
"""Subjects that one step reads, at most: each one doubles the table of its bills."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A buffer in a stretch: its writer there (-1: it is in device memory before), its readers, whether it has to be in
    device memory as well, for the host or for a later stretch, and whether it is `loose`."""

    buffer: str
    writer: int
    readers: tuple[int, ...]
    output: bool
    loose: bool = False

    @property
    def counts(self) -> bool:
        """True if it may be in LX, or if several steps may share its load."""
        return not self.loose or (self.writer < 0 and len(self.readers) > 1)


def subjects(plan: Plan, schedule: Schedule) -> tuple[Subject, ...]:
    """All subjects, in the order of buffers and stretches."""
    stretches = _stretches(schedule)
    lives = lifetimes(schedule)
    outputs = frozenset(view.buffer for view in schedule.outputs)
    found = [
        replace(one, loose=bool(plan.layouts[name].padding) or one.loose)
        for name, buffer in schedule.buffers.items()
        if name in plan.layouts and buffer.elements > 0
        for one in _of_buffer(name, lives[name], schedule, stretches, name in outputs)
    ]
    return tuple(one for one in _within_reason(found, plan) if one.counts)


def _stretches(schedule: Schedule) -> tuple[int, ...]:
    """The stretch of every step; that of a host op is -1."""
    found, number = [], 0
    for step in schedule.steps:
        opaque = step.op.kind is OpKind.OPAQUE
        number += opaque
        found.append(-1 if opaque else number)
    return tuple(found)


def _of_buffer(
    name: str, life: Lifetime, schedule: Schedule, stretches: tuple[int, ...], output: bool
) -> Iterator[Subject]:
    own = (
        len(life.writes) == 1 and stretches[life.writes[0]] >= 0 and schedule.buffers[name].kind is BufferKind.COMPUTED
    )
    home = stretches[life.writes[0]] if own else -1
    loose = not own and any(_writes_by_value(schedule.steps[number].op) for number in life.writes)
    readers: dict[int, list[int]] = {}
    for number in life.reads:
        readers.setdefault(stretches[number], []).append(number)
    elsewhere = output or any(stretch != home for stretch in readers)
    if own and home in readers:
        yield Subject(name, life.writes[0], tuple(readers[home]), elsewhere)
    for stretch, numbers in sorted(readers.items()):
        filled = all(number < numbers[0] for number in life.writes)
        if stretch >= 0 and (stretch != home or not own) and filled:
            yield Subject(name, -1, tuple(numbers), output=False, loose=loose)


def _writes_by_value(op: LoopOp) -> bool:
    return any(write.index.gathers for write in op.writes)


def _within_reason(found: list[Subject], plan: Plan) -> tuple[Subject, ...]:
    """The smallest subjects of steps that read too many are loose."""
    by_reader: dict[int, list[Subject]] = {}
    for one in found:
        for reader in one.readers if not one.loose else ():
            by_reader.setdefault(reader, []).append(one)
    dropped: set[Subject] = set()
    for crowd in by_reader.values():
        left = [one for one in crowd if one not in dropped]
        if len(left) > MOST_READ:
            left.sort(key=lambda one: (-plan.layouts[one.buffer].size_bytes, one.buffer))
            dropped.update(left[MOST_READ:])
    return tuple(replace(one, loose=True) if one in dropped else one for one in found)


def device_only(step: Step, buffer: str) -> bool:
    """True if a step needs a buffer in device memory: under a mask, by value, as an index, or to turn its sticks."""
    if step.edit is not None and step.edit.kind not in HOMEWARD:
        return True
    op = step.op
    for number, access in enumerate(op.reads):
        if access.buffer == buffer and (access.index.gathers or op.masked(number)):
            return True
    return buffer in index_buffers(step)
