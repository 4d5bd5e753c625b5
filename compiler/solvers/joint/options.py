"""Options: what a step may do next in a search that goes through the tasks in order.

Owns the product of divisions, of the ways in which what is read may be had, and of where what is written is left; of
options that look alike from outside the cheapest is kept.  Refuses to know how full LX is: that is `beam`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from compiler.solvers.joint.problem import DEVICE, NOWHERE, JointProblem, Load, Task
from compiler.solvers.joint.seats import Seat, Seats, Way


@dataclass(frozen=True, slots=True, eq=False)
class Option:
    """What a step does, and what that changes.

    `delta` is its cost less what the seats after it are worth, plus what those before it were.  `ways` are those of
    its reads, `seats` what is left of them and of what is written, in order of items.  Room: `even` at the tick before
    the step, `odd` at its tick, `units` after it, all on top of what lay there before; `tail` one tick longer; `late`
    from the tick before an earlier task on.
    """

    delta: float
    choice: int
    ways: tuple[int, ...]
    resident: bool
    seats: tuple[Seat, ...]
    even: int
    odd: int
    units: int
    tail: int = 0
    late: tuple[tuple[int, int], ...] = ()
    loads: tuple[tuple[int, Load], ...] = ()


@dataclass(frozen=True, slots=True)
class Reads:
    """What a task reads: items, and of each the operand that decides (-1: none does) and the bits of all its operands.

    Of what it only loads, those items that others may have in LX.
    """

    items: tuple[int, ...]
    places: tuple[int, ...]
    bits: tuple[int, ...]

    @classmethod
    def of(cls, problem: JointProblem, number: int) -> Reads:
        """The reads of a task."""
        task, places = problem.tasks[number], problem.places[number]
        operands = [item for place, item in enumerate(task.operands) if place != task.writes]
        loaded = [item for item in task.inputs if problem.items[item].feet or problem.items[item].copies]
        items = tuple(dict.fromkeys(operands + loaded))
        bits = (sum(1 << place for place, item in enumerate(task.operands) if item == one) for one in items)
        return cls(items, tuple(places.get(item, -1) for item in items), tuple(bits))

    @property
    def placed(self) -> Iterator[tuple[int, int]]:
        """Item and operand of each."""
        return zip(self.items, self.places, strict=True)


@dataclass(frozen=True, slots=True, eq=False)
class Left:
    """Where what is written is left: its seat, what that costs less what it is worth, its room at the tick of the task,
    and that which it takes one tick longer.  `taken` is the view and the bytes by which it may take over a place."""

    inside: bool
    net: float = 0.0
    seat: Seat | None = None
    height: int = 0
    tail: int = 0
    taken: tuple[int, int] | None = None


OUTSIDE = Left(False)
Priced = tuple[float, int, Way]
"""A way of a read: what it costs less what the seat after it is worth, its bits in LX, and itself."""
Row = tuple[float, int, tuple[Priced, ...], Left]
"""An option in short: delta, choice, ways and where what is written is left."""


@dataclass(slots=True)
class Offers:
    """A task: where what it writes may be left by view, and how it may get what it reads by seat and view."""

    seats: Seats
    number: int
    task: Task = field(init=False)
    reads: Reads = field(init=False)
    _left: dict[int, tuple[Left, ...]] = field(default_factory=dict)
    _ways: dict[tuple[int, Seat | None, int], list[Priced]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        problem = self.seats.problem
        self.task = problem.tasks[self.number]
        self.reads = Reads.of(problem, self.number)

    def ways(self, place: int, seat: Seat | None, view: int) -> list[Priced]:
        """The ways of a read (a number, not an operand)."""
        key = place, seat, view
        if key not in self._ways:
            bits, found = self.reads.bits[place], self.seats.ways(self.reads.items[place], self.number, seat, view)
            self._ways[key] = [(_net(way), bits * (way.way != DEVICE), way) for way in found]
        return self._ways[key]

    def left(self, view: int) -> tuple[Left, ...]:
        """Where what is written under a view may be left."""
        if view not in self._left:
            self._left[view] = tuple(self._lefts(view)) if self.task.writes >= 0 else (OUTSIDE,)
        return self._left[view]

    def _lefts(self, view: int) -> Iterator[Left]:
        seats, number = self.seats, self.task.operands[self.task.writes]
        item = seats.problem.items[number]
        if item.pinned != "lx" or seats.held[number]:
            yield OUTSIDE
        if view not in item.feet or item.pinned == "hbm":
            return
        seat, cost = seats.after(number, self.number, 0, view, item.output, ())
        cost += item.output * seats.prospects.outs[number]
        height = seats.problem.height(item.feet[view])
        tail = height if seat is None or seat.view == NOWHERE else 0
        yield Left(True, cost - (seat.worth if seat else 0.0), seat, height, tail, (view, item.feet[view]))

    def takes(self, ways: list[Way], taken: tuple[int, int]) -> bool:
        """Whether what is written takes over the place of something read that ends with the task."""
        parents = self.seats.problem.items[self.task.operands[self.task.writes]].parents
        return any(way.stay == taken and item in parents for way, item in zip(ways, self.reads.items, strict=True))


@dataclass(slots=True)
class Step:
    """A task, for given seats of what it reads."""

    offers: Offers
    held: tuple[Seat, ...]
    worth: float = field(init=False)
    units: int = field(init=False)
    _made: list[Option] = field(default_factory=list)
    _rows: Iterator[Row] | None = None
    _seen: set[tuple[object, ...]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.worth = sum(seat.worth for seat in self.held)
        self.units = sum(seat.units for seat in self.held)

    def options(self) -> Iterator[Option]:
        """What looks different from outside, cheapest first."""
        yield from self._made
        if self._rows is None:
            self._rows = iter(sorted(self._all(), key=lambda row: row[0]))
        for row in self._rows:
            option = self._option(row)
            key = option.seats, option.even, option.odd, option.late
            if key not in self._seen:
                self._seen.add(key)
                self._made.append(option)
                yield option

    def _all(self) -> Iterator[Row]:
        offers, writes, worth = self.offers, self.offers.task.writes, self.worth
        there = {seat.item: seat for seat in self.held}
        known = [(place, read, there.get(item)) for read, (item, place) in enumerate(offers.reads.placed)]
        table = offers.seats.prospects.costs[offers.number].plain
        for choice, division in enumerate(offers.task.menu.choices):
            row, views = table[choice], division.views
            lists = [offers.ways(read, seat, views[place] if place >= 0 else NOWHERE) for place, read, seat in known]
            for combined in product(*lists):
                inside, net = 0, worth
                for one in combined:
                    net += one[0]
                    inside |= one[1]
                for left in offers.left(views[writes] if writes >= 0 else NOWHERE):
                    mask = inside | 1 << writes if left.inside else inside
                    yield net + row[mask] + left.net, choice, combined, left

    def _option(self, row: Row) -> Option:
        delta, choice, combined, left = row
        offers, ways = self.offers, [one[2] for one in combined]
        after = [way.seat for way in ways if way.seat is not None]
        if left.seat is not None:
            after.append(left.seat)
        after.sort(key=lambda one: one.item)
        inside = sum(one[1] for one in combined) | left.inside << max(offers.task.writes, 0)
        table = offers.seats.prospects.costs[offers.number].shared
        height = 0 if left.taken and offers.takes(ways, left.taken) else left.height
        return Option(
            delta,
            choice,
            tuple(way.way for way in ways),
            left.inside,
            tuple(after),
            sum(way.opened for way in ways),
            sum(way.units for way in ways) + height - self.units,
            sum(one.units for one in after) - self.units,
            left.tail,
            tuple((way.late, way.opened) for way in ways if way.late >= 0),
            tuple((offers.task.touched[load.operand], load) for load in table[choice][inside]),
        )


def _net(way: Way) -> float:
    return way.cost - (way.seat.worth if way.seat else 0.0)
