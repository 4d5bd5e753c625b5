"""Room: the load of LX at every tick as constraints of a model, places that are taken over counted once.

Owns how long each stay lasts, which follows from who is served by it.  Ticks at which everything would fit together ask
for nothing.  Refuses addresses.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compiler.plan import EditKind
from compiler.solvers.joint.model import JointModel, Terms
from compiler.solvers.joint.problem import HOME, NOWHERE

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

Taken = dict[int, Terms]
"""Height in units -> what is true (once at most) if that much is taken."""


@dataclass(slots=True)
class Spell:
    """A stretch of ticks, both included, over which the same is taken."""

    first: int
    last: int
    taken: Taken


@dataclass(slots=True)
class Room:
    """Adds the constraints of room to a model."""

    made: JointModel
    _spells: list[Spell] = field(default_factory=list)
    _spared: defaultdict[int, Terms] = field(default_factory=lambda: defaultdict(list))

    def build(self) -> None:
        """Spells of all items and copies, places taken over, then the ticks."""
        problem = self.made.problem
        for number, item in enumerate(problem.items):
            if self.made.inside[number]:
                self._written(number)
            for place in range(len(item.copies)):
                self._copied(number, place)
        for number, item in enumerate(problem.items):
            if item.parents and self.made.inside[number]:
                self._take_overs(number)
        self._ticks()

    # Spells

    def _by_height(self, number: int, ways: dict[int, cp_model.IntVar]) -> Taken:
        """Views of an item as written -> heights."""
        problem = self.made.problem
        found: Taken = defaultdict(list)
        for view, way in ways.items():
            found[problem.height(problem.items[number].feet[view])].append((way, 1))
        return dict(found)

    def _written(self, number: int) -> None:
        problem, made = self.made.problem, self.made
        item = problem.items[number]
        start = 2 * item.writer + 1
        used = bool(item.readers) or item.output  # by a reader, a relayout or a clone-out: until the next tick at least
        self._spells.append(Spell(start, start + used, self._by_height(number, made.inside[number])))
        events = [(2 * reader + 1, self._by_height(number, made.home[number, reader])) for reader in item.readers]
        for place, copy in enumerate(item.copies):
            if copy.kind is EditKind.RELAYOUT:
                events.append((2 * copy.before, self._by_height(number, made.made[number, place])))
        self._chain(start + 2, [event for event in events if event[1]])

    def _copied(self, number: int, place: int) -> None:
        made, copy = self.made, self.made.problem.items[number].copies[place]
        height = made.problem.height(copy.foot_bytes)
        events: list[tuple[int, Taken]] = [
            (2 * reader + 1, {height: [(serve, 1)]}) for reader, serve in made.serves[number, place].items()
        ]
        self._chain(2 * copy.before, events)

    def _chain(self, start: int, events: list[tuple[int, Taken]]) -> None:
        """Something lasts from a tick until the last event that comes true."""
        events.sort(key=lambda event: event[0])
        after: Taken = {}
        spells = []
        for place in range(len(events) - 1, -1, -1):
            tick, taken = events[place]
            after = self._either(taken, after)
            first = max(start, events[place - 1][0] + 1) if place else start
            spells.append(Spell(first, tick, after))
        self._spells += [spell for spell in reversed(spells) if spell.first <= spell.last]

    def _either(self, one: Taken, other: Taken) -> Taken:
        """Taken if the one or the other is."""
        if not other:
            return one
        found: Taken = {}
        for height in sorted({*one, *other}):
            sides = [side for side in (one.get(height, []), other.get(height, [])) if side]
            if len(sides) == 1:
                found[height] = sides[0]
                continue
            both = self.made.boolean(any(self.made.value(side) for side in sides))
            for side in sides:
                self.made.at_most(side, [(both, 1)])
            found[height] = [(both, 1)]
        return found

    # Places taken over

    def _take_overs(self, number: int) -> None:
        problem = self.made.problem
        item = problem.items[number]
        taken: Terms = []
        for parent in item.parents:
            found = self._from_item(number, parent)
            for place in range(len(problem.items[parent].copies)):
                found += self._from_copy(number, parent, place)
            if self.made.value(taken):  # of two that would do, one gives its place
                self.made.hints.update((one.index, 0) for one, _ in found)
            taken += found
        if len(taken) > 1:
            self.made.at_most(taken, [(one, 1) for one in self.made.inside[number].values()])

    def _one_view(self, task: int, parent: int, child: int) -> bool:
        """True if the writing task always has one view of both, whichever it is."""
        places = self.made.problem.places[task]
        return all(
            NOWHERE in (views[places[parent]], views[places[child]]) or views[places[parent]] == views[places[child]]
            for views in self.made.tables[task].views
        )

    def _from_item(self, number: int, parent: int) -> Terms:
        """The place of an item that dies where the child is written, under the same view."""
        made, problem = self.made, self.made.problem
        item, mother = problem.items[number], problem.items[parent]
        writer, mine = item.writer, made.inside[number]
        if mother.writer < 0 or not made.home[parent, writer]:
            return []
        here = made.home[parent, writer]
        later: Terms = [
            (w, 1) for reader in mother.readers if reader > writer for w in made.home[parent, reader].values()
        ]
        for place, copy in enumerate(mother.copies):
            if copy.kind is EditKind.RELAYOUT and copy.before > writer:
                later += [(one, 1) for one in made.made[parent, place].values()]
        found: Terms = []
        groups: dict[int, list[int]] = defaultdict(list)
        alike = self._one_view(writer, parent, number)
        for view in here:
            if view in mine and mother.feet[view] == item.feet[view]:
                groups[problem.height(item.feet[view]) if alike else view].append(view)
        for views in groups.values():
            ends: tuple[Terms, Terms] = [(here[view], 1) for view in views], [(mine[view], 1) for view in views]
            found += self._take_over(number, problem.height(item.feet[views[0]]), *ends, later)
        return found

    def _from_copy(self, number: int, parent: int, place: int) -> Terms:
        made, problem = self.made, self.made.problem
        item, copy = problem.items[number], problem.items[parent].copies[place]
        serves, mine = made.serves[parent, place], made.inside[number]
        if item.writer not in serves or copy.view not in mine or item.feet[copy.view] != copy.foot_bytes:
            return []
        later: Terms = [(one, 1) for reader, one in serves.items() if reader > item.writer]
        ends: tuple[Terms, Terms] = [(serves[item.writer], 1)], [(mine[copy.view], 1)]
        return self._take_over(number, problem.height(copy.foot_bytes), *ends, later)

    def _take_over(self, number: int, height: int, here: Terms, mine: Terms, later: Terms) -> Terms:
        made = self.made
        start = made.value(here) and made.value(mine) and not made.value(later)
        both = made.boolean(bool(start))
        made.at_most([(both, 1)], here)
        made.at_most([(both, 1)], mine)
        for one, _ in later:
            made.at_most([(both, 1), (one, 1)], 1)
        tick = 2 * made.problem.items[number].writer + 1
        self._spared[tick].append((both, height))
        assert HOME < 0
        return [(both, 1)]

    # Ticks

    def _ticks(self) -> None:
        problem = self.made.problem
        if not problem.tasks:
            return
        limit = problem.capacity // problem.alignment
        reserved = problem.reserved or (0,) * len(problem.tasks)
        starts: dict[int, list[Spell]] = defaultdict(list)
        for spell in self._spells:
            starts[spell.first].append(spell)
        alive: list[Spell] = []
        before: tuple[object, ...] = ()
        for tick in range(2 * len(problem.tasks) + 1):
            alive = [spell for spell in alive if spell.last >= tick] + starts[tick]
            task = min(tick // 2, len(problem.tasks) - 1)
            room = limit - problem.height(reserved[task])
            if sum(max(spell.taken) for spell in alive if spell.taken) <= room:
                continue
            key = (room, *(id(spell) for spell in alive), bool(self._spared.get(tick)))
            if key != before or key[-1]:
                self._limit(tick, alive, room)
            before = key

    def _limit(self, tick: int, alive: list[Spell], room: int) -> None:
        terms: Terms = [
            (one, height * factor) for spell in alive for height, side in spell.taken.items() for one, factor in side
        ]
        spared: Terms = [(one, -height) for one, height in self._spared.get(tick, [])]
        self.made.at_most(terms + spared, room)
