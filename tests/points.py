"""Iteration points one by one: loop values, masks and offsets of an op over a box of iterations.

Owns brute force: every point is listed.  Refuses structure; whoever needs speed must not use it.
"""

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from compiler.loops import Access, Apply, Const, IndexValue, Load, LoopOp

Values = dict[str, NDArray[np.int64]]
Ranges = Mapping[str, tuple[int, int]]

_TABLE = {
    "ge": np.greater_equal,
    "lt": np.less,
    "gt": np.greater,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_not": np.logical_not,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "remainder": np.mod,
}


def whole(op: LoopOp) -> dict[str, tuple[int, int]]:
    """All iterations."""
    return {loop.name: (0, loop.extent) for loop in op.loops}


def points(op: LoopOp, ranges: Ranges) -> Values:
    """Loop values of every point, flat, the last loop fastest; '' has a zero per point."""
    axes = [np.arange(*ranges[loop.name], dtype=np.int64) for loop in op.loops]
    grids = np.meshgrid(*axes, indexing="ij") if axes else []
    values = {loop.name: grid.ravel() for loop, grid in zip(op.loops, grids, strict=True)}
    count = grids[0].size if grids else 1
    return {**values, "": np.zeros(count, dtype=np.int64)}


def _known(op: LoopOp, place: int, values: Values) -> NDArray[np.int64]:
    """An instruction at every point; data that is loaded is made up from where it lies, so that rows differ."""
    step = op.body[place]
    if isinstance(step, Const):
        return values[""] + int(step.value)
    if isinstance(step, IndexValue):
        return values[""] + step.index.evaluate(values)
    if isinstance(step, Load):
        return offsets(op, op.reads[step.read], values) * 7 + 3
    if step.primitive not in _TABLE:
        pytest.fail(f"{op.name} computes an index with {step.primitive}")
    return np.asarray(_TABLE[step.primitive](*(_known(op, argument, values) for argument in step.args)), dtype=np.int64)


def offsets(op: LoopOp, access: Access, values: Values) -> NDArray[np.int64]:
    """Offset of the access at every point; gathered rows are made up within their table."""
    total = values[""] + access.index.evaluate(values)
    for gather in access.index.gathers:
        total = total + gather.coefficient * np.mod(_known(op, gather.value, values), gather.size)
    return np.asarray(total, dtype=np.int64)


def reading(op: LoopOp, read: int, values: Values) -> NDArray[np.bool_]:
    """At which points some load of this read happens."""
    happens = np.zeros(len(values[""]), dtype=bool)
    for step in op.body:
        if isinstance(step, Load) and step.read == read:
            happens |= True if step.mask is None else _known(op, step.mask, values) != 0
    return happens


def used(op: LoopOp, read: int) -> bool:
    """True if a load of this read is part of the result, and not only of an index or of nothing."""
    waiting, seen = list(op.results), set[int]()
    while waiting:
        place = waiting.pop()
        step = op.body[place]
        if place in seen:
            continue
        seen.add(place)
        if isinstance(step, Apply):
            waiting += step.args
        if isinstance(step, Load) and step.read == read:
            return True
        if isinstance(step, Load) and step.mask is not None:
            waiting.append(step.mask)
    return False
