"""From a lowered graph to a LoopProgram, after which nothing knows Inductor.

Owns the order of ops, their buffers, names and origins, and leaving out what nobody reads.  Refuses decisions: loops
stay as they are lowered, neither fused nor split; loops of extent 1 are dropped because they do not loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sympy
import torch
from torch._inductor import ir

from compiler.dtypes import DType
from compiler.frontend.body import BodyError, Recorder, Value, dtype_of, unwrapped
from compiler.frontend.inductor import CONV, MATMUL, Computed, Lowered, Opaque, reading, simplified
from compiler.frontend.names import Names, loop_names, op_name, short_name
from compiler.frontend.opaque import opaque_call, opaque_results
from compiler.frontend.origin import module_of, refusal, source_of, target_name, traced_name
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
    Term,
)

_KINDS = {MATMUL: OpKind.MATMUL, CONV: OpKind.CONV}
_COMBINES = frozenset({"sum", "max", "min", "prod", "any", "argmax", "argmin"})


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
            conversion.add(step)
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
        self.per_node: dict[torch.fx.Node, int] = {}
        for step in lowered.steps:
            self.per_node[step.node] = self.per_node.get(step.node, 0) + 1
        for name, value in lowered.constants.items():
            self._declare(name, self.names.unique(f"constant.{name}"), value.dtype, value.shape, BufferKind.CONSTANT)

    def add(self, step: Computed | Opaque) -> None:
        """Convert one step."""
        self.ops.append(self._opaque(step) if isinstance(step, Opaque) else self._computed(step))

    def program(self) -> LoopProgram:
        """What the outputs need, in order."""
        views = self._outputs()
        needed = {view.buffer for view in views}
        ops: list[LoopOp] = []
        for op in reversed(self.ops):
            if any(write.buffer in needed for write in op.writes):
                needed.update(read.buffer for read in op.reads)
                needed.update(write.buffer for write in op.writes)
                ops.append(op)
        used = tuple(buffer for buffer in self.buffers.values() if buffer.name in needed)
        return LoopProgram(self.interface.name, self.interface.source, used, tuple(reversed(ops)), views)

    # ---- ops with loops

    def _computed(self, step: Computed) -> LoopOp:
        data = step.buffer.data
        kind, reduced = _kind(data)
        space = _space(kind, [int(n) for n in data.get_size()], reduced)
        recorder = self._recorder(space)
        recorder.merge_reads = kind not in _KINDS
        with reading(self.lowered, recorder):
            value = data.inner_fn(space.outer, space.inner) if reduced is not None else data.inner_fn(space.outer)
        recorder.merge_reads = True
        values = [unwrapped(part) for part in (value if isinstance(value, tuple) else (value,))]
        name = self.names.unique(op_name(step.node, self._call(step.node), self._step_name(step, kind, recorder)))
        buffer = self._declare_result(step, name)
        results = tuple(_result(recorder, part, buffer.dtype, kind) for part in values)
        write = recorder.index(step.buffer.get_layout().make_indexer()(space.outer))
        pointwise = not any(loop.role is Role.REDUCTION for loop in space.loops) and kind not in _KINDS
        return LoopOp(
            name=name,
            kind=_KINDS.get(kind, OpKind.POINTWISE if pointwise else OpKind.REDUCTION),
            combine="" if pointwise else "sum" if kind in _KINDS else kind,
            loops=space.loops,
            reads=tuple(recorder.reads),
            writes=(Access(buffer.name, write),),
            body=tuple(recorder.body),
            results=results,
            origin=self._origin(step.node, step.buffer.origins),
        )

    def _recorder(self, space: _Space) -> Recorder:
        known = {name: (buffer.name, buffer.dtype) for name, buffer in self.buffers.items()}
        simplify: Callable[[object], sympy.Expr] = lambda expr: simplified(self.lowered, expr, space.extents)  # noqa: E731
        return Recorder(space.symbols, known, simplify)

    def _declare_result(self, step: Computed, name: str) -> Buffer:
        layout = step.buffer.get_layout()
        return self._declare(step.buffer.get_name(), name, layout.dtype, layout.size, BufferKind.COMPUTED)

    def _step_name(self, step: Computed, kind: str, recorder: Recorder) -> str:
        if kind in _KINDS:
            return "matmul" if kind == MATMUL else "conv"
        if kind:
            return kind
        if self.per_node[step.node] == 1:
            return short_name(step.node.target)
        applied = [part.primitive for part in recorder.body if isinstance(part, Apply)]
        return {"where": "pad"}.get(applied[-1], applied[-1]) if applied else "copy"

    # ---- calls without loops

    def _opaque(self, step: Opaque) -> LoopOp:
        step_name = short_name(step.target)
        name = self.names.unique(op_name(step.node, self._call(step.node), step_name))
        call, tensors = opaque_call(step)
        reads = tuple(_whole(self.buffers[tensor.get_name()]) for tensor in tensors)
        writes = []
        for suffix, result in opaque_results(step):
            layout = result.get_layout()
            declared = self._declare(
                result.get_name(), f"{name}{suffix}", layout.dtype, layout.size, BufferKind.COMPUTED
            )
            writes.append(_whole(declared))
        origin = self._origin(step.node, ())
        return LoopOp(name, OpKind.OPAQUE, "", (), reads, tuple(writes), (), (), origin, call)

    # ---- buffers, names, origins

    def _declare(self, inner: str, name: str, dtype: torch.dtype, sizes: object, kind: BufferKind) -> Buffer:
        shape = tuple(int(size) for size in sizes)  # type: ignore[attr-defined]
        if 0 in shape:
            raise BodyError(f"makes a tensor without elements {list(shape)}")
        strides = tuple(int(stride) for stride in ir.FlexibleLayout.contiguous_strides(shape))
        self.buffers[inner] = Buffer(name, dtype_of(dtype), shape, strides, kind)
        return self.buffers[inner]

    def _call(self, node: torch.fx.Node) -> str:
        return short_name(self.interface.calls.get(traced_name(node), node.target))

    def _origin(self, node: torch.fx.Node, inlined: object) -> Origin:
        order = {other: place for place, other in enumerate(node.graph.nodes)}
        free = [n for n in inlined if n in order and n not in self.per_node]  # type: ignore[attr-defined]
        others = sorted(free, key=lambda n: order[n])
        names = dict.fromkeys(traced_name(n) for n in (node, *others))
        target = self.interface.calls.get(traced_name(node), node.target)
        known = tuple(name for name in names if name in self.interface.calls)
        return Origin(known, module_of(node), source_of(node), target_name(target))

    def _outputs(self) -> tuple[OutputView, ...]:
        views = []
        for name, node in zip(self.interface.outputs, self.lowered.outputs, strict=True):
            layout = node.get_layout()
            shape, strides = (tuple(int(n) for n in values) for values in (layout.size, layout.stride))
            views.append(OutputView(name, self.buffers[node.get_name()].name, shape, strides, int(layout.offset)))
        return tuple(views)


def _kind(data: ir.Loops) -> tuple[str, list[int] | None]:
    """Combine or private reduction type ('' for pointwise) and reduction extents (None for pointwise)."""
    if type(data) is ir.Pointwise:
        return "", None
    if isinstance(data, ir.Reduction) and (data.reduction_type in _COMBINES or data.reduction_type in _KINDS):
        return str(data.reduction_type), [int(n) for n in data.reduction_ranges]
    what = getattr(data, "reduction_type", type(data).__name__)
    raise BodyError(f"needs a loop of the kind {what}, which the device has no form for")


def _space(kind: str, output: list[int], reduced: list[int] | None) -> _Space:
    inner_sizes = reduced or []
    names = loop_names(kind, output, inner_sizes)
    loops: list[Loop] = []
    symbols: dict[sympy.Symbol, str] = {}
    extents: dict[sympy.Symbol, int] = {}
    indices: list[list[sympy.Expr]] = []
    for role, words, sizes in zip((Role.OUTPUT, Role.REDUCTION), names, (output, inner_sizes), strict=True):
        row: list[sympy.Expr] = []
        for word, size in zip(words, sizes, strict=True):
            if not word:
                row.append(sympy.S.Zero)
                continue
            symbol = sympy.Symbol(word, integer=True, nonnegative=True)
            loops.append(Loop(word, size, role))
            symbols[symbol], extents[symbol] = word, size
            row.append(symbol)
        indices.append(row)
    return _Space(tuple(loops), symbols, extents, tuple(indices[0]), tuple(indices[1]))


def _result(recorder: Recorder, value: object, dtype: DType, kind: str) -> int:
    """The instruction that is stored; pointwise results are converted to the type of their buffer."""
    recorded = value if isinstance(value, Value) else recorder.constant(value, getattr(torch, dtype.torch_name))  # type: ignore[arg-type]
    if kind:
        return recorded.id
    return recorder.to_dtype(recorded, getattr(torch, dtype.torch_name)).id


def _whole(buffer: Buffer) -> Access:
    """Access of an opaque call, which has no loops: the buffer as a whole."""
    return Access(buffer.name, Index(0))


__all__ = ["Interface", "Term", "convert"]
