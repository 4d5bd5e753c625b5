"""Imported host forms: shape, strides and stick layout of a tensor of which a file only has device sizes.

Owns the host tensor behind device dims, and the search for the dim order that gives known device sizes and strides.
Refuses sizes that no stick layout has: the answer is None.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from compiler.coordinates import device_dims, outer_dim
from compiler.formats.expression import Expression, Floor, Mod, Symbol
from compiler.layout import MAX_DIM_ORDER, SPARSE, UNIT, Arrangement, StickLayout, stick_layout

_MOST_RANK = MAX_DIM_ORDER - 1


@dataclass(frozen=True, slots=True)
class HostForm:
    """A host tensor and its layout on the device."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    layout: StickLayout

    @property
    def default(self) -> bool:
        """True if the layout is the one that the host writes."""
        return self.layout == stick_layout(self.shape, self.strides, self.layout.elements_per_stick)


def derived_form(sizes: Sequence[int], columns: int, arrangement: Arrangement) -> HostForm:
    """The host form behind regular device sizes: dense, in the default dim order; `columns` are the elements along the
    stick, 0 where every stick holds one."""
    *whole, lanes = sizes
    outside = (whole[-1], *whole[:-2]) if len(whole) > 1 else ()
    shape = (*outside, columns) if columns else outside
    order = (*range(len(shape)), SPARSE) if outside and not columns else None
    strides = dense(shape)
    return HostForm(shape, strides, stick_layout(shape, strides, lanes, order, arrangement))


def _steps(sizes: Sequence[int]) -> list[int]:
    """Strides of dims, the fastest first, between which there are no gaps."""
    return [math.prod(sizes[:place]) for place in range(len(sizes))]


def dense(shape: Sequence[int]) -> tuple[int, ...]:
    """Row-major strides."""
    return tuple(math.prod(max(size, 1) for size in shape[place + 1 :]) for place in range(len(shape)))


def likely_strides(shape: tuple[int, ...], said: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The strides that a file says if they leave no gaps; then those of dims in any order, row-major first."""
    steps = sorted((stride, size) for stride, size in zip(said, shape, strict=False) if size > 1)
    if len(said) == len(shape) and [stride for stride, _ in steps] == _steps([size for _, size in steps]):
        yield said
    for order in permutations(range(len(shape))) if len(shape) <= _MOST_RANK else ():
        inner = dense([shape[dim] for dim in order])
        yield tuple(inner[order.index(dim)] for dim in range(len(shape)))


def found_layout(
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    sizes: tuple[int, ...],
    stride_map: tuple[int, ...],
    arrangement: Arrangement,
) -> StickLayout | None:
    """The layout of a host tensor that has these device sizes and strides; None if no dim order gives them."""
    if not 2 <= len(sizes) == len(stride_map) or len(shape) > _MOST_RANK or min((*sizes, *shape)) < 1:
        return None
    for order in _orders(len(shape), len(sizes)):
        made = stick_layout(shape, strides, sizes[-1], order, arrangement)
        if not _moves_alike(made, stride_map):
            continue
        made = _padded(made, shape, strides, sizes)
        if made.device_size == sizes:
            return made
    return None


def _moves_alike(made: StickLayout, stride_map: tuple[int, ...]) -> bool:
    """True if a layout has these host strides; the count of a single stick that is one of a pair has none."""
    single, outer = made.arrangement is Arrangement.F16_TO_F32, outer_dim(made)
    if single and len(made.stride_map) == len(stride_map) and made.stride_map[outer] < 0:
        stride_map = (*stride_map[:outer], -1, *stride_map[outer + 1 :])
    return made.stride_map == stride_map


def _orders(rank: int, width: int) -> Iterator[tuple[int, ...]]:
    """Dim orders of a width (device dims), the default one first; those with a unit dim or sparse sticks later."""
    orders = list(permutations(range(rank)))
    kinds = ((), ()), ((), (SPARSE,)), ((UNIT,), ()), ((UNIT,), (SPARSE,))
    for first, last in kinds:
        for order in orders:
            made = (*first, *order, *last)
            if (len(made) + 1 if len(made) != 1 else 2) == (width if made else 2) and made != (UNIT,):
                yield made
    if not rank and width == 2:
        yield ()


def _padded(made: StickLayout, shape: tuple[int, ...], strides: tuple[int, ...], sizes: tuple[int, ...]) -> StickLayout:
    """The layout with the dims filled up that have to be longer."""
    if made.device_size == sizes or len(made.device_size) != len(sizes):
        return made
    dims, fixed = device_dims(made), (outer_dim(made), len(sizes) - 1)
    longer = tuple(
        (dims[place], size)
        for place, size in enumerate(sizes)
        if place not in fixed and dims[place] >= 0 and size > made.device_size[place]
    )
    return stick_layout(shape, strides, sizes[-1], made.dim_order, made.arrangement, tuple(sorted(longer)))


def copied_strides(
    coordinates: tuple[Expression, ...], symbols: dict[str, int], strides: tuple[int, ...], lanes: int
) -> tuple[int, ...] | None:
    """The host stride of every device dim that a plain copy writes; `symbols` says which host dim each of them walks.

    None if a device dim is walked by anything but one symbol, or sticks of it; -1 stands for a symbol of one iteration.
    """
    found = []
    for place, coordinate in enumerate(coordinates):
        name, per = _walked(coordinate, lanes, last=place == len(coordinates) - 1)
        if per < 0 or (name and name not in symbols):
            return None
        found.append(strides[symbols[name]] * per if symbols.get(name, -1) >= 0 else -1)
    return tuple(found)


def _walked(coordinate: Expression, lanes: int, *, last: bool) -> tuple[str, int]:
    match coordinate:
        case Expression(0, ()):
            return "", 1
        case Expression(0, ((Symbol(name), 1),)):
            return name, 1
        case Expression(0, ((Floor(Expression(0, ((Symbol(name), 1),)), by), 1),)) if by == lanes and not last:
            return name, by
        case Expression(0, ((Mod(Expression(0, ((Symbol(name), 1),)), by), 1),)) if by == lanes and last:
            return name, 1
    return "", -1
