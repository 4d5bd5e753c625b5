"""Image: where the iterations of one access land on the device, dim by dim.

Owns the taking apart of a flat host offset into device coordinates, as a sum over independent groups of loops: what
one group adds to a coordinate does not depend on the others, so that ranges and dependences of huge tensors follow from
short arrays.  Coordinates are those before a staggered arrangement.  Refuses an access that the layout cannot place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from compiler.checks.domains import Domain
from compiler.checks.elements import CAP
from compiler.layout import Arrangement, StickLayout
from compiler.loops import Index, Term

Array = NDArray[np.int64]
Box = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Loops that move coordinates together; `digits` has one axis for device dims and one per loop."""

    loops: tuple[str, ...]
    digits: Array


@dataclass(frozen=True, slots=True)
class Image:
    """Sum of groups; `domain` gives the ranges of their axes, `moving` the loops that each device dim depends on."""

    domain: Domain
    groups: tuple[Group, ...]
    layout: StickLayout
    moving: tuple[frozenset[str], ...]

    @property
    def lane_loops(self) -> frozenset[str]:
        """Loops on which the lane depends."""
        return self.moving[-1]

    @property
    def loops(self) -> frozenset[str]:
        """Loops on which any coordinate depends."""
        return frozenset().union(*self.moving)

    def columns(self, group: Group) -> Array:
        """What a group adds to the column along the stick dim: sticks times lanes, plus lane."""
        outer = group.digits[outer_dim(self.layout)]
        return np.asarray(outer * self.layout.device_size[-1] + group.digits[-1], dtype=np.int64)

    def box(self, bounds: Domain) -> Box | None:
        """Range (first, last) of every device coordinate within `bounds`, lanes whole; None if nothing is touched."""
        ranges = {
            name: (max(low, bounds[name][0]), min(high, bounds[name][1])) for name, (low, high) in self.domain.items()
        }
        if any(low >= high for low, high in ranges.values()):
            return None
        first = [0] * len(self.layout.device_size)
        last = list(first)
        for group in self.groups:
            axes = tuple(slice(*(edge - self.domain[name][0] for edge in ranges[name])) for name in group.loops)
            part = group.digits[(slice(None), *axes)].reshape(len(first), -1)
            first = [base + int(low) for base, low in zip(first, part.min(axis=1), strict=True)]
            last = [base + int(high) for base, high in zip(last, part.max(axis=1), strict=True)]
        first[-1], last[-1] = 0, self.layout.device_size[-1] - 1
        if self.layout.arrangement is Arrangement.F16_TO_F32:  # columns of a pair of sticks are mixed over both
            outer = outer_dim(self.layout)
            first[outer], last[outer] = first[outer] // 2 * 2, last[outer] // 2 * 2 + 1
        return tuple(zip(first, last, strict=True))


def outer_dim(layout: StickLayout) -> int:
    """Device dim that counts sticks along the stick dim."""
    return len(layout.device_size) - 3 if len(layout.device_size) > 2 else 0


def place(index: Index, domain: Domain, layout: StickLayout) -> Image | str | None:
    """The image of an access; None if its domain is empty; a clause that says why if it cannot be placed."""
    if any(low >= high for low, high in domain.values()):
        return None
    parts = _parts(index, domain)
    if parts is None:
        return "has an index over too many points to follow"
    if parts[0][1].min() < 0:
        return "reaches before the first element"
    while True:
        digits, clash = _taken_apart([values for _, values in parts], layout)
        if not clash:
            break
        joint = _together([parts[number] for number in clash])
        if joint is None:
            return "has an index over too many points to follow"
        parts = [part for number, part in enumerate(parts) if number not in clash] + [joint]
    fault = _out_of_range(digits, layout)
    if fault:
        return fault
    groups = tuple(Group(loops, digit) for (loops, _), digit in zip(parts, digits, strict=True))
    moving = tuple(_moving(groups, dim) for dim in range(len(layout.device_size)))
    return Image(domain, groups, layout, moving)


def _moving(groups: tuple[Group, ...], dim: int) -> frozenset[str]:
    return frozenset(
        name
        for group in groups
        for axis, name in enumerate(group.loops)
        if group.digits.shape[axis + 1] > 1 and bool(np.any(np.diff(group.digits[dim], axis=axis)))
    )


Part = tuple[tuple[str, ...], Array]


def _parts(index: Index, domain: Domain) -> list[Part] | None:
    """The constant, then one non-negative summand per group of loops that occur in one term, then gathered rows."""
    offset = index.offset
    parts: list[Part] = []
    for names, terms in _connected(index.terms):
        if math.prod(domain[name][1] - domain[name][0] for name in names) > CAP:
            return None
        grids = np.meshgrid(*(np.arange(*domain[name], dtype=np.int64) for name in names), indexing="ij", sparse=True)
        values = dict(zip(names, grids, strict=True))
        total = np.zeros([1] * len(names), dtype=np.int64)
        for term in terms:
            total = total + term.evaluate(values)
        offset += int(total.min())
        parts.append((names, total - total.min()))
    for number, gather in enumerate(index.gathers):
        rows = np.arange(gather.size, dtype=np.int64) * gather.coefficient
        parts.append(((f"row {number}",), rows))
    return [((), np.asarray(offset, dtype=np.int64)), *parts]


def _connected(terms: tuple[Term, ...]) -> list[tuple[tuple[str, ...], list[Term]]]:
    """Terms in groups that share loops."""
    groups: list[tuple[set[str], list[Term]]] = []
    for term in terms:
        names, mine = {name for name, _ in term.loops}, [term]
        apart = []
        for group in groups:
            if group[0] & names:
                names, mine = names | group[0], group[1] + mine
            else:
                apart.append(group)
        groups = [*apart, (names, mine)]
    return [(tuple(sorted(names)), mine) for names, mine in groups]


def _levels(layout: StickLayout) -> list[int]:
    """Device dims with a host stride, in falling stride."""
    real = [dim for dim, stride in enumerate(layout.stride_map) if stride > 0 and layout.device_size[dim] > 1]
    return sorted(real, key=lambda dim: -layout.stride_map[dim])


def _taken_apart(values: list[Array], layout: StickLayout) -> tuple[list[Array], list[int]]:
    """Coordinates of every summand; and the numbers of summands that carry into each other, which must be joined."""
    digits = [np.zeros((len(layout.device_size), *value.shape), dtype=np.int64) for value in values]
    rests = list(values)
    for dim in _levels(layout):
        stride = layout.stride_map[dim]
        for number, rest in enumerate(rests):
            digits[number][dim], rests[number] = np.divmod(rest, stride)
        most = [int(rest.max(initial=0)) for rest in rests]
        if sum(most) >= stride:
            return digits, [number for number, reach in enumerate(most) if reach]
    if any(rest.any() for rest in rests):
        return digits[:0], []
    return digits, []


def _together(parts: list[Part]) -> Part | None:
    """One summand over all loops of several; None if it has too many points."""
    if math.prod(values.size for _, values in parts) > CAP:
        return None
    names: tuple[str, ...] = ()
    total = np.zeros((), dtype=np.int64)
    for loops, values in parts:
        total = total.reshape(total.shape + (1,) * values.ndim) + values
        names += loops
    return names, total


def _out_of_range(digits: list[Array], layout: StickLayout) -> str:
    if not digits:
        return "reaches between the elements that the layout places"
    for dim, size in enumerate(layout.device_size):
        last = sum(int(digit[dim].max()) for digit in digits)
        if last >= size:
            return f"reaches coordinate {last} of device dim {dim}, which has {size}"
    return ""
