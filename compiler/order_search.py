"""Order search: which contractions run without a batch just before any stick, so that the program takes least time.

Owns the choice: the time of contractions by the orders around them, plus the copies that those orders need.  A buffer
that suits all who touch it at no cost ties nothing together; contractions that share another one are decided together,
all ways if they are few.  Refuses to lay out: what a choice means for layouts is in `order_seats`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product

from compiler.device import Device
from compiler.order_needs import Ask, Needs, Rated
from compiler.order_seats import Seat, Seating, seating

MOST_TOGETHER = 10  # contractions of which all combinations are looked at
NEVER = 1 << 62


def _cost(found: Seating | None) -> int:
    return NEVER if found is None else found.ns


def _least(found: Seating | None) -> int:
    return NEVER if found is None else found.least_ns


@dataclass(frozen=True, slots=True)
class OrderChoice:
    """Names of the contractions that are to be fast, ns in all and at least, and how many ways were looked at."""

    fast: frozenset[str]
    ns: int
    least_ns: int
    states: int


@dataclass(slots=True)
class OrderSearch:
    """The needs of a program over its seats (by buffer)."""

    device: Device
    seats: Mapping[str, Seat]
    needs: Needs
    _musts: dict[str, list[Ask]] = field(default_factory=dict)
    _wishes: dict[str, list[Rated]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for ask in self.needs.musts:
            self._musts.setdefault(ask.buffer, []).append(ask)
        for rated in self.needs.rated:
            for buffer in dict.fromkeys(ask.buffer for ask in rated.asks):
                self._wishes.setdefault(buffer, []).append(rated)

    def touched(self) -> tuple[str, ...]:
        """Buffers that anything is asked of."""
        return tuple(dict.fromkeys([*self._musts, *self._wishes]))

    def asks(self, buffer: str, fast: frozenset[str]) -> list[Ask]:
        """What is asked of a buffer if these contractions are to be fast."""
        found = list(self._musts.get(buffer, ()))
        for rated in self._wishes.get(buffer, ()):
            asks = rated.asks if rated.op in fast else rated.idle
            found += [ask for ask in asks if ask.buffer == buffer]
        return found

    def seating(self, buffer: str, fast: frozenset[str]) -> Seating | None:
        """How a buffer serves what is asked of it then."""
        needs = dict.fromkeys(ask.need for ask in self.asks(buffer, fast))
        return seating(self.device, self.seats[buffer], tuple(needs))

    def run(self) -> OrderChoice:
        """The choice that takes least time; every table must be served, see `unserved`."""
        fast: frozenset[str] = frozenset()
        every = frozenset(rated.op for rated in self.needs.rated)
        none = {buffer: self.seating(buffer, frozenset()) for buffer in self.touched()}
        tying = {buffer for buffer in self._wishes if _cost(self.seating(buffer, every)) > _cost(none[buffer])}
        apart = [seated for buffer, seated in none.items() if buffer not in tying]
        ns = self.needs.settled_ns + sum(map(_cost, apart))
        least, states = self.needs.settled_ns + sum(map(_least, apart)), 0
        for group in self._together(tying):
            chosen = self._decide(group, tying)
            fast |= chosen.fast
            ns, least, states = ns + chosen.ns, least + chosen.least_ns, states + chosen.states
        return OrderChoice(fast, ns, least, states)

    def unserved(self) -> Ask | None:
        """A table that no order and no copy can serve, if there is one; of several one that is written."""
        stuck = (buffer for buffer in self._musts if self.seating(buffer, frozenset()) is None)
        asks = [ask for buffer in stuck for ask in self._musts[buffer]]
        return min(asks, key=lambda ask: not ask.need.written, default=None)

    def _together(self, tying: set[str]) -> list[list[Rated]]:
        """Contractions that share a tying buffer, directly or through others."""
        group_of: dict[str, list[Rated]] = {}
        for rated in self.needs.rated:
            merged = [rated]
            for buffer in {ask.buffer for ask in rated.asks} & tying:
                merged += [one for one in group_of.get(buffer, []) if one not in merged]
            for one in merged:
                for ask in one.asks:
                    if ask.buffer in tying:
                        group_of[ask.buffer] = merged
        shared = {id(group): group for group in group_of.values()}
        tied = {one.op for group in shared.values() for one in group}
        return [*([rated] for rated in self.needs.rated if rated.op not in tied), *shared.values()]

    def _decide(self, group: list[Rated], tying: set[str]) -> OrderChoice:
        buffers = sorted({ask.buffer for rated in group for ask in rated.asks} & tying)
        if len(group) > MOST_TOGETHER:
            return self._descend(group, buffers)
        ways = [
            frozenset(rated.op for rated, taken in zip(group, choice, strict=True) if taken)
            for choice in product((False, True), repeat=len(group))
        ]
        ns, _, fast = min(((self._ns(group, buffers, way), len(way), way) for way in ways), key=lambda way: way[:2])
        least = min(self._ns(group, buffers, way, _least) for way in ways)
        return OrderChoice(fast, ns, least, len(ways))

    def _descend(self, group: list[Rated], buffers: list[str]) -> OrderChoice:
        """From all or none, one contraction at a time as long as that saves time; a bound instead of a proof."""
        states, found = 0, list[tuple[int, int, frozenset[str]]]()
        for fast in (frozenset(rated.op for rated in group), frozenset[str]()):
            better = True
            while better:
                better = False
                for rated in group:
                    flipped, own = fast ^ {rated.op}, {ask.buffer for ask in rated.asks}.intersection(buffers)
                    states += 1
                    if self._ns([rated], own, flipped) < self._ns([rated], own, fast):
                        fast, better = flipped, True
            found.append((self._ns(group, buffers, fast), len(fast), fast))
        ns, _, fast = min(found, key=lambda entry: entry[:2])
        idle = sum(_least(self.seating(buffer, frozenset())) for buffer in buffers)
        return OrderChoice(fast, ns, idle + sum(rated.fast for rated in group), states)

    def _ns(
        self,
        group: Iterable[Rated],
        buffers: Iterable[str],
        fast: frozenset[str],
        measure: Callable[[Seating | None], int] = _cost,
    ) -> int:
        contractions = sum(rated.fast if rated.op in fast else rated.slow for rated in group)
        return contractions + sum(measure(self.seating(buffer, fast)) for buffer in buffers)
