"""Sights: what one access of an op sees at each iteration, listed one by one.

Owns the enumeration of columns, elements and masks.  Shares no code with the passes or the checker; only for programs
of a few thousand iterations.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from compiler.layout import StickLayout, stick_layout
from compiler.loops import Access, Apply, Buffer, Const, IndexValue, Load, LoopOp

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

MEANING = {
    "ge": np.greater_equal,
    "lt": np.less,
    "logical_and": np.logical_and,
    "logical_not": np.logical_not,
}


@dataclass(frozen=True, eq=False)
class Sight:
    """What one access sees: per iteration the column along the stick and the element, and where it happens at all.

    Arrays have one axis per loop, then one per gathered value.  `value` tells operands from mere indices; `behind` has
    the loops that gathered values depend on.
    """

    buffer: Buffer
    layout: StickLayout
    columns: Ints
    elements: Ints
    happens: Bools
    loops: tuple[str, ...]
    value: bool
    write: bool
    behind: frozenset[str]

    @property
    def lanes(self) -> int:
        return self.layout.device_size[-1]

    @property
    def spread(self) -> bool:
        """True if the layout has one value per stick."""
        return self.layout.stick_dim < 0 or self.buffer.shape[self.layout.stick_dim] <= 1

    def changes(self, numbers: Ints, axis: int) -> bool:
        """True if two iterations that differ in one loop only, both happening, see different numbers."""
        high, low = np.iinfo(np.int64).max, np.iinfo(np.int64).min
        most = np.where(self.happens, numbers, low).max(axis=axis)
        least = np.where(self.happens, numbers, high).min(axis=axis)
        return bool(np.any((most != low) & (most != least)))

    def lane_loops(self) -> frozenset[str]:
        lane = self.columns % self.lanes
        names = (*self.loops, *(f"gathered {n}" for n in range(lane.ndim - len(self.loops))))
        return frozenset(name for axis, name in enumerate(names) if self.changes(lane, axis))

    def depends_on(self, loop: str) -> bool:
        return loop in self.behind or self.changes(self.elements, self.loops.index(loop))

    def values_of(self, loop: str) -> Ints:
        shape = [1] * self.columns.ndim
        axis = self.loops.index(loop)
        shape[axis] = -1
        return np.broadcast_to(np.arange(self.columns.shape[axis]).reshape(shape), self.columns.shape)


def sight(op: LoopOp, access: Access, number: int, buffer: Buffer, layout: StickLayout) -> Sight:
    """Enumerate one access; `number` is the read, or -1 for the write."""
    gathers = access.index.gathers
    axes = [np.arange(loop.extent, dtype=np.int64) for loop in op.loops]
    axes += [np.arange(gather.size, dtype=np.int64) for gather in gathers]
    grids = np.meshgrid(*axes, indexing="ij") if axes else []
    names = tuple(loop.name for loop in op.loops)
    values = dict(zip(names, grids, strict=False))
    shape = tuple(len(axis) for axis in axes)
    elements = np.broadcast_to(access.index.evaluate(values), shape).copy()
    for gather, grid in zip(gathers, grids[len(names) :], strict=True):
        elements += gather.coefficient * grid
    happens = np.broadcast_to(_happens(op, number, values), shape)
    standard = stick_layout(buffer.shape, buffer.strides, layout.device_size[-1], layout.dim_order)
    outer = max(len(standard.device_size) - 3, 0)
    inside = np.where(happens, elements, 0)
    coordinates = standard.coordinates(inside)
    columns = coordinates[outer] * layout.device_size[-1] + coordinates[-1]
    columns = columns if layout.stick_dim >= 0 else np.zeros_like(columns)
    value, write = number < 0 or number in _value_reads(op), number < 0
    return Sight(buffer, layout, columns, inside, happens, names, value, write, _behind(op, access))


def _behind(op: LoopOp, access: Access) -> frozenset[str]:
    """Loops of more than one iteration that a gathered value of this access depends on."""
    found: set[str] = set()

    def follow(place: int) -> None:
        step = op.body[place]
        if isinstance(step, IndexValue):
            found.update(step.index.loop_names)
        if isinstance(step, Load):
            found.update(op.reads[step.read].index.loop_names, _behind(op, op.reads[step.read]))
        for arg in step.args if isinstance(step, Apply) else ():
            follow(arg)

    for gather in access.index.gathers:
        follow(gather.value)
    return frozenset(loop.name for loop in op.loops if loop.name in found and loop.extent > 1)


def _happens(op: LoopOp, number: int, values: dict[str, Ints]) -> Bools:
    loads = [step for step in op.body if isinstance(step, Load) and step.read == number]
    if number < 0 or not loads or any(load.mask is None for load in loads):
        return np.ones((), bool)
    return np.asarray(np.logical_or.reduce([_truth(op, load.mask or 0, values) for load in loads]), bool)


def _truth(op: LoopOp, place: int, values: dict[str, Ints]) -> Ints:
    step = op.body[place]
    if isinstance(step, Const):
        return np.asarray(int(step.value))
    if isinstance(step, IndexValue):
        return step.index.evaluate(values)
    assert isinstance(step, Apply)
    return np.asarray(MEANING[step.primitive](*(_truth(op, arg, values) for arg in step.args)))


@cache
def _value_reads(op: LoopOp) -> frozenset[int]:
    found: set[int] = set()

    def follow(place: int) -> None:
        step = op.body[place]
        if isinstance(step, Load):
            found.add(step.read)
            if step.mask is not None:
                follow(step.mask)
        for arg in step.args if isinstance(step, Apply) else ():
            follow(arg)

    for result in op.results:
        follow(result)
    return frozenset(found)
