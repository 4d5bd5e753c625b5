"""Op families of the random programs: each appends one op (a comparison: two) to a draft.

Owns the table FAMILIES.  Refuses to choose shapes beyond what the draft's options allow.
"""

import math
from collections.abc import Callable
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
    OpaqueCall,
    OpKind,
    Role,
    Term,
)
from tests.random_draft import Draft, View, dense, dim_names, output_loops


def unary(draft: Draft) -> None:
    """One function of one operand."""
    view = draft.value()
    name = draft.rng.choice(("neg", "relu", "abs", "tanh", "sigmoid", "sin"))
    body = (Load(0, view.dtype), Apply(name, (0,), view.dtype))
    draft.pointwise(name, (view,), body, view.shape, view.dtype)


def binary(draft: Draft) -> None:
    """Two operands, perhaps broadcast or transposed against each other; sometimes two functions in one body."""
    left = draft.value()
    right = draft.like(left.shape, left.dtype)
    name = draft.rng.choice(("add", "sub", "mul", "maximum", "minimum"))
    body: tuple[Instruction, ...] = (Load(0, left.dtype), Load(1, left.dtype), Apply(name, (0, 1), left.dtype))
    if draft.rng.random() < 0.3:
        body = (*body, Apply("tanh", (2,), left.dtype))
    draft.pointwise(name, (left, right), body, left.shape, left.dtype)


def where(draft: Draft) -> None:
    """A comparison kept as a bool buffer, and a selection that uses it."""
    left = draft.value()
    right = draft.like(left.shape, left.dtype)
    compare = (Load(0, left.dtype), Load(1, left.dtype), Apply("gt", (0, 1), DType.BOOL))
    draft.pointwise("gt", (left, right), compare, left.shape, DType.BOOL)
    chosen = draft.known(DType.BOOL)[-1]
    select = (
        *(Load(0, DType.BOOL), Load(1, left.dtype), Load(2, left.dtype)),
        Apply("where", (0, 1, 2), left.dtype),
    )
    draft.pointwise("where", (chosen, left, right), select, left.shape, left.dtype)


def cast(draft: Draft) -> None:
    """From a wide type to f16, from a narrow one to f32."""
    view = draft.value()
    target = DType.F16 if view.dtype is DType.F32 else DType.F32
    body = (Load(0, view.dtype), Apply("cast", (0,), target))
    draft.pointwise("cast", (view,), body, view.shape, target)


def fill(draft: Draft) -> None:
    """A constant, or a count along the last dim, without any operand."""
    shape = draft.shape(draft.rng.randint(1, 3))
    if shape[-1] == 1 or draft.rng.random() < 0.5:
        draft.pointwise("full", (), (Const(0.5, DType.F16),), shape, DType.F16)
        return
    count = IndexValue(Index(0, (Term(1, ((f"d{len(shape) - 1}", 1),)),)), DType.I64)
    draft.pointwise("arange", (), (count, Apply("cast", (0,), DType.F32)), shape, DType.F32)


def reduce(draft: Draft) -> None:
    """Along one dim, or along all."""
    view = draft.value()
    walked = [dim for dim, size in enumerate(view.shape) if size > 1]
    if not walked:
        unary(draft)
        return
    axes = draft.rng.sample(walked, 1 if draft.rng.random() < 0.8 else len(walked))
    loops = tuple(
        replace(loop, role=Role.REDUCTION if int(loop.name[1:]) in axes else Role.OUTPUT)
        for loop in output_loops(view.shape)
    )
    combine = draft.rng.choice(("sum", "sum", "max", "min", "prod", "argmax"))
    if combine == "argmax" and len(axes) != 1:
        combine = "max"
    body: tuple[Instruction, ...] = (Load(0, view.dtype),)
    if combine == "sum":  # a mean, so that long programs stay within what f16 can hold
        share = 1 / math.prod(view.shape[dim] for dim in axes)
        body = (*body, Const(share, view.dtype), Apply("mul", (0, 1), view.dtype))
    names = dim_names(view.shape)
    op = draft.op(combine, OpKind.REDUCTION, loops, (Access(view.buffer, view.index(names)),), body, combine)
    shape = tuple(1 if dim in axes else size for dim, size in enumerate(view.shape))
    draft.emit(op, names, shape, DType.I64 if combine == "argmax" else view.dtype)


def matmul(draft: Draft) -> None:
    """[M, K] times [K, N]."""
    left = draft.value(2)
    if len(left.shape) > 2:
        left = replace(left, shape=left.shape[-2:], strides=left.strides[-2:])
    _contract(draft, left, "matmul")


def bmm(draft: Draft) -> None:
    """[..., M, K] times [..., K, N], the second one sometimes shared by all batches."""
    _contract(draft, draft.value(3), "bmm")


def _contract(draft: Draft, left: View, label: str) -> None:
    *batch, m, k = left.shape
    own = batch if draft.rng.random() < 0.7 else [1] * len(batch)
    n = _columns(draft, math.prod(batch), m, k)
    if draft.rng.random() < 0.4:
        stored = draft.like((*own, n, k), left.dtype, repeat=False)
        right = stored.permuted((*range(len(own)), len(own) + 1, len(own)))
    else:
        right = draft.like((*own, k, n), left.dtype, repeat=False)
    shape = (*batch, m, n)
    outer = dim_names(shape)
    loops = output_loops(shape)
    reads = (
        Access(left.buffer, left.index((*outer[:-1], "k"))),
        Access(right.buffer, right.index((*outer[:-2], "k", outer[-1]))),
    )
    loops = (*loops, Loop("k", k, Role.REDUCTION)) if k > 1 else loops
    body = (Load(0, left.dtype), Load(1, left.dtype))
    draft.emit(draft.op(label, OpKind.MATMUL, loops, reads, body, "sum", (0, 1)), outer, shape, left.dtype)


def _columns(draft: Draft, batch: int, m: int, k: int) -> int:
    elements = draft.options.max_elements // (batch * max(m, k))
    points = draft.options.max_iterations // (batch * m * k)
    return draft.rng.choice([size for size in draft.options.extents if size <= min(elements, points)] or [1])


def conv(draft: Draft) -> None:
    """[batch, channels, x] with [out, channels, window], stride 1 or 2, no padding."""
    left = draft.value(3)
    left = replace(left, shape=left.shape[-3:], strides=left.strides[-3:])
    batch, channels, length = left.shape
    window, step = min(3, length), draft.rng.choice((1, 1, 2))
    steps = (length - window) // step + 1
    out = _columns(draft, batch, max(steps, window), channels * window)
    weight = draft.like((out, channels, window), left.dtype, repeat=False)
    extents = {"b": batch, "o": out, "x": steps, "c": channels, "w": window}
    roles = {"c": Role.REDUCTION, "w": Role.REDUCTION}
    loops = tuple(Loop(name, size, roles.get(name, Role.OUTPUT)) for name, size in extents.items() if size > 1)
    around = replace(
        left,
        shape=(batch, channels, steps, window),
        strides=(*left.strides[:2], left.strides[2] * step, left.strides[2]),
    )
    reads = (
        Access(left.buffer, around.index(("b", "c", "x", "w"))),
        Access(weight.buffer, weight.index(("o", "c", "w"))),
    )
    body = (Load(0, left.dtype), Load(1, left.dtype))
    op = draft.op("conv", OpKind.CONV, loops, reads, body, "sum", (0, 1))
    draft.emit(op, ("b", "o", "x"), (batch, out, steps), left.dtype)


def reshape(draft: Draft) -> None:
    """Columns cut into heads that become the first dim; or the transpose of a matrix, flattened with floor and mod."""
    view = draft.value(2)
    rows, columns = view.shape[-2:]
    if rows == 1 or columns == 1:
        unary(draft)
        return
    body = (Load(0, view.dtype), Apply("neg", (0,), view.dtype))
    step_row, step_column = view.strides[-2:]
    heads = [size for size in (2, 3, 12) if columns % size == 0]
    if heads and draft.rng.random() < 0.7:
        count = draft.rng.choice(heads)
        width = columns // count
        cut = replace(view, shape=(count, rows, width), strides=(step_column * width, step_row, step_column))
        draft.pointwise("heads", (cut,), body, cut.shape, view.dtype)
        return
    flat = rows * columns
    terms = (Term(step_column, (("d0", 1),), 0, rows, 0), Term(step_row, (("d0", 1),), 0, 1, rows))
    read = Access(view.buffer, Index(view.offset, terms))
    op = draft.op("reshape", OpKind.POINTWISE, output_loops((flat,)), (read,), body)
    draft.emit(op, ("d0",), (flat,), view.dtype)


def pad(draft: Draft) -> None:
    """Zeros before and after one dim; reads under a mask."""
    view = draft.value(1)
    dim = draft.rng.randrange(len(view.shape))
    before, after = draft.rng.choice(((0, 1), (1, 0), (32, 32), (64, 3), (2, 62)))
    size = view.shape[dim]
    shape = (*view.shape[:dim], size + before + after, *view.shape[dim + 1 :])
    if math.prod(shape) > draft.options.max_elements:
        unary(draft)
        return
    body = (
        *_within(f"d{dim}", before, before + size),
        Load(0, view.dtype, mask=5),
        Const(0.0, view.dtype),
        Apply("where", (5, 6, 7), view.dtype),
    )
    op = draft.op("pad", OpKind.POINTWISE, output_loops(shape), (_shifted(view, dim, before),), body)
    draft.emit(op, dim_names(shape), shape, view.dtype)


def _within(loop: str, low: int, high: int) -> tuple[Instruction, ...]:
    """Instructions 0..5; the last one is low <= loop < high."""
    return (
        IndexValue(Index(0, (Term(1, ((loop, 1),)),)), DType.I64),
        Const(low, DType.I64),
        Apply("ge", (0, 1), DType.BOOL),
        Const(high, DType.I64),
        Apply("lt", (0, 3), DType.BOOL),
        Apply("logical_and", (2, 4), DType.BOOL),
    )


def _shifted(view: View, dim: int, before: int) -> Access:
    """A read of the view in which dim is walked by its loop less `before`; a dim of size 1 stays at its element."""
    index = view.index(dim_names(view.shape))
    move = view.strides[dim] * before if view.shape[dim] > 1 else 0
    return Access(view.buffer, replace(index, offset=index.offset - move))


def cat(draft: Draft) -> None:
    """Two operands one after the other along one dim, each read under a mask."""
    left = draft.value(1)
    dim = draft.rng.randrange(len(left.shape))
    more = draft.rng.choice((1, 3, 64, left.shape[dim]))
    size = left.shape[dim]
    shape = (*left.shape[:dim], size + more, *left.shape[dim + 1 :])
    if math.prod(shape) > draft.options.max_elements:
        unary(draft)
        return
    right = draft.like((*left.shape[:dim], more, *left.shape[dim + 1 :]), left.dtype)
    body = (
        *_within(f"d{dim}", 0, size),
        Apply("logical_not", (5,), DType.BOOL),
        Load(0, left.dtype, mask=5),
        Load(1, left.dtype, mask=6),
        Apply("where", (5, 7, 8), left.dtype),
    )
    reads = (_shifted(left, dim, 0), _shifted(right, dim, size))
    op = draft.op("cat", OpKind.POINTWISE, output_loops(shape), reads, body)
    draft.emit(op, dim_names(shape), shape, left.dtype)


def gather(draft: Draft) -> None:
    """Rows of a table by an index vector that a remainder keeps in range."""
    table = draft.value(2)
    count = draft.rng.choice([size for size in draft.options.extents if size <= draft.options.max_elements])
    if math.prod(table.shape[1:]) * count > draft.options.max_elements:
        count = 1
    numbers = draft.input((count,), draft.rng.choice((DType.I32, DType.I64)))
    rows, shape = table.shape[0], (count, *table.shape[1:])
    body = (
        Load(0, numbers.dtype),
        Const(rows, numbers.dtype),
        Apply("remainder", (0, 1), numbers.dtype),
        Load(1, table.dtype),
    )
    names = dim_names(shape)
    inner = replace(table, shape=(1, *table.shape[1:])).index(names)
    rows_read = replace(inner, gathers=(Gather(table.strides[0], 2, rows),))
    reads = (Access(numbers.buffer, numbers.index(names[:1])), Access(table.buffer, rows_read))
    draft.emit(draft.op("gather", OpKind.POINTWISE, output_loops(shape), reads, body), names, shape, table.dtype)


def opaque(draft: Draft) -> None:
    """A call on a whole buffer that has no loop form: a running sum, or a sort with its two results."""
    known = draft.known(DType.F16, DType.F32)
    if not known:
        unary(draft)
        return
    view = draft.rng.choice(known)
    dim = draft.rng.randrange(len(view.shape))
    name, dtypes = draft.rng.choice((("cumsum", (view.dtype,)), ("sort", (view.dtype, DType.I64))))
    call = OpaqueCall(f"aten.{name}.default", ('{"read": 0}', str(dim)))
    op = replace(draft.op(name, OpKind.OPAQUE, (), (Access(view.buffer, Index(0)),), ()), call=call)
    first = len(draft.buffers)
    results = tuple(
        Buffer(f"b{first + place}", dtype, view.shape, dense(view.shape), BufferKind.COMPUTED)
        for place, dtype in enumerate(dtypes)
    )
    draft.append(replace(op, writes=tuple(Access(buffer.name, Index(0)) for buffer in results)), results)


FAMILIES: dict[str, Callable[[Draft], None]] = {
    family.__name__: family
    for family in (unary, binary, where, cast, fill, reduce, matmul, bmm, conv, reshape, pad, cat, gather, opaque)
}
