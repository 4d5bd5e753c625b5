"""Masks: the iterations at which a masked read really happens, as a range per loop.

Owns the reading of mask expressions (comparisons of index values with constants, joined by `and`).  Refuses to be
clever: a condition on several loops at once, or on data, restricts nothing, so every range is an upper bound.
"""

from __future__ import annotations

from collections.abc import Callable

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
    values[loop] = np.arange(extents[loop], dtype=np.int64)
    happens = np.flatnonzero(np.broadcast_to(_evaluate(op, value, values), values[loop].shape))
    return (int(happens[0]), int(happens[-1]) + 1) if happens.size else (0, 0)


def _evaluate(op: LoopOp, value: int, values: dict[str, NDArray[np.int64]]) -> _Values:
    step = op.body[value]
    if isinstance(step, Const):
        return np.asarray(step.value)
    if isinstance(step, IndexValue):
        return step.index.evaluate(values)
    assert isinstance(step, Apply), "only conditions that _loops_of understands are evaluated"
    return _MEANING[step.primitive](*(_evaluate(op, arg, values) for arg in step.args))
