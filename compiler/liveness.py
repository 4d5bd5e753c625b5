"""Liveness: from which step to which step every buffer is needed.

Owns first and last step, the writing step and the reading steps of each buffer over the expanded schedule.  Refuses
placement: what may be where is for `compiler.eligibility` and the scratchpad solvers.
"""

from __future__ import annotations

from dataclasses import dataclass

from frozendict import frozendict

from compiler.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Lifetime:
    """Steps that touch a buffer, ascending and distinct; nothing writes graph inputs, parameters and constants."""

    reads: tuple[int, ...]
    writes: tuple[int, ...]

    @property
    def uses(self) -> tuple[int, ...]:
        """All steps that touch the buffer."""
        return tuple(sorted({*self.reads, *self.writes}))

    @property
    def first(self) -> int:
        """First step that touches the buffer, -1 if none does."""
        return self.uses[0] if self.uses else -1

    @property
    def last(self) -> int:
        """Last step that touches the buffer (included), -1 if none does."""
        return self.uses[-1] if self.uses else -1

    @property
    def computed(self) -> bool:
        """True if a step writes it."""
        return bool(self.writes)


def lifetimes(schedule: Schedule) -> frozendict[str, Lifetime]:
    """Lifetime of every buffer of a schedule, in buffer order; buffers no step touches have no uses."""
    reads: dict[str, list[int]] = {name: [] for name in schedule.buffers}
    writes: dict[str, list[int]] = {name: [] for name in schedule.buffers}
    for step in schedule.steps:
        for access in step.op.reads:
            reads[access.buffer].append(step.number)
        for access in step.op.writes:
            writes[access.buffer].append(step.number)
    return frozendict((name, Lifetime(_distinct(reads[name]), _distinct(writes[name]))) for name in schedule.buffers)


def _distinct(steps: list[int]) -> tuple[int, ...]:
    return tuple(sorted(set(steps)))
