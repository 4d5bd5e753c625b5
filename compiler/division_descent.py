"""DivisionDescent: other divisions, as long as they lower the sum of a ground.

Owns the moves: a step is divided anew, and neighbours follow it so that buffers stay at home.  What was found at a
place of a model is tried first at equal places.  Refuses prices: those are the ground's.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable
from dataclasses import dataclass, field

from compiler.division import Division
from compiler.division_ground import NOWHERE, DivisionGround, Shared

SWEEPS = 3
TRIED = 8
LEAST_US = 1e-6
AROUND = 32  # steps on either side that make equal places

Changes = dict[int, int]


_Homes = ChainMap[str, bool]


@dataclass(slots=True)
class DivisionDescent:
    """A choice of divisions, by place in the menu of every step; at most `followers` neighbours follow a change.

    `over` is asked before every step whether to end with what is found.
    """

    ground: DivisionGround
    followers: int
    over: Callable[[], bool] = lambda: False
    at: list[int] = field(default_factory=list)
    homes: dict[str, bool] = field(default_factory=dict)
    _known: dict[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]] = field(default_factory=dict)

    def run(self, start: list[int]) -> dict[str, Division]:
        """Sweep over the steps until nothing changes, at most SWEEPS times; the divisions by step."""
        ground = self.ground
        self.at, self._known = list(start), {}
        self.homes = ground.homes(self.at)
        for _ in range(SWEEPS):
            free = (number for number in range(len(ground.steps)) if ground.free[number])
            moved = [self._improve(number) for number in free if not self.over()]
            if not any(moved) or self.over():
                break
        pairs = zip(ground.steps, ground.kinds, self.at, strict=True)
        return {step.name: kind.menu[place] for step, kind, place in pairs}

    def _improve(self, number: int) -> bool:
        """Make the best change that starts at a step, if it gains anything."""
        place = self._surroundings(number)
        known = self._known.get(place)
        if known is not None:
            changes = {number + offset: division for offset, division in known}
            if not changes or (self._fits(changes) and self._gain(changes) < -LEAST_US):
                self._take(changes)
                return bool(changes)
        best, gain = Changes(), -LEAST_US
        for division in self._tried(number):
            changes, change = self._ripple(number, division)
            if change < gain:
                best, gain = changes, change
        self._known[place] = tuple((other - number, division) for other, division in best.items())
        self._take(best)
        return bool(best)

    def _take(self, changes: Changes) -> None:
        for number, division in changes.items():
            self.at[number] = division
        for number in changes:
            for one in self.ground.around[number]:
                self.homes[one.name] = self.ground.at_home(one, self.at.__getitem__)

    def _surroundings(self, number: int) -> tuple[tuple[int, int], ...]:
        """Kinds and divisions of the steps before and after, and where in them this one is."""
        first, last = max(0, number - AROUND), min(len(self.at), number + AROUND + 1)
        kinds = self.ground.kinds
        return ((number - first, last - number), *((kinds[one].number, self.at[one]) for one in range(first, last)))

    def _fits(self, changes: Changes) -> bool:
        ground = self.ground
        inside = all(0 <= number < len(self.at) and ground.free[number] for number in changes)
        return inside and all(division < len(ground.kinds[number].menu) for number, division in changes.items())

    def _gain(self, changes: Changes) -> float:
        """By how much the sum grows if some steps are divided anew."""
        made: Changes = {}
        homes = _Homes({}, self.homes)
        return sum(self._add(made, homes, number, division) for number, division in changes.items())

    def _tried(self, number: int) -> list[int]:
        """Divisions worth a trial: the quickest, if any is quicker or a buffer around the step is not at home."""
        ground, kind, present = self.ground, self.ground.kinds[number], self.at[number]
        astray = any(not self.homes[one.name] for one in ground.around[number])
        quickest = ground.time(number, kind.order[0], self.homes)
        if not astray and quickest >= ground.time(number, present, self.homes) - LEAST_US:
            return []
        return [division for division in kind.order[:TRIED] if division != present]

    def _ripple(self, start: int, division: int) -> tuple[Changes, float]:
        """The change with as many neighbours that follow it as gain most, and what the sum grows by."""
        changes: Changes = {}
        homes = _Homes({}, self.homes)
        total = self._add(changes, homes, start, division)
        best, least = dict(changes), total
        waiting = [start]
        while waiting and len(changes) <= self.followers:
            for one in self.ground.around[waiting.pop(0)]:
                for other in one.users:
                    if other in changes or not self.ground.free[other] or homes[one.name]:
                        continue
                    follows = self._follows(other, changes)
                    if follows is not None:
                        total += self._add(changes, homes, other, follows)
                        waiting.append(other)
                        if total < least:
                            best, least = dict(changes), total
        return best, least

    def _add(self, changes: Changes, homes: _Homes, number: int, division: int) -> float:
        """Add a change; what the sum grows by."""
        ground, at = self.ground, self.at
        before = {number: ground.time(number, changes.get(number, at[number]), homes)}
        changes[number] = division
        turned = []
        for one in ground.around[number]:
            if homes[one.name] != ground.at_home(one, lambda other: changes.get(other, at[other])):
                turned.append(one)
        for one in turned:
            for user in one.users:
                if user not in before:
                    before[user] = ground.time(user, changes.get(user, at[user]), homes)
        for one in turned:
            homes[one.name] = not homes[one.name]
        after = sum(ground.time(user, changes.get(user, at[user]), homes) for user in before)
        return after - sum(before.values())

    def _follows(self, number: int, changes: Changes) -> int | None:
        """The quickest division of a step that is at home with the changed ones; None if none is or it is already."""
        options: tuple[int, ...] | None = None
        for one in self.ground.around[number]:
            for place, written, view in self._wanted(one, number, changes):
                if view == NOWHERE:
                    return None
                found = self.ground.with_view(number, place, written, view)
                options = found if options is None else tuple(division for division in options if division in found)
        if not options or self.at[number] in options:
            return None
        return options[0]

    def _wanted(self, one: Shared, number: int, changes: Changes) -> list[tuple[int, bool, int]]:
        """Views that changed steps want of this one in a buffer: (place, as written, view)."""
        ground = self.ground
        writer, place = one.writer
        if writer == number:
            return [
                (place, True, ground.view(reader, at, False, changes[reader]))
                for reader, at in one.readers
                if reader in changes
            ]
        if writer not in changes:
            return []
        left = ground.view(writer, place, True, changes[writer])
        return [(at, False, left) for reader, at in one.readers if reader == number]
