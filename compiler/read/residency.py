"""Residency: whether the ops of a kernel that was read agree about the scratchpad and the pool.

Owns the bytes that a core holds of a tensor, and sentences about buffers that are too large, were never written, or are
read by cores that hold another part of them (facts 3.10).  Refuses judgement on plans of ours: the checker has it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from compiler.formats.opspec import KernelSpec, OpSpec, Room, TensorArg, true_sizes
from compiler.formats.simplify import bounds
from compiler.import_log import Disagreement

SHUFFLE = "shuffle"
_STICK_BYTES = 128
Part = tuple[tuple[int, int], ...]
"""The first and the last place of every device dim of more than one, without the lanes."""


def block_bytes(spec: OpSpec, arg: TensorArg) -> int:
    """Bytes that one core holds of an argument, in whole sticks."""
    slices = _slices(spec, arg)
    sticks = 1
    for size, coordinate in zip(arg.device_size[:-1], arg.coordinates[:-1], strict=True):
        sticks *= -(-size // math.prod(slices.get(name, 1) for name in coordinate.symbols))
    return sticks * _STICK_BYTES


def residency_findings(kernel: KernelSpec, scratchpad_bytes: int) -> Iterator[str]:
    """What disagrees in a kernel, one sentence each."""
    yield from beyond_scratchpad(kernel, scratchpad_bytes)
    held: dict[int, _Held] = {}
    pool = 0
    for number, spec in enumerate(kernel.ops()):
        name = f"op {number} ({spec.op})"
        for arg in (*spec.inputs, spec.output):
            if arg.place.room is Room.POOL:
                pool = max(pool, arg.place.at + arg.size_bytes)
            if arg.place.room is not Room.LX:
                continue
            if arg.is_input:
                yield from _read(name, spec, arg, held)
            else:
                made = _Held(name, arg.device_size, _parts(spec, arg))
                held[arg.place.at] = _together(held.get(arg.place.at), made)
    if pool > kernel.pool_bytes:
        yield Disagreement(f"its ops use {pool:,} bytes of the pool, which has {kernel.pool_bytes:,}")


def beyond_scratchpad(kernel: KernelSpec, scratchpad_bytes: int) -> Iterator[str]:
    """Ops that use more of LX than a core has, one sentence each."""
    for number, spec in enumerate(kernel.ops()):
        ends = [arg.place.at + block_bytes(spec, arg) for arg in spec.args if arg.place.room is Room.LX]
        if max(ends, default=0) > scratchpad_bytes:
            what = f"op {number} ({spec.op}) uses LX up to byte {max(ends):,}, a core has {scratchpad_bytes:,}"
            yield Disagreement(what)


@dataclass(frozen=True, slots=True)
class _Held:
    """A buffer in LX: who wrote it, its device size, and the part of it that each core has."""

    writer: str
    size: tuple[int, ...]
    parts: tuple[Part, ...]


def _read(name: str, spec: OpSpec, arg: TensorArg, held: Mapping[int, _Held]) -> Iterator[str]:
    buffer = held.get(arg.place.at)
    if buffer is None:
        yield Disagreement(f"{name} reads LX at byte {arg.place.at:,}, where nothing was written before")
        return
    if math.prod(buffer.size) != math.prod(arg.device_size):
        sizes = f"{list(arg.device_size)} on the device, {buffer.writer} has written {list(buffer.size)}"
        yield Disagreement(f"{name} reads LX at byte {arg.place.at:,} as {sizes}")
        return
    if true_sizes(buffer.size) != true_sizes(arg.device_size):
        return
    wanted = _parts(spec, arg)
    held_by = dict(enumerate(buffer.parts))
    wrong = [core for core, part in enumerate(wanted) if not _inside(part, held_by.get(core))]
    if wrong:
        where = f"core {wrong[0]} holds another part of it since {buffer.writer}"
        yield Disagreement(f"{name} reads LX at byte {arg.place.at:,}, but {where}")


def _together(known: _Held | None, made: _Held) -> _Held:
    """What cores hold after another op has written into a buffer of that size: the pieces of a concatenation are
    written one after the other."""
    if known is None or known.size != made.size or len(known.parts) != len(made.parts):
        return made
    return replace(made, parts=tuple(_hull(one, other) for one, other in zip(known.parts, made.parts, strict=True)))


def _hull(one: Part, other: Part) -> Part:
    if not one or not other:
        return ()
    return tuple((min(a, c), max(b, d)) for (a, b), (c, d) in zip(one, other, strict=True))


def _inside(mine: Part, theirs: Part | None) -> bool:
    """True if a core has all that it reads; parts that nobody can tell are not doubted."""
    if theirs is None:
        return False
    if not mine or not theirs:
        return True
    return all(low <= first and last <= high for (first, last), (low, high) in zip(mine, theirs, strict=True))


def _slices(spec: OpSpec, arg: TensorArg) -> Mapping[str, int]:
    return arg.division.slices if arg.division else {dim.symbol: dim.slices for dim in spec.iteration}


def _parts(spec: OpSpec, arg: TensorArg) -> tuple[Part, ...]:
    """The part of every core; () where a coordinate cannot be followed."""
    slices = _slices(spec, arg)
    cores = arg.division.of_core if arg.division else [spec.slices_of(core) for core in range(spec.cores)]
    return tuple(_part(spec, arg, slices, own) for own in cores)


def _part(spec: OpSpec, arg: TensorArg, slices: Mapping[str, int], own: Mapping[str, int]) -> Part:
    lane = arg.coordinates[-1].symbols
    counts: dict[str, int] = {}
    for dim in spec.iteration:
        whole = -(-dim.extent // arg.lanes) * arg.lanes if dim.symbol in lane else dim.extent
        counts[dim.symbol] = -(-whole // slices.get(dim.symbol, 1))
    starts = {name: own.get(name, 0) * count for name, count in counts.items() if slices.get(name, 1) > 1}
    found: list[tuple[int, int]] = []
    for size, coordinate in zip(arg.device_size[:-1], arg.coordinates[:-1], strict=True):
        edges = bounds(coordinate.shifted(starts), counts)
        if edges is None:
            return ()
        if size > 1:
            found.append(edges)
    return tuple(found)
