"""From a lowered graph to a LoopProgram, after which nothing knows Inductor.

Owns the order of ops, their buffers, names and origins, and leaving out what nobody reads.  Refuses decisions: loops
stay as they are lowered, neither fused nor split; loops of extent 1 are dropped because they do not loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy
import torch

from compiler.dtypes import DType
from compiler.errors import UnsupportedError
from compiler.frontend.body import BodyError, Recorder, Value, dtype_of, unwrapped
from compiler.frontend.inductor import Lowered, Nest, Opaque, contiguous_strides, reading, simplified
from compiler.frontend.names import Names, loop_names, op_name, short_name
from compiler.frontend.nests import CONV, MATMUL
from compiler.frontend.opaque import opaque_call, result_suffixes
from compiler.frontend.origin import module_of, refusal, source_of, target_name, traced_name
from compiler.frontend.prune import Body, pruned
from compiler.loops import (
    Access,
    Apply,
    Buffer,
    BufferKind,
    Index,
    Loop,
    LoopOp,
    LoopProgram,
    ModelSource,
    OpKind,
    Origin,
    OutputView,
    Role,
)
from compiler.primitives import COMBINES

_KINDS = {MATMUL: OpKind.MATMUL, CONV: OpKind.CONV}


@dataclass(frozen=True, slots=True)
class Interface:
    """Outer names of a program: Inductor's input name -> buffer, names of outputs, traced call name -> target."""

    name: str
    source: ModelSource
    inputs: Mapping[str, Buffer]
    outputs: tuple[str, ...]
    calls: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class _Space:
    """The iteration space of one op: symbol of each loop that loops, and the index handed to Inductor's functions."""

    loops: tuple[Loop, ...]
    symbols: Mapping[sympy.Symbol, str]
    extents: Mapping[sympy.Symbol, int]
    outer: tuple[sympy.Expr, ...]
    inner: tuple[sympy.Expr, ...]


def convert(lowered: Lowered, interface: Interface) -> LoopProgram:
    """The frozen program of a lowered graph; UnsupportedError names the call that has no form."""
    conversion = _Conversion(lowered, interface)
    for step in lowered.steps:
        try:
            conversion.ops.append(conversion.opaque(step) if isinstance(step, Opaque) else conversion.nest(step))
        except BodyError as error:
            raise refusal(step.node, f"it {error}") from error
    return conversion.program()


class _Conversion:
    """Ops and buffers so far, and what Inductor calls them."""

    def __init__(self, lowered: Lowered, interface: Interface) -> None:
        self.lowered = lowered
        self.interface = interface
        self.names = Names([buffer.name for buffer in interface.inputs.values()])
        self.buffers: dict[str, Buffer] = dict(interface.inputs)
        self.ops: list[LoopOp] = []
        self.steps_of: dict[torch.fx.Node, int] = {}
        for step in lowered.steps:
            self.steps_of[step.node] = self.steps_of.get(step.node, 0) + 1
        nodes = lowered.steps[0].node.graph.nodes if lowered.steps else ()
        self.order = {node: place for place, node in enumerate(nodes)}
        for name, value in lowered.constants.items():
            self._declare(name, self.names.unique(name.lstrip("_")), value.dtype, value.shape, BufferKind.CONSTANT)

    def program(self) -> LoopProgram:
        """What the outputs need, in order."""
        views = tuple(
            OutputView(name, self.buffers[view.buffer].name, view.shape, view.strides, view.offset)
            for name, view in zip(self.interface.outputs, self.lowered.outputs, strict=True)
        )
        needed = {view.buffer for view in views}
        ops: list[LoopOp] = []
        for op in reversed(self.ops):
            if any(write.buffer in needed for write in op.writes):
                needed.update(access.buffer for access in op.accesses)
                ops.append(op)
        for op in ops:
            if any(0 in buffer.shape for buffer in map(self._named, op.writes)):
                what = f"{op.name} ({op.origin.source})" if op.origin.source else op.name
                raise UnsupportedError(what, "it makes a tensor without elements", "leave it out of the model")
        used = tuple(buffer for buffer in self.buffers.values() if buffer.name in needed)
        return LoopProgram(self.interface.name, self.interface.source, used, tuple(reversed(ops)), views)

    def nest(self, step: Nest) -> LoopOp:
        """One op with loops."""
        if step.kind and step.kind not in COMBINES and step.kind not in _KINDS:
            raise BodyError(f"folds by {step.kind}, which the device has no form for")
        space = _space(step)
        recorder, values, write = self._record(step, space)
        name = self.names.unique(op_name(step.node, self._call(step.node), self._step_name(step, recorder)))
        buffer = self._declare(step.buffer, name, step.dtype, step.output, BufferKind.COMPUTED)
        folds = step.kind not in _KINDS and any(loop.role is Role.REDUCTION for loop in space.loops)
        stored = None if folds or step.kind in _KINDS else buffer.dtype
        results = tuple(_result(recorder, value, stored) for value in values)
        body = pruned(Body(tuple(recorder.body), tuple(recorder.reads), results, write))
        return LoopOp(
            name=name,
            kind=_KINDS.get(step.kind, OpKind.REDUCTION if folds else OpKind.POINTWISE),
            combine=step.kind if folds else "sum" if step.kind in _KINDS else "",
            loops=space.loops,
            reads=body.reads,
            writes=(Access(buffer.name, body.write),),
            body=body.steps,
            results=body.results,
            origin=self._origin(step.node, step.inlined),
        )

    def opaque(self, step: Opaque) -> LoopOp:
        """One op without loops: it reads and writes buffers as a whole, which the access at offset 0 stands for."""
        name = self.names.unique(op_name(step.node, self._call(step.node), short_name(step.target)))
        call, inputs = opaque_call(step)
        outputs = [
            self._declare(result.buffer, f"{name}{suffix}", result.dtype, result.shape, BufferKind.COMPUTED)
            for suffix, result in zip(result_suffixes(step), step.results, strict=True)
        ]
        reads = tuple(Access(self.buffers[inner].name, Index(0)) for inner in inputs)
        writes = tuple(Access(buffer.name, Index(0)) for buffer in outputs)
        return LoopOp(name, OpKind.OPAQUE, "", (), reads, writes, (), (), self._origin(step.node, ()), call)

    def _record(self, step: Nest, space: _Space) -> tuple[Recorder, list[object], Index]:
        recorder = Recorder(
            space.symbols, space.extents, self.buffers, lambda expr: simplified(self.lowered, expr, space.extents)
        )
        recorder.merge_reads = step.kind not in _KINDS
        with reading(self.lowered, recorder):
            value = step.compute(space.outer, space.inner)
            write = recorder.index(step.place(space.outer))
        return recorder, list(value) if isinstance(value, tuple) else [value], write

    def _step_name(self, step: Nest, recorder: Recorder) -> str:
        if step.kind in _KINDS:
            return _KINDS[step.kind].value
        if step.kind:
            return step.kind
        if self.steps_of[step.node] == 1:
            return short_name(step.node.target)
        applied = [part.primitive for part in recorder.body if isinstance(part, Apply)]
        return {"where": "pad"}.get(applied[-1], applied[-1]) if applied else "copy"

    def _declare(self, inner: str, name: str, dtype: torch.dtype, sizes: Sequence[int], kind: BufferKind) -> Buffer:
        shape = tuple(int(size) for size in sizes)
        self.buffers[inner] = Buffer(name, dtype_of(dtype), shape, contiguous_strides(shape), kind)
        return self.buffers[inner]

    def _named(self, access: Access) -> Buffer:
        return next(buffer for buffer in self.buffers.values() if buffer.name == access.buffer)

    def _call(self, node: torch.fx.Node) -> str:
        calls = self.interface.calls
        return short_name(calls.get(traced_name(node, calls), node.target))

    def _origin(self, node: torch.fx.Node, inlined: Sequence[torch.fx.Node]) -> Origin:
        free = [other for other in inlined if other in self.order and other not in self.steps_of]
        others = sorted(free, key=lambda other: self.order[other])
        calls = self.interface.calls
        names = dict.fromkeys(traced_name(other, calls) for other in (node, *others))
        target = calls.get(traced_name(node, calls), node.target)
        known = tuple(name for name in names if name in calls)
        return Origin(known, module_of(node), source_of(node), target_name(target))


def _space(step: Nest) -> _Space:
    names = loop_names(step.kind, step.output, step.reduced)
    loops: list[Loop] = []
    symbols: dict[sympy.Symbol, str] = {}
    extents: dict[sympy.Symbol, int] = {}
    indices: list[tuple[sympy.Expr, ...]] = []
    for role, words, sizes in zip(Role, names, (step.output, step.reduced), strict=True):
        row: list[sympy.Expr] = []
        for word, size in zip(words, sizes, strict=True):
            symbol = sympy.Symbol(word, integer=True, nonnegative=True) if word else sympy.S.Zero
            row.append(symbol)
            if word:
                loops.append(Loop(word, size, role))
                symbols[symbol], extents[symbol] = word, size
        indices.append(tuple(row))
    return _Space(tuple(loops), symbols, extents, indices[0], indices[1])


def _result(recorder: Recorder, value: object, stored: DType | None) -> int:
    """The instruction that is stored, converted to the type of its buffer; what is folded first keeps its own type."""
    operand = unwrapped(value)
    dtype = getattr(torch, (stored or DType.F32).torch_name)
    recorded = operand if isinstance(operand, Value) else recorder.constant(operand, dtype)
    return recorder.to_dtype(recorded, dtype).id if stored else recorded.id
