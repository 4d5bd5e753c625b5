"""State: an allowed answer that is changed step by step, with its price and the room that it takes at hand.

Owns what else has to change with a decision: readers that find an item no longer, or again, where they need it; clones
in device memory; places taken over.  Says the same as `price` and `faults`, which it is tested against.  Refuses to
choose: that is `descent` and `annealing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from compiler.plan import EditKind
from compiler.solvers.joint.problem import DEVICE, HOME, NOWHERE, Answer, Item, JointProblem
from compiler.solvers.joint.tally import Change, Entry, Tally

Ways = tuple[int, ...]
Place = tuple[bool, Ways]
"""Of an item: whether it is in LX as written, and the way of each of its readers."""

Span = tuple[int, int, int, int, int, int]
"""Something in LX: copy or HOME, view, bytes per core, units, first and last tick."""


@dataclass(slots=True)
class Wish:
    """What should change: divisions of tasks, residence of items, ways of their readers; the rest follows."""

    choices: dict[int, int] = field(default_factory=dict)
    resident: dict[int, bool] = field(default_factory=dict)
    ways: dict[int, Ways] = field(default_factory=dict)


@dataclass(slots=True)
class Proposal:
    """What a wish comes to: decisions, and the tables that change with them."""

    choices: dict[int, int]
    places: dict[int, Place]
    change: Change
    tasks: dict[int, Entry]
    moves: dict[int, list[Entry]]
    spans: dict[int, list[Span]]
    taken: dict[int, bool]
    room: dict[int, int]

    @property
    def aims(self) -> tuple[float, float]:
        """The times of the whole by either aim."""
        return self.change.us, self.change.partly_us


@dataclass
class State:
    """An answer without faults, and its tables."""

    problem: JointProblem
    choices: list[int]
    places: list[Place]
    views: list[int] = field(init=False)
    tasks: list[Entry] = field(init=False)
    moves: list[list[Entry]] = field(init=False)
    spans: list[list[Span]] = field(init=False)
    taken: list[bool] = field(init=False)
    load: list[int] = field(init=False)
    there: list[set[int]] = field(init=False)
    tally: Tally = field(init=False)

    @classmethod
    def of(cls, problem: JointProblem, answer: Answer) -> State:
        """The state of an answer without faults."""
        return cls(problem, list(answer.choices), list(zip(answer.resident, answer.served, strict=True)))

    def __post_init__(self) -> None:
        problem = self.problem
        self.slots = [
            tuple(
                -1 if place == task.writes else problem.items[item].readers.index(number)
                for place, item in enumerate(task.operands)
            )
            for number, task in enumerate(problem.tasks)
        ]
        self.heirs: list[list[int]] = [[] for _ in problem.items]
        for number, item in enumerate(problem.items):
            for parent in item.parents:
                self.heirs[parent].append(number)
        whole, reserved = problem.capacity // problem.alignment, problem.reserved or (0,) * len(problem.tasks)
        self.rooms = [whole - problem.height(size) for size in reserved for _ in range(2)] + [whole]
        self._fill()

    def _fill(self) -> None:
        problem = self.problem
        numbers = range(len(problem.items))
        self.tasks = [self._task(number, {}, {}) for number in range(len(problem.tasks))]
        self.moves = [self._moves(number, self.places[number], {}) for number in numbers]
        self.spans = [self._spans(number, self.places[number], {}) for number in numbers]
        self.taken = [self._takes(number, {}, {}) for number in numbers]
        self.load = [0] * len(self.rooms)
        self.there = [set() for _ in self.rooms]
        for number in numbers:
            self._stand(number, True)
            for tick, units in self._ranges(self.spans[number], self.taken[number]):
                self.load[tick] += units
        self.tally = Tally.of(problem, [*self.tasks, *(entry for row in self.moves for entry in row)])

    @property
    def aims(self) -> tuple[float, float]:
        """The times of the answer by either aim."""
        return self.tally.us, self.tally.partly_us

    def answer(self) -> Answer:
        """The answer."""
        items = self.problem.items
        out = tuple(abroad(item, *place) for item, place in zip(items, self.places, strict=True))
        resident, served = (tuple(row) for row in zip(*self.places, strict=True)) if items else ((), ())
        return Answer(tuple(self.choices), resident, out, served)

    def view(self, item: int, choices: Mapping[int, int]) -> int:
        """The view under which an item is written; NOWHERE if it may not be in LX so."""
        writer = self.problem.items[item].writer
        if writer < 0 or not self.problem.items[item].feet:
            return NOWHERE
        task = self.problem.tasks[writer]
        return task.menu.choices[choices.get(writer, self.choices[writer])].views[task.writes]

    def needed(self, item: int, reader: int, choices: Mapping[int, int]) -> int:
        """The view under which a task needs an item; NOWHERE if it only loads it."""
        place = self.problem.places[reader].get(item)
        if place is None:
            return NOWHERE
        return self.problem.tasks[reader].menu.choices[choices.get(reader, self.choices[reader])].views[place]

    def propose(self, wish: Wish) -> Proposal | None:
        """What a wish comes to; nothing if that is not allowed."""
        choices = self.with_ties(wish.choices)
        if choices is None:
            return None
        if len(choices) > len(wish.choices):
            wish = Wish(choices, wish.resident, wish.ways)
        problem = self.problem
        moved = {item for task in choices for item in problem.tasks[task].touched}
        places: dict[int, Place] = {}
        for number in sorted(moved.union(wish.resident, wish.ways)):
            place = self._settled(number, wish)
            if place is None:
                return None
            if place != self.places[number]:
                places[number] = place
        tasks = {number: self._task(number, choices, places) for number in self._stirred(choices, places)}
        written = (item for item in moved if problem.items[item].writer in choices)
        stirred = sorted({*places, *(item for item in written if self.places[item][0])})
        moves = {item: self._moves(item, places.get(item, self.places[item]), choices) for item in stirred}
        spans = {item: self._spans(item, places.get(item, self.places[item]), choices) for item in stirred}
        taken = {item: self._takes(item, spans, places) for item in self._with_heirs(stirred)}
        room = self._room(spans, taken)
        if room is None:
            return None
        gone = [self.tasks[number] for number in tasks] + [entry for item in moves for entry in self.moves[item]]
        come = [*tasks.values(), *(entry for row in moves.values() for entry in row)]
        return Proposal(dict(choices), places, self.tally.change(gone, come), tasks, moves, spans, taken, room)

    def with_ties(self, choices: dict[int, int]) -> dict[int, int] | None:
        """These divisions, and those of the tasks that are tied to them; nothing if they break a tie."""
        found = choices
        for task in choices:
            if task not in self.problem.tied:
                continue
            tie, cuts = self.problem.tied[task]
            for other, theirs in zip(tie.tasks, tie.cuts, strict=True):
                present, cut = found.get(other, self.choices[other]), cuts[choices[task]]
                if theirs[present] == cut:
                    continue
                if other in choices or cut not in theirs:
                    return None
                found = {**found, other: theirs.index(cut)}
        return found

    def commit(self, proposal: Proposal) -> None:
        """Make a proposal."""
        for number, choice in proposal.choices.items():
            self.choices[number] = choice
        for number, entry in proposal.tasks.items():
            self.tasks[number] = entry
        for item, place in proposal.places.items():
            self.places[item] = place
        for item, row in proposal.moves.items():
            self._stand(item, False)
            self.moves[item], self.spans[item] = row, proposal.spans[item]
            self._stand(item, True)
        for item, takes in proposal.taken.items():
            self.taken[item] = takes
        for tick, units in proposal.room.items():
            self.load[tick] += units
        self.tally.commit(proposal.change)

    def _stand(self, number: int, stands: bool) -> None:
        """Note at which ticks an item is in LX, or forget that."""
        for one in self.spans[number]:
            for tick in range(one[4], one[5] + 1):
                if stands:
                    self.there[tick].add(number)
                else:
                    self.there[tick].discard(number)

    def _settled(self, number: int, wish: Wish) -> Place | None:
        """Where an item is and how its readers get it after a wish; nothing if its pin forbids that."""
        item, view = self.problem.items[number], self.view(number, wish.choices)
        inside, ways = self.places[number]
        inside = wish.resident.get(number, inside) and view in item.feet and item.pinned != "hbm"
        fresh = (item.writer in wish.choices or number in wish.resident) and number not in wish.ways
        ways = wish.ways.get(number, ways)
        made = sorted({way for way in ways if way >= 0})
        found = []
        for reader, way in zip(item.readers, ways, strict=True):
            need = self.needed(number, reader, wish.choices)
            taken = self._way(item, view if inside else NOWHERE, reader, need, way, made)
            meets = inside and need == view and need != NOWHERE
            found.append(HOME if meets and (fresh or taken != way or reader in wish.choices) else taken)
        if item.pinned == "lx" and not (inside and not found) and all(way == DEVICE for way in found):
            return None
        if item.ring and not any(way >= 0 and DEVICE not in item.copies[way].bills for way in found):
            return None
        return inside, tuple(found)

    def _way(self, item: Item, view: int, reader: int, need: int, way: int, made: list[int]) -> int:
        """The way of a reader that is wished for, or else the nearest to it."""
        if way == DEVICE or item.pinned == "hbm" or need == NOWHERE:
            return DEVICE
        if way == HOME and view == need:
            return HOME
        for place in [way, *made] if way >= 0 else made:
            if serves(item, place, reader, need, view):
                return place
        return HOME if view == need else DEVICE

    def _stirred(self, choices: Mapping[int, int], places: Mapping[int, Place]) -> list[int]:
        """Tasks whose bill changes: those divided anew, and those for which an operand comes into LX or leaves it."""
        found = set(choices)
        for number, (inside, ways) in places.items():
            item, (was_inside, old) = self.problem.items[number], self.places[number]
            if inside != was_inside:
                found.add(item.writer)
            found.update(
                reader
                for reader, way, before in zip(item.readers, ways, old, strict=True)
                if (way == DEVICE) != (before == DEVICE)
            )
        return sorted(found)

    def _with_heirs(self, stirred: Iterable[int]) -> list[int]:
        return sorted({heir for item in stirred for heir in (item, *self.heirs[item])})

    def _task(self, number: int, choices: Mapping[int, int], places: Mapping[int, Place]) -> Entry:
        """The bill of a task."""
        task, inside = self.problem.tasks[number], 0
        for place, (item, slot) in enumerate(zip(task.operands, self.slots[number], strict=True)):
            resident, ways = places.get(item) or self.places[item]
            if resident if slot < 0 else ways[slot] != DEVICE:
                inside |= 1 << place
        bill = task.menu.choices[choices.get(number, self.choices[number])].bills[inside]
        return task.kernel, (number, 1, 0, 0), bill, task.touched

    def _moves(self, number: int, place: Place, choices: Mapping[int, int]) -> list[Entry]:
        """The bills of the copies of an item and of its clone-out."""
        item, tasks = self.problem.items[number], self.problem.tasks
        found: list[Entry] = []
        for way in sorted({way for way in place[1] if way >= 0}):
            copy = item.copies[way]
            bill = copy.bills[DEVICE if DEVICE in copy.bills else self.view(number, choices)]
            found.append((tasks[copy.before].kernel, (copy.before, 0, number, way), bill, (number,)))
        if abroad(item, *place):
            key = (item.writer + 1, 0, number, len(item.copies))
            found.append((tasks[item.writer].kernel, key, item.out, (number,)))
        return found

    def _spans(self, number: int, place: Place, choices: Mapping[int, int]) -> list[Span]:
        """What of an item is in LX, and from when to when."""
        item, (inside, ways), found = self.problem.items[number], place, []
        last: dict[int, int] = {way: 2 * reader + 1 for reader, way in zip(item.readers, ways, strict=True)}
        if inside:
            view, first = self.view(number, choices), 2 * item.writer + 1
            left = [2 * item.copies[way].before for way in last if way >= 0 and DEVICE not in item.copies[way].bills]
            end = max(first + abroad(item, inside, ways), last.get(HOME, 0), *left)
            found.append((HOME, view, item.feet[view], self.problem.height(item.feet[view]), first, end))
        for way in sorted(way for way in last if way >= 0):
            copy = item.copies[way]
            units = self.problem.height(copy.foot_bytes)
            found.append((way, copy.view, copy.foot_bytes, units, 2 * copy.before, last[way]))
        return found

    def _takes(self, number: int, spans: Mapping[int, list[Span]], places: Mapping[int, Place]) -> bool:
        """Whether an item takes over the place of something that dies where it is written."""
        item, own = self.problem.items[number], spans.get(number, self.spans[number])
        if not own or own[0][0] != HOME or not item.parents:
            return False
        _, view, foot, _, first, _ = own[0]
        for parent in item.parents:
            slot = self.problem.items[parent].readers.index(item.writer)
            way = (places.get(parent) or self.places[parent])[1][slot]
            for one in spans.get(parent, self.spans[parent]) if way != DEVICE else ():
                if one[0] == way and one[1:3] == (view, foot) and one[4] < first == one[5]:
                    return True
        return False

    def _room(self, spans: Mapping[int, list[Span]], taken: Mapping[int, bool]) -> dict[int, int] | None:
        """What more is taken at every tick that changes; nothing if that is too much."""
        found: dict[int, int] = {}
        for item, takes in taken.items():
            new, old = spans.get(item, self.spans[item]), self.spans[item]
            if new == old and takes == self.taken[item]:
                continue
            for tick, units in self._ranges(old, self.taken[item]):
                found[tick] = found.get(tick, 0) - units
            for tick, units in self._ranges(new, takes):
                found[tick] = found.get(tick, 0) + units
        if any(units > 0 and self.load[tick] + units > self.rooms[tick] for tick, units in found.items()):
            return None
        return found

    def _ranges(self, spans: list[Span], takes: bool) -> Iterator[tuple[int, int]]:
        """Tick and units of everything there."""
        for way, _, _, units, first, last in spans:
            for tick in range(first + (takes and way == HOME), last + 1):
                yield tick, units


def serves(item: Item, place: int, reader: int, need: int, view: int) -> bool:
    """Whether a copy may serve a reader that needs a view, if the item is in LX under `view` (NOWHERE: it is not)."""
    copy = item.copies[place]
    if copy.view != need or reader not in copy.readers:
        return False
    return copy.kind is not EditKind.RELAYOUT or view in copy.bills


def abroad(item: Item, inside: bool, ways: Ways) -> bool:
    """Whether an item in LX is needed in device memory too, and so cloned out."""
    if not inside:
        return False
    return item.output or any(way == DEVICE or (way >= 0 and DEVICE in item.copies[way].bills) for way in ways)
