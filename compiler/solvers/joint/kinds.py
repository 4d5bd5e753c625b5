"""Kinds: where an item may be between two steps, and the ways in which a step may get it from there.

Owns what a way costs, what room it takes and which seat it leaves.  Tasks are counted from the writer of an item, or
from its first reader, so that items of repeated layers have one kind.  An item without a seat is in device memory only.
Refuses to compare: that is `beam`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from frozendict import frozendict

from compiler.solvers.joint.problem import DEVICE, HOME, NOWHERE, Item

Gains = dict[int, float]
"""What a task saves by each view of an operand."""

HELD = 1e6
"""What it is worth that a pin to LX, or to the ring, is kept; half of it is hoped for where it still may be."""

LATE = 40
"""So many tasks after it should have been made a copy is still thought of."""


@dataclass(frozen=True, slots=True)
class CopyKind:
    """A copy: like `Copy`, with costs by what it starts from; `ring` if it does not start from device memory."""

    view: int
    foot_bytes: int
    height: int
    before: int
    readers: tuple[int, ...]
    costs: frozendict[int, float]
    ring: bool


@dataclass(frozen=True, slots=True, eq=False)
class Seat:
    """An item in LX before the `since`-th of its readers: under `view` as written (NOWHERE: no longer) and in copies.

    `out`: it is in device memory too.  `met`: its pin is kept.  `units` is the room it takes, `worth` what later
    readers gain by it, `loss` what it costs to put it out.
    """

    since: int
    view: int
    out: bool
    copies: tuple[int, ...]
    met: bool
    units: int
    worth: float
    loss: float


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """How a task gets an item: HOME, DEVICE or a copy; what it costs, and the seat that it leaves.

    `net` is the cost less what the seat is worth.  `units` is the room at the tick of the task, `opened` that of a copy
    made for it, from the tick before the task on; if it should have been made `late` tasks earlier, from then on.
    `stay` is the view and the bytes of what the task reads in LX, if that ends with it.
    """

    way: int
    net: float
    seat: Seat | None
    units: int = 0
    opened: int = 0
    late: int = 0
    stay: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class Kind:
    """What is the same for all such items; `item` is one of them.  `gains` of every reader."""

    item: Item
    out: float
    readers: tuple[int, ...]
    gains: tuple[Gains, ...]
    copies: tuple[CopyKind, ...]
    heights: dict[int, int]
    _seats: dict[tuple[int, int, bool, tuple[int, ...], bool], Seat] = field(default_factory=dict)
    _ways: dict[tuple[int, Seat | None, int, bool], tuple[Way, ...]] = field(default_factory=dict)

    @property
    def held(self) -> bool:
        """Whether the item is pinned to LX or to the ring: once that is so its seat stays, with nothing in it at the
        end."""
        return self.item.held

    @property
    def inert(self) -> bool:
        """Whether it never is in LX."""
        return not self.heights and not self.copies

    @cached_property
    def values(self) -> dict[int, float]:
        """What it is worth that the item is in LX as written, by view."""
        if self.item.pinned == "hbm":
            return {}
        out = self.item.output * self.out
        return {view: self.worth(0, view, self.item.output, ()) - out for view in self.item.feet}

    @cached_property
    def ends(self) -> dict[int, int]:
        """The last tick at which each view as written may be of use."""
        found = {}
        for view in self.item.feet:
            at = [2 * reader + 1 for reader, gains in zip(self.readers, self.gains, strict=True) if view in gains]
            at += [2 * copy.before for copy in self.copies if copy.ring and view in copy.costs]
            found[view] = max(at, default=NOWHERE)
        return found

    @cached_property
    def copy_ends(self) -> tuple[int, ...]:
        """The last tick at which each copy may be of use."""
        ways = list(zip(self.readers, self.gains, strict=True))
        return tuple(
            max((2 * reader + 1 for reader, gains in ways if reader in copy.readers and copy.view in gains), default=-1)
            for copy in self.copies
        )

    @cached_property
    def asked(self) -> tuple[frozenset[int], ...]:
        """For every reader the views that it may find the item under in LX."""
        by_copy = ({copy.view for copy in self.copies if reader in copy.readers} for reader in self.readers)
        return tuple(frozenset(self.heights) | views for views in by_copy)

    def worth(self, since: int, view: int, out: bool, copies: tuple[int, ...]) -> float:
        """What readers from the `since`-th on save if the item is in LX under a view (NOWHERE: it is not) and in these
        copies, less its clone-out where that is still to come."""
        total, abroad = 0.0, out
        for reader, gains in zip(self.readers[since:], self.gains[since:], strict=True):
            gain = max(self._gained(reader, gains, view, copies), default=0.0)
            total += max(gain, 0.0)
            abroad |= gain <= 0
        return total - (abroad and not out) * self.out

    def _gained(self, reader: int, gains: Gains, view: int, copies: tuple[int, ...]) -> Iterator[float]:
        """What a reader saves by each way in which it may get the item out of LX."""
        if view in gains:
            yield gains[view]
        for place, copy in enumerate(self.copies):
            if reader not in copy.readers or copy.view not in gains:
                continue
            if place in copies:
                yield gains[copy.view]
            elif copy.ring and view in copy.costs:
                yield gains[copy.view] - copy.costs[view] / len(copy.readers)

    def after(
        self, task: int, since: int, view: int, out: bool, copies: tuple[int, ...], met: bool
    ) -> tuple[Seat | None, float]:
        """The seat after a task, what is of no more use left out, and the clone-out that this needs."""
        if since >= len(self.readers):
            return None, 0.0
        if view != NOWHERE and self.ends[view] <= 2 * task + 1:
            view = NOWHERE
        copies = tuple(copy for copy in copies if self.copy_ends[copy] > 2 * task + 1)
        if view == NOWHERE and not copies:
            return self.bare(since, met), 0.0 if out else self.out
        return self._seat(since, view, out, copies, met), 0.0

    def bare(self, since: int, met: bool) -> Seat | None:
        """What is left of a seat when the item leaves LX."""
        return self._seat(since, NOWHERE, True, (), True) if self.held and met else None

    def _seat(self, since: int, view: int, out: bool, copies: tuple[int, ...], met: bool) -> Seat:
        key = since, view, out, copies, met
        if key not in self._seats:
            units = self.heights.get(view, 0) + sum(self.copies[copy].height for copy in copies)
            worth = self.worth(since, view, out, copies) + HELD / 2 * (self.held and not met)
            self._seats[key] = Seat(*key, units, worth, worth if out else worth + self.out)
        return self._seats[key]

    def _kept(self, seat: Seat | None, way: int) -> bool:
        """Whether a pin is kept once a reader has got the item so."""
        if not self.held or (seat is not None and seat.met):
            return True
        return way >= 0 and self.copies[way].ring if self.item.ring else way != DEVICE

    def _credit(self, seat: Seat | None, way: int) -> float:
        return HELD if self.held and not (seat and seat.met) and self._kept(seat, way) else 0.0

    def ways(self, index: int, seat: Seat | None, view: int, crowded: bool = False) -> tuple[Way, ...]:
        """Every way in which a reader may get the item that it needs under one of the views that are asked for, or
        else NOWHERE; only the best where it is there, unless LX is `crowded`: then also those that put the item out."""
        key = index, seat, view, crowded
        if key not in self._ways:
            found = self._all(index, seat, view)
            found += self._for_later(index, seat, view)
            if crowded and seat is not None and seat.units:
                found += [self._last(index, seat, way) for way in found[:1] if way.way != DEVICE and way.stay is None]
                found.append(self._last(index, seat, None))
            self._ways[key] = tuple(found)
        return self._ways[key]

    def _for_later(self, index: int, seat: Seat | None, view: int) -> list[Way]:
        """The ways with a relayout as well that is only made now and that later readers gain more by than it costs."""
        if seat is None or seat.view == NOWHERE:
            return []
        gained = {place: self._gained_later(index, seat, copy) for place, copy in enumerate(self.copies)}
        place = max(gained, key=lambda one: gained[one], default=-1)
        if place < 0 or self.copies[place].view == view or place in seat.copies or gained[place] <= 0:
            return []
        copy = self.copies[place]
        cost, copies = copy.costs[seat.view], tuple(sorted((*seat.copies, place)))
        both = self._seat(seat.since, seat.view, seat.out, copies, seat.met)
        ways = (way for way in self._all(index, both, view) if not way.opened)
        return [replace(way, net=way.net + cost, opened=copy.height) for way in ways]

    def _gained_later(self, index: int, seat: Seat, copy: CopyKind) -> float:
        """What readers after this one gain by a relayout that is made for it, were there no other, less its cost."""
        if not copy.ring or copy.before != self.readers[index] or seat.view not in copy.costs:
            return -1.0
        total = HELD if self.item.ring and not seat.met else 0.0
        for reader, gains in zip(self.readers[index + 1 :], self.gains[index + 1 :], strict=True):
            if reader in copy.readers and copy.view in gains:
                total += max(0.0, gains[copy.view] - max(0.0, gains.get(seat.view, 0.0)))
        return total - copy.costs[seat.view]

    def _last(self, index: int, seat: Seat, way: Way | None) -> Way:
        """The way of a reader after which the item is put out, or by device memory, the item having been put out."""
        over, place = index + 1 == len(self.readers), way.way if way else DEVICE
        left = None if over else self.bare(index + 1, self._kept(seat, place))
        cost = (0.0 if seat.out or (over and way) else self.out) - self._credit(seat, place)
        net = cost - _worth(left)
        if way is None:
            return Way(DEVICE, net, left)
        if way.way == HOME:
            return Way(HOME, net, left, self.heights[seat.view], stay=(seat.view, self.item.feet[seat.view]))
        copy = self.copies[way.way]
        return Way(way.way, net, left, copy.height, stay=(copy.view, copy.foot_bytes))

    def _all(self, index: int, seat: Seat | None, view: int) -> list[Way]:
        reader = self.readers[index]
        if view == NOWHERE:
            return [self._loaded(index, seat)]
        if seat is not None and seat.view == view:
            return [self._there(index, seat, HOME, (view, self.item.feet[view]))]
        fit = [k for k, copy in enumerate(self.copies) if copy.view == view and reader in copy.readers]
        for place in fit:
            if seat is not None and place in seat.copies:
                return [self._there(index, seat, place, (view, self.copies[place].foot_bytes))]
        found = [self._loaded(index, seat)]
        if self.item.pinned != "hbm":
            found += [way for place in fit for way in self._copied(index, seat, place)]
        return found

    def _there(self, index: int, seat: Seat, way: int, stay: tuple[int, int]) -> Way:
        """The way by what is in LX already."""
        met = self._kept(seat, way)
        left, cost = self.after(self.readers[index], index + 1, seat.view, seat.out, seat.copies, met)
        net = cost - self._credit(seat, way) - _worth(left)
        if left is not None and (left.view != NOWHERE if way == HOME else way in left.copies):
            return Way(way, net, left, left.units)
        height = self.heights[seat.view] if way == HOME else self.copies[way].height
        return Way(way, net, left, _units(left) + height, stay=stay)

    def _loaded(self, index: int, seat: Seat | None) -> Way:
        """The way by device memory."""
        if seat is None:
            return Way(DEVICE, 0.0, None)
        left, _ = self.after(self.readers[index], index + 1, seat.view, True, seat.copies, seat.met)
        return Way(DEVICE, (0.0 if seat.out else self.out) - _worth(left), left, _units(left))

    def _copied(self, index: int, seat: Seat | None, place: int) -> list[Way]:
        """The way by a copy that is made for it, if it can be."""
        copy, task = self.copies[place], self.readers[index]
        view, out, others = (seat.view, seat.out, seat.copies) if seat else (NOWHERE, True, ())
        start, late = view if copy.ring else DEVICE, task - copy.before
        if start not in copy.costs or late > LATE:
            return []
        cost, met = copy.costs[start] - self._credit(seat, place), self._kept(seat, place)
        if start == DEVICE and not out:
            cost, out = cost + self.out, True
        left, more = self.after(task, index + 1, view, out, tuple(sorted((*others, place))), met)
        net = cost + more - _worth(left)
        if left is not None and place in left.copies:
            return [Way(place, net, left, left.units, copy.height, late)]
        return [Way(place, net, left, _units(left) + copy.height, copy.height, late, (copy.view, copy.foot_bytes))]


def _worth(seat: Seat | None) -> float:
    return seat.worth if seat else 0.0


def _units(seat: Seat | None) -> int:
    return seat.units if seat else 0
