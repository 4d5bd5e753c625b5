"""Which cores wrote the elements that a cell of an error map stands for.

Owns: the arithmetic from slices of loops to cells.  Refuses: guessing; what the program does not tell plainly (several
writers, gathered places, a view across dims) has no known owner.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray

from compiler.loops import LoopOp, OpKind, OutputView
from compiler.program import DeviceOp, Program
from simulator.error_map import CELLS
from spyre_studio.error_map_subject import Subject, steps_of

Mask = NDArray[np.bool_]
Range = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Owners:
    """Per core, the cells (rows, columns) that hold an element of it; no cores where nothing is known."""

    cells: Mapping[int, Mask]

    def at(self, row: int, column: int) -> tuple[int, ...]:
        """The cores of a cell, in order."""
        return tuple(core for core, mask in self.cells.items() if mask[row, column])

    def of(self, core: int) -> Mask | None:
        """The cells of a core, None if it has none."""
        return self.cells.get(core)


UNKNOWN = Owners(frozendict())


def owners_of(program: Program, subject: Subject) -> Owners:
    """Who wrote the elements of a result."""
    step = steps_of(program).get(subject.step)
    if step is None or step.op.kind is OpKind.OPAQUE or step.op.write.index.gathers:
        return UNKNOWN
    dims = tuple(range(len(step.op.output_loops)))
    if subject.is_output:
        view = next((each for each in program.outputs if f"output:{each.name}" == subject.key), None)
        found = _loops_of_dims(step.op, view) if view is not None else None
        if found is None:
            return UNKNOWN
        dims = found
    return _owners(step, dims, subject.shape)


def cells_of(extent: int) -> NDArray[np.int64]:
    """The first place of every cell of a dim of this extent.

    >>> cells_of(3).tolist(), cells_of(128)[:3].tolist(), cells_of(100)[:4].tolist()
    ([0, 1, 2], [0, 2, 4], [0, 2, 4, 5])
    """
    count = min(extent, CELLS)
    return -(-np.arange(count) * extent // count)


def _owners(step: DeviceOp, dims: Sequence[int], shape: tuple[int, ...]) -> Owners:
    """`dims`: the output loop of every dim of the result, -1 for a dim of one element."""
    if 0 in shape:
        return UNKNOWN
    places = [place for place, loop in enumerate(step.op.loops) if loop in step.op.output_loops]
    rows_shape, columns = shape[:-1], shape[-1] if shape else 1

    @cache
    def rows_of(ranges: tuple[Range, ...]) -> Mask:
        return _row_cells(ranges, rows_shape)

    cells: dict[int, Mask] = {}
    for part in step.slices:
        if part.pass_to >= 0:
            continue
        ranges = [part.ranges[places[dim]] if dim >= 0 else (0, 1) for dim in dims]
        last = ranges[-1] if ranges else (0, 1)
        mask = np.logical_and.outer(rows_of(tuple(ranges[:-1])), _row_cells((last,), (columns,)))
        cells[part.core] = cells[part.core] | mask if part.core in cells else mask
    return Owners(frozendict(sorted(cells.items())))


def _row_cells(ranges: tuple[Range, ...], shape: tuple[int, ...]) -> Mask:
    """The cells of a flattened box."""
    inside = np.ones(1, np.bool_)
    for (low, high), extent in zip(ranges, shape, strict=True):
        along = np.zeros(extent, np.bool_)
        along[low:high] = True
        inside = np.logical_and.outer(inside, along).ravel()
    return np.logical_or.reduceat(inside, cells_of(math.prod(shape)))


def _loops_of_dims(op: LoopOp, view: OutputView) -> tuple[int, ...] | None:
    """For every dim of an output the output loop that walks it, -1 for a dim of one element; None if the view is not
    walked loop by loop, all of it."""
    index = op.write.index
    if not index.affine or index.offset != view.offset:
        return None
    steps = [(loop.extent, index.coefficient(loop.name)) for loop in op.output_loops]
    found = tuple(
        -1 if size == 1 else steps.index((size, stride)) if (size, stride) in steps else None
        for size, stride in zip(view.shape, view.strides, strict=True)
    )
    dims = tuple(dim for dim in found if dim is not None)
    walked = sum(extent > 1 for extent, _ in steps)
    plain = len(dims) == len(found) and len({dim for dim in dims if dim >= 0}) == walked == sum(d >= 0 for d in dims)
    return dims if plain else None
