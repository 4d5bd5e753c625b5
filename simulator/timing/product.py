"""Product: which loops of a contraction are its rows, its columns and its batches.

Owns roles of loops, found from the operands' indices.  Refuses convolutions any special role: their places are rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from compiler.loops import Apply, Load, LoopOp


@dataclass(frozen=True, slots=True)
class Product:
    """Loops by role.

    `rows` index the left operand and the result, `batch` both operands and the result.  `outer` are all output loops
    but the innermost of the rows and of the columns: what a batched product has beyond a flat one.  `left` and `right`
    are the reads that each operand is made of.
    """

    rows: frozenset[str]
    batch: frozenset[str]
    outer: frozenset[str]
    left: tuple[int, ...]
    right: tuple[int, ...]


@lru_cache(maxsize=1 << 10)
def product_of(op: LoopOp) -> Product:
    """The roles of a contraction's loops."""
    left, right = (_reads(op, place) for place in op.results)
    in_left, in_right = (
        frozenset().union(*(op.reads[read].index.loop_names for read in each)) for each in (left, right)
    )
    kept = [loop.name for loop in op.output_loops]
    rows = [name for name in kept if name in in_left - in_right]
    columns = [name for name in kept if name in in_right - in_left]
    inner = {*rows[-1:], *columns[-1:]}
    return Product(
        frozenset(rows),
        frozenset(kept) & in_left & in_right,
        frozenset(kept) - inner,
        left,
        right,
    )


def _reads(op: LoopOp, place: int) -> tuple[int, ...]:
    """The reads that an instruction's value is made of."""
    step = op.body[place]
    if isinstance(step, Load):
        return (step.read,)
    args = step.args if isinstance(step, Apply) else ()
    return tuple(dict.fromkeys(read for arg in args for read in _reads(op, arg)))
