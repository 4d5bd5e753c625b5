"""Wishes: what may be tried at a step to make an answer better.

Owns the neighbourhood: another division, alone or with those that share a view along; into LX and out of it, alone or
for something else; copies made, shared and dropped.  Refuses to judge: that is `descent` and `annealing`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from compiler.solvers.joint.problem import DEVICE, HOME, NOWHERE
from compiler.solvers.joint.prospects import Prospects
from compiler.solvers.joint.state import State, Ways, Wish, serves

REACH = 24
"""So many tasks at most follow a division along views."""

RIVALS = 6
"""So many items at most are tried to be put out for one that finds no room."""


@dataclass
class Wishes:
    """What may be tried on a state."""

    state: State
    prospects: Prospects
    _ranked: dict[tuple[int, int], list[int]] = field(default_factory=dict)

    def at(self, number: int, most: int) -> Iterator[Wish]:
        """What may be tried at a task, with so many divisions; every wish also with what has to move over the ring."""
        for wish in self._plain(number, most):
            yield wish
            relaid = self.relaid(wish)
            if relaid is not None:
                yield relaid

    def _plain(self, number: int, most: int) -> Iterator[Wish]:
        task = self.state.problem.tasks[number]
        now = self.state.choices[number]
        for choice in self.ranked(number)[:most]:
            if choice != now:
                yield from self.divided(number, choice)
        own = () if task.writes < 0 else (task.operands[task.writes],)
        for item in dict.fromkeys((*own, *task.operands)):
            if item in own or self.state.problem.items[item].writer < 0:
                yield from self.seated(item)
            yield from self.copied(item, number)

    def relaid(self, wish: Wish) -> Wish | None:
        """A wish, and relayouts for readers that would otherwise have to load what is in LX under another view;
        nothing if there are none."""
        problem, ways = self.state.problem, dict(wish.ways)
        touched = {item for task in wish.choices for item in problem.tasks[task].operands}
        for item in sorted(touched.union(wish.resident)):
            inside, old = self.state.places[item]
            view = self.state.view(item, wish.choices)
            if problem.items[item].copies and view != NOWHERE and wish.resident.get(item, inside):
                old = wish.ways.get(item, old)
                new = self._relaid(item, view, old, wish.choices)
                if new != old:
                    ways[item] = new
        return Wish(wish.choices, wish.resident, ways) if ways != wish.ways else None

    def _relaid(self, item: int, view: int, old: Ways, choices: Mapping[int, int]) -> Ways:
        """Ways by relayouts for readers that need an item under another view than that it is written under."""
        one, found = self.state.problem.items[item], list(old)
        rings = [place for place, copy in enumerate(one.copies) if view in copy.bills]
        for number, (reader, way) in enumerate(zip(one.readers, old, strict=True)):
            need = self.state.needed(item, reader, choices)
            if need not in (view, NOWHERE) and not (way >= 0 and serves(one, way, reader, need, view)):
                found[number] = next((place for place in rings if serves(one, place, reader, need, view)), way)
        return tuple(found)

    def ranked(self, number: int) -> list[int]:
        """The divisions of a task, the cheapest first, with what is in LX now."""
        inside = 0
        problem, places = self.state.problem, self.state.places
        for place, (item, slot) in enumerate(
            zip(problem.tasks[number].operands, self.state.slots[number], strict=True)
        ):
            resident, ways = places[item]
            inside |= (resident if slot < 0 else ways[slot] != DEVICE) << place
        costs = self.prospects.costs[number].ahead
        key = id(costs), inside
        if key not in self._ranked:
            self._ranked[key] = sorted(range(len(costs)), key=lambda choice: costs[choice][inside])
        return self._ranked[key]

    def divided(self, number: int, choice: int) -> Iterator[Wish]:
        """A division, alone; with those along that find an item at home where they share its view; and with what it
        writes in LX."""
        yield Wish({number: choice})
        followed = self.followed(number, choice)
        if len(followed) > 1:
            yield Wish(followed)
        task = self.state.problem.tasks[number]
        item = task.operands[task.writes] if task.writes >= 0 else -1
        if item >= 0 and not self.state.places[item][0]:
            yield Wish({number: choice}, {item: True})

    def recoloured(self, number: int, choice: int) -> Wish:
        """A division, with all that can follow it, and what they share in LX."""
        chosen = self.followed(number, choice, far=True)
        problem, resident = self.state.problem, {}
        for task in chosen:
            writes = problem.tasks[task].writes
            item = problem.tasks[task].operands[writes] if writes >= 0 else -1
            if item >= 0 and not self.state.places[item][0] and any(r in chosen for r in problem.items[item].readers):
                resident[item] = True
        return Wish(chosen, resident)

    def followed(self, number: int, choice: int, far: bool = False) -> dict[int, int]:
        """A division, and those of the tasks that keep finding items at home by following it; `far` goes along items
        too that may be in LX but are not."""
        chosen = self.state.with_ties({number: choice}) or {number: choice}
        queue = list(chosen)
        for task in queue:
            for item, place in self.state.problem.places[task].items():
                view = self.state.problem.tasks[task].menu.choices[chosen[task]].views[place]
                for other in self._mates(item, far) if view != NOWHERE else ():
                    if other in chosen or len(chosen) >= REACH:
                        continue
                    found = self._matching(other, item, view)
                    if found not in (-1, self.state.choices[other]):
                        chosen[other] = found
                        queue.append(other)
        return chosen

    def _mates(self, item: int, far: bool) -> list[int]:
        """The writer and the readers of an item that meet in LX now; those that may."""
        home, ways = self.state.places[item]
        one = self.state.problem.items[item]
        if not home and not (far and one.feet):
            return []
        ways_of = zip(one.readers, ways, strict=True)
        return [one.writer, *(r for r, way in ways_of if way == HOME or (far and item in self.state.problem.places[r]))]

    def _matching(self, number: int, item: int, view: int) -> int:
        """The cheapest division of a task with a view of an item, -1 if there is none."""
        task, problem = self.state.problem.tasks[number], self.state.problem
        able = task.menu.by_view[problem.places[number][item]].get(view, ())
        return next((choice for choice in self.ranked(number) if choice in able), -1) if able else -1

    def seated(self, item: int) -> Iterator[Wish]:
        """An item into LX, also with its readers following, or out of it."""
        one, (home, ways) = self.state.problem.items[item], self.state.places[item]
        if home:
            yield Wish(resident={item: False})
        elif one.feet:
            yield Wish(resident={item: True})
            view, chosen = self.state.view(item, {}), {}
            for reader in one.readers if view in one.feet else ():
                found = self._matching(reader, item, view) if item in self.state.problem.places[reader] else -1
                if found not in (-1, self.state.choices[reader]):
                    chosen[reader] = found
            if chosen:
                yield Wish(chosen, {item: True})
        if home and any(way == HOME for way in ways):
            last = max(number for number, way in enumerate(ways) if way == HOME)
            yield Wish(ways={item: (*ways[:last], DEVICE, *ways[last + 1 :])})

    def copied(self, item: int, number: int) -> Iterator[Wish]:
        """Copies of an item that may serve a task made for all whom they serve; those that are made dropped."""
        one, (home, ways) = self.state.problem.items[item], self.state.places[item]
        if number not in one.readers:
            return
        view = self.state.view(item, {}) if home else NOWHERE
        for place, copy in enumerate(one.copies):
            if number not in copy.readers:
                continue
            able = [r for r in one.readers if serves(one, place, r, self.state.needed(item, r, {}), view)]
            if number in able:
                free = {r for r, way in zip(one.readers, ways, strict=True) if r in able and way != HOME}
                for served in (set(able), free, {number}):
                    yield Wish(ways={item: _with(one.readers, ways, served, place)})
            else:
                found = self._matching(number, item, copy.view) if item in self.state.problem.places[number] else -1
                if found >= 0:
                    yield Wish({number: found}, ways={item: _with(one.readers, ways, {number}, place)})
            if place in ways:
                yield Wish(ways={item: tuple(DEVICE if way == place else way for way in ways)})
                yield Wish(ways={item: tuple(HOME if way == place else way for way in ways)})

    def rivals(self, wish: Wish) -> Iterator[Wish]:
        """A wish for an item in LX, with another put out that is there when it is written."""
        problem = self.state.problem
        for item in [item for item, inside in wish.resident.items() if inside and problem.items[item].feet]:
            tick = 2 * problem.items[item].writer + 1
            for other in sorted(self.state.there[tick] - {item})[:RIVALS]:
                yield self._without(wish, other, tick)

    def _without(self, wish: Wish, item: int, tick: int) -> Wish:
        """A wish, and an item that leaves LX before a tick: its later readers load it."""
        one, (home, ways) = self.state.problem.items[item], self.state.places[item]
        left = tuple(way if 2 * reader + 1 < tick else DEVICE for reader, way in zip(one.readers, ways, strict=True))
        stays = home and any(way != DEVICE for way in left)
        return Wish(
            wish.choices, {**wish.resident, item: stays} if stays != home else wish.resident, {**wish.ways, item: left}
        )


def _with(readers: tuple[int, ...], ways: tuple[int, ...], served: set[int], place: int) -> tuple[int, ...]:
    return tuple(place if reader in served else way for reader, way in zip(readers, ways, strict=True))
