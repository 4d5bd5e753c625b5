"""Coordinates against brute force: enumerate the iterations and look where the layout puts each element."""

import math
import random

import numpy as np
import pytest
from numpy.typing import NDArray

from compiler.coordinates import (
    boxes,
    column_follows,
    depends_on,
    lane_loops,
    stick_columns,
    walk_of,
)
from compiler.dtypes import DType
from compiler.layout import Arrangement, StickLayout, stick_layout
from compiler.loops import Access, Buffer, BufferKind, Index, Load, Loop, LoopOp, OpKind, Origin, Term
from tests.random_programs import TINY, random_program

Ints = NDArray[np.int64]


def buffer_of(*shape: int, dtype: DType = DType.F16) -> Buffer:
    strides = tuple(math.prod(shape[dim + 1 :]) for dim in range(len(shape)))
    return Buffer("x", dtype, shape, strides, BufferKind.COMPUTED)


def copy_of(index: Index, **extents: int) -> LoopOp:
    """An op that reads x at `index` and writes a row-major result."""
    loops = tuple(Loop(name, extent) for name, extent in extents.items())
    sizes = tuple(extents.values())
    terms = tuple(Term(math.prod(sizes[place + 1 :]), ((name, 1),)) for place, name in enumerate(extents))
    reads, writes = (Access("x", index),), (Access("y", Index(0, terms)),)
    return LoopOp("op", OpKind.POINTWISE, "", loops, reads, writes, (Load(0, DType.F16),), (0,), Origin())


def plain(offset: int = 0, **coefficients: int) -> Index:
    return Index(offset, tuple(Term(step, ((name, 1),)) for name, step in coefficients.items()))


def grid(op: LoopOp, ranges: dict[str, tuple[int, int]] | None = None) -> dict[str, Ints]:
    """Loop -> value at every iteration of the ranges, flat arrays of equal length."""
    bounds = [(ranges or {}).get(loop.name, (0, loop.extent)) for loop in op.loops]
    axes = np.meshgrid(*(np.arange(*bound) for bound in bounds), indexing="ij")
    return {loop.name: axis.ravel() for loop, axis in zip(op.loops, axes, strict=True)} or {"": np.zeros(1, np.int64)}


def offsets_of(op: LoopOp, access: Access, ranges: dict[str, tuple[int, int]] | None = None) -> Ints:
    values = grid(op, ranges)
    return np.broadcast_to(access.index.evaluate(values), next(iter(values.values())).shape)


def columns_of(buffer: Buffer, layout: StickLayout, offsets: Ints) -> Ints:
    """Column along the stick dim, found with the standard arrangement so that no lane is moved."""
    lanes = layout.elements_per_stick
    standard = stick_layout(buffer.shape, buffer.strides, lanes, layout.dim_order)
    coordinates = standard.coordinates(offsets)
    outer = max(len(standard.device_size) - 3, 0)
    return coordinates[outer] * lanes + coordinates[-1] if layout.stick_dim >= 0 else np.zeros_like(offsets)


def layouts_of(buffer: Buffer, rng: random.Random) -> list[StickLayout]:
    lanes = {1: 128, 2: 64, 4: 32}[buffer.dtype.device_bytes]
    rank = len(buffer.shape)
    found = [stick_layout(buffer.shape, buffer.strides, lanes)]
    for dim in range(rank):
        order = (*rng.sample([d for d in range(rank) if d != dim], rank - 1), dim)
        found.append(stick_layout(buffer.shape, buffer.strides, lanes, order))
        if lanes < 128:
            odd = Arrangement.F16_TO_F32 if lanes == 32 else Arrangement.F32_TO_F16
            found.append(stick_layout(buffer.shape, buffer.strides, lanes, order, odd))
    if 0 < rank < 6:
        found.append(stick_layout(buffer.shape, buffer.strides, lanes, (*range(rank), -1)))
    return found


def check_lanes(op: LoopOp, access: Access, buffer: Buffer, layout: StickLayout) -> None:
    """Lane loops, followed columns and dependence as the definition says them, point by point."""
    walk = walk_of(op, access, buffer)
    values, offsets = grid(op), offsets_of(op, access)
    column = columns_of(buffer, layout, offsets)
    shape = tuple(loop.extent for loop in op.loops)
    lane = (column % layout.elements_per_stick).reshape(shape)
    flat = offsets.reshape(shape)
    moved = {loop.name for axis, loop in enumerate(op.loops) if np.any(lane != np.take(lane, [0], axis=axis))}
    assert lane_loops(walk, layout) == moved
    for axis, loop in enumerate(op.loops):
        assert depends_on(walk, loop.name) == bool(np.any(flat != np.take(flat, [0], axis=axis)))
        if layout.stick_dim >= 0 and buffer.shape[layout.stick_dim] > 1 and loop.extent > 1 and loop.name in moved:
            for modulus in (64, 128):
                want = not np.any((column - values[loop.name]) % modulus)
                assert column_follows(walk, layout, loop.name, modulus) == want
    assert column_follows(walk, layout, None, 128) == (not (column % stick_columns(layout)).any())


def check_box(
    op: LoopOp, access: Access, buffer: Buffer, layout: StickLayout, ranges: dict[str, tuple[int, int]]
) -> None:
    """Hull and exactness of one core's walk."""
    box = boxes(walk_of(op, access, buffer), layout, {name: _arrays(bound) for name, bound in ranges.items()})
    offsets = np.unique(offsets_of(op, access, ranges))
    walked = layout.coordinates(offsets)
    start, size = box.start[0], box.size[0]
    assert (start[:-1] <= walked.min(axis=1)[:-1]).all()
    assert (start + size > walked.max(axis=1)).all()
    assert (start + size <= np.array(layout.device_size)).all()
    grain = stick_columns(layout) // layout.elements_per_stick
    if grain == 1 or layout.sparse:
        assert tuple(start[:-1]) == tuple(walked.min(axis=1)[:-1])
        assert tuple((start + size)[:-1]) == tuple(walked.max(axis=1)[:-1] + 1)
    everything = layout.coordinates(np.arange(buffer.storage_elements, dtype=np.int64))
    inside = ((everything >= start[:, None]) & (everything < (start + size)[:, None])).all(axis=0)
    assert bool(box.exact[0]) == (int(inside.sum()) == len(offsets))


def _arrays(bound: tuple[int, int]) -> tuple[Ints, Ints]:
    return np.array([bound[0]]), np.array([bound[1]])


@pytest.mark.parametrize("seed", range(24))
def test_affine_accesses_agree_with_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(12):
        shape = tuple(rng.choice((1, 2, 3, 5, 33, 64, 70, 128)) for _ in range(rng.randint(1, 3)))
        if math.prod(shape) > 9000:
            continue
        buffer = buffer_of(*shape, dtype=rng.choice((DType.F16, DType.F32, DType.I8)))
        index, extents = view(buffer, rng)
        op = copy_of(index, **extents)
        for layout in layouts_of(buffer, rng):
            check_lanes(op, op.reads[0], buffer, layout)
            for _ in range(2):
                check_box(
                    op, op.reads[0], buffer, layout, {name: part(extent, rng) for name, extent in extents.items()}
                )


def part(extent: int, rng: random.Random) -> tuple[int, int]:
    """A range of a loop: whole, or from some start to some end."""
    if rng.random() < 0.4:
        return 0, extent
    low = rng.choice((0, rng.randrange(extent), 64 if extent > 64 else 0))
    return low, rng.choice((extent, rng.randint(low + 1, extent)))


def view(buffer: Buffer, rng: random.Random) -> tuple[Index, dict[str, int]]:
    """An index in range and the extents of its loops: slices, steps, reversals, tiles, diagonals, flattened dims."""
    if rng.random() < 0.3:
        return _flat(buffer, rng)
    offset, terms, extents = 0, list[Term](), dict[str, int]()
    for dim, (size, stride) in enumerate(zip(buffer.shape, buffer.strides, strict=True)):
        step = rng.choice((1, 1, 1, 2, 3, -1))
        start = rng.choice((0, 0, size // 2, min(32, size - 1)))
        count = -(-(size - start) // abs(step))
        offset += (start if step > 0 else start + (count - 1) * -step) * stride
        inner = rng.choice((1, 2, 32, 64))
        if step == 1 and inner > 1 and count % inner == 0:
            extents |= {f"o{dim}": count // inner, f"i{dim}": inner}
            terms += [Term(stride * inner, ((f"o{dim}", 1),)), Term(stride, ((f"i{dim}", 1),))]
        else:
            extents[f"d{dim}"] = count
            terms.append(Term(stride * step, ((f"d{dim}", 1),)))
    if rng.random() < 0.3:
        extents["b"] = 3
    return Index(offset, tuple(terms)), extents


def _flat(buffer: Buffer, rng: random.Random) -> tuple[Index, dict[str, int]]:
    """All elements by one loop: in storage order from some offset on, or through a floor and a mod that transpose."""
    total = buffer.elements
    start = rng.choice((0, 1, total // 2))
    if rng.random() < 0.5:
        inner = rng.choice([d for d in (1, 2, 3, 32, 64, 128) if (total - start) % d == 0])
        terms = (Term(inner, (("o", 1),)), Term(1, (("i", 1),)))
        return Index(start, terms), {"o": (total - start) // inner, "i": inner}
    rows = buffer.shape[0]
    return (
        Index(0, (Term(buffer.strides[0], (("k", 1),), 0, 1, rows), Term(1, (("k", 1),), 0, rows, 0))),
        {"k": rows * math.prod(buffer.shape[1:])},
    )


@pytest.mark.parametrize("seed", range(40))
def test_accesses_of_random_programs_agree_with_brute_force(seed: int) -> None:
    """Also reads under masks and gathered reads, for which hulls are upper bounds and never exact."""
    program = random_program(seed, 6, TINY)
    rng = random.Random(seed)
    for op in program.ops:
        for access in (*op.reads, *op.writes):
            buffer = program.buffer_map[access.buffer]
            if op.kind is OpKind.OPAQUE or any(op.masked(k) for k, read in enumerate(op.reads) if read == access):
                continue
            for layout in layouts_of(buffer, rng)[:3]:
                if access.index.gathers:
                    walk = walk_of(op, access, buffer)
                    assert not boxes(walk, layout, {loop.name: _arrays((0, loop.extent)) for loop in op.loops}).exact[0]
                    continue
                check_lanes(op, access, buffer, layout)
                check_box(op, access, buffer, layout, {loop.name: part(loop.extent, rng) for loop in op.loops})
