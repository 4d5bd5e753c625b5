"""Image: where the iterations of one access land on the device, dim by dim.

Owns the taking apart of a flat host offset into device coordinates, as a sum over groups of digits of loops: ranges and
dependences of huge tensors follow from steps and short tables.  Coordinates are those before a staggered arrangement.
Refuses an access that the layout cannot place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from compiler.checks.domains import Domain
from compiler.checks.elements import CAP
from compiler.checks.radix import Array, Digit, Digits, Group, Span
from compiler.checks.summands import Part, Summands, stepping, summands
from compiler.layout import SPARSE, Arrangement, StickLayout
from compiler.loops import Index

TOO_MANY = "has an index over too many points to follow"
Box = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Image:
    """Sum of groups, one sum per device dim; digits count from the start of `domain`, or from its end for `backward`.

    `moving` names the loops that each device dim depends on.
    """

    domain: Domain
    groups: tuple[Group, ...]
    digits: Digits
    backward: frozenset[str]
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

    def columns(self, group: Group) -> Array | int:
        """What a group adds to the column along the stick dim: sticks times lanes, plus lane.

        A step per value of its digit, or a table.
        """
        outer, lanes = outer_dim(self.layout), self.layout.device_size[-1]
        if group.table is None:
            return group.steps[outer] * lanes + group.steps[-1]
        return np.asarray(group.table[outer] * lanes + group.table[-1], dtype=np.int64)

    def moved(self, group: Group, dim: int) -> Array | int:
        """What a group adds to one coordinate: a step per value of its digit, or a table."""
        return group.steps[dim] if group.table is None else np.asarray(group.table[dim], dtype=np.int64)

    def counted(self, digit: Digit) -> int:
        """What one step of a digit adds to the value of its loop."""
        return -digit.weight if digit.loop in self.backward else digit.weight

    def first(self, loop: str) -> int:
        """The value of a loop where all its digits are 0."""
        low, high = self.domain[loop]
        return high - 1 if loop in self.backward else low

    def reach(self, bounds: Domain) -> tuple[list[int], list[int]] | None:
        """Smallest and largest device coordinates within `bounds`; None if nothing is touched."""
        ranges = {}
        for name, (low, high) in self.domain.items():
            first, end = max(low, bounds[name][0]), min(high, bounds[name][1])
            if first >= end:
                return None
            ranges[name] = (high - end, high - 1 - first) if name in self.backward else (first - low, end - 1 - low)
        return self.digits.sums(self.groups, ranges, len(self.layout.device_size))

    def box(self, bounds: Domain) -> Box | None:
        """Range (first, last) of every device coordinate within `bounds`, lanes whole; None if nothing is touched."""
        found = self.reach(bounds)
        if found is None:
            return None
        first, last = found
        first[-1], last[-1] = 0, self.layout.device_size[-1] - 1
        if self.layout.arrangement is Arrangement.F16_TO_F32:  # columns of a pair of sticks are mixed over both
            outer = outer_dim(self.layout)
            first[outer], last[outer] = first[outer] // 2 * 2, last[outer] // 2 * 2 + 1
        return tuple(zip(first, last, strict=True))


@dataclass(frozen=True, slots=True)
class Taken:
    """Coordinates of every part, down to the first level where parts carry into each other.

    `clash` numbers these parts, `dim` is that level; `loose` says that something is left below the last level.
    """

    groups: tuple[Group, ...]
    clash: tuple[int, ...] = ()
    dim: int = 0
    loose: bool = False


def outer_dim(layout: StickLayout) -> int:
    """Device dim that counts sticks along the stick dim."""
    return len(layout.device_size) - 3 if len(layout.device_size) > 2 else 0


def device_dims(layout: StickLayout) -> tuple[int, ...]:
    """The entry of the dim order that every device dim belongs to; that of the stick stands for its count, too."""
    order = layout.dim_order or (SPARSE,)
    if len(order) == 1:
        return (*order, *order)
    return (*order[1:-1], order[-1], order[0], order[-1])


def place(index: Index, domain: Domain, layout: StickLayout) -> Image | str | None:
    """The image of an access; None if its domain is empty; a clause that says why if it cannot be placed."""
    if any(low >= high for low, high in domain.values()):
        return None
    found = summands(index, domain)
    parts = split(found, layout) if found else None
    if found is None or parts is None:
        return TOO_MANY
    if found.offset < 0:
        return "reaches before the first element"
    while True:
        taken = take_apart(parts, found.digits, layout)
        if not taken.clash:
            break
        joint = _joined([parts[number] for number in taken.clash])
        if joint is None:
            return TOO_MANY
        parts = [part for number, part in enumerate(parts) if number not in taken.clash] + [joint]
    if taken.loose:
        return "reaches between the elements that the layout places"
    fault = out_of_range(taken.groups, found.digits, layout)
    if fault:
        return fault
    moving = tuple(_moving(taken.groups, dim) for dim in range(len(layout.device_size)))
    return Image(domain, taken.groups, found.digits, found.backward, layout, moving)


def _moving(groups: tuple[Group, ...], dim: int) -> frozenset[str]:
    return frozenset(name for group in groups for name in group.loops if group.moves(dim, name))


def split(found: Summands, layout: StickLayout) -> list[Part] | None:
    """The constant as a part, and parts whose floors along the layout's levels are steps or short tables.

    None if a table would be too long.
    """
    strides = [layout.stride_map[dim] for dim in levels_of(layout)]
    parts = [Part((), values=np.asarray(max(found.offset, 0), dtype=np.int64))]
    for part in found.parts:
        if part.values is not None:
            parts.append(part)
            continue
        for leaf, step in stepping(part, strides, found.digits.cuts):
            piece: Part | None = Part((leaf,), step)
            if not _steps(step, leaf.size, strides):
                values = Part((leaf,), step).listed()
                piece = None if values is None else Part((leaf,), values=values)
            if piece is None:
                return None
            parts.append(piece)
    return parts


def _steps(step: int, count: int, strides: list[int]) -> bool:
    for stride in strides:
        step %= stride
        if step * (count - 1) >= stride:
            return False
    return True


def levels_of(layout: StickLayout) -> list[int]:
    """Device dims with a host stride, in falling stride."""
    real = [dim for dim, stride in enumerate(layout.stride_map) if stride > 0 and layout.device_size[dim] > 1]
    return sorted(real, key=lambda dim: -layout.stride_map[dim])


def take_apart(parts: list[Part], digits: Digits, layout: StickLayout) -> Taken:
    """Coordinates of every part, level by level, as long as no parts carry into each other."""
    width = len(layout.device_size)
    steps: list[list[int]] = [[0] * width for _ in parts]
    tables = [None if p.values is None else np.zeros((width, *p.values.shape), dtype=np.int64) for p in parts]
    rests: list[int | Array] = [part.step if part.values is None else part.values for part in parts]

    def groups() -> tuple[Group, ...]:
        made = zip(parts, steps, tables, strict=True)
        return tuple(Group(p.digits, tuple(s) if t is None else (), t) for p, s, t in made)

    for dim in levels_of(layout):
        stride = layout.stride_map[dim]
        for number, rest in enumerate(rests):
            table = tables[number]
            if table is None:
                steps[number][dim], rests[number] = divmod(int(rest), stride)
            else:
                table[dim], rests[number] = np.asarray(rest) // stride, np.asarray(np.asarray(rest) % stride)
        if _most(parts, rests, digits) >= stride:
            clash = tuple(number for number, rest in enumerate(rests) if _left(parts[number], rest))
            return Taken(groups(), clash, dim)
    loose = any(_left(part, rest) for part, rest in zip(parts, rests, strict=True))
    return Taken(groups(), loose=loose)


def _left(part: Part, rest: int | Array) -> bool:
    """True if a part still adds something."""
    return bool(np.any(rest)) and (part.values is not None or part.digits[0].size > 1)


def _most(parts: list[Part], rests: list[int | Array], digits: Digits) -> int:
    """The largest sum of what is left of all parts."""
    left = tuple(
        Group(part.digits, table=rest[None]) if isinstance(rest, np.ndarray) else Group(part.digits, (rest,))
        for part, rest in zip(parts, rests, strict=True)
    )
    return digits.sums(left, {}, 1)[1][0]


def _joined(parts: list[Part]) -> Part | None:
    """One table over all digits of several parts; None if it has too many points."""
    if math.prod(digit.size for part in parts for digit in part.digits) > CAP:
        return None
    digits: tuple[Digit, ...] = ()
    total = np.zeros((), dtype=np.int64)
    for part in parts:
        values = part.listed()
        assert values is not None, "no part is larger than the product of all"
        total = np.add.outer(total, values)
        digits += part.digits
    return Part(digits, values=np.asarray(total, dtype=np.int64))


def out_of_range(groups: tuple[Group, ...], digits: Digits, layout: StickLayout) -> str:
    """The first device dim whose largest coordinate it does not have, as the end of a sentence."""
    _, most = digits.sums(groups, {}, len(layout.device_size))
    for dim, (last, size) in enumerate(zip(most, layout.device_size, strict=True)):
        if last >= size:
            return f"reaches coordinate {last} of device dim {dim}, which has {size}"
    return ""
