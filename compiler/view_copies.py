"""View copies: the plain copies from which a read of a view can be served with a loop of its own per dim.

Owns their loops, shapes and indices: only what is read, with one dim per loop; or the buffer as it is stored, with dims
cut in two where the view cuts them; or what is read of all dims but one.  Refuses to judge whether a copy is needed or
helps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from operator import mul

from compiler.layout import MAX_DIM_ORDER
from compiler.loops import Access, Buffer, BufferKind, Index, Load, Loop, LoopOp, OpKind, Origin, Role, Term
from compiler.walks import Walk, hull, walk_of

_LETTERS = "ijklmn"


class Form(StrEnum):
    """What a copy holds: what is read, or the whole buffer with dims cut where loops share them, or with dims also cut
    where a loop skips elements; or what is read of the dims that one loop does not move, and the others whole; or what
    is read again, copied from such a copy; or what is read, once for every iteration of a pointwise op."""

    READ = "read"
    WHOLE = "whole"
    SPACED = "spaced"
    TRIMMED = "trimmed"
    THROUGH = "through"
    REPEATED = "repeated"


@dataclass(frozen=True, slots=True)
class ViewCopy:
    """A copy of `buffer` with other dims: the element at `source` goes to `target`, and the reader finds it at `read`.

    `read` is in terms of the reader's loops, the others in terms of `loops`.  `before` is the copy that `buffer` is the
    result of, if it is one itself; its name is open until that copy is made.
    """

    buffer: Buffer
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    loops: tuple[Loop, ...]
    source: Index
    target: Index
    read: Index
    before: ViewCopy | None = None

    @property
    def elements(self) -> int:
        """Elements copied."""
        return math.prod(self.shape) + (self.before.elements if self.before else 0)

    def named(self, name: str) -> Buffer:
        """The buffer that the copy writes."""
        return Buffer(name, self.buffer.dtype, self.shape, self.strides, BufferKind.COMPUTED)

    def op(self, name: str, origin: Origin) -> LoopOp:
        """The copy as an op that writes the buffer of the same name."""
        return LoopOp(
            name=name,
            kind=OpKind.POINTWISE,
            combine="",
            loops=self.loops,
            reads=(Access(self.buffer.name, self.source),),
            writes=(Access(name, self.target),),
            body=(Load(0, self.buffer.dtype),),
            results=(0,),
            origin=origin,
        )

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for copies that hold the same, whatever their loops are called."""
        places = {loop.name: str(place) for place, loop in enumerate(self.loops)}
        return (self.buffer.name, self.shape, self.strides, renamed(self.source, places))


def view_copy(op: LoopOp, number: int, buffer: Buffer, form: Form, along: str = "") -> ViewCopy | None:
    """The copy of this form for read `number` of an op; None if there is none, or it would hold what is there
    already.  `along` is the loop whose dims a trimmed copy holds whole."""
    read = op.reads[number]
    if form is Form.REPEATED:
        return _repeated(op, number, buffer)
    walk = walk_of(op, read, buffer)
    if not walk.known or plain(walk):
        return None
    if form is Form.READ:
        return _of_read(op, number, read.index, buffer)
    if form in (Form.TRIMMED, Form.THROUGH):
        trimmed = _trimmed(walk, read.index, buffer, along)
        if trimmed is None or form is Form.TRIMMED:
            return trimmed
        again = _of_read(op, number, trimmed.read, trimmed.named(""))
        return replace(again, before=trimmed) if again else None
    parts = _parted(walk, buffer, spaced=form is Form.SPACED)
    if parts is None or (form is Form.SPACED and parts == _parted(walk, buffer)):
        return None
    return _of_whole(read, buffer, parts)


def renamed(index: Index, names: dict[str, str]) -> Index:
    """The index with its loops called otherwise."""
    terms = tuple(
        replace(term, loops=tuple((names[name], factor) for name, factor in term.loops)) for term in index.terms
    )
    return replace(index, terms=terms)


def plain(walk: Walk) -> bool:
    """True if the dims of the buffer are walked by a loop each, from the first element to the last."""
    moved: dict[int, int] = {}
    for part in walk.parts:
        dims = [dim for dim, step in enumerate(part.steps) if step]
        if part.table is not None or len(dims) != 1 or part.steps[dims[0]] != 1 or dims[0] in moved:
            return False
        moved[dims[0]] = part.extents[0]
    return all(moved.get(dim, 1) == size for dim, size in enumerate(walk.shape))


def _of_read(op: LoopOp, number: int, index: Index, buffer: Buffer) -> ViewCopy | None:
    """One dim per loop that the read depends on, in the order of the reader."""
    return _over(op, number, index, buffer, index.loop_names)


def _repeated(op: LoopOp, number: int, buffer: Buffer) -> ViewCopy | None:
    """One dim per loop of the reader, also of those that the read does not depend on."""
    index, names = op.reads[number].index, frozenset(loop.name for loop in op.loops if loop.extent > 1)
    if op.kind is not OpKind.POINTWISE or names <= index.loop_names:
        return None
    return _over(op, number, index, buffer, names | index.loop_names)


def _over(op: LoopOp, number: int, index: Index, buffer: Buffer, names: frozenset[str]) -> ViewCopy | None:
    """One dim for each of these loops."""
    if index.gathers or op.masked(number):
        return None
    loops = tuple(replace(loop, role=Role.OUTPUT) for loop in op.loops if loop.name in names)
    shape = tuple(loop.extent for loop in loops)
    if not 0 < len(shape) <= MAX_DIM_ORDER:
        return None
    strides = _dense(shape)
    target = _walked(loops, strides)
    return ViewCopy(buffer, shape, strides, loops, index, target, target)


def _of_whole(read: Access, buffer: Buffer, parts: Buffer) -> ViewCopy:
    """The same storage with more dims, so that the index of the reader stays as it is."""
    loops = tuple(Loop(name, size) for name, size in zip(_LETTERS, parts.shape, strict=False))
    index = _walked(loops, parts.strides)
    return ViewCopy(buffer, parts.shape, parts.strides, loops, index, index, read.index)


@dataclass(frozen=True, slots=True)
class _Side:
    """What a trimmed copy holds of a dim: `size` elements from `first` on, every `step`-th."""

    first: int
    step: int
    size: int


def _trimmed(walk: Walk, index: Index, buffer: Buffer, along: str) -> ViewCopy | None:
    """The dims that `along` moves whole; of the others what is read, from the start and without gaps.

    A stick of the source can then follow a dim that is whole, and a stick of the copy one that is not."""
    picked = [part for part in walk.parts if not part.loops]
    meant = [sum(map(mul, part.steps, buffer.strides)) for part in picked]
    if any(part.table is not None for part in walk.parts) or meant != [one.coefficient for one in index.gathers]:
        return None
    sides = [_side(walk, dim, along) for dim in range(len(walk.shape))]
    kept = [dim for dim, side in enumerate(sides) if side.size > 1]
    shape = tuple(sides[dim].size for dim in kept)
    if sides == [_Side(0, 1, size) for size in walk.shape] or not 0 < len(shape) <= MAX_DIM_ORDER:
        return None
    loops = tuple(Loop(name, size) for name, size in zip(_LETTERS, shape, strict=False))
    source = _walked(loops, tuple(sides[dim].step * buffer.strides[dim] for dim in kept))
    first = sum(side.first * stride for side, stride in zip(sides, buffer.strides, strict=True))
    strides = dict(zip(kept, _dense(shape), strict=True))

    def moved(steps: tuple[int, ...]) -> int:
        return sum(steps[dim] // sides[dim].step * stride for dim, stride in strides.items())

    start = moved(tuple(at - side.first for at, side in zip(walk.start, sides, strict=True)))
    terms = tuple(
        Term(step, ((part.loops[0], 1),)) for part in walk.parts if part.loops and (step := moved(part.steps))
    )
    gathers = tuple(
        replace(one, coefficient=moved(part.steps)) for one, part in zip(index.gathers, picked, strict=True)
    )
    read = Index(start, terms, gathers)
    return ViewCopy(
        buffer, shape, _dense(shape), loops, replace(source, offset=first), _walked(loops, _dense(shape)), read
    )


def _side(walk: Walk, dim: int, along: str) -> _Side:
    """All of a dim that `along` moves or an index picks from; what is read of another."""
    moving = [part for part in walk.parts if part.steps[dim]]
    if any(along in part.loops or not part.loops for part in moving):
        return _Side(0, 1, walk.shape[dim])
    low, high = hull(walk, dim)
    outside = low < 0 or high >= walk.shape[dim]
    step = abs(moving[0].steps[dim]) if len(moving) == 1 and not outside else 1
    low, high = max(low, 0), min(high, walk.shape[dim] - 1)
    return _Side(low, step, (high - low) // step + 1)


def parted(op: LoopOp, access: Access, buffer: Buffer) -> Buffer | None:
    """The buffer with its dims cut where the access cuts them, stored as it was; None if there is nothing to cut."""
    return _parted(walk_of(op, access, buffer), buffer)


def _parted(walk: Walk, buffer: Buffer, spaced: bool = False) -> Buffer | None:
    """The buffer with its dims cut, those of size 1 left out; None if there is nothing to cut or too much."""
    cuts = [_cuts(walk, dim, spaced) for dim in range(len(buffer.shape))]
    pieces = [
        piece
        for size, stride, edges in zip(buffer.shape, buffer.strides, cuts, strict=True)
        for piece in _pieces(size, stride, edges)
        if size > 1
    ]
    if not any(cuts) or len(pieces) > MAX_DIM_ORDER:
        return None
    return replace(buffer, shape=tuple(size for size, _ in pieces), strides=tuple(stride for _, stride in pieces))


def _pieces(size: int, stride: int, cuts: tuple[int, ...]) -> list[tuple[int, int]]:
    """(size, stride) of the dims that a dim becomes, the outer one first."""
    edges = (1, *cuts, size)
    return [(outer // inner, stride * inner) for inner, outer in reversed(list(pairwise(edges)))]


def _cuts(walk: Walk, dim: int, spaced: bool) -> tuple[int, ...]:
    """Lengths into which a dim is cut by loops that step over whole pieces while the others stay within one; each
    divides the next.  `spaced`: also where no other loop moves within the pieces."""
    steps: list[tuple[int, int]] = []
    first = walk.start[dim]
    for part in walk.parts:
        if part.table is None and part.steps[dim]:
            low, high = walk.ranges.get(part.names[0], (0, part.extents[0]))
            steps.append((part.steps[dim], high - 1 - low))
            first += part.steps[dim] * low
    found = [1]
    if any(step < 0 for step, _ in steps):
        return ()
    for cut in sorted({step for step, _ in steps if step > 1}):
        within = sum(step * last for step, last in steps if step % cut)
        fits = walk.shape[dim] % cut == 0 and cut % found[-1] == 0 and first % cut + within < cut
        if fits and (within > 0 or spaced):
            found.append(cut)
    return tuple(found[1:])


def _dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(shape[dim + 1 :]) for dim in range(len(shape)))


def _walked(loops: tuple[Loop, ...], strides: tuple[int, ...]) -> Index:
    return Index(0, tuple(Term(stride, ((loop.name, 1),)) for loop, stride in zip(loops, strides, strict=True)))
