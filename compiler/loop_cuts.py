"""Loop cuts: one loop of an op written as several, so that each moves through one dim of what it reads.

A loop over pictures [1, 16, 5, 5] flattened to 400 values moves through three dims at once; as three loops 16, 5, 5
each dim has its own.  Owns which cuts the reads of an op suggest and the op with its indices rewritten.  Refuses cuts
after which an index would still need floors and remainders, and ops whose accesses happen under a mask.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from compiler.loops import Buffer, Index, IndexValue, Instruction, Loop, LoopOp, Term
from compiler.walks import TABLE_LIMIT, Part, walk_of


@dataclass(frozen=True, slots=True)
class LoopCut:
    """A loop and the extents of the loops it becomes, the slowest first."""

    loop: str
    extents: tuple[int, ...]

    @property
    def steps(self) -> tuple[int, ...]:
        """Iterations of the old loop per iteration of each new one."""
        return tuple(math.prod(self.extents[place + 1 :]) for place in range(len(self.extents)))

    @property
    def names(self) -> tuple[str, ...]:
        """The new loops."""
        return tuple(f"{self.loop}{place}" for place in range(len(self.extents)))


def cuts_of(op: LoopOp, buffers: Mapping[str, Buffer]) -> Iterator[LoopCut]:
    """The cuts that reads suggest, each once, in order of the reads."""
    if any(op.masked(number) for number in range(len(op.reads))):
        return
    seen: set[LoopCut] = set()
    for read in op.reads:
        for part in walk_of(op, read, buffers[read.buffer]).parts:
            cut = _cut(part)
            if cut is not None and cut not in seen and not {*cut.names} & {*op.extents}:
                seen.add(cut)
                yield cut


def cut_op(op: LoopOp, cut: LoopCut) -> LoopOp | None:
    """The op with its loop cut; None if an index cannot follow."""
    reads = [_index(access.index, cut) for access in op.reads]
    writes = [_index(access.index, cut) for access in op.writes]
    body = [_instruction(step, cut) for step in op.body]
    if None in reads or None in writes or None in body:
        return None
    return replace(
        op,
        loops=tuple(piece for loop in op.loops for piece in _pieces(loop, cut)),
        reads=tuple(replace(access, index=index) for access, index in zip(op.reads, reads, strict=True) if index),
        writes=tuple(replace(access, index=index) for access, index in zip(op.writes, writes, strict=True) if index),
        body=tuple(step for step in body if step is not None),
    )


def _cut(part: Part) -> LoopCut | None:
    """The cut after which each dim that the part moves through has a loop of its own, if each dim is counted up again
    and again."""
    if part.table is None or len(part.loops) != 1:
        return None
    turns = sorted((_first_turn(part, dim) for dim in range(len(part.table))), reverse=True)
    turns = [turn for turn in turns if turn]
    edges = (part.extents[0], *turns)
    if len(turns) < 2 or turns[-1] != 1 or any(outer % inner or outer == inner for outer, inner in pairwise(edges)):
        return None
    return LoopCut(part.loops[0], tuple(outer // inner for outer, inner in pairwise(edges)))


def _first_turn(part: Part, dim: int) -> int:
    """Iterations before the coordinate of a dim changes for the first time; 0 if it never does."""
    assert part.table is not None
    changed = part.table[dim] != part.table[dim][0]
    return int(np.argmax(changed)) if bool(changed.any()) else 0


def _pieces(loop: Loop, cut: LoopCut) -> tuple[Loop, ...]:
    if loop.name != cut.loop:
        return (loop,)
    return tuple(replace(loop, name=name, extent=size) for name, size in zip(cut.names, cut.extents, strict=True))


def _instruction(step: Instruction, cut: LoopCut) -> Instruction | None:
    if not isinstance(step, IndexValue):
        return step
    index = _index(step.index, cut)
    return None if index is None else replace(step, index=index)


def _index(index: Index, cut: LoopCut) -> Index | None:
    """The index in terms of the new loops; None if what the old one adds is not a sum of steps of the new ones."""
    own = [term for term in index.terms if any(name == cut.loop for name, _ in term.loops)]
    if not own:
        return index
    extent = math.prod(cut.extents)
    if any(len(term.loops) != 1 for term in own) or extent > TABLE_LIMIT:
        return None
    values = Index(0, tuple(own)).evaluate({cut.loop: np.arange(extent, dtype=np.int64)}).reshape(cut.extents)
    first = int(values.flat[0])
    steps = [int(values.flat[step]) - first for step in cut.steps]
    grids = np.ix_(*(np.arange(size, dtype=np.int64) for size in cut.extents))
    total = sum(step * grid for step, grid in zip(steps, grids, strict=True))
    if not np.array_equal(values, first + total):
        return None
    terms = [Term(step, ((name, 1),)) for name, step in zip(cut.names, steps, strict=True) if step]
    others = [term for term in index.terms if term not in own]
    return replace(index, offset=index.offset + first, terms=(*others, *terms))
