"""Buffer bases: which buffer of the pool, or of the scratchpad, an access begins inside of.

Files give addresses without saying where a buffer begins.  Owns the way back: an access that covers a tensor in part,
and begins behind an access to a tensor of the same size that contains it, is to the same tensor.  Refuses to guess for
whole accesses: they begin where their buffer does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from compiler.formats.expression import Expression
from compiler.formats.opspec import KernelSpec, LoopSpec, OpSpec, Place, Room, TensorArg
from compiler.formats.simplify import bounds
from compiler.read.starts import ahead

Size = tuple[int, ...]
_Kind = tuple[Room, Size]


def with_buffer_bases(kernel: KernelSpec) -> KernelSpec:
    """The kernel with accesses to pool and scratchpad as accesses to whole buffers, ahead by where they begin."""
    bases = dict(_bases(kernel))
    return replace(kernel, body=tuple(_part(part, bases) for part in kernel.body)) if bases else kernel


def _bases(kernel: KernelSpec) -> Iterator[tuple[tuple[int, _Kind], int]]:
    """Beginnings of buffers by where accesses to them begin, and by their size."""
    used: dict[_Kind, dict[int, tuple[bool, int]]] = {}
    for op in kernel.ops():
        for arg in op.args:
            if arg.place.room is not Room.HBM:
                at, known = arg.place.at, used.setdefault((arg.place.room, _held(op, arg)), {})
                partly = _partly(op, arg) and known.get(at, (True, 0))[0]
                known[at] = partly, math.prod(_held(op, arg)) * arg.word_bytes
    for kind, places in used.items():
        base, end = -1, 0
        for at, (partly, length) in sorted(places.items()):
            if partly and at < end:
                yield (at, kind), base
            else:
                base, end = at, at + length


def _held(op: OpSpec, arg: TensorArg) -> Size:
    """Device dims with more than one element of what lies at one address: in LX the part of one core."""
    return tuple(size for size in _sizes(op, arg) if size > 1)


def _sizes(op: OpSpec, arg: TensorArg) -> Size:
    if arg.place.room is not Room.LX:
        return arg.device_size
    slices = arg.division.slices if arg.division is not None else {}
    cut = {dim.symbol: slices.get(dim.symbol, dim.slices) for dim in op.iteration}
    outer = zip(arg.device_size[:-1], arg.coordinates[:-1], strict=True)
    return (*(-(-size // _cut(coordinate, cut)) for size, coordinate in outer), arg.device_size[-1])


def _cut(coordinate: Expression, cut: Mapping[str, int]) -> int:
    return math.prod(cut.get(name, 1) for name in coordinate.symbols)


def _partly(op: OpSpec, arg: TensorArg) -> bool:
    """True if an access leaves out a part of a device dim."""
    extents = op.extents
    ranges = [bounds(coordinate, extents) for coordinate in arg.coordinates[:-1]]
    return any(
        found is not None and found[1] - found[0] + 1 < size
        for found, size in zip(ranges, arg.device_size[:-1], strict=True)
    )


def _part(part: OpSpec | LoopSpec, bases: Mapping[tuple[int, _Kind], int]) -> OpSpec | LoopSpec:
    if isinstance(part, LoopSpec):
        return replace(part, body=tuple(_part(each, bases) for each in part.body))
    return replace(part, args=tuple(_moved(part, arg, bases) for arg in part.args))


def _moved(op: OpSpec, arg: TensorArg, bases: Mapping[tuple[int, _Kind], int]) -> TensorArg:
    base = bases.get((arg.place.at, (arg.place.room, _held(op, arg))))
    if base is None:
        return arg
    start, rest = divmod(arg.place.at - base, arg.word_bytes)
    outer, left = ahead(arg.coordinates[:-1], _sizes(op, arg), start)
    if rest or left:
        return arg
    return replace(arg, place=Place(arg.place.room, base), coordinates=(*outer, arg.coordinates[-1]))
