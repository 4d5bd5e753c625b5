"""The draft of a random program: what exists so far, and how an op is appended.

Owns views (slice, transpose, expand of a buffer) and the choice of operands.  Refuses to know op families: those are in
`random_ops`.
"""

import math
import random
from dataclasses import dataclass, field, replace

from compiler.dtypes import DType
from compiler.loops import (
    Access,
    Buffer,
    BufferKind,
    Index,
    Instruction,
    Loop,
    LoopOp,
    LoopProgram,
    ModelSource,
    OpKind,
    Origin,
    OutputView,
    Term,
)


@dataclass(frozen=True)
class Options:
    """What may be drawn: op families, extents of dims, how many elements a buffer and points an op may have."""

    families: tuple[str, ...]
    extents: tuple[int, ...]
    max_elements: int
    max_iterations: int
    dtypes: tuple[DType, ...] = (DType.F16, DType.F16, DType.F16, DType.F32, DType.BF16)


@dataclass(frozen=True)
class View:
    """A strided window on a buffer: what the model's author wrote as slice, transpose or expand."""

    buffer: str
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0

    def index(self, names: tuple[str, ...]) -> Index:
        """The index where dim k is walked by loop names[k]; dims of size 1 and stride 0 have no term."""
        walked = zip(names, self.shape, self.strides, strict=True)
        return Index(self.offset, tuple(Term(step, ((name, 1),)) for name, size, step in walked if size > 1 and step))

    def permuted(self, order: tuple[int, ...]) -> "View":
        """The same elements with dims in another order."""
        shape = tuple(self.shape[dim] for dim in order)
        return replace(self, shape=shape, strides=tuple(self.strides[dim] for dim in order))

    def sliced(self, dim: int, start: int, stop: int, step: int) -> "View":
        """`[start:stop:step]` along one dim."""
        shape, strides = list(self.shape), list(self.strides)
        shape[dim] = -(-(stop - start) // step)
        strides[dim] *= step
        offset = self.offset + start * self.strides[dim]
        return replace(self, shape=tuple(shape), strides=tuple(strides), offset=offset)

    def expanded(self, shape: tuple[int, ...]) -> "View":
        """Dims of size 1 repeated to the sizes of `shape`."""
        kept = zip(self.shape, shape, self.strides, strict=True)
        return replace(self, shape=shape, strides=tuple(step if have == want else 0 for have, want, step in kept))


def view_of(buffer: Buffer) -> View:
    """The whole buffer."""
    return View(buffer.name, buffer.dtype, buffer.shape, buffer.strides)


def dense(shape: tuple[int, ...], order: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """Strides of dense storage; `order` lists dims from slowest to fastest (default: row major)."""
    strides, step = [0] * len(shape), 1
    for dim in reversed(order or tuple(range(len(shape)))):
        strides[dim] = step
        step *= shape[dim]
    return tuple(strides)


def output_loops(shape: tuple[int, ...]) -> tuple[Loop, ...]:
    """One loop d0, d1, ... per dim of size > 1."""
    return tuple(Loop(f"d{dim}", size) for dim, size in enumerate(shape) if size > 1)


def dim_names(shape: tuple[int, ...]) -> tuple[str, ...]:
    """Loop name of every dim, also of those without a loop."""
    return tuple(f"d{dim}" for dim in range(len(shape)))


@dataclass
class Draft:
    """A program under construction."""

    rng: random.Random
    options: Options
    buffers: list[Buffer] = field(default_factory=list)
    ops: list[LoopOp] = field(default_factory=list)
    read: set[str] = field(default_factory=set)

    def finish(self, name: str) -> LoopProgram:
        """Outputs: what nobody reads, and now and then something that is read too, perhaps transposed."""
        outputs: list[OutputView] = []
        unread = [buffer for buffer in self.buffers if buffer.name not in self.read]
        inputs = [buffer for buffer in self.buffers if buffer.kind is not BufferKind.COMPUTED and buffer not in unread]
        computed = [buffer for buffer in self.buffers if buffer.kind is BufferKind.COMPUTED]
        for buffer in computed:
            if buffer not in unread and self.rng.random() > 0.1:
                continue
            view = view_of(buffer)
            if self.rng.random() < 0.2:
                view = view.permuted(self.order(len(view.shape)))
            outputs.append(OutputView(f"out{len(outputs)}", buffer.name, view.shape, view.strides, view.offset))
        return LoopProgram(name, ModelSource(name), (*inputs, *computed), tuple(self.ops), tuple(outputs))

    # Values

    def order(self, rank: int) -> tuple[int, ...]:
        """A random permutation."""
        return tuple(self.rng.sample(range(rank), rank))

    def shape(self, rank: int) -> tuple[int, ...]:
        """A random shape within the limit of elements."""
        for _ in range(50):
            shape = tuple(self.rng.choice(self.options.extents) for _ in range(rank))
            if math.prod(shape) <= self.options.max_elements:
                return shape
        return (*([1] * (rank - 1)), min(self.options.extents))

    def input(self, shape: tuple[int, ...], dtype: DType) -> View:
        """A new input, parameter or constant, now and then stored in another order of dims."""
        kind = self.rng.choice((BufferKind.INPUT, BufferKind.PARAMETER, BufferKind.CONSTANT))
        order = self.order(len(shape)) if self.rng.random() < 0.1 else None
        self.buffers.append(Buffer(f"in{len(self.buffers)}", dtype, shape, dense(shape, order), kind))
        return view_of(self.buffers[-1])

    def known(self, *dtypes: DType) -> list[View]:
        """Views of all values so far of these types, the newest last."""
        return [view_of(buffer) for buffer in self.buffers if buffer.dtype in dtypes]

    def value(self, least_rank: int = 0) -> View:
        """A floating value, mostly a recent one, perhaps looked at through a transpose or a slice."""
        known = [view for view in self.known(*self.options.dtypes) if len(view.shape) >= least_rank]
        if not known or self.rng.random() < 0.15:
            shape = self.shape(self.rng.randint(max(least_rank, 1), max(least_rank, 3)))
            known = [self.input(shape, self.rng.choice(self.options.dtypes))]
        return self._looked_at(known[-self.rng.randint(1, min(3, len(known)))])

    def _looked_at(self, view: View) -> View:
        if len(view.shape) > 1 and self.rng.random() < 0.2:
            view = view.permuted(self.order(len(view.shape)))
        dims = [dim for dim, size in enumerate(view.shape) if size > 2]
        if not dims or self.rng.random() > 0.2:
            return view
        dim = self.rng.choice(dims)
        size = view.shape[dim]
        start = self.rng.choice((0, 1, size // 2, min(64, size - 1)))
        stop = self.rng.choice((size, min(size, start + 1 + size // 2)))
        return view.sliced(dim, start, stop, self.rng.choice((1, 1, 2, 3)))

    def like(self, shape: tuple[int, ...], dtype: DType, repeat: bool = True) -> View:
        """An operand of this shape: a known value as it is, transposed or (if `repeat`) broadcast, or a new input."""
        known = [view for view in self.known(dtype) if len(view.shape) == len(shape)]
        for view in self.rng.sample(known, len(known)):
            for candidate in (view, view.permuted(self.order(len(shape)))):
                pairs = zip(candidate.shape, shape, strict=True)
                fits = all(have == want or (repeat and have == 1) for have, want in pairs)
                if fits and self.rng.random() < 0.8:
                    return candidate.expanded(shape)
        own = tuple(1 if repeat and self.rng.random() < 0.25 else size for size in shape)
        return self.input(own, dtype).expanded(shape)

    # Ops

    def op(
        self,
        label: str,
        kind: OpKind,
        loops: tuple[Loop, ...],
        reads: tuple[Access, ...],
        body: tuple[Instruction, ...],
        combine: str = "",
        results: tuple[int, ...] = (),
    ) -> LoopOp:
        """An op without writes, named after its place in the program; its result is the last instruction by default."""
        number = len(self.ops)
        origin = Origin((f"n{number}",), "random", f"random.py:{number + 1}", label)
        results = results or ((len(body) - 1,) if body else ())
        return LoopOp(f"op{number}/{label}", kind, combine, loops, reads, (), body, results, origin)

    def emit(self, op: LoopOp, names: tuple[str, ...], shape: tuple[int, ...], dtype: DType) -> None:
        """Append an op with the buffer it writes whole; dim k of the result is walked by loop names[k]."""
        order = self.order(len(shape)) if self.rng.random() < 0.05 else None
        buffer = Buffer(f"b{len(self.buffers)}", dtype, shape, dense(shape, order), BufferKind.COMPUTED)
        self.append(replace(op, writes=(Access(buffer.name, view_of(buffer).index(names)),)), (buffer,))

    def append(self, op: LoopOp, results: tuple[Buffer, ...]) -> None:
        """Append a finished op and the buffers it writes."""
        self.buffers.extend(results)
        self.read.update(access.buffer for access in op.reads)
        self.ops.append(op)

    def pointwise(
        self, label: str, views: tuple[View, ...], body: tuple[Instruction, ...], shape: tuple[int, ...], dtype: DType
    ) -> None:
        """Append a pointwise op whose operands are views of its own shape."""
        names = dim_names(shape)
        reads = tuple(Access(view.buffer, view.index(names)) for view in views)
        self.emit(self.op(label, OpKind.POINTWISE, output_loops(shape), reads, body), names, shape, dtype)
