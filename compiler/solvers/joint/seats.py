"""Seats: where an item is between two steps, and the ways in which a step may get it from there.

Owns what a way costs, what room it takes and which seat it leaves, for a search that goes through the tasks in order.
Refuses to compare: that is `beam`.  An item without a seat is in device memory only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from compiler.solvers.joint.problem import DEVICE, HOME, NOWHERE, JointProblem
from compiler.solvers.joint.prospects import Prospects

HELD = 1e6
"""What it is worth that an item is in LX that is pinned there."""

LATE = 40
"""So many tasks after it should have been made a copy is still thought of."""


@dataclass(frozen=True, slots=True, eq=False)
class Seat:
    """An item in LX before the `since`-th of its readers: under `view` as written (NOWHERE: no longer) and in copies.

    `out`: it is in device memory too.  `units` is the room it takes, `worth` what later readers gain by it.
    """

    item: int
    since: int
    view: int
    out: bool
    copies: tuple[int, ...]
    units: int
    worth: float


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """How a task gets an item: HOME, DEVICE or a copy; what it costs, and the seat that it leaves.

    `units` is the room at the tick of the task, `opened` that of a copy made for it, from the tick before the task on,
    or from that before the earlier task `late` (-1: none).  `stay` is the view and the bytes of what the task reads in
    LX, if that ends with it.
    """

    way: int
    cost: float
    seat: Seat | None
    units: int = 0
    opened: int = 0
    late: int = -1
    stay: tuple[int, int] | None = None


@dataclass
class Seats:
    """Makes seats, equal ones once."""

    prospects: Prospects
    _made: dict[tuple[int, int, int, bool, tuple[int, ...]], Seat] = field(default_factory=dict)

    @property
    def problem(self) -> JointProblem:
        """The problem whose items they are."""
        return self.prospects.problem

    @cached_property
    def held(self) -> tuple[bool, ...]:
        """For every item whether only a copy can keep a pin to LX."""
        return tuple(item.pinned == "lx" and not item.feet for item in self.problem.items)

    def after(
        self, number: int, task: int, since: int, view: int, out: bool, copies: tuple[int, ...]
    ) -> tuple[Seat | None, float]:
        """The seat of an item after a task, what is of no more use left out, and the clone-out that this needs."""
        prospects = self.prospects
        if since >= len(self.problem.items[number].readers):
            return None, 0.0
        if view != NOWHERE and prospects.ends[number][view] <= 2 * task + 1:
            view = NOWHERE
        copies = tuple(copy for copy in copies if prospects.copy_ends[number][copy] > 2 * task + 1)
        if view == NOWHERE and not copies:
            cost = 0.0 if out else prospects.outs[number]
            return (self.seat(number, since, NOWHERE, True, ()) if self.held[number] else None), cost
        return self.seat(number, since, view, out, copies), 0.0

    def seat(self, number: int, since: int, view: int, out: bool, copies: tuple[int, ...]) -> Seat:
        """A seat."""
        key = number, since, view, out, copies
        if key not in self._made:
            item, height = self.problem.items[number], self.problem.height
            units = height(item.feet[view]) if view != NOWHERE else 0
            units += sum(height(item.copies[copy].foot_bytes) for copy in copies)
            self._made[key] = Seat(*key, units, self.prospects.worth(*key))
        return self._made[key]

    def loss(self, seat: Seat) -> float:
        """What it costs to take an item out of LX."""
        return seat.worth + (not seat.out) * self.prospects.outs[seat.item]

    def ways(self, number: int, task: int, seat: Seat | None, view: int) -> list[Way]:
        """Every way in which a task may get an item that it needs under a view; only the best where it is there."""
        item = self.problem.items[number]
        if view == NOWHERE:
            return [self._from_device(number, task, seat)]
        if seat is not None and seat.view == view:
            return [self._there(number, task, seat, HOME, (view, item.feet[view]))]
        fit = [k for k, copy in enumerate(item.copies) if copy.view == view and task in copy.readers]
        for place in fit:
            if seat is not None and place in seat.copies:
                return [self._there(number, task, seat, place, (view, item.copies[place].foot_bytes))]
        found = [self._from_device(number, task, seat)]
        if item.pinned != "hbm":
            found += [way for place in fit for way in self._copied(number, task, seat, place)]
        return found

    def _there(self, number: int, task: int, seat: Seat, way: int, stay: tuple[int, int]) -> Way:
        """The way by what is in LX already."""
        item = self.problem.items[number]
        left, cost = self.after(number, task, item.readers.index(task) + 1, seat.view, seat.out, seat.copies)
        if left is not None and (left.view != NOWHERE if way == HOME else way in left.copies):
            return Way(way, cost, left, left.units)
        return Way(way, cost, left, (left.units if left else 0) + self.problem.height(stay[1]), stay=stay)

    def _from_device(self, number: int, task: int, seat: Seat | None) -> Way:
        if seat is None:
            return Way(DEVICE, 0.0, None)
        item, cost = self.problem.items[number], 0.0 if seat.out else self.prospects.outs[number]
        left, _ = self.after(number, task, item.readers.index(task) + 1, seat.view, True, seat.copies)
        return Way(DEVICE, cost, left, left.units if left else 0)

    def _copied(self, number: int, task: int, seat: Seat | None, place: int) -> list[Way]:
        """The way by a copy that is made for it, if it can be."""
        item, costs = self.problem.items[number], self.prospects.copies[number][place]
        copy, since = item.copies[place], item.readers.index(task) + 1
        view, out, others = (seat.view, seat.out, seat.copies) if seat else (NOWHERE, True, ())
        start = DEVICE if DEVICE in costs else view
        if start not in costs or task - copy.before > LATE:
            return []
        cost = costs[start] - (seat is None and self.held[number]) * HELD
        if start == DEVICE and not out:
            cost, out = cost + self.prospects.outs[number], True
        left, more = self.after(number, task, since, view, out, tuple(sorted((*others, place))))
        opened, late = self.problem.height(copy.foot_bytes), copy.before if copy.before < task else -1
        units = left.units if left else 0
        if left is not None and place in left.copies:
            return [Way(place, cost + more, left, units, opened, late)]
        return [Way(place, cost + more, left, units + opened, opened, late, (copy.view, copy.foot_bytes))]
