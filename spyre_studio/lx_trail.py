"""The trail of a buffer: from what makes it over every copy the plan makes of it to whoever reads it, as one chain.

Owns: which buffers are forms of one another, and the stations in the order of their steps with places and sizes.
Refuses: Qt, and buffers that merely take over a place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from compiler.compilation import Compilation
from compiler.plan import Edit, EditKind, Slot
from compiler.schedule import Schedule
from spyre_studio.derived import schedule_of
from spyre_studio.occupancy import Occupancy
from spyre_studio.units import format_bytes, format_count, format_hex

Kind = Literal["made", "given", "move", "read", "result"]
_MOVES = {
    EditKind.CLONE_IN: "clone into LX",
    EditKind.CLONE_OUT: "clone out",
    EditKind.RELAYOUT: "relayout",
    EditKind.RESTICKIFY: "restickify",
    EditKind.REORDER: "reorder",
    EditKind.PAD: "pad",
}


@dataclass(frozen=True, slots=True)
class Station:
    """Where one gets to: `step` is -1 before the first and after the last; `op` '' where no op belongs to it.

    `buffer` is the form that is there from then on, `place` says where it lies and how large it is.
    """

    kind: Kind
    title: str
    op: str
    step: int
    buffer: str
    place: str

    @property
    def words(self) -> str:
        """'step 3 · relayout to q@ring · LX 0x00000, 32 KiB on each of 32 cores'."""
        at = f"step {self.step}" if self.step >= 0 else ""
        return " · ".join(part for part in (at, self.title, self.place) if part)


@dataclass(frozen=True, slots=True)
class Trail:
    """The forms of one buffer, that from which all others are copied first, and the stations."""

    forms: tuple[str, ...]
    stations: tuple[Station, ...]

    def at(self, step: int | None) -> int:
        """Index of the last station at or before a step, 0 if there is none."""
        known = [place for place, one in enumerate(self.stations) if step is not None and -1 < one.step <= step]
        return known[-1] if known else 0


def trail_of(compilation: Compilation, data: Occupancy, buffer: str) -> Trail:
    """The trail on which a buffer lies."""
    edits, schedule = compilation.plan.edits, schedule_of(compilation)
    forms = _forms(edits, buffer)
    found = [*_beginning(data, schedule, forms[0])]
    for edit in edits:
        if edit.source in forms and edit.name in schedule.step_map:
            number = schedule.step_map[edit.name].number
            title = f"{_move_word(edit, data)} to {edit.target}"
            found.append(Station("move", title, edit.name, number, edit.target, place_words(data, edit.target)))
    names = {edit.name for edit in edits}
    for step in schedule.steps:
        read = next((one.buffer for one in step.op.reads if one.buffer in forms), None)
        if read is not None and step.name not in names:
            found.append(Station("read", f"read by {step.name}", step.name, step.number, read, ""))
    found.sort(key=lambda one: one.step)
    results = (view for view in schedule.outputs if view.buffer in forms)
    found += [Station("result", f"result {view.name}", "", -1, view.buffer, "") for view in results]
    return Trail(forms, tuple(found))


def place_words(data: Occupancy, buffer: str) -> str:
    """'LX 0x00000, 32 KiB on each of 32 cores' or 'device memory 0x01000, 1 MiB'."""
    row = data.resident_map.get(buffer)
    if row is not None:
        one = data.residents[row]
        cores = "on 1 core" if one.cores == 1 else f"on each of {format_count(one.cores, 'core')}"
        return f"LX {format_hex(one.address)}, {format_bytes(one.size)} {cores}"
    out = data.outside_map.get(buffer)
    if out is None:
        return ""
    return f"device memory {format_hex(data.outside[out].address)}, {format_bytes(data.outside[out].size)}"


def part_words(compilation: Compilation, buffer: str, core: int) -> str:
    """Which part of a buffer in LX a core holds, in device dims: 'core 3 holds [0:1, 96:128, 0:64]'; '' outside LX."""
    place = compilation.plan.placement.get(buffer)
    tensor = next((one for one in compilation.program.tensors if one.name == buffer), None)
    if tensor is None or not isinstance(place, Slot):
        return ""
    box = next((one for one in tensor.boxes if one.core == core), None)
    if box is None:
        return f"core {core} holds nothing of it"
    ranges = ", ".join(f"{start}:{start + size}" for start, size in zip(box.start, box.size, strict=True))
    return f"core {core} holds [{ranges}] of its device dims"


def _forms(edits: tuple[Edit, ...], buffer: str) -> tuple[str, ...]:
    """The first form, then its copies and theirs."""
    source = {edit.target: edit.source for edit in edits}
    first = buffer
    while first in source:
        first = source[first]
    found = [first]
    for form in found:  # grows while it is walked
        found += [edit.target for edit in edits if edit.source == form]
    return tuple(found)


def _beginning(data: Occupancy, schedule: Schedule, form: str) -> Iterator[Station]:
    """What writes the first form, or that the host gives it."""
    place = place_words(data, form)
    writers = [step for step in schedule.steps if any(write.buffer == form for write in step.op.writes)]
    if not writers:
        yield Station("given", f"{form} is given by the host", "", -1, form, place)
    for step in writers:
        yield Station("made", f"{step.name} makes {form}", step.name, step.number, form, place)


def _move_word(edit: Edit, data: Occupancy) -> str:
    """What a move is called; a clone of what a step has computed is a dump or a reload."""
    if edit.kind is EditKind.CLONE_IN and _computed(edit.source, data):
        return "reload"
    if edit.kind is EditKind.CLONE_OUT and edit.before:
        return "dump"
    return _MOVES[edit.kind]


def _computed(buffer: str, data: Occupancy) -> bool:
    row, out = data.resident_map.get(buffer), data.outside_map.get(buffer)
    one = data.residents[row] if row is not None else data.outside[out] if out is not None else None
    return one is not None and bool(one.producer)
