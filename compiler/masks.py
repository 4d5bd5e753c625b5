"""Masks: the iterations at which a masked read really happens, as a range per loop.

Owns the reading of mask expressions (comparisons of index values with constants, joined by `and`).  Refuses to be
clever: a condition on several loops at once, or on data, restricts nothing, so every range is an upper bound, and so
does one with floors on a loop of more than POINTS_TRIED iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from compiler.loops import Apply, Const, IndexValue, Load, LoopOp

Range = tuple[int, int]
_Values = NDArray[np.generic]

_MEANING: dict[str, Callable[..., _Values]] = {
    "ge": np.greater_equal,
    "gt": np.greater,
    "le": np.less_equal,
    "lt": np.less,
    "eq": np.equal,
    "ne": np.not_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_not": np.logical_not,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "cast": np.asarray,
    "identity": np.asarray,
}
_COMPARISONS = ("ge", "gt", "le", "lt", "eq", "ne")
_LOGIC = ("logical_and", "logical_or", "logical_not", "bitwise_and", "bitwise_or")
POINTS_TRIED = 1_000_000
_JOINING = ("logical_and", "bitwise_and")


def mask_ranges(op: LoopOp, read: int) -> dict[str, Range]:
    """Loop -> half-open range outside of which no load of `reads[read]` happens; loops without a limit are left out."""
    loads = [step for step in op.body if isinstance(step, Load) and step.read == read]
    limits = [_limits(op, load.mask) if load.mask is not None else {} for load in loads]
    if not limits:
        return {}
    shared = set.intersection(*(set(limit) for limit in limits))
    return {
        loop: (min(limit[loop][0] for limit in limits), max(limit[loop][1] for limit in limits))
        for loop in sorted(shared)
    }


def _limits(op: LoopOp, mask: int) -> dict[str, Range]:
    ranges: dict[str, Range] = {}
    for condition in _conditions(op, mask):
        loops = _loops_of(op, condition)
        if loops is None or len(loops) != 1:
            continue
        loop = next(iter(loops))
        low, high = _where_true(op, condition, loop)
        before = ranges.get(loop, (0, op.extents[loop]))
        ranges[loop] = (max(low, before[0]), min(high, before[1]))
    return ranges


def _conditions(op: LoopOp, value: int) -> tuple[int, ...]:
    """The parts of a conjunction."""
    step = op.body[value]
    if isinstance(step, Apply) and step.primitive in _JOINING:
        return tuple(part for arg in step.args for part in _conditions(op, arg))
    return (value,)


def _loops_of(op: LoopOp, value: int) -> frozenset[str] | None:
    """Loops of extent > 1 a condition depends on; None if it also depends on data or on what is not understood."""
    step = op.body[value]
    if isinstance(step, Const):
        return frozenset()
    if isinstance(step, IndexValue):
        names = step.index.loop_names
        return None if step.index.gathers else frozenset(name for name in names if op.extents[name] > 1)
    if not isinstance(step, Apply) or step.primitive not in _MEANING:
        return None
    parts = [_loops_of(op, arg) for arg in step.args]
    known = [part for part in parts if part is not None]
    return frozenset().union(*known) if len(known) == len(parts) else None


def _where_true(op: LoopOp, value: int, loop: str) -> Range:
    extents = op.extents
    values = {name: np.zeros(1, np.int64) for name in extents}
    crossings = _crossings(op, value, extents)
    if crossings is None and extents[loop] > POINTS_TRIED:
        return 0, extents[loop]
    ends = {0, extents[loop] - 1, *(crossings or ())}
    some = np.array(sorted(point for point in ends if 0 <= point < extents[loop]), dtype=np.int64)
    values[loop] = np.arange(extents[loop], dtype=np.int64) if crossings is None else some
    happens = values[loop][np.broadcast_to(_evaluate(op, value, values), values[loop].shape).astype(bool)]
    return (int(happens[0]), int(happens[-1]) + 1) if happens.size else (0, 0)


def _crossings(op: LoopOp, value: int, extents: Mapping[str, int]) -> set[int] | None:
    """Iterations around which a condition on one loop may change; None if it has more than crossing lines."""
    step = op.body[value]
    if not isinstance(step, Apply):
        return None
    if step.primitive not in _COMPARISONS:
        parts = [_crossings(op, arg, extents) for arg in step.args] if step.primitive in _LOGIC else [None]
        known = [part for part in parts if part is not None]
        return set[int]().union(*known) if len(known) == len(parts) else None
    lines = [_straight(op, arg, extents) for arg in step.args]
    known_lines = [line for line in lines if line is not None]
    if len(known_lines) != 2:
        return None
    (slope, start), (other_slope, other_start) = known_lines
    if slope == other_slope:
        return set()
    middle = (other_start - start) // (slope - other_slope)
    return {middle - 1, middle, middle + 1, middle + 2}


def _straight(op: LoopOp, value: int, extents: Mapping[str, int]) -> tuple[int, int] | None:
    """(slope, value at 0) over the only loop of more than one iteration; None if it is no straight line."""
    step = op.body[value]
    if isinstance(step, Const):
        return (0, int(step.value)) if float(step.value).is_integer() else None
    if isinstance(step, Apply):
        return _straight(op, step.args[0], extents) if step.primitive in ("cast", "identity") else None
    if not isinstance(step, IndexValue) or any(term.divisor != 1 or term.modulus for term in step.index.terms):
        return None
    moving = [
        (term.coefficient * factor) for term in step.index.terms for name, factor in term.loops if extents[name] > 1
    ]
    return sum(moving), step.index.offset + sum(term.coefficient * term.offset for term in step.index.terms)


def _evaluate(op: LoopOp, value: int, values: dict[str, NDArray[np.int64]]) -> _Values:
    step = op.body[value]
    if isinstance(step, Const):
        return np.asarray(step.value)
    if isinstance(step, IndexValue):
        return step.index.evaluate(values)
    assert isinstance(step, Apply), "only conditions that _loops_of understands are evaluated"
    return _MEANING[step.primitive](*(_evaluate(op, arg, values) for arg in step.args))
