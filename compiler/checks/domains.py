"""Domains: for which iterations a read really happens, and what the value read is used for.

Owns masks as ranges of loops, and the walk through a body from its results back to its loads.  Refuses to interpret
numbers: only counts, constants and their comparisons are evaluated; a mask that depends on data counts as always true.
"""

from __future__ import annotations

import math
from enum import StrEnum

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray

from compiler.checks.elements import CAP
from compiler.loops import Apply, Const, Index, IndexValue, Load, LoopOp

Domain = frozendict[str, tuple[int, int]]
Grids = dict[str, NDArray[np.int64]]

_EVALUATED = {
    "ge": np.greater_equal,
    "gt": np.greater,
    "le": np.less_equal,
    "lt": np.less,
    "eq": np.equal,
    "ne": np.not_equal,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_not": np.logical_not,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
}
_COMPARED = ("ge", "gt", "le", "lt", "eq", "ne")
_JOINED = ("logical_and", "logical_or", "logical_not", "bitwise_and", "bitwise_or")
_AND = ("logical_and", "bitwise_and")


class Use(StrEnum):
    """What becomes of a value read: part of the result, only an index into another buffer, or nothing."""

    VALUE = "value"
    INDEX = "index"
    NONE = "none"


def uses(op: LoopOp) -> tuple[Use, ...]:
    """The use of every read of an op."""
    values = _reached(op, set(op.results))
    indirect = {gather.value for access in op.accesses for gather in access.index.gathers}
    indices = _reached(op, indirect)

    def use(read: int) -> Use:
        loads = [place for place, step in enumerate(op.body) if isinstance(step, Load) and step.read == read]
        if any(place in values for place in loads):
            return Use.VALUE
        return Use.INDEX if any(place in indices for place in loads) else Use.NONE

    return tuple(use(read) for read in range(len(op.reads)))


def _reached(op: LoopOp, wanted: set[int]) -> set[int]:
    """Instructions the wanted ones depend on through arguments and masks, themselves included."""
    found: set[int] = set()
    waiting = [place for place in wanted if 0 <= place < len(op.body)]
    while waiting:
        place = waiting.pop()
        if place in found:
            continue
        found.add(place)
        step = op.body[place]
        if isinstance(step, Apply):
            waiting += step.args
        elif isinstance(step, Load) and step.mask is not None:
            waiting.append(step.mask)
    return found


def followed(op: LoopOp, index: Index) -> frozenset[str]:
    """Loops of more than one iteration that an index depends on, directly or through what it gathers."""
    names = set(index.loop_names)
    reached = _reached(op, {gather.value for gather in index.gathers})
    for step in (op.body[place] for place in reached):
        if isinstance(step, IndexValue):
            names |= step.index.loop_names
        elif isinstance(step, Load):
            names |= followed(op, op.reads[step.read].index)
    extents = op.extents
    return frozenset(name for name in names if extents[name] > 1)


def full(op: LoopOp) -> Domain:
    """All iterations."""
    return frozendict((loop.name, (0, loop.extent)) for loop in op.loops)


def domain(op: LoopOp, read: int) -> Domain:
    """The smallest box of iterations, as ranges of all loops, outside which this read never happens."""
    loads = [step for step in op.body if isinstance(step, Load) and step.read == read]
    if not loads or any(load.mask is None for load in loads):
        return full(op)
    boxes = [_masked(op, load.mask) for load in loads if load.mask is not None]
    return frozendict(
        (loop.name, (min(box[loop.name][0] for box in boxes), max(box[loop.name][1] for box in boxes)))
        for loop in op.loops
    )


def _masked(op: LoopOp, mask: int) -> dict[str, tuple[int, int]]:
    box = dict(full(op))
    for part in _conjuncts(op, mask):
        for name, (low, high) in _true_range(op, part).items():
            box[name] = (max(box[name][0], low), min(box[name][1], high))
    return box


def _conjuncts(op: LoopOp, place: int) -> list[int]:
    step = op.body[place]
    if isinstance(step, Apply) and step.primitive in _AND:
        return [part for argument in step.args for part in _conjuncts(op, argument)]
    return [place]


def _true_range(op: LoopOp, place: int) -> dict[str, tuple[int, int]]:
    """Range of every loop the instruction depends on within which it can be true; {} if that is not known."""
    names: set[str] = set()
    for step in (op.body[reached] for reached in _reached(op, {place})):
        if isinstance(step, IndexValue):
            names |= step.index.loop_names
    extents = op.extents
    if not names <= set(extents):
        return {}
    ordered = sorted(names)
    turns = _turns(op, place, ordered[0], extents[ordered[0]]) if len(ordered) == 1 else None
    if turns is None and math.prod(extents[name] for name in names) > CAP:
        return {}
    points = [np.arange(extents[name], dtype=np.int64) for name in ordered] if turns is None else [turns]
    grids = np.meshgrid(*points, indexing="ij", sparse=True)
    truth = _evaluate(op, place, dict(zip(ordered, grids, strict=True)))
    if truth is None:
        return {}
    whole = np.broadcast_to(truth != 0, tuple(len(axis) for axis in points))
    ranges = {}
    for axis, name in enumerate(ordered):
        true = points[axis][whole.any(axis=tuple(other for other in range(len(ordered)) if other != axis))]
        ranges[name] = (int(true[0]), int(true[-1]) + 1) if len(true) else (0, 0)
    return ranges


def _turns(op: LoopOp, place: int, loop: str, extent: int) -> NDArray[np.int64] | None:
    """Iterations in rising order between which a condition on one loop never changes; None if it is not that simple.

    A comparison of straight lines changes only where they cross.
    """
    found = {0, extent - 1}
    waiting = [place]
    while waiting:
        step = op.body[waiting.pop()]
        if isinstance(step, Apply) and step.primitive in _COMPARED:
            left, right = (_line(op, argument, loop) for argument in step.args)
            if left is None or right is None:
                return None
            slope, gap = left[0] - right[0], right[1] - left[1]
            if slope:
                found |= {gap // slope + near for near in (-1, 0, 1, 2)}
        elif isinstance(step, Apply) and step.primitive in _JOINED:
            waiting += step.args
        else:
            return None
    return np.array(sorted(point for point in found if 0 <= point < extent), dtype=np.int64)


def _line(op: LoopOp, place: int, loop: str) -> tuple[int, int] | None:
    """Slope and value at iteration 0, if an instruction is a straight line over the loop."""
    step = op.body[place]
    if isinstance(step, Const):
        return (0, int(step.value)) if math.isfinite(step.value) and step.value == int(step.value) else None
    if isinstance(step, Apply) and step.primitive in ("cast", "identity"):
        return _line(op, step.args[0], loop)
    if not isinstance(step, IndexValue) or step.index.gathers:
        return None
    slope, start = 0, step.index.offset
    for term in step.index.terms:
        if term.divisor != 1 or term.modulus:
            return None
        start += term.coefficient * term.offset
        slope += sum(term.coefficient * factor for _, factor in term.loops)
    return slope, start


def _evaluate(op: LoopOp, place: int, grids: Grids) -> NDArray[np.int64] | None:
    step = op.body[place]
    if isinstance(step, Const):
        whole = math.isfinite(step.value) and step.value == int(step.value)
        return np.asarray(int(step.value), dtype=np.int64) if whole else None
    if isinstance(step, IndexValue) and not step.index.gathers:
        return step.index.evaluate(grids)
    if not isinstance(step, Apply):
        return None
    values = [_evaluate(op, argument, grids) for argument in step.args]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    if step.primitive in ("cast", "identity"):
        return known[0]
    if step.primitive not in _EVALUATED:
        return None
    return np.asarray(_EVALUATED[step.primitive](*known), dtype=np.int64)
