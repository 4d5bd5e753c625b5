"""What differs between two plans, a row each: decisions with their causes, moves, and steps whose time changed.

Owns: joining decisions with the times of their steps, and the words of the kinds. Refuses: comparing; `compiler.diff`
does, and Qt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from compiler.diff import NONE, Change, ChangeKind, EditChange, PlanDiff
from spyre_studio.edit_words import word
from spyre_studio.units import format_us

RowKind = Literal["decision", "minor", "time"]
_DECISIONS_OF_STEPS = (ChangeKind.DIVISION,)


@dataclass(frozen=True, slots=True)
class DiffRow:
    """`what` was decided about `name`; `delta_us` is that of the step of the name, 0 where it is none's.

    A 'minor' row is another address in LX, or another figure behind the same reason.
    """

    kind: RowKind
    what: str
    name: str
    before: str
    after: str
    delta_us: float
    cause: str
    is_buffer: bool


def diff_rows(found: PlanDiff) -> tuple[DiffRow, ...]:
    """Settings and pins, decisions in schedule order, moves, then times that changed though no decision did."""
    deltas = {cost.name: cost.delta_us for cost in found.costs}
    changes = [_of_change(change, deltas) for change in found.changes]
    moves = [_of_edit(entry, deltas) for entry in found.edits]
    told = {row.name for row in (*changes, *moves) if row.delta_us}
    times = [
        DiffRow(
            "time", "time", cost.name, format_us(cost.before_us), format_us(cost.after_us), cost.delta_us, "", False
        )
        for cost in found.costs
        if cost.name not in told
    ]
    return (*changes, *moves, *times)


def _of_change(change: Change, deltas: dict[str, float]) -> DiffRow:
    minor = change.kind is ChangeKind.ADDRESS or change.before == change.after
    kind: RowKind = "minor" if minor else "decision"
    name = change.name.partition(":")[2] if change.kind is ChangeKind.PIN else change.name
    what = f"pin ({change.name.partition(':')[0]})" if change.kind is ChangeKind.PIN else str(change.kind)
    delta = deltas.get(change.name, 0.0) if change.kind in _DECISIONS_OF_STEPS else 0.0
    buffers = (ChangeKind.LAYOUT, ChangeKind.PLACEMENT, ChangeKind.ADDRESS)
    is_buffer = change.kind in buffers or change.name.startswith(("layout:", "placement:"))
    return DiffRow(kind, what, name, change.before, change.after, delta, change.cause, is_buffer)


def _of_edit(entry: EditChange, deltas: dict[str, float]) -> DiffRow:
    edit = entry.edit
    words = f"{edit.source} to {edit.target}"
    before, after = (NONE, words) if entry.added else (words, NONE)
    what = f"{word(edit.kind)} {'added' if entry.added else 'gone'}"
    return DiffRow("decision", what, edit.name, before, after, deltas.get(edit.name, 0.0), entry.cause, False)
