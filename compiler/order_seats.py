"""Order seats: the cheapest way to give one buffer, and copies of it, orders that grant what is asked of it.

Owns which accesses are served by the buffer itself and which by copies, and what those cost.  Refuses to know who asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from operator import or_

from compiler.cost.requests import copy_us
from compiler.device import Device
from compiler.dim_orders import Wish, best_order
from compiler.layout import StickLayout
from compiler.loops import Buffer
from compiler.order_needs import NS_PER_US, Need
from compiler.tails import padded

MOST_NEEDS = 6  # different ones of a buffer, up to which every way to share copies is looked at
Group = tuple[Need, ...]


@dataclass(frozen=True, slots=True)
class Seat:
    """A buffer, without its name, in its present layout.  `free`: it may take any order at no cost; `copied`: its reads
    may be sent to copies; `fills`: zeros behind its dims cost nothing, the host or an inserted copy writes them."""

    buffer: Buffer
    layout: StickLayout
    free: bool
    copied: bool
    fills: bool


@dataclass(frozen=True, slots=True)
class Copied:
    """A copy in another layout, and the needs that it serves, all of one epoch."""

    layout: StickLayout
    needs: Group


@dataclass(frozen=True, slots=True)
class Seating:
    """The layout of the buffer itself, what it is there for, the copies, and what they and copies for zeros cost.

    `least_ns`: no way to serve the same needs costs less.
    """

    layout: StickLayout
    wish: Wish
    copies: tuple[Copied, ...]
    ns: int
    least_ns: int


@lru_cache(maxsize=1 << 12)
def seating(device: Device, seat: Seat, needs: Group) -> Seating | None:
    """The cheapest way to serve all needs, which must differ; None if there is none.  Of equals the one with the fewest
    copies.

    Kept, because equal layers of a model ask again and again.
    """
    together = _seated(device, seat, needs, ())
    if together is not None and together.ns == 0:
        return together
    if len(needs) > MOST_NEEDS:
        found = _first_fit(device, seat, needs)
        return None if found is None else replace(found, least_ns=0)
    ways = (_seated(device, seat, own, copies) for own, copies in _ways(seat, needs))
    return min((way for way in ways if way is not None), key=lambda way: (way.ns, len(way.copies)), default=None)


def _ways(seat: Seat, needs: Group) -> Iterator[tuple[Group, tuple[Group, ...]]]:
    """Needs of the buffer itself, and groups of needs that share a copy; few copies first."""
    if not needs:
        yield (), ()
        return
    last = needs[-1]
    for own, copies in _ways(seat, needs[:-1]):
        yield (*own, last), copies
        if last.written or not seat.copied:
            continue
        for place, group in enumerate(copies):
            if group[0].epoch == last.epoch:
                yield own, (*copies[:place], (*group, last), *copies[place + 1 :])
        yield own, (*copies, (last,))


def _first_fit(device: Device, seat: Seat, needs: Group) -> Seating | None:
    """A way found without search: every need where it fits first."""
    own: Group = ()
    copies: tuple[Group, ...] = ()
    for need in needs:
        options = [
            ((*own, need), copies),
            *(
                (own, (*copies[:place], (*group, need), *copies[place + 1 :]))
                for place, group in enumerate(copies)
                if group[0].epoch == need.epoch and not need.written
            ),
            *([(own, (*copies, (need,)))] if seat.copied and not need.written else []),
        ]
        fitting = [option for option in options if _seated(device, seat, *option) is not None]
        if not fitting:
            return None
        own, copies = fitting[0]
    return _seated(device, seat, own, copies)


def _seated(device: Device, seat: Seat, own: Group, copies: tuple[Group, ...]) -> Seating | None:
    """One way with its cost; None if some wish cannot be granted."""
    wish = _wish(own)
    layout = best_order(seat.buffer, seat.layout, wish) if seat.free else seat.layout
    if layout is None or not wish.granted(layout):
        return None
    ns = 0 if seat.fills else _zeros_ns(device, seat.buffer, layout, own)
    made = []
    for group in copies:
        target = best_order(seat.buffer, layout, _wish(group))
        if target is None:
            return None
        ns += _copy_ns(device, seat.buffer, layout, padded(target, seat.buffer, _zeros(group)))
        made.append(Copied(target, group))
    return Seating(layout, wish, tuple(made), ns, ns)


def _zeros_ns(device: Device, buffer: Buffer, layout: StickLayout, own: Group) -> int:
    """Copies that only fill up dims with zeros, one per epoch."""
    total = 0
    for epoch in dict.fromkeys(need.epoch for need in own if need.padding):
        zeros = _zeros(tuple(need for need in own if need.epoch == epoch))
        total += _copy_ns(device, buffer, layout, padded(layout, buffer, zeros))
    return total


def _copy_ns(device: Device, buffer: Buffer, source: StickLayout, target: StickLayout) -> int:
    return round(NS_PER_US * copy_us(device, buffer, source, target))


def _wish(group: Group) -> Wish:
    return reduce(or_, (need.wish for need in group), Wish())


def _zeros(group: Group) -> tuple[tuple[int, int], ...]:
    return tuple(zeros for need in group for zeros in need.padding)
