"""Copy cuts: the division of a copy under which every core writes exactly the box that a step reads or wrote there.

Owns the way from the boxes of an access to the splits of a copy with one loop per host dim and one for its replicas.
Refuses what such a copy cannot do: parts, masks, gathers, cores that hold nothing, replicas at two places of the order.
Nothing is guessed: every cut is compared with the boxes it was made for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from compiler.coordinates import Boxes, core_boxes, device_dims, outer_dim
from compiler.division import Division, Split
from compiler.dtypes import DType
from compiler.layout import SPARSE, StickLayout
from compiler.loops import Access, Buffer, BufferKind, LoopOp, Origin
from compiler.plan import Edit, EditKind
from compiler.schedule import REPLICA, copy_op

_Ints = NDArray[np.int64]
_SOURCE, _TARGET = "source", "target"


@dataclass(frozen=True, slots=True)
class Cut:
    """A division over the loops of a copy (`d0`, `d1`, .., `replica`); `replicas` cores write each part."""

    division: Division
    replicas: int = 1


@dataclass(frozen=True, slots=True)
class _Digit:
    """A digit of the core number: so many values, each a step along one loop of the copy."""

    loop: str
    factor: int
    step: int


def copy_cut(
    op: LoopOp, access: Access, buffer: Buffer, layout: StickLayout, division: Division, replicated: bool = True
) -> Cut | None:
    """The cut of a copy of `buffer` whose cores write what those of `op`, so divided, read (or wrote) by `access`.

    None if no copy does; `replicated=False` also refuses cuts that write a part on several cores.
    """
    seen = core_boxes(op, access, buffer, layout, division)
    found = _cut_for(seen, layout, tuple(split.factor for split in division.splits), buffer.shape, buffer.strides)
    return None if found is not None and found.replicas > 1 and not replicated else found


def reader_cut(op: LoopOp, buffer: Buffer, layout: StickLayout, division: Division) -> Cut | None:
    """The cut that serves all reads of `buffer` in a step; None if there is none or they differ."""
    cuts = {copy_cut(op, read, buffer, layout, division) for read in op.reads if read.buffer == buffer.name}
    return cuts.pop() if len(cuts) == 1 else None


def cut_boxes(cut: Cut, buffer: Buffer, layout: StickLayout) -> Boxes:
    """What every core of a copy under this cut writes."""
    return _written(cut, layout, buffer.shape, buffer.strides)


@lru_cache(maxsize=1 << 14)
def _cut_for(
    seen: Boxes, layout: StickLayout, factors: tuple[int, ...], shape: tuple[int, ...], strides: tuple[int, ...]
) -> Cut | None:
    if not seen.exact.all():
        return None
    digits = _digits(_corners(seen, layout, len(shape)), factors)
    cut = None if digits is None else _cut_of(digits)
    if cut is None:
        return None
    made = _written(cut, layout, shape, strides)
    return cut if _same(made, seen) and _covers(made, layout, cut.replicas) else None


@lru_cache(maxsize=1 << 14)
def _written(cut: Cut, layout: StickLayout, shape: tuple[int, ...], strides: tuple[int, ...]) -> Boxes:
    source = Buffer(_SOURCE, DType.F16, shape, strides, BufferKind.COMPUTED)
    edit = Edit("copy", EditKind.CLONE_IN, _SOURCE, _TARGET, "", (), cut.replicas)
    op = copy_op(edit, source, Origin())
    return core_boxes(op, op.write, source, layout, cut.division)


def _same(one: Boxes, other: Boxes) -> bool:
    return bool(np.array_equal(one.start, other.start) and np.array_equal(one.size, other.size) and one.exact.all())


def _covers(made: Boxes, layout: StickLayout, replicas: int) -> bool:
    """True if the parts make up the whole layout, once per replica; equal boxes of one grid do not overlap."""
    equal = bool((made.size == made.size[0]).all())
    return equal and int(made.size.prod(axis=1).sum()) == replicas * layout.sticks * layout.elements_per_stick


def _corners(seen: Boxes, layout: StickLayout, dims: int) -> _Ints:
    """First host coordinate of every core along every host dim."""
    found = np.zeros((len(seen.start), dims), dtype=np.int64)
    for position, dim in enumerate(device_dims(layout)[:-1]):
        if dim != SPARSE:
            found[:, dim] = seen.start[:, position] * (
                layout.elements_per_stick if position == outer_dim(layout) else 1
            )
    return found


def _digits(corners: _Ints, factors: Sequence[int]) -> tuple[_Digit, ...] | None:
    """The digits of a core number, fastest first; a split of a loop over several dims gives several."""
    found: list[_Digit] = []
    stride = 1
    for factor in factors:
        made = _digits_of(corners[: stride * factor : stride])
        if made is None:
            return None
        found += made
        stride *= factor
    return tuple(found)


def _digits_of(track: _Ints) -> list[_Digit] | None:
    """The digits of one split, from the corners of its slots."""
    found: list[_Digit] = []
    while len(track) > 1:
        step = track[1] - track[0]
        moved = np.flatnonzero(step)
        steady = (track - track[0] == np.arange(len(track))[:, None] * step).all(axis=1)
        length = len(track) if steady.all() else int(np.argmin(steady))
        factor = max(count for count in range(1, length + 1) if len(track) % count == 0)
        if factor == 1 or len(moved) > 1:
            return None
        found.append(_Digit(f"d{moved[0]}", factor, int(step[moved[0]])) if len(moved) else _Digit(REPLICA, factor, 1))
        track = track[::factor]
    return found


def _cut_of(digits: Sequence[_Digit]) -> Cut | None:
    """One split per loop; None if the digits of a loop do not stand together, or do not count on."""
    merged: list[_Digit] = []
    for digit in digits:
        last = merged[-1] if merged else None
        if last is None or last.loop != digit.loop:
            merged.append(digit)
            continue
        if digit.loop != REPLICA and digit.step != last.step * last.factor:
            return None
        merged[-1] = _Digit(last.loop, last.factor * digit.factor, last.step)
    if len({digit.loop for digit in merged}) < len(merged) or any(digit.step <= 0 for digit in merged):
        return None
    replicas = next((digit.factor for digit in merged if digit.loop == REPLICA), 1)
    return Cut(Division(tuple(Split(digit.loop, digit.factor, digit.step) for digit in merged)), replicas)
