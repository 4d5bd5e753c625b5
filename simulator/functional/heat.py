"""Heat: maps of where a result is wrong.

Owns which stick holds every element of a result and which core wrote it, and the sums by cell, stick and core.  Refuses
verdicts: `compare` has them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from compiler.layout import StickLayout
from compiler.loops import LoopOp, OpKind, OutputView
from compiler.program import DeviceOp, DeviceTensor, Program
from simulator.error_map import CELLS, HOST, MOST, NO_NUMBER, STICKS, Cells, CoreError, ErrorMap, StickError
from simulator.functional.address import Integers, access_map
from simulator.functional.compare import difference
from simulator.functional.deviation import BEYOND, Moves
from simulator.functional.host import walk
from simulator.functional.lifetimes import ops_of
from simulator.functional.space import Space, whole

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Of every element: the number of its stick among those of a tensor that has `grid` of them, and its core; both
    arrays broadcast to the shape of the result."""

    grid: tuple[int, ...]
    stick: Integers
    core: Integers


def places_of_output(program: Program, view: OutputView) -> Places:
    """Where the elements of an output lie, and who wrote each of them last."""
    tensor = program.tensor_map[view.buffer]
    storage = np.full(_storage(tensor), HOST, dtype=np.int64)
    for step in ops_of(program):
        if step.op.kind is not OpKind.OPAQUE and step.op.write.buffer == view.buffer:
            _sign(step, storage)
    elements = walk(view.shape, view.strides, view.offset)
    coordinates = elements.map(tensor.layout).coordinates(elements.space)
    owners = torch.from_numpy(storage).as_strided(view.shape, view.strides, view.offset).numpy()
    return _places(tensor.layout, coordinates, owners)


def places_of_step(program: Program, step: DeviceOp, written: int) -> Places:
    """The same for one write of one step, over its output loops; what it scatters has no known place."""
    op = step.op
    tensor = program.tensor_map[op.writes[written].buffer]
    if op.kind is OpKind.OPAQUE:
        elements = walk(tensor.shape, tensor.strides)
        coordinates = elements.map(tensor.layout).coordinates(elements.space)
        return _places(tensor.layout, coordinates, np.full([1] * len(tensor.shape), HOST))
    space = whole(op).result
    owners = np.full(space.shape, HOST, dtype=np.int64)
    for part in step.slices:
        if part.pass_to < 0:
            ranges = Space(op.loops, part.ranges).result.ranges
            owners[tuple(slice(low, high) for low, high in ranges)] = part.core
    if op.write.index.gathers:
        return Places((1,), np.zeros([1] * len(space.shape), dtype=np.int64), owners)
    coordinates = access_map(op.write.index, op.output_loops, tensor.layout).coordinates(space)
    return _places(tensor.layout, coordinates, owners)


def error_map(got: Tensor, want: Tensor, moves: Moves, places: Places) -> ErrorMap:
    """The maps of two results of equal shape that differ; `moves` is how far rounding moves each element."""
    shape = tuple(want.shape)
    pair = difference(got, want)
    known = torch.zeros((), dtype=torch.float64) if moves is None else moves
    known = known.broadcast_to(shape)
    lost = pair.differs & ~pair.finite  # NaN or infinity on one side
    absolute = torch.where(lost, NO_NUMBER, torch.where(pair.differs, pair.distance, 0.0))
    deviations = torch.where(pair.differs & ~known.isinf(), (absolute / known).clamp(max=MOST), 0.0)
    errors = _Errors(
        absolute.flatten().numpy(),
        deviations.flatten().numpy(),
        pair.differs.flatten().numpy(),
        (deviations > BEYOND).flatten().numpy(),
    )
    sticks, cores = (np.broadcast_to(each, shape).ravel() for each in (places.stick, places.core))
    by_stick, by_core = errors.by(sticks), errors.by(cores - HOST)
    touched = np.flatnonzero(by_stick.differing)
    columns = shape[-1] if shape else 1
    return ErrorMap(
        rows=math.prod(shape) // columns,
        columns=columns,
        deviations=_cells(errors.deviations, columns),
        absolute=_cells(errors.absolute, columns),
        sticks=_worst_sticks(by_stick, touched, places.grid),
        sticks_differing=len(touched),
        cores=tuple(CoreError(int(each) + HOST, *by_core.of(int(each))) for each in np.flatnonzero(by_core.elements)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Figures by the number of a group: elements, how many differ and are beyond rounding, and the largest errors."""

    elements: Integers
    differing: Integers
    beyond: Integers
    absolute: Floats
    deviations: Floats

    def of(self, group: int) -> tuple[int, int, int, float, float]:
        """All figures of one group."""
        counts = (int(self.elements[group]), int(self.differing[group]), int(self.beyond[group]))
        return (*counts, float(self.absolute[group]), float(self.deviations[group]))


@dataclass(frozen=True, slots=True, eq=False)
class _Errors:
    """The errors of all elements in a row."""

    absolute: Floats
    deviations: Floats
    differs: Truths
    beyond: Truths

    def by(self, groups: Integers) -> _Groups:
        """Figures of elements with the same number."""
        count = int(groups.max()) + 1
        absolute, deviations = np.zeros(count), np.zeros(count)
        np.maximum.at(absolute, groups, self.absolute)
        np.maximum.at(deviations, groups, self.deviations)
        chosen = (groups, groups[self.differs], groups[self.beyond])
        elements, differing, beyond = (np.bincount(each, minlength=count) for each in chosen)
        return _Groups(elements, differing, beyond, absolute, deviations)


def _worst_sticks(by_stick: _Groups, touched: Integers, grid: tuple[int, ...]) -> tuple[StickError, ...]:
    """Most elements beyond rounding first, then the largest error, then the lowest number."""
    order = np.lexsort((touched, -by_stick.deviations[touched], -by_stick.beyond[touched]))
    numbers = [int(each) for each in touched[order][:STICKS]]
    places = [tuple(int(each) for each in np.unravel_index(number, grid)) for number in numbers]
    return tuple(StickError(place, *by_stick.of(number)) for place, number in zip(places, numbers, strict=True))


def _cells(values: Floats, columns: int) -> Cells:
    """The largest value of every cell (see `error_map.cell_of`)."""
    table = values.reshape(-1, columns)
    starts = [np.unique(-(-np.arange(min(size, CELLS)) * size // min(size, CELLS))) for size in table.shape]
    tallest = np.maximum.reduceat(np.maximum.reduceat(table, starts[0], axis=0), starts[1], axis=1)
    return tuple(tuple(map(float, row)) for row in tallest)


def _places(layout: StickLayout, coordinates: Integers, owners: Integers) -> Places:
    grid = layout.device_size[:-1] or (1,)
    if len(layout.device_size) == 1:
        return Places(grid, np.zeros(coordinates.shape[1:], dtype=np.int64), owners)
    return Places(grid, np.ravel_multi_index(tuple(coordinates[:-1]), grid), owners)


def _sign(step: DeviceOp, storage: Integers) -> None:
    """Put the numbers of the cores that write a tensor where they do."""
    op: LoopOp = step.op
    for part in step.slices:
        space = Space(op.loops, part.ranges).result
        if part.pass_to >= 0 or space.empty or op.write.index.gathers:
            continue
        storage[np.asarray(op.write.index.evaluate(space.grid())).ravel()] = part.core


def _storage(tensor: DeviceTensor) -> int:
    if 0 in tensor.shape:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.strides, strict=True))
