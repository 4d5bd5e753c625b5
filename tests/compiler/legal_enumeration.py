"""The least cost of the layouts of a small f16 program, by the words of the stick rules alone.

Owns a walk that gives every buffer every layout and every read every copy, and asks the oracle what is legal: no rule
of the compiler offers or hides a way.  Keeps two habits: a vector is copied to one value per stick, and a reduction has
its operand copied off the stick that it folds, only where there is no other way.  Refuses other types, convolutions,
host ops and buffers that several ops write.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from compiler.dtypes import DType
from compiler.layout import SPARSE, StickLayout, stick_layout
from compiler.loops import Buffer, BufferKind, LoopOp, LoopProgram, OpKind, Role
from tests.compiler.legality_oracle import DEVICE, step_fault
from tests.oracle_sights import Sight, sight

Layouts = Mapping[str, StickLayout]
Copy = tuple[str, StickLayout]


@dataclass(frozen=True, slots=True)
class LegalWay:
    """What an op may do: the layout of its result, its copies, whether it has an operand copied off a folded stick."""

    output: StickLayout
    copies: frozenset[Copy]
    avoids: bool


def suits(program: LoopProgram) -> bool:
    """True if the walk can judge a program."""
    written = [access.buffer for op in program.ops for access in op.writes]
    computed = (buffer for buffer in program.buffers if buffer.kind is BufferKind.COMPUTED)
    narrow = all(buffer.dtype is DType.F16 for buffer in computed)
    loops = all(op.kind not in (OpKind.OPAQUE, OpKind.CONV) and len(op.writes) == 1 for op in program.ops)
    return narrow and loops and len(written) == len(set(written))


def least_legal_cost(program: LoopProgram) -> int | None:
    """Elements on the device that have to be copied, each copy once; None if nothing is legal."""
    walk = _Walk(program, program.buffer_map)
    given = {b.name: _default(b) for b in program.buffers if b.kind is not BufferKind.COMPUTED}
    walk.go(0, given, frozenset(), 0)
    return walk.least


@dataclass(slots=True)
class _Walk:
    program: LoopProgram
    buffers: Mapping[str, Buffer]
    least: int | None = None
    sights: dict[tuple[str, int, StickLayout], Sight] = field(default_factory=dict)
    known: dict[tuple[int, tuple[StickLayout, ...]], tuple[LegalWay, ...]] = field(default_factory=dict)

    def go(self, number: int, layouts: Layouts, copies: frozenset[Copy], cost: int) -> None:
        """Every legal way to go on from an op."""
        if self.least is not None and cost >= self.least:
            return
        if number == len(self.program.ops):
            self.least = cost
            return
        op = self.program.ops[number]
        for way in self._ways(number, op, layouts):
            fresh = way.copies - copies
            more = sum(math.prod(layouts[name].device_size) for name, _ in fresh)
            self.go(number + 1, {**layouts, op.write.buffer: way.output}, copies | fresh, cost + more)

    def _ways(self, number: int, op: LoopOp, layouts: Layouts) -> tuple[LegalWay, ...]:
        key = (number, tuple(layouts[read.buffer] for read in op.reads))
        if key not in self.known:
            found = list(self._legal(op, layouts, spread=False)) or list(self._legal(op, layouts, spread=True))
            self.known[key] = tuple(way for way in found if not way.avoids) or tuple(found)
        return self.known[key]

    def _legal(self, op: LoopOp, layouts: Layouts, spread: bool) -> Iterator[LegalWay]:
        menus = [self._reachable(op, read.buffer, layouts[read.buffer], spread) for read in op.reads]
        for needs in product(*menus):
            for output in _all_layouts(self.buffers[op.write.buffer]):
                if self._is_legal(op, (*needs, output)):
                    moved = [(read.buffer, need) for read, need in zip(op.reads, needs, strict=True)]
                    copies = frozenset(copy for copy in moved if copy[1] != layouts[copy[0]])
                    yield LegalWay(output, copies, self._avoids(op, needs, layouts))

    def _reachable(self, op: LoopOp, name: str, layout: StickLayout, spread: bool) -> list[StickLayout]:
        """The layout itself, and what a copy can make of it."""
        buffer = self.buffers[name]
        if _spreads(buffer, layout):
            return [layout]
        vector = sum(size > 1 for size in buffer.shape) <= 1
        wide = spread and (vector or op.kind is OpKind.MATMUL)
        return list(dict.fromkeys([layout, *(_all_layouts(buffer) if wide else _dense(buffer))]))

    def _is_legal(self, op: LoopOp, layouts: Iterable[StickLayout]) -> bool:
        accesses = (*enumerate(op.reads), (-1, op.write))
        found = [self._sight(op, number, layout) for (number, _), layout in zip(accesses, layouts, strict=True)]
        return not step_fault(op, found)

    def _sight(self, op: LoopOp, number: int, layout: StickLayout) -> Sight:
        key = (op.name, number, layout)
        if key not in self.sights:
            access = op.write if number < 0 else op.reads[number]
            self.sights[key] = sight(op, access, number, self.buffers[access.buffer], layout)
        return self.sights[key]

    def _avoids(self, op: LoopOp, needs: tuple[StickLayout, ...], layouts: Layouts) -> bool:
        folded = {loop.name for loop in op.loops if loop.role is Role.REDUCTION}
        if op.kind is not OpKind.REDUCTION:
            return False
        for number, (read, need) in enumerate(zip(op.reads, needs, strict=True)):
            before = self._sight(op, number, layouts[read.buffer]).lane_loops()
            if (
                need != layouts[read.buffer]
                and before & folded
                and not self._sight(op, number, need).lane_loops() & folded
            ):
                return True
        return False


def _default(buffer: Buffer) -> StickLayout:
    """What the host fills: the last dim cut, of a weight the last one of more than one value."""
    dims = range(len(buffer.shape))
    weight = buffer.kind in (BufferKind.PARAMETER, BufferKind.CONSTANT)
    long = [dim for dim in dims if buffer.shape[dim] > 1]
    return _cut(buffer, long[-1] if weight and long else len(buffer.shape) - 1)


def _dense(buffer: Buffer) -> list[StickLayout]:
    return [_cut(buffer, dim) for dim, size in enumerate(buffer.shape) if size > 1]


def _all_layouts(buffer: Buffer) -> list[StickLayout]:
    """Each dim cut, and one value per stick."""
    if not buffer.shape:
        return [_cut(buffer, 0)]
    sparse = stick_layout(buffer.shape, buffer.strides, DEVICE.lanes(buffer.dtype), (*range(len(buffer.shape)), SPARSE))
    return [*(_cut(buffer, dim) for dim in range(len(buffer.shape))), sparse]


def _cut(buffer: Buffer, dim: int) -> StickLayout:
    order = (*(other for other in range(len(buffer.shape)) if other != dim), dim) if buffer.shape else ()
    return stick_layout(buffer.shape, buffer.strides, DEVICE.lanes(buffer.dtype), order)


def _spreads(buffer: Buffer, layout: StickLayout) -> bool:
    return layout.stick_dim < 0 or buffer.shape[layout.stick_dim] <= 1
