"""Sketch: small programs written by hand, turned into Programs by code that shares nothing with the compiler's passes.

Owns op constructors, default layouts, slices from divisions, LX boxes from what cores write and addresses in order.  It
checks nothing, so that a test can write a program that is wrong.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from compiler.division import Division, Split
from compiler.dtypes import DType
from compiler.layout import StickLayout, stick_layout
from compiler.loops import (
    Access,
    Apply,
    Buffer,
    BufferKind,
    Index,
    Instruction,
    Load,
    Loop,
    LoopOp,
    OpaqueCall,
    OpKind,
    Origin,
    OutputView,
    Role,
    Term,
)
from compiler.program import CoreBox, CoreSlice, DeviceOp, DeviceTensor, Memory, Program, ProgramKernel

LANES = {1: 128, 2: 64, 4: 32}


def dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Row-major strides."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def buffer(
    name: str, shape: tuple[int, ...], dtype: DType = DType.F16, kind: BufferKind = BufferKind.COMPUTED
) -> Buffer:
    """A dense buffer."""
    return Buffer(name, dtype, shape, dense(shape), kind)


def given(name: str, shape: tuple[int, ...], dtype: DType = DType.F16) -> Buffer:
    """A graph input."""
    return buffer(name, shape, dtype, BufferKind.INPUT)


def at(name: str, offset: int = 0, **steps: int) -> Access:
    """An access that moves so many elements per loop."""
    return Access(name, Index(offset, tuple(Term(step, ((loop, 1),)) for loop, step in steps.items() if step)))


def loops(reduced: str = "", **extents: int) -> tuple[Loop, ...]:
    """Loops by name; those in `reduced` are reduction loops."""
    folded = reduced.split()
    return tuple(Loop(name, size, Role.REDUCTION if name in folded else Role.OUTPUT) for name, size in extents.items())


def pointwise(
    name: str, nest: tuple[Loop, ...], reads: tuple[Access, ...], write: Access, body: tuple[Instruction, ...]
) -> LoopOp:
    """The last instruction of the body is stored."""
    last = (len(body) - 1,)
    return LoopOp(name, OpKind.POINTWISE, "", nest, reads, (write,), body, last, Origin(source=f"model.py:{name}"))


def unary(name: str, primitive: str, nest: tuple[Loop, ...], read: Access, write: Access, dtype: DType) -> LoopOp:
    """One primitive on one operand."""
    return pointwise(name, nest, (read,), write, (Load(0, dtype), Apply(primitive, (0,), dtype)))


def binary(
    name: str,
    primitive: str,
    nest: tuple[Loop, ...],
    left: Access,
    right: Access,
    write: Access,
    dtype: DType = DType.F16,
) -> LoopOp:
    """One primitive on two operands."""
    body = (Load(0, dtype), Load(1, dtype), Apply(primitive, (0, 1), dtype))
    return pointwise(name, nest, (left, right), write, body)


def reduction(name: str, combine: str, nest: tuple[Loop, ...], read: Access, write: Access, dtype: DType) -> LoopOp:
    """One operand, folded."""
    return LoopOp(
        name,
        OpKind.REDUCTION,
        combine,
        nest,
        (read,),
        (write,),
        (Load(0, dtype),),
        (0,),
        Origin(source=f"model.py:{name}"),
    )


def contraction(
    name: str, nest: tuple[Loop, ...], left: Access, right: Access, write: Access, dtype: DType = DType.F16
) -> LoopOp:
    """A matmul or convolution."""
    body = (Load(0, dtype), Load(1, dtype))
    return LoopOp(
        name, OpKind.MATMUL, "sum", nest, (left, right), (write,), body, (0, 1), Origin(source=f"model.py:{name}")
    )


def opaque(name: str, reads: tuple[str, ...], writes: tuple[str, ...], call: OpaqueCall) -> LoopOp:
    """A call on whole buffers."""
    accesses = [tuple(Access(each, Index(0)) for each in names) for names in (reads, writes)]
    return LoopOp(name, OpKind.OPAQUE, "", (), accesses[0], accesses[1], (), (), Origin(), call)


def split(**parts: tuple[int, int]) -> Division:
    """loop=(factor, step), fastest first."""
    return Division(tuple(Split(loop, factor, step) for loop, (factor, step) in parts.items()))


@dataclass(frozen=True)
class Sketch:
    """A program without addresses."""

    buffers: tuple[Buffer, ...]
    ops: tuple[LoopOp, ...]
    outputs: tuple[str, ...]
    divisions: Mapping[str, Division] = field(default_factory=dict)
    layouts: Mapping[str, StickLayout] = field(default_factory=dict)
    lx: Mapping[str, int] = field(default_factory=dict)
    views: tuple[OutputView, ...] = ()

    def program(self) -> Program:
        """Addresses in order, LX boxes as hulls of what cores write, one kernel."""
        steps = tuple(self._step(place, op) for place, op in enumerate(self.ops))
        tensors, address = [], 0
        for each in self.buffers:
            made = self._tensor(each, address, steps)
            tensors.append(made)
            address += made.layout.size_bytes if made.memory is Memory.HBM else 0
        ends = [made.address + _box_bytes(made) for made in tensors if made.memory is Memory.LX]
        views = self.views or tuple(self._view(name) for name in self.outputs)
        cores = max(len(step.slices) for step in steps)
        kernels = (ProgramKernel("k0", steps),)
        return Program("sketch", "sample", cores, tuple(tensors), kernels, views, address, max(ends, default=0))

    def _view(self, name: str) -> OutputView:
        found = next(each for each in self.buffers if each.name == name)
        return OutputView(name, name, found.shape, found.strides)

    def layout(self, each: Buffer) -> StickLayout:
        """The layout asked for, or the default one."""
        lanes = LANES[each.dtype.device_bytes]
        return self.layouts.get(each.name) or stick_layout(each.shape, each.strides, lanes)

    def _tensor(self, each: Buffer, address: int, steps: tuple[DeviceOp, ...]) -> DeviceTensor:
        layout = self.layout(each)
        made = DeviceTensor(each.name, each.dtype, each.kind, each.shape, each.strides, layout, Memory.HBM, address)
        if each.name not in self.lx:
            return made
        writer = next(step for step in steps if step.op.write.buffer == each.name)
        boxes = tuple(_box(writer, part, layout) for part in writer.slices if part.pass_to < 0)
        return replace(made, memory=Memory.LX, address=self.lx[each.name], boxes=boxes)

    def _step(self, place: int, op: LoopOp) -> DeviceOp:
        division = self.divisions.get(op.name, Division())
        slices = tuple(_slice(op, division, core) for core in range(division.cores))
        lanes = [self.layout(each).elements_per_stick for each in self.buffers if each.name in _read_by(op)]
        masked = tuple(loop.name for loop in op.reduction_loops if any(loop.extent % lane for lane in lanes))
        return DeviceOp(op.name, place, op, slices, masked)


def _read_by(op: LoopOp) -> set[str]:
    return {read.buffer for read in op.reads}


def _slice(op: LoopOp, division: Division, core: int) -> CoreSlice:
    folded = {loop.name for loop in op.reduction_loops}
    stride, passed = 1, -1
    for each in division.splits:
        if each.loop in folded and core // stride % each.factor < each.factor - 1:
            passed = core + stride
        stride *= each.factor
    return CoreSlice(core, division.bounds(op.loops, core), passed)


def _box(step: DeviceOp, part: CoreSlice, layout: StickLayout) -> CoreBox:
    """The hull of the device coordinates a core writes; lanes whole."""
    axes: dict[str, np.ndarray] = {}
    for place, (loop, (low, high)) in enumerate(zip(step.op.loops, part.ranges, strict=True)):
        shape = [1] * len(step.op.loops)
        shape[place] = high - low
        axes[loop.name] = np.arange(low, high, dtype=np.int64).reshape(shape)
    offsets = np.asarray(step.op.write.index.evaluate(axes)).reshape(-1)
    coordinates = layout.coordinates(offsets)
    start, end = coordinates.min(axis=1), coordinates.max(axis=1) + 1
    start[-1], end[-1] = 0, layout.elements_per_stick
    return CoreBox(part.core, tuple(map(int, start)), tuple(map(int, end - start)))


def _box_bytes(tensor: DeviceTensor) -> int:
    return max(int(np.prod(box.size)) for box in tensor.boxes) * tensor.layout.element_bytes
