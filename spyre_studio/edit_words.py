"""Inserted moves in words: what each kind is called, how many there are of it, and what its target is.

Owns: one row for every kind of edit. Refuses: Qt, and words for a plan as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from frozendict import frozendict

from compiler.plan import HOMEWARD, Edit, EditKind
from spyre_studio.units import format_count


@dataclass(frozen=True, slots=True)
class Words:
    """`one` and `many` of a kind, and what its target is of its source: '{} filled up with zeros'."""

    one: str
    many: str
    target: str


EDITS: Final[frozendict[EditKind, Words]] = frozendict(
    {
        EditKind.RESTICKIFY: Words("restickify", "restickifies", "another stick layout of {}"),
        EditKind.REORDER: Words("reorder", "reorders", "another dim order of {}"),
        EditKind.PAD: Words("pad", "pads", "{} filled up with zeros"),
        EditKind.RELAYOUT: Words("relayout", "relayouts", "{} over the ring, on other cores"),
        EditKind.CLONE_IN: Words("clone in", "clones in", "a clone of {} in LX"),
        EditKind.CLONE_OUT: Words("clone out", "clones out", "a clone of {} in device memory"),
    }
)


def word(kind: EditKind) -> str:
    """What a move is called."""
    return EDITS[kind].one


def target_text(edit: Edit) -> str:
    """What a move makes. Example: 'a clone of w in LX'; on how many cores each part is, if that is more than one."""
    each = f", each part on {edit.replicas} cores" if edit.replicas > 1 else ""
    return f"{EDITS[edit.kind].target.format(edit.source)}{each}"


def when_text(edit: Edit) -> str:
    """When it runs: 'relayout before softmax/sub', 'clone out at the end'."""
    return f"{word(edit.kind)} before {edit.before}" if edit.before else f"{word(edit.kind)} at the end"


def counts_of(edits: Sequence[Edit]) -> tuple[str, ...]:
    """How many there are of each kind: ('1 restickify', '2 clones in'), () without any."""
    counts = Counter(edit.kind for edit in edits)
    return tuple(format_count(counts[kind], EDITS[kind].one, EDITS[kind].many) for kind in EditKind if counts[kind])


def keeps_place(kind: EditKind) -> bool:
    """True if nothing but the memory changes: the data goes in or out as it is, on the same cores."""
    return kind in HOMEWARD and kind is not EditKind.RELAYOUT
