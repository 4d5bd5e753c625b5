"""Seating: places in LX for what is demanded, found by trying them in order of bytes.

Owns the search: what a demand may be met by, which divisions that leaves, and how much is in LX at every tick.  It says
whether it has tried everything, so that having found nothing means that there is nothing.  Refuses addresses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from compiler.plan import EditKind
from compiler.solvers.joint.demands import Asked
from compiler.solvers.joint.judge import trivial
from compiler.solvers.joint.problem import DEVICE, HOME, NOWHERE, Answer, Item, Tie

TRIED = 300
"""Seats that are taken for a set of demands, and 10 more for each."""

Allowed = tuple[frozenset[int], ...]
"""The choices that are left to every task."""


@dataclass(frozen=True, slots=True)
class Span:
    """Something in LX: copy or HOME, view, bytes per core, units, first and last tick."""

    copy: int
    view: int
    foot: int
    units: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Seat:
    """A way to have an item in LX for one reader: the view as written (NOWHERE: it is not there so) and that which the
    reader needs, and what that takes."""

    item: int
    left: int
    needed: int
    reader: int
    way: int
    spans: tuple[Span, ...]


@dataclass(slots=True)
class Seating:
    """Tries seats; `whole` says after a search whether everything was tried."""

    asked: Asked
    capacity: int = -1
    whole: bool = False
    _seats: dict[tuple[int, bool], tuple[Seat, ...]] = field(default_factory=dict)
    _able: dict[tuple[int, int, int], frozenset[int]] = field(default_factory=dict)
    _taken: list[int] = field(default_factory=list)
    _at: dict[int, Seat] = field(default_factory=dict)
    _left: int = 0
    _every: Allowed = ()

    def found(self, wanted: Sequence[int], room: int | None = None, tried: int = 0) -> Answer | None:
        """An answer that meets these demands (by number) in so many units of LX, if there is one among those tried."""
        ties = self._ties(wanted)
        made = self._tried(wanted, ties, room, tried)
        return None if made is None else self._answer(made, ties)

    def fits(self, wanted: Sequence[int], tried: int = 0) -> bool:
        """Whether there is such an answer, without making it."""
        return self._tried(wanted, self._ties(wanted), None, tried) is not None

    def _ties(self, wanted: Sequence[int]) -> list[Tie]:
        ties = (self.asked.demands[number].tie for number in wanted)
        return [tie for tie in ties if tie is not None]

    def _tried(self, wanted: Sequence[int], ties: list[Tie], room: int | None, tried: int) -> Allowed | None:
        """The choices that seats for these demands leave."""
        problem = self.asked.problem
        self.capacity = problem.capacity // problem.alignment if room is None else room
        self._left, self._at = tried or TRIED + 10 * len(wanted), {}
        self._taken = [0] * (2 * len(problem.tasks) + 2)
        demands = [self.asked.demands[number] for number in wanted]
        rings = {demand.item for demand in demands if demand.ring}
        items = sorted({demand.item for demand in demands if demand.item >= 0}, key=self._time)
        self._every = self._every or tuple(frozenset(range(len(task.menu.choices))) for task in problem.tasks)
        allowed = _narrowed(self._every, ties)
        made = None if allowed is None else self._seated([(item, item in rings) for item in items], 0, allowed, ties)
        self.whole = self._left > 0
        return made

    def least(self, wanted: Sequence[int]) -> tuple[int, Answer] | None:
        """The fewest units of LX in which these demands were met, and how; None if they cannot be met at all."""
        highest = (max((one.units for seat in self._of(n) for one in seat.spans), default=0) for n in wanted)
        low, high = 0, 2 * sum(highest)
        best = answer = self.found(wanted, high)
        while best is not None and low < high:
            middle = (low + high) // 2
            answer = self.found(wanted, middle)
            low, high, best = (low, middle, answer) if answer is not None else (middle + 1, high, best)
        return None if best is None else (high, best)

    def _of(self, number: int) -> tuple[Seat, ...]:
        demand = self.asked.demands[number]
        return self.seats(demand.item, demand.ring) if demand.item >= 0 else ()

    def _time(self, item: int) -> tuple[int, int]:
        one = self.asked.problem.items[item]
        return one.writer if one.writer >= 0 else min(one.readers, default=0), item

    # The search

    def _seated(self, items: list[tuple[int, bool]], place: int, allowed: Allowed, ties: list[Tie]) -> Allowed | None:
        """Seats for all items from a place on; the choices that this leaves."""
        if place == len(items):
            return allowed
        for seat in self.seats(*items[place]):
            left = self._with(seat, allowed, ties)
            if left is None or not self._leaves(seat, items[place + 1 :], left):
                continue
            self._left -= 1
            if self._left <= 0:
                return None
            spared = self._spared(seat)
            if self._take(seat, spared):
                self._at[seat.item] = seat
                found = self._seated(items, place + 1, left, ties)
                if found is not None:
                    return found
                del self._at[seat.item]
            self._add(seat, spared, -1)
        return None

    def _with(self, seat: Seat, allowed: Allowed, ties: list[Tie]) -> Allowed | None:
        """The choices that a seat leaves; None if it leaves some task none."""
        left = list(allowed)
        for task, able in self._needs(seat):
            left[task] &= able
            if not left[task]:
                return None
        return _narrowed(tuple(left), ties) if ties else tuple(left)

    def _needs(self, seat: Seat) -> Iterator[tuple[int, frozenset[int]]]:
        """The tasks that have to do with a seat, and the choices of each that it allows."""
        writer = self.asked.problem.items[seat.item].writer
        for task, view in ((writer, seat.left), (seat.reader, seat.needed)):
            if task >= 0 and view != NOWHERE:
                yield task, self._choices(task, seat.item, view)

    def _choices(self, task: int, item: int, view: int) -> frozenset[int]:
        key = task, item, view
        if key not in self._able:
            problem = self.asked.problem
            self._able[key] = frozenset(problem.tasks[task].menu.by_view[problem.places[task][item]].get(view, ()))
        return self._able[key]

    def _leaves(self, seat: Seat, others: Sequence[tuple[int, bool]], allowed: Allowed) -> bool:
        """Whether every other item at the tasks of a seat still has one."""
        tasks = [task for task, _ in self._needs(seat)]
        near = {item for task in tasks for item in self.asked.problem.tasks[task].operands}
        return all(
            any(
                not any(allowed[task].isdisjoint(able) for task, able in self._needs(one)) for one in self.seats(*other)
            )
            for other in others
            if other[0] in near
        )

    def _spared(self, seat: Seat) -> bool:
        """Whether it takes over the place of what dies where it is written."""
        item = self.asked.problem.items[seat.item]
        if seat.left == NOWHERE:
            return False
        own = seat.spans[0]
        others = (span for parent in item.parents if parent in self._at for span in self._at[parent].spans)
        return any(one.last == own.first > one.first and (one.view, one.foot) == (own.view, own.foot) for one in others)

    def _take(self, seat: Seat, spared: bool) -> bool:
        """Take the room of a seat; whether there was enough."""
        self._add(seat, spared, 1)
        return all(
            self._taken[tick] <= self.capacity for span in seat.spans for tick in range(span.first, span.last + 1)
        )

    def _add(self, seat: Seat, spared: bool, sign: int) -> None:
        for span in seat.spans:
            for tick in range(span.first + (spared and span.copy == HOME), span.last + 1):
                self._taken[tick] += sign * span.units

    # Seats

    def seats(self, item: int, ring: bool) -> tuple[Seat, ...]:
        """All seats of an item, those of the fewest bytes for the shortest time first."""
        if (item, ring) not in self._seats:
            found = [seat for seat in self._all(item) if not ring or self._is_ring(seat)]
            found.sort(key=lambda seat: (sum(one.units for one in seat.spans), _ticks(seat), seat.reader, seat.way))
            self._seats[item, ring] = tuple(found)
        return self._seats[item, ring]

    def _is_ring(self, seat: Seat) -> bool:
        return seat.way >= 0 and self.asked.problem.items[seat.item].copies[seat.way].kind is EditKind.RELAYOUT

    def _all(self, number: int) -> Iterator[Seat]:
        item = self.asked.problem.items[number]
        for view in item.feet:
            if not item.readers:
                yield Seat(number, view, NOWHERE, -1, HOME, (self._home(item, view, 0),))
            for reader in item.readers:
                if self._may(number, reader, view):
                    yield Seat(number, view, view, reader, HOME, (self._home(item, view, 2 * reader + 1),))
        for place, copy in enumerate(item.copies):
            for reader in copy.readers:
                if self._may(number, reader, copy.view):
                    yield from self._copied(number, place, reader)

    def _copied(self, number: int, place: int, reader: int) -> Iterator[Seat]:
        """The seats of a copy for a reader: a relayout has one for every view that it may start from."""
        item = self.asked.problem.items[number]
        copy = item.copies[place]
        units = self.asked.problem.height(copy.foot_bytes)
        span = Span(place, copy.view, copy.foot_bytes, units, 2 * copy.before, 2 * reader + 1)
        if copy.kind is not EditKind.RELAYOUT:
            yield Seat(number, NOWHERE, copy.view, reader, place, (span,))
            return
        for view in copy.bills:
            if view in item.feet:
                yield Seat(number, view, copy.view, reader, place, (self._home(item, view, 2 * copy.before), span))

    def _home(self, item: Item, view: int, last: int) -> Span:
        """An item as written, until a tick; it is cloned out right after its writer."""
        first = 2 * item.writer + 1
        foot = item.feet[view]
        return Span(HOME, view, foot, self.asked.problem.height(foot), first, max(first + 1, last))

    def _may(self, item: int, reader: int, view: int) -> bool:
        place = self.asked.problem.places[reader].get(item)
        return place is not None and view in self.asked.problem.tasks[reader].menu.by_view[place]

    # Answers

    def _answer(self, allowed: Allowed, ties: list[Tie]) -> Answer:
        """The answer of the seats; of the choices that are left the first ones."""
        problem, start = self.asked.problem, trivial(self.asked.problem)
        for task in range(len(problem.tasks)) if ties else ():
            narrowed = _narrowed((*allowed[:task], frozenset({min(allowed[task])}), *allowed[task + 1 :]), ties)
            assert narrowed is not None, "ties along a tree have an answer if every two tasks of one have"
            allowed = narrowed
        resident, out, served = list(start.resident), list(start.out), [list(ways) for ways in start.served]
        for number, seat in self._at.items():
            item = problem.items[number]
            resident[number] = seat.left != NOWHERE
            if seat.reader >= 0:
                served[number][item.readers.index(seat.reader)] = seat.way
            others = any(way == DEVICE for way in served[number])
            out[number] = resident[number] and (item.output or others)
        choices = tuple(min(left) for left in allowed)
        return Answer(choices, tuple(resident), tuple(out), tuple(tuple(ways) for ways in served))


def _ticks(seat: Seat) -> int:
    return max(span.last for span in seat.spans) - min(span.first for span in seat.spans)


def _narrowed(allowed: Allowed, ties: Sequence[Tie]) -> Allowed | None:
    """The choices left where tied tasks have only cuts that all of them have; None if some task has none."""
    left, changed = list(allowed), True
    while changed:
        changed = False
        for tie in ties:
            pairs = list(zip(tie.tasks, tie.cuts, strict=True))
            common = frozenset[int].intersection(*(frozenset(cuts[one] for one in left[task]) for task, cuts in pairs))
            for task, cuts in pairs:
                kept = frozenset(one for one in left[task] if cuts[one] in common)
                changed |= kept != left[task]
                left[task] = kept
    return tuple(left) if all(left) else None
