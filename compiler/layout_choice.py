"""Layout choice: which candidate an op takes, given what is decided before it.

Owns the local rule: fewest elements restickified on the way in; at equal cost fewest at its direct readers; then the
order of the rules, which keeps what operands have.  A copy that exists already costs nothing.  Refuses to look further
ahead.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable
from dataclasses import dataclass, field

from compiler.layout import StickLayout
from compiler.layout_rules import candidates
from compiler.loops import LoopOp
from compiler.scene import Candidate, Layouts, Scene

BARRED = 1 << 62
READERS_LOOKED_AT = 8
Move = tuple[str, StickLayout]


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidate taken, the elements restickified for it, and the cheapest other way: its loop (None: none) and cost
    (BARRED: there is no other)."""

    candidate: Candidate
    elements: int
    other_loop: str | None = None
    other_elements: int = BARRED


@dataclass(slots=True)
class Progress:
    """The state of a walk through the program: layouts so far, and copies that restickifies have made and nobody has
    made stale since."""

    scene: Scene
    layouts: dict[str, StickLayout] = field(default_factory=dict)
    copies: dict[Move, str] = field(default_factory=dict)

    def forget(self, op: LoopOp) -> None:
        """Copies of what `op` writes are stale from now on."""
        written = {access.buffer for access in op.writes}
        for move in [move for move in self.copies if move[0] in written]:
            del self.copies[move]


def choose(
    progress: Progress, op: LoopOp, found: tuple[Candidate, ...], keep: Callable[[Candidate], bool]
) -> Choice | None:
    """The best of the candidates that `keep` accepts; None if there is none."""
    scene, layouts = progress.scene, progress.layouts
    copies = frozenset(progress.copies)
    priced = [(price(scene, op, way, layouts, copies), place, way) for place, way in enumerate(found)]
    kept = [entry for entry in priced if keep(entry[2])]
    if not kept:
        return None
    least = min(cost for cost, _, _ in kept)
    tied = [entry for entry in kept if entry[0] == least]
    if len({candidate.outputs for _, _, candidate in tied}) > 1:
        tied.sort(key=lambda entry: (_ahead(scene, op, entry[2], layouts), entry[1]))
    taken = tied[0][2]
    others = [entry for entry in priced if entry[2].loop != taken.loop]
    if not others:
        return Choice(taken, least)
    cost, _, other = min(others, key=lambda entry: entry[:2])
    return Choice(taken, least, other.loop, cost)


def moves(op: LoopOp, candidate: Candidate, layouts: Layouts) -> tuple[tuple[int, Move], ...]:
    """(read, (buffer, layout)) of every read whose buffer has another layout than the candidate needs."""
    found = []
    for number, (access, need) in enumerate(zip(op.reads, candidate.needs, strict=True)):
        present = layouts.get(access.buffer)
        if need is not None and present is not None and need != present:
            found.append((number, (access.buffer, need)))
    return tuple(found)


def price(scene: Scene, op: LoopOp, candidate: Candidate, layouts: Layouts, copies: frozenset[Move]) -> int:
    """Host elements that must be restickified for a candidate; what is copied already is free."""
    fresh = {move for _, move in moves(op, candidate, layouts)} - copies
    return sum(scene.buffers[buffer].elements for buffer, _ in fresh)


def _ahead(scene: Scene, op: LoopOp, candidate: Candidate, layouts: dict[str, StickLayout]) -> int:
    """Elements that the direct readers of the result would have to move; undecided operands count as suited."""
    written = dict(zip((access.buffer for access in op.writes), candidate.outputs, strict=True))
    known = ChainMap(written, layouts)
    readers = {reader.name: reader for name in written for reader in scene.readers.get(name, ()) if reader is not op}
    total = 0
    for reader in list(readers.values())[:READERS_LOOKED_AT]:
        costs = [price(scene, reader, way, known, frozenset()) for way in candidates(scene, reader, known)]
        total += min(costs, default=BARRED)
    return total
