"""StickFlips: what the whole graph would pay if one buffer alone had another layout.

Owns that one figure: everything else stays as a search has left it, and the ops around the buffer take their best way.
Refuses to search further; what changes if everything follows is for a new search to say.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from compiler.loops import LoopOp, LoopProgram
from compiler.stick_prices import StickPrices
from compiler.stick_search import Outcome
from compiler.stick_ways import OPEN, StickWays, Way

_Copy = tuple[str, int]


@dataclass(slots=True)
class StickFlips:
    """The result of a search, looked at buffer by buffer."""

    program: LoopProgram
    ways: StickWays
    prices: StickPrices
    found: Outcome
    _users: dict[_Copy, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for op in self.program.ops:
            for copy in self._copies(op, self.found.ways[op.name]):
                self._users[copy] = self._users.get(copy, 0) + 1

    def menu(self, buffer: str) -> tuple[int, ...]:
        """Numbers of the layouts that a buffer could have, where it is first written or, for free weights, at all."""
        if buffer in self.ways.weights:
            return self.ways.menu(self.ways.scene.buffers[buffer])
        writers = self.ways.scene.writers.get(buffer, ())
        if not writers:
            return (self.found.layouts[buffer],)
        kind = self.ways.kind(writers[0])
        place = kind.buffers.index(buffer)
        local = tuple(OPEN if name == buffer else self.found.layouts[name] for name in kind.buffers)
        return tuple(
            dict.fromkeys(number for way in self.ways.of(writers[0], local) for at, number in way.sets if at == place)
        )

    def moved(self, op: LoopOp) -> int:
        """The price of the copies that an op reads."""
        return sum(self._price(copy, self.found.layouts) for copy in dict.fromkeys(self._copies(op, self._way(op))))

    def change(self, buffer: str, number: int) -> int | None:
        """By how much the objective grows if `buffer` alone has this layout; None if an op around it has no way."""
        scene = self.ways.scene
        around = {op.name: op for op in (*scene.writers.get(buffer, ()), *scene.readers.get(buffer, ()))}
        left = dict(self._users)
        before = 0
        for op in around.values():
            before += self._turn(self._way(op))
            for copy in self._copies(op, self._way(op)):
                left[copy] -= 1
                before += self._price(copy, self.found.layouts) if not left[copy] or not self.prices.shared else 0
        layouts = {**self.found.layouts, buffer: number}
        made = {copy for copy, users in left.items() if users and copy[0] != buffer}
        after = 0
        for op in around.values():
            best = self._best(op, layouts, made)
            if best is None:
                return None
            price, copies = best
            after += price
            made |= copies
        return after - before

    def _best(self, op: LoopOp, layouts: dict[str, int], made: set[_Copy]) -> tuple[int, set[_Copy]] | None:
        kind = self.ways.kind(op)
        local = tuple(layouts[name] for name in kind.buffers)
        best: tuple[int, set[_Copy]] | None = None
        for way in self.ways.of(op, local):
            copies = self._copies(op, way)
            paid = set(copies) - made if self.prices.shared else copies
            price = sum(self._price(copy, layouts) for copy in paid) + self._turn(way)
            if best is None or price < best[0]:
                best = price, set(copies)
        return best

    def _turn(self, way: Way) -> int:
        return self.prices.turn(*way.turned) if way.turned else 0

    def _way(self, op: LoopOp) -> Way:
        return self.found.ways[op.name]

    def _copies(self, op: LoopOp, way: Way) -> list[_Copy]:
        names = self.ways.kind(op).buffers
        return [(names[place], number) for place, number in (way.moves if self.prices.shared else way.edges)]

    def _price(self, copy: _Copy, layouts: dict[str, int]) -> int:
        name, number = copy
        source = layouts[name]
        if source == number:
            return 0
        known = self.ways.layouts
        return self.prices.copy(self.ways.scene.buffers[name], known[source], known[number])
