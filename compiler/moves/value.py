"""Moves: the copies that bring one buffer to its readers, as a value, and a plan that has them.

Owns their order among the edits of a plan: each runs where it is needed and after what makes its source.  Refuses to
decide whether they are worth it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from frozendict import frozendict

from compiler.division import Division
from compiler.layout import StickLayout
from compiler.loops import LoopProgram
from compiler.plan import Edit, EditKind, Plan

Form = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """A copy and its division."""

    edit: Edit
    division: Division


@dataclass(frozen=True, slots=True)
class Moves:
    """All copies of one `buffer`.  `redirected` are copies of the plan that read another source from now on."""

    buffer: str
    layout: StickLayout
    made: tuple[Move, ...]
    redirected: frozendict[str, str] = field(default_factory=frozendict)

    @property
    def form(self) -> Form:
        """Equal for the moves of buffers in equal parts of a program."""
        copies = ((one.edit.kind, one.division, one.edit.replicas, len(one.edit.readers)) for one in self.made)
        return (self.layout, tuple(copies), len(self.redirected))

    @property
    def inside(self) -> tuple[str, ...]:
        """Buffers that have to lie in LX for these moves."""
        names: dict[str, None] = {}
        for one in self.made:
            if one.edit.kind is not EditKind.CLONE_IN:
                names[one.edit.source] = None
            if one.edit.kind is not EditKind.CLONE_OUT:
                names[one.edit.target] = None
        return tuple(names)

    @property
    def outside(self) -> tuple[str, ...]:
        """Buffers that have to lie in device memory."""
        return tuple(dict.fromkeys(one.edit.source for one in self.made if one.edit.kind is EditKind.CLONE_IN))

    @property
    def served(self) -> int:
        """Readers that find the buffer in LX by a copy."""
        return sum(len(one.edit.readers) for one in self.made if one.edit.kind is not EditKind.CLONE_OUT)


def with_moves(program: LoopProgram, plan: Plan, moves: Iterable[Moves]) -> Plan:
    """The plan with these moves, their layouts and their divisions; what was placed is forgotten."""
    chosen = tuple(moves)
    sources = {name: source for one in chosen for name, source in one.redirected.items()}
    edits = [replace(edit, source=sources.get(edit.name, edit.source)) for edit in plan.edits]
    made = [(one.layout, move) for one in chosen for move in one.made]
    layouts = {move.edit.target: layout for layout, move in made}
    divisions = {move.edit.name: move.division for _, move in made}
    return replace(
        plan,
        edits=_in_order(program, [*edits, *(move.edit for _, move in made)]),
        layouts=plan.layouts | layouts,
        divisions=plan.divisions | divisions,
        placement=frozendict(),
        kernels=(),
    )


def _in_order(program: LoopProgram, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Edits by the op they precede, each after the one that makes its source."""
    places = {op.name: place for place, op in enumerate(program.ops)} | {"": len(program.ops)}
    waiting: dict[int, list[Edit]] = {}
    for edit in edits:
        waiting.setdefault(places[edit.before], []).append(edit)
    return tuple(edit for place in sorted(waiting) for edit in _by_source(waiting[place]))


def _by_source(edits: list[Edit]) -> list[Edit]:
    found: list[Edit] = []
    while edits:
        open_targets = {edit.target for edit in edits}
        ready = next((edit for edit in edits if edit.source not in open_targets), edits[0])
        edits.remove(ready)
        found.append(ready)
    return found
