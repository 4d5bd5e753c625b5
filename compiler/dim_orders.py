"""Dim orders: in which orders the dims of a layout may stand around its stick, and what each puts where.

Owns the menu of orders, the rule of tables (what is picked by an index comes first on the device), and the one swap of
the public heuristic (facts 2.10).  Refuses to weigh orders against each other beyond staying close to the host's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations

from compiler.coordinates import device_dims
from compiler.cost.batching import just_before_stick
from compiler.layout import MAX_DIM_ORDER, UNIT, StickLayout, stick_layout
from compiler.loops import Access, Buffer

Dims = frozenset[int]
NONE: Dims = frozenset()


@dataclass(frozen=True, slots=True)
class Wish:
    """What an order must do: no dim of `avoid` just before the stick, and the dims of every table first."""

    avoid: Dims = NONE
    tables: frozenset[Dims] = frozenset()

    def __or__(self, other: Wish) -> Wish:
        return Wish(self.avoid | other.avoid, self.tables | other.tables)

    def granted(self, layout: StickLayout) -> bool:
        """True if the order of a layout does all of this."""
        if just_before_stick(layout) in self.avoid:
            return False
        return not self.tables or all(comes_first(layout, table) for table in self.tables)


def reordered(layout: StickLayout, buffer: Buffer, order: tuple[int, ...]) -> StickLayout:
    """The layout with the same sticks and padding in another order."""
    lanes = layout.elements_per_stick
    return stick_layout(buffer.shape, buffer.strides, lanes, order, layout.arrangement, layout.padding)


def comes_first(layout: StickLayout, table: Dims) -> bool:
    """True if these host dims, in any order, are the first device dims that are larger than 1.

    >>> rows = stick_layout((1000, 128), (128, 1), 64)
    >>> outside = stick_layout((1000, 128), (128, 1), 64, (UNIT, 0, 1))
    >>> [comes_first(layout, frozenset({0})) for layout in (rows, outside)]
    [False, True]
    """
    dims = device_dims(layout)[:-1]
    outer_first = [dim for dim, size in zip(dims, layout.device_size, strict=False) if size > 1]
    return set(outer_first[: len(table)]) == table


def table_dims(access: Access, buffer: Buffer) -> Dims:
    """Host dims, larger than 1, that gathered values pick from.

    A value moves the dim of the largest stride it reaches with one step, and those that many steps reach.
    """
    found = set()
    for gather in access.index.gathers:
        step, reach = abs(gather.coefficient), abs(gather.coefficient) * (gather.size - 1)
        wide = [(stride, dim) for dim, stride in enumerate(buffer.strides) if buffer.shape[dim] > 1]
        unit = max((stride for stride, _ in wide if stride <= step), default=step)
        found |= {dim for stride, dim in wide if reach and unit <= stride <= reach}
    return frozenset(found)


def best_order(buffer: Buffer, layout: StickLayout, wish: Wish) -> StickLayout | None:
    """The order closest to that of `layout` which grants a wish; None if there is none."""
    return _best(buffer.shape, buffer.strides, layout, wish)


@lru_cache(maxsize=1 << 12)
def _best(shape: tuple[int, ...], strides: tuple[int, ...], layout: StickLayout, wish: Wish) -> StickLayout | None:
    return next((choice for choice in _menu(shape, strides, layout) if wish.granted(choice)), None)


@lru_cache(maxsize=1 << 10)
def _menu(shape: tuple[int, ...], strides: tuple[int, ...], layout: StickLayout) -> tuple[StickLayout, ...]:
    """All orders with the same sticks, the present one first, then those with fewest dims out of host order."""
    lanes, kept = layout.elements_per_stick, (layout.arrangement, layout.padding)
    orders = sorted(_orders(layout.dim_order), key=_distance)
    return (layout, *(stick_layout(shape, strides, lanes, order, *kept) for order in orders))


def _orders(present: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    dims = [dim for dim in present[:-1] if dim != UNIT]
    for inner in permutations(dims):
        order = (*inner, *present[-1:])
        if order != present:
            yield order
        if inner and len(order) < MAX_DIM_ORDER and (UNIT, *order) != present:
            yield (UNIT, *order)


def _distance(order: tuple[int, ...]) -> tuple[bool, int, tuple[int, ...]]:
    """A unit dim is the last resort; then pairs of dims out of host order."""
    swapped = sum(first > second for first, second in combinations([dim for dim in order[:-1] if dim != UNIT], 2))
    return order[:1] == (UNIT,), swapped, order


def public_order(layout: StickLayout, buffer: Buffer, tables: frozenset[Dims] = frozenset()) -> StickLayout:
    """The public heuristic: the largest dim trades places with the one just inside the count of sticks if it is larger,
    so that it stands just before the stick.  Dims of tables stay.

    >>> from compiler.loops import BufferKind, DType
    >>> scores = Buffer("scores", DType.F16, (4, 512, 512), (262144, 512, 1), BufferKind.COMPUTED)
    >>> default = stick_layout(scores.shape, scores.strides, 64)
    >>> default.device_size, public_order(default, scores).device_size
    ((512, 8, 4, 64), (4, 8, 512, 64))
    """
    order = layout.dim_order
    if len(order) < 3 or order[0] == UNIT:
        return layout
    fixed = frozenset[int]().union(*tables)
    movable = [place for place in range(1, len(order) - 1) if order[place] not in fixed]
    place = max(movable, key=lambda place: buffer.shape[order[place]], default=0)
    if order[0] in fixed or buffer.shape[order[place]] <= buffer.shape[order[0]]:
        return layout
    swapped = list(order)
    swapped[0], swapped[place] = order[place], order[0]
    return reordered(layout, buffer, tuple(swapped))
