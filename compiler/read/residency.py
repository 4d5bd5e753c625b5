"""Residency: whether the ops of a kernel that was read agree about the scratchpad and the pool.

Owns the bytes that a core holds of a tensor, and sentences about buffers that are too large, were never written, or are
read by cores that hold another part of them (facts 3.10).  Refuses judgement on plans of ours: the checker has it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from compiler.formats.opspec import KernelSpec, OpSpec, Room, TensorArg
from compiler.import_log import Disagreement

SHUFFLE = "shuffle"
_STICK_BYTES = 128
Part = tuple[tuple[int, int], ...]
"""Number of slices and the slice, for every device dim that something walks."""


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
                held[arg.place.at] = _Held(name, arg.device_size, _parts(spec, arg))
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
        yield f"{name} reads LX at byte {arg.place.at:,}, where nothing was written before"
        return
    if _true(buffer.size) != _true(arg.device_size):
        return
    wanted = _parts(spec, arg)
    wrong = [core for core, part in enumerate(wanted) if core >= len(buffer.parts) or buffer.parts[core] != part]
    if wrong:
        where = f"core {wrong[0]} holds another part of it since {buffer.writer}"
        yield Disagreement(f"{name} reads LX at byte {arg.place.at:,}, but {where}")


def _true(size: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(extent for extent in size if extent > 1)


def _slices(spec: OpSpec, arg: TensorArg) -> Mapping[str, int]:
    return arg.division.slices if arg.division else {dim.symbol: dim.slices for dim in spec.iteration}


def _parts(spec: OpSpec, arg: TensorArg) -> tuple[Part, ...]:
    slices = _slices(spec, arg)
    cores = arg.division.of_core if arg.division else [spec.slices_of(core) for core in range(spec.cores)]
    names = [
        name
        for size, coordinate in zip(arg.device_size, arg.coordinates, strict=True)
        for name in sorted(coordinate.symbols)
        if size > 1 and slices.get(name, 1) > 1
    ]
    unique = list(dict.fromkeys(names))
    return tuple(tuple((slices[name], own.get(name, 0)) for name in unique) for own in cores)
