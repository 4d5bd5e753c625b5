"""Pool bases: which buffer of the pool an access begins inside of.

Files give the pool's addresses without saying where a buffer begins.  Owns the way back: an access that covers a tensor
in part, and begins behind an access to a tensor of the same size that contains it, is to the same tensor.  Refuses to
guess for whole accesses: they begin where their buffer does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from compiler.formats.element_types import BYTES
from compiler.formats.opspec import KernelSpec, LoopSpec, OpSpec, Place, Room, TensorArg
from compiler.formats.simplify import bounds
from compiler.read.starts import ahead

Size = tuple[int, ...]


def with_pool_bases(kernel: KernelSpec) -> KernelSpec:
    """The kernel with accesses to the pool as accesses to whole buffers, ahead by where they begin."""
    bases = dict(_bases(kernel))
    return replace(kernel, body=tuple(_part(part, bases) for part in kernel.body)) if bases else kernel


def _bases(kernel: KernelSpec) -> Iterator[tuple[tuple[int, Size], int]]:
    """Beginnings of buffers by where accesses to them begin, and by their size."""
    used: dict[Size, dict[int, tuple[bool, int]]] = {}
    for op in kernel.ops():
        for arg in op.args:
            if arg.place.room is Room.POOL:
                at, known = arg.place.at, used.setdefault(_true(arg.device_size), {})
                partly = _partly(op, arg) and known.get(at, (True, 0))[0]
                known[at] = partly, arg.size_bytes
    for size, places in used.items():
        base, end = -1, 0
        for at, (partly, length) in sorted(places.items()):
            if partly and at < end:
                yield (at, size), base
            else:
                base, end = at, at + length


def _partly(op: OpSpec, arg: TensorArg) -> bool:
    """True if an access leaves out a part of a device dim."""
    extents = op.extents
    ranges = [bounds(coordinate, extents) for coordinate in arg.coordinates[:-1]]
    return any(
        found is not None and found[1] - found[0] + 1 < size
        for found, size in zip(ranges, arg.device_size[:-1], strict=True)
    )


def _part(part: OpSpec | LoopSpec, bases: Mapping[tuple[int, Size], int]) -> OpSpec | LoopSpec:
    if isinstance(part, LoopSpec):
        return replace(part, body=tuple(_part(each, bases) for each in part.body))
    return replace(part, args=tuple(_moved(arg, bases) for arg in part.args))


def _moved(arg: TensorArg, bases: Mapping[tuple[int, Size], int]) -> TensorArg:
    base = bases.get((arg.place.at, _true(arg.device_size))) if arg.place.room is Room.POOL else None
    if base is None:
        return arg
    start, rest = divmod(arg.place.at - base, BYTES.get(arg.device_dtype, 128 // arg.lanes))
    outer, left = ahead(arg.coordinates[:-1], arg.device_size, start)
    if rest or left:
        return arg
    return replace(arg, place=Place(Room.POOL, base), coordinates=(*outer, arg.coordinates[-1]))


def _true(size: Size) -> Size:
    return tuple(extent for extent in size if extent > 1)
