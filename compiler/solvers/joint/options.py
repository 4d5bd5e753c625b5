"""Options: what a step may do next in a search that goes through the tasks in order.

Owns the product of divisions, of the ways in which what is read may be had, and of where what is written is left; of
options that look alike from outside the cheapest is kept.  Steps of repeated layers share theirs.  Refuses to know how
full LX is: that is `beam`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from compiler.solvers.joint.kinds import HELD, Kind, Seat, Way
from compiler.solvers.joint.problem import DEVICE, NOWHERE, JointProblem, Load, Menu
from compiler.solvers.joint.prospects import Costs, Prospects

Held = tuple[Seat | None, ...]
"""The seats of what a step reads."""


@dataclass(frozen=True, slots=True, eq=False)
class Option:
    """What a step does, and what that changes.

    `delta` is its cost less what the seats after it are worth, plus what those before it were.  `ways` are those of
    its reads, `seats` what is left of them and of what is written.  Room: `even` at the tick before the step, `odd` at
    its tick, `units` after it, all on top of what lay there before; `tail` one tick longer; `late` (tasks, units) from
    so many tasks earlier on.  `loads` are shared ones, by number of what the task touches.  `cut` is that of a tie.
    """

    delta: float
    choice: int
    ways: tuple[int, ...]
    resident: bool
    seats: Held
    even: int
    odd: int
    units: int
    tail: int
    late: tuple[tuple[int, int], ...]
    loads: tuple[Load, ...]
    cut: int


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


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """A read of a step: kind, which of its readers the step is, the operand that decides, the bits of all its operands,
    and whether what is written may take over its place."""

    kind: Kind
    index: int
    place: int
    bits: int
    parent: bool


@dataclass(frozen=True, slots=True)
class Left:
    """Where what is written is left: its seat, what that costs less what it is worth, its room at the tick of the task,
    and that which it takes one tick longer.  `stay` is its view and its bytes."""

    inside: bool
    net: float = 0.0
    seat: Seat | None = None
    height: int = 0
    tail: int = 0
    stay: tuple[int, int] | None = None


OUTSIDE = Left(False)
Priced = tuple[float, int, Way]
"""A way of a read: what it costs less what the seat after it is worth, its bits in LX, and itself."""
Row = tuple[float, int, tuple[Priced, ...], Left, int]
"""An option in short: delta, choice, ways, where what is written is left, and the cut of a tie."""

UNTIED, BARRED = -1, -2
"""The cut of a choice of a task that is in no tie, and of one that the others of its tie cannot follow."""


@dataclass(frozen=True, slots=True)
class Look:
    """Choices that look the same from outside: views of what is read and of what is written, and for each set of
    operands in LX what the cheapest costs, and which one that is."""

    reads: tuple[int, ...]
    left: int
    cut: int
    best: tuple[tuple[float, int], ...]


@dataclass(frozen=True, eq=False)
class Step:
    """What is the same for all tasks that do the same to the same kinds of items."""

    menu: Menu
    costs: Costs
    reads: tuple[Read, ...]
    writes: int
    written: Kind | None
    cuts: tuple[int, ...] = ()
    _left: dict[int, tuple[Left, ...]] = field(default_factory=dict)
    _options: dict[tuple[Held, bool], Options] = field(default_factory=dict)

    def options(self, held: Held, crowded: bool = False) -> Options:
        """What it may do for seats of what it reads; where LX is `crowded` these may be put out too."""
        if (held, crowded) not in self._options:
            self._options[held, crowded] = Options(self, held, crowded)
        return self._options[held, crowded]

    @cached_property
    def looks(self) -> tuple[Look, ...]:
        """The choices by how they look from outside: views that do not matter are NOWHERE."""
        found: dict[tuple[tuple[int, ...], int, int, object], list[int]] = {}
        for choice, division in enumerate(self.menu.choices):
            views, kind = division.views, self.written
            left = views[self.writes] if kind and views[self.writes] in kind.heights else NOWHERE
            reads = tuple(_mattering(read, views) for read in self.reads)
            cut = self.cuts[choice] if self.cuts else UNTIED
            if cut != BARRED:
                found.setdefault((reads, left, cut, self.costs.shared[choice]), []).append(choice)
        plain, masks = self.costs.plain, range(len(self.costs.plain[0]))
        return tuple(
            Look(reads, left, cut, tuple(min((plain[one][mask], one) for one in choices) for mask in masks))
            for (reads, left, cut, _), choices in found.items()
        )

    def rows(self, held: Held, crowded: bool) -> Iterator[Row]:
        """All options in short."""
        writes, worth = self.writes, sum(seat.worth for seat in held if seat)
        known: list[dict[int, list[Priced]]] = [{} for _ in held]
        for look in self.looks:
            lists = []
            for read, seat, view, ways in zip(self.reads, held, look.reads, known, strict=True):
                if view not in ways:
                    ways[view] = _priced(read, seat, view, crowded)
                lists.append(ways[view])
            for combined in product(*lists):
                inside, net = 0, worth
                for one in combined:
                    net += one[0]
                    inside |= one[1]
                for left in self.left(look.left):
                    cost, choice = look.best[inside | 1 << writes if left.inside else inside]
                    yield net + cost + left.net, choice, combined, left, look.cut

    def left(self, view: int) -> tuple[Left, ...]:
        """Where what is written under a view may be left."""
        if view not in self._left:
            self._left[view] = tuple(_lefts(self.written, view)) if self.written else (OUTSIDE,)
        return self._left[view]


def _mattering(read: Read, views: tuple[int, ...]) -> int:
    """The view of a read, NOWHERE if the item is never in LX so."""
    if read.place < 0 or read.kind.inert or views[read.place] not in read.kind.asked[read.index]:
        return NOWHERE
    return views[read.place]


def _priced(read: Read, seat: Seat | None, view: int, crowded: bool) -> list[Priced]:
    ways = read.kind.ways(read.index, seat, view, crowded)
    return [(way.net, read.bits * (way.way != DEVICE), way) for way in ways]


def _lefts(kind: Kind, view: int) -> Iterator[Left]:
    item = kind.item
    yield OUTSIDE
    if view not in item.feet or item.pinned == "hbm":
        return
    kept = kind.held and not item.readers
    seat, cost = kind.after(0, 0, view, item.output, (), kept)
    cost += item.output * kind.out - kept * HELD
    height = kind.heights[view]
    tail = height if seat is None or seat.view == NOWHERE else 0
    yield Left(True, cost - (seat.worth if seat else 0.0), seat, height, tail, (view, item.feet[view]))


@dataclass(eq=False)
class Options:
    """What a step may do for seats of what it reads, made when it is looked at."""

    step: Step
    held: Held
    crowded: bool
    _made: list[Option] = field(default_factory=list)
    _rows: Iterator[Row] | None = None
    _seen: set[tuple[object, ...]] = field(default_factory=set)

    def __iter__(self) -> Iterator[Option]:
        """What looks different from outside, cheapest first."""
        yield from self._made
        if self._rows is None:
            self._rows = iter(sorted(self.step.rows(self.held, self.crowded), key=lambda row: row[0]))
        for row in self._rows:
            option = self._option(row)
            key = option.seats, option.even, option.odd, option.late, option.cut
            if key not in self._seen:
                self._seen.add(key)
                self._made.append(option)
                yield option

    def _option(self, row: Row) -> Option:
        delta, choice, combined, left, cut = row
        ways = [one[2] for one in combined]
        before = sum(seat.units for seat in self.held if seat)
        inside = sum(one[1] for one in combined) | left.inside << max(self.step.writes, 0)
        reads = self.step.reads
        taken = any(way.stay == left.stay and read.parent for way, read in zip(ways, reads, strict=True) if way.stay)
        seats = (*(way.seat for way in ways), left.seat)
        return Option(
            delta,
            choice,
            tuple(way.way for way in ways),
            left.inside,
            seats,
            sum(way.opened for way in ways),
            sum(way.units for way in ways) + (0 if taken else left.height) - before,
            sum(seat.units for seat in seats if seat) - before,
            left.tail,
            tuple((way.late, way.opened) for way in ways if way.late),
            self.step.costs.shared[choice][inside],
            cut,
        )


@dataclass
class Steps:
    """The steps of a problem, equal ones once."""

    prospects: Prospects
    _made: dict[tuple[object, ...], Step] = field(default_factory=dict)

    def of(self, number: int) -> tuple[Step, tuple[int, ...]]:
        """A task as a step; what it reads, and last what it writes (-1 if it writes nothing)."""
        problem, kinds, costs = self.prospects.problem, self.prospects.kinds, self.prospects.costs[number]
        task, reads = problem.tasks[number], Reads.of(problem, number)
        written = task.operands[task.writes] if task.writes >= 0 else -1
        parents = problem.items[written].parents if written >= 0 else ()
        found = []
        for item, place, bits in zip(reads.items, reads.places, reads.bits, strict=True):
            kind = kinds[item]
            index = problem.items[item].readers.index(number) if not kind.inert else -1
            found.append(Read(kind, index, place, bits, item in parents))
        cuts, own = self._cuts(number), kinds[written] if written >= 0 else None
        key = id(costs), id(own), cuts, *((id(r.kind), *_rest(r)) for r in found)
        if key not in self._made:
            self._made[key] = Step(task.menu, costs, tuple(found), task.writes, own, cuts)
        return self._made[key], (*reads.items, written)

    def _cuts(self, number: int) -> tuple[int, ...]:
        """The cut of every choice of a task that is tied to others, as far as they all can follow."""
        problem = self.prospects.problem
        if number not in problem.tied:
            return ()
        tie, own = problem.tied[number]
        common = set[int].intersection(*(set(cuts) for cuts in tie.cuts))
        return tuple(cut if cut in common else BARRED for cut in own)


def _rest(read: Read) -> tuple[int, int, int, bool]:
    return read.index, read.place, read.bits, read.parent
