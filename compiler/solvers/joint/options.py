"""Options: what a step may do next in a search that goes through the tasks in order.

Owns the product of divisions, of the ways in which what is read may be had, and of where what is written is left; of
options that look alike from outside the cheapest is kept.  Refuses to know how full LX is: that is `beam`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from compiler.solvers.joint.problem import DEVICE, NOWHERE, Load
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
    """What a task reads: items in order of operands, the operand of each and all its bits."""

    items: tuple[int, ...]
    places: tuple[int, ...]
    bits: tuple[int, ...]

    @classmethod
    def of(cls, operands: tuple[int, ...], places: Mapping[int, int], writes: int) -> Reads:
        """The reads of a task."""
        items = tuple(dict.fromkeys(item for place, item in enumerate(operands) if place != writes))
        bits = tuple(sum(1 << place for place, item in enumerate(operands) if item == one) for one in items)
        return cls(items, tuple(places[item] for item in items), bits)


@dataclass(slots=True)
class Step:
    """A task, for given seats of what it reads."""

    seats: Seats
    number: int
    reads: Reads
    held: tuple[Seat, ...]

    def options(self, most: int) -> list[Option]:
        """The best options, cheapest first."""
        menu = self.seats.problem.tasks[self.number].menu
        there = {seat.item: seat for seat in self.held}
        known: dict[tuple[int, int], list[Way]] = {}
        found: dict[tuple[object, ...], Option] = {}
        for choice, division in enumerate(menu.choices):
            lists = []
            for item, place in zip(self.reads.items, self.reads.places, strict=True):
                view = division.views[place]
                if (item, view) not in known:
                    known[item, view] = self.seats.ways(item, self.number, there.get(item), view)
                lists.append(known[item, view])
            for ways in product(*lists):
                for option in self._written(choice, ways):
                    key = option.seats, option.even, option.odd, option.late
                    if key not in found or option.delta < found[key].delta:
                        found[key] = option
        return sorted(found.values(), key=lambda option: option.delta)[:most]

    def _written(self, choice: int, ways: tuple[Way, ...]) -> list[Option]:
        """The options of a choice: with what is written outside of LX, and inside."""
        problem = self.seats.problem
        task = problem.tasks[self.number]
        inside = sum(bits for way, bits in zip(ways, self.reads.bits, strict=True) if way.way != DEVICE)
        if task.writes < 0:
            return [self._option(choice, ways, inside, None, 0, 0)]
        number = task.operands[task.writes]
        item, view = problem.items[number], task.menu.choices[choice].views[task.writes]
        found = []
        if item.pinned != "lx" or self.seats.held[number]:
            found.append(self._option(choice, ways, inside, None, 0, 0))
        if view not in item.feet or item.pinned == "hbm":
            return found
        seat, cost = self.seats.after(number, self.number, 0, view, item.output, ())
        cost += item.output * self.seats.prospects.outs[number]
        height, taken = problem.height(item.feet[view]), (view, item.feet[view])
        takes = any(
            way.stay == taken and parent in item.parents for way, parent in zip(ways, self.reads.items, strict=True)
        )
        tail = height if seat is None or seat.view == NOWHERE else 0
        option = self._option(choice, ways, inside | 1 << task.writes, seat, 0 if takes else height, tail, cost)
        return [*found, option]

    def _option(
        self,
        choice: int,
        ways: tuple[Way, ...],
        inside: int,
        seat: Seat | None,
        height: int,
        tail: int,
        cost: float = 0,
    ) -> Option:
        table = self.seats.prospects.costs[self.number]
        left = [way.seat for way in ways if way.seat is not None]
        if seat is not None:
            left.append(seat)
        left.sort(key=lambda one: one.item)
        before = sum(one.units for one in self.held)
        delta = cost + table.plain[choice][inside] + sum(way.cost for way in ways)
        delta += sum(one.worth for one in self.held) - sum(one.worth for one in left)
        task = self.seats.problem.tasks[self.number]
        return Option(
            delta,
            choice,
            tuple(way.way for way in ways),
            bool(task.writes >= 0 and inside >> task.writes & 1),
            tuple(left),
            sum(way.opened for way in ways),
            sum(way.units for way in ways) + height - before,
            sum(one.units for one in left) - before,
            tail,
            tuple((way.late, way.opened) for way in ways if way.late >= 0),
            tuple((task.operands[load.operand], load) for load in table.shared[choice][inside]),
        )
