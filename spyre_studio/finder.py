"""Finding ops and buffers by what they are called and what they are: the lists behind Find and Go to.

Owns: the entries of a model and the match. Refuses: Qt, and regular expressions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from compiler.compilation import Compilation
from compiler.graph import TensorType
from compiler.plan import Plan, Slot
from compiler.schedule import Schedule
from spyre_studio.derived import Derived, schedule_of
from spyre_studio.edit_words import word
from spyre_studio.units import format_bytes


@dataclass(frozen=True, slots=True)
class Entry:
    """`name` as the selection knows it, `note` what stands beside it."""

    kind: Literal["op", "move", "buffer"]
    name: str
    note: str

    @property
    def haystack(self) -> str:
        """Everything that is searched."""
        return f"{self.name} {self.kind} {self.note}".casefold()


def entries(schedule: Schedule, plan: Plan | None) -> tuple[Entry, ...]:
    """Ops and moves in schedule order, then buffers."""
    steps = [
        Entry("move", step.name, word(step.edit.kind))
        if step.edit is not None
        else Entry("op", step.name, _of_op(str(step.op.kind), plan, step.name))
        for step in schedule.steps
    ]
    buffers = [
        Entry("buffer", buffer.name, f"{TensorType(buffer.dtype, buffer.shape)}{_of_place(plan, buffer.name)}")
        for buffer in schedule.buffers.values()
    ]
    return (*steps, *buffers)


@Derived
def found_in(compilation: Compilation) -> tuple[Entry, ...]:
    """The entries of a plan."""
    return entries(schedule_of(compilation), compilation.plan)


def matching(every: tuple[Entry, ...], text: str) -> tuple[Entry, ...]:
    """Entries that hold every word of `text`; those whose own name begins with it come first."""
    words = text.casefold().split()
    if not words:
        return every
    found = [entry for entry in every if all(word in entry.haystack for word in words)]
    return tuple(sorted(found, key=lambda entry: not _begins(entry.name.casefold(), words[0])))


def _begins(name: str, word: str) -> bool:
    return name.startswith(word) or f".{word}" in name or f"/{word}" in name


def _of_op(kind: str, plan: Plan | None, name: str) -> str:
    division = plan.divisions.get(name) if plan else None
    return f"{kind} · {division}" if division else kind


def _of_place(plan: Plan | None, name: str) -> str:
    if plan is None:
        return ""
    place = plan.placement.get(name)
    return f" · LX {format_bytes(place.size_bytes)}" if isinstance(place, Slot) else " · device memory"
