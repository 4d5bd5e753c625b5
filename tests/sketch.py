"""Small LoopPrograms built by hand, in the order their author would write them in PyTorch.

Owns `Sketch`: inputs, pointwise ops, reductions, contractions, casts, gathers, cats and opaque calls over strided
views.  An op is named by its label (`add`, `add_1`, ...) and writes a buffer of the same name.  Loops are i, j, l, m
and so on by output dim (only dims of size > 1); a matmul reduces `k`, listed last.  Refuses to check what it is told
to build.

    sketch = Sketch("softmax")
    x = sketch.input("x", 512, 1024)
    shifted = sketch.apply("sub", x, sketch.reduce("max", x, 1))
    ...
    sketch.output(result)
    program = sketch.program()
"""

from dataclasses import replace

from compiler.dtypes import DType
from compiler.loops import (
    Access,
    Apply,
    Buffer,
    BufferKind,
    Const,
    Gather,
    Index,
    IndexValue,
    Instruction,
    Load,
    Loop,
    LoopOp,
    LoopProgram,
    ModelSource,
    OpaqueCall,
    OpKind,
    Origin,
    OutputView,
    Role,
    Term,
)
from tests.random_draft import View, dense, view_of

NAMES = "ijlmnopq"
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "logical_not", "logical_and", "logical_or")


class Sketch:
    """A program under construction; every method that makes a value returns a view of its buffer."""

    def __init__(self, name: str = "sketch") -> None:
        self.name = name
        self.inputs: list[Buffer] = []
        self.computed: list[Buffer] = []
        self.ops: list[LoopOp] = []
        self.outputs: list[OutputView] = []

    def program(self) -> LoopProgram:
        """The finished program; without any `output` the last buffer is the output."""
        outputs = self.outputs or [_output("out0", view_of(self.computed[-1]))]
        return LoopProgram(
            self.name, ModelSource(self.name), (*self.inputs, *self.computed), tuple(self.ops), tuple(outputs)
        )

    def output(self, *views: View) -> None:
        """Name results of the model."""
        for view in views:
            self.outputs.append(_output(f"out{len(self.outputs)}", view))

    # Values

    def input(self, name: str, *shape: int, dtype: DType = DType.F16, order: tuple[int, ...] | None = None) -> View:
        """A graph input; `order` lists its dims from slowest to fastest in storage."""
        return self._given(name, shape, dtype, order, BufferKind.INPUT)

    def parameter(self, name: str, *shape: int, dtype: DType = DType.F16) -> View:
        """A parameter."""
        return self._given(name, shape, dtype, None, BufferKind.PARAMETER)

    def _given(
        self, name: str, shape: tuple[int, ...], dtype: DType, order: tuple[int, ...] | None, kind: BufferKind
    ) -> View:
        self.inputs.append(Buffer(name, dtype, shape, dense(shape, order), kind))
        return view_of(self.inputs[-1])

    def apply(self, primitive: str, *views: View, dtype: DType | None = None, name: str = "") -> View:
        """A primitive on operands that broadcast as in PyTorch."""
        shape = _broadcast(*(view.shape for view in views))
        operands = tuple(_aligned(view, shape) for view in views)
        result = dtype or (DType.BOOL if primitive in COMPARISONS else views[-1].dtype)
        loads = tuple(Load(place, view.dtype) for place, view in enumerate(operands))
        body: tuple[Instruction, ...] = (*loads, Apply(primitive, tuple(range(len(loads))), result))
        reads = tuple(Access(view.buffer, view.index(_names(shape))) for view in operands)
        return self._emit(name or primitive, OpKind.POINTWISE, "", _loops(shape), reads, body, shape, result)

    def cast(self, view: View, dtype: DType) -> View:
        """Another element type."""
        return self.apply("cast", view, dtype=dtype)

    def fill(self, *shape: int, value: float = 0.0, dtype: DType = DType.F16) -> View:
        """A constant made by an op without reads."""
        return self._emit("full", OpKind.POINTWISE, "", _loops(shape), (), (Const(value, dtype),), shape, dtype)

    def iota(self, count: int, dtype: DType = DType.I64) -> View:
        """0, 1, 2, ... made by an op without reads."""
        body = (IndexValue(Index(0, (Term(1, ((NAMES[0], 1),)),)), dtype),)
        return self._emit("iota", OpKind.POINTWISE, "", _loops((count,)), (), body, (count,), dtype)

    def reduce(self, combine: str, view: View, *dims: int, keep: bool = True, dtype: DType | None = None) -> View:
        """Fold dims away (kept as size 1 unless `keep` is False)."""
        axes = {dim % len(view.shape) for dim in dims}
        loops = tuple(
            replace(loop, role=Role.REDUCTION if NAMES.index(loop.name) in axes else Role.OUTPUT)
            for loop in _loops(view.shape)
        )
        names = _names(view.shape)
        kept = [dim for dim in range(len(view.shape)) if keep or dim not in axes]
        shape = tuple(1 if dim in axes else view.shape[dim] for dim in kept)
        result = dtype or (DType.I64 if combine.startswith("arg") else view.dtype)
        reads, body = (Access(view.buffer, view.index(names)),), (Load(0, view.dtype),)
        outer = tuple(names[dim] for dim in kept)
        return self._emit(combine, OpKind.REDUCTION, combine, loops, reads, body, shape, result, outer)

    # Contractions

    def matmul(self, left: View, right: View, name: str = "matmul", dtype: DType | None = None) -> View:
        """[..., M, K] times [..., K, N]; batch dims broadcast."""
        batch = _broadcast(left.shape[:-2], right.shape[:-2])
        (rows, depth), columns = left.shape[-2:], right.shape[-1]
        left, right = _aligned(left, (*batch, rows, depth)), _aligned(right, (*batch, depth, columns))
        shape = (*batch, rows, columns)
        outer = _names(shape)
        reads = (
            Access(left.buffer, left.index((*outer[:-1], "k"))),
            Access(right.buffer, right.index((*outer[:-2], "k", outer[-1]))),
        )
        loops = _loops(shape) if depth == 1 else (*_loops(shape), Loop("k", depth, Role.REDUCTION))
        body = (Load(0, left.dtype), Load(1, right.dtype))
        return self._emit(name, OpKind.MATMUL, "sum", loops, reads, body, shape, dtype or left.dtype, outer)

    def conv2d(self, image: View, weight: View, stride: int | tuple[int, int] = 1, padding: int = 0) -> View:
        """[N, C, H, W] with [O, C, R, S]; padding reads under a mask."""
        down, across = (stride, stride) if isinstance(stride, int) else stride
        (batch, depth, high, wide), (out, _, tall, broad) = image.shape, weight.shape
        rows, columns = (high + 2 * padding - tall) // down + 1, (wide + 2 * padding - broad) // across + 1
        sizes = {"n": batch, "o": out, "y": rows, "x": columns}
        inner = {"c": depth, "r": tall, "s": broad}
        step_n, step_c, step_y, step_x = image.strides
        moves = {"n": step_n, "c": step_c, "y": step_y * down, "x": step_x * across, "r": step_y, "s": step_x}
        extents = sizes | inner
        read = Index(image.offset - padding * (step_y + step_x), _terms(moves, extents))
        weights = Index(weight.offset, _terms(dict(zip("ocrs", weight.strides, strict=True)), extents))
        loops = tuple(Loop(name, size) for name, size in sizes.items() if size > 1)
        loops += tuple(Loop(name, size, Role.REDUCTION) for name, size in inner.items() if size > 1)
        body: tuple[Instruction, ...] = (Load(0, image.dtype), Load(1, weight.dtype))
        results = (0, 1)
        if padding:
            bounds = (*_bounds("y", "r", down, padding, high), *_bounds("x", "s", across, padding, wide, 6))
            both = Apply("logical_and", (5, 11), DType.BOOL)
            body = (*bounds, both, Load(0, image.dtype, 12), Load(1, weight.dtype))
            body = tuple(_only(step, extents) for step in body)
            results = (13, 14)
        reads = (Access(image.buffer, read), Access(weight.buffer, weights))
        shape = (batch, out, rows, columns)
        return self._emit(
            "conv", OpKind.CONV, "sum", loops, reads, body, shape, image.dtype, ("n", "o", "y", "x"), results
        )

    # Access by value, parts and the host

    def rows_of(self, table: View, chosen: View) -> View:
        """table[chosen]: rows picked by a vector of integers."""
        shape = (*chosen.shape, *table.shape[1:])
        names = _names(shape)
        inner = replace(table, shape=(1, *table.shape[1:])).index(("", *names[len(chosen.shape) :]))
        read = replace(inner, gathers=(Gather(table.strides[0], 0, table.shape[0]),))
        reads = (Access(chosen.buffer, chosen.index(names[: len(chosen.shape)])), Access(table.buffer, read))
        body = (Load(0, chosen.dtype), Load(1, table.dtype))
        return self._emit("gather", OpKind.POINTWISE, "", _loops(shape), reads, body, shape, table.dtype)

    def cat(self, dim: int, *views: View) -> View:
        """Parts one after the other, every part written into the shared result by an op of its own."""
        size = sum(view.shape[dim] for view in views)
        shape = (*views[0].shape[:dim], size, *views[0].shape[dim + 1 :])
        whole = Buffer(self._free("cat"), views[0].dtype, shape, dense(shape), BufferKind.COMPUTED)
        self.computed.append(whole)
        start = 0
        for view in views:
            target = view_of(whole).sliced(dim, start, start + view.shape[dim], 1)
            start += view.shape[dim]
            self.write(view, target, "part")
        return view_of(whole)

    def write(self, view: View, target: View, label: str = "copy") -> None:
        """Copy a view into another of the same shape, over a buffer that exists."""
        names = _names(view.shape)
        reads = (Access(view.buffer, view.index(names)),)
        writes = (Access(target.buffer, target.index(names)),)
        body = (Load(0, view.dtype),)
        self._append(label, OpKind.POINTWISE, "", _loops(view.shape), reads, writes, body, (0,))

    def pad(self, view: View, before: int, after: int) -> View:
        """Zeros around the last dim."""
        size = view.shape[-1]
        shape = (*view.shape[:-1], before + size + after)
        loop = _names(shape)[-1]
        body: tuple[Instruction, ...] = (
            IndexValue(Index(0, (Term(1, ((loop, 1),)),)), DType.I64),
            *(Const(before, DType.I64), Apply("ge", (0, 1), DType.BOOL)),
            *(Const(before + size, DType.I64), Apply("lt", (0, 3), DType.BOOL)),
            Apply("logical_and", (2, 4), DType.BOOL),
            *(Load(0, view.dtype, mask=5), Const(0.0, view.dtype), Apply("where", (5, 6, 7), view.dtype)),
        )
        index = view.index(_names(shape))
        reads = (Access(view.buffer, replace(index, offset=index.offset - before * view.strides[-1])),)
        return self._emit("pad", OpKind.POINTWISE, "", _loops(shape), reads, body, shape, view.dtype)

    def opaque(self, target: str, view: View) -> View:
        """A call without loop form on one whole buffer; its result has the same shape."""
        name = self._free(target)
        result = Buffer(name, view.dtype, view.shape, dense(view.shape), BufferKind.COMPUTED)
        call = OpaqueCall(f"aten.{target}.default", ('{"read": 0}',))
        reads, writes = (Access(view.buffer, Index(0)),), (Access(name, Index(0)),)
        self.computed.append(result)
        self.ops.append(LoopOp(name, OpKind.OPAQUE, "", (), reads, writes, (), (), self._origin(target), call))
        return view_of(result)

    # Ops

    def _emit(
        self,
        label: str,
        kind: OpKind,
        combine: str,
        loops: tuple[Loop, ...],
        reads: tuple[Access, ...],
        body: tuple[Instruction, ...],
        shape: tuple[int, ...],
        dtype: DType,
        names: tuple[str, ...] = (),
        results: tuple[int, ...] = (),
    ) -> View:
        result = Buffer(self._free(label), dtype, shape, dense(shape), BufferKind.COMPUTED)
        self.computed.append(result)
        writes = (Access(result.name, view_of(result).index(names or _names(shape))),)
        contraction = (0, 1) if kind in (OpKind.MATMUL, OpKind.CONV) else (len(body) - 1,)
        self._append(label, kind, combine, loops, reads, writes, body, results or contraction)
        return view_of(result)

    def _append(
        self,
        label: str,
        kind: OpKind,
        combine: str,
        loops: tuple[Loop, ...],
        reads: tuple[Access, ...],
        writes: tuple[Access, ...],
        body: tuple[Instruction, ...],
        results: tuple[int, ...],
    ) -> None:
        taken = {op.name for op in self.ops}
        name = writes[0].buffer if writes[0].buffer not in taken and label != "part" else _unused(label, taken)
        self.ops.append(LoopOp(name, kind, combine, loops, reads, writes, body, results, self._origin(label)))

    def _origin(self, label: str) -> Origin:
        line = len(self.ops) + 1
        return Origin((f"n{line}",), self.name, f"model.py:{line}", f"aten.{label}.default")

    def _free(self, label: str) -> str:
        return _unused(label, {buffer.name for buffer in (*self.inputs, *self.computed)})


def _unused(label: str, taken: set[str]) -> str:
    names = (label, *(f"{label}_{number}" for number in range(1, len(taken) + 2)))
    return next(name for name in names if name not in taken)


def _output(name: str, view: View) -> OutputView:
    return OutputView(name, view.buffer, view.shape, view.strides, view.offset)


def _names(shape: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(NAMES[: len(shape)])


def _loops(shape: tuple[int, ...]) -> tuple[Loop, ...]:
    return tuple(Loop(name, size) for name, size in zip(_names(shape), shape, strict=True) if size > 1)


def _terms(moves: dict[str, int], extents: dict[str, int]) -> tuple[Term, ...]:
    return tuple(Term(step, ((name, 1),)) for name, step in moves.items() if extents[name] > 1 and step)


def _bounds(outer: str, inner: str, stride: int, padding: int, size: int, first: int = 0) -> tuple[Instruction, ...]:
    """Six instructions; the last one is 0 <= outer*stride + inner - padding < size."""
    place = Index(-padding, (Term(stride, ((outer, 1),)), Term(1, ((inner, 1),))))
    return (
        IndexValue(place, DType.I64),
        *(Const(0, DType.I64), Apply("ge", (first, first + 1), DType.BOOL)),
        *(Const(size, DType.I64), Apply("lt", (first, first + 3), DType.BOOL)),
        Apply("logical_and", (first + 2, first + 4), DType.BOOL),
    )


def _only(step: Instruction, extents: dict[str, int]) -> Instruction:
    """Without terms of loops of extent 1, which do not exist."""
    if not isinstance(step, IndexValue):
        return step
    terms = tuple(term for term in step.index.terms if extents[term.loops[0][0]] > 1)
    return replace(step, index=replace(step.index, terms=terms))


def _broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    rank = max(len(shape) for shape in shapes)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(max(sizes) for sizes in zip(*padded, strict=True))


def _aligned(view: View, shape: tuple[int, ...]) -> View:
    lead = len(shape) - len(view.shape)
    wide = replace(view, shape=(1,) * lead + view.shape, strides=(0,) * lead + view.strides)
    return wide.expanded(shape)
