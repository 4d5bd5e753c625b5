"""Finding ops and buffers by what they are called and what they are: the lists behind Find and Go to.

Owns: the entries of a model and the match. Refuses: Qt, and understanding what was typed (find_query.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from compiler.compilation import Compilation
from compiler.graph import TensorType
from compiler.loops import Buffer
from compiler.plan import Plan, Slot, Spilled
from compiler.reasons import REASONS
from compiler.schedule import Schedule, Step
from spyre_studio.derived import Derived, schedule_of
from spyre_studio.edit_words import word
from spyre_studio.find_query import Query, read_query
from spyre_studio.units import format_bytes, format_count


@dataclass(frozen=True, slots=True)
class Entry:
    """`name` as the selection knows it, `note` what stands beside it.

    `kinds` are words for what it is, `shape` of the result or buffer, `splits` (loop, parts) of an op that is divided
    (None for what never is), `spilled` whether it lies in device memory (None if it lies nowhere), `reason` why.
    """

    kind: Literal["op", "move", "buffer", "module"]
    name: str
    note: str
    kinds: str = ""
    shape: tuple[int, ...] = ()
    splits: tuple[tuple[str, int], ...] | None = None
    spilled: bool | None = None
    reason: str = ""
    haystack: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "haystack", f"{self.name} {self.kind} {self.note}".casefold())


def entries(schedule: Schedule, plan: Plan | None) -> tuple[Entry, ...]:
    """Ops and moves in schedule order, then buffers."""
    steps = [_of_step(step, schedule, plan) for step in schedule.steps]
    buffers = [_of_buffer(buffer, plan) for buffer in schedule.buffers.values()]
    return (*steps, *buffers)


def of_modules(paths: Sequence[str], sizes: Sequence[int]) -> tuple[Entry, ...]:
    """Modules by their paths, and how many ops they have."""
    return tuple(
        Entry("module", path, f"module · {format_count(size, 'op')}", "module")
        for path, size in zip(paths, sizes, strict=True)
        if path
    )


@Derived
def found_in(compilation: Compilation) -> tuple[Entry, ...]:
    """The entries of a plan."""
    return entries(schedule_of(compilation), compilation.plan)


def matching(every: Sequence[Entry], text: str) -> tuple[Entry, ...]:
    """The entries that `text` means, see `find_query`; those whose own name begins with its first word come first."""
    return meant(every, read_query(text))


def meant(every: Sequence[Entry], query: Query) -> tuple[Entry, ...]:
    """The entries that a query means; none if it is mistaken."""
    if query.mistake:
        return ()
    found = [entry for entry in every if query.holds(entry)]
    if not query.first:
        return tuple(found)
    return tuple(sorted(found, key=lambda entry: not _begins(entry.name.casefold(), query.first)))


def _begins(name: str, word: str) -> bool:
    return name.startswith(word) or f".{word}" in name or f"/{word}" in name


def _of_step(step: Step, schedule: Schedule, plan: Plan | None) -> Entry:
    written = step.op.writes[0].buffer if step.op.writes else ""
    shape = schedule.buffers[written].shape if written else ()
    spilled, reason = _place(plan, written)
    division = plan.divisions.get(step.name) if plan else None
    splits = tuple((split.loop, split.factor) for split in division.splits if split.factor > 1) if division else None
    if step.edit is not None:
        kinds = f"move {word(step.edit.kind)} {step.edit.kind}".casefold()
        return Entry("move", step.name, word(step.edit.kind), kinds, shape, splits, spilled, reason)
    kind = str(step.op.kind)
    note = f"{kind} · {division}" if division else kind
    kinds = f"op {kind} {step.op.combine} {step.op.origin.target}".casefold()
    return Entry("op", step.name, note, kinds, shape, splits, spilled, reason)


def _of_buffer(buffer: Buffer, plan: Plan | None) -> Entry:
    spilled, reason = _place(plan, buffer.name)
    note = f"{TensorType(buffer.dtype, buffer.shape)}{_of_place(plan, buffer.name)}"
    kinds = f"buffer {buffer.kind} {buffer.dtype}".casefold()
    return Entry("buffer", buffer.name, note, kinds, buffer.shape, None, spilled, reason)


def _place(plan: Plan | None, name: str) -> tuple[bool | None, str]:
    """Whether it lies in device memory, and why, in the words of its code and its title."""
    place = plan.placement.get(name) if plan else None
    if isinstance(place, Spilled):
        return True, f"{place.code} {REASONS[place.code].title}".casefold()
    return (None if place is None else False), ""


def _of_place(plan: Plan | None, name: str) -> str:
    if plan is None:
        return ""
    place = plan.placement.get(name)
    return f" · LX {format_bytes(place.size_bytes)}" if isinstance(place, Slot) else " · device memory"
