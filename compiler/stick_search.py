"""StickSearch: layouts and copies for a whole program at least cost.

Owns a walk over the ops that keeps one best history per frontier: the layouts of the buffers still needed, and the
copies that exist.  A frontier that another one can be copied into for the difference in price is dropped, which loses
nothing; only a frontier dropped because there are more than `width` makes the result a bound instead of a proof.
Refuses prices and rules: those are `StickPrices` and `StickWays`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from compiler.frontier import COPY_BITS, Frontier, Frontiers
from compiler.loops import LoopOp, LoopProgram, OpKind
from compiler.stick_prices import StickPrices
from compiler.stick_ways import OPEN, Local, StickWays, Way

PRIMARY = 1 << 64
"""One unit of the objective; below it come sticks written, and the rank of the ways taken."""

_STICK = 1 << 24
_LAST_RANK = 255
_RIVALS = 16
_WIDEST = 1024
_LAYOUT = (1 << COPY_BITS) - 1


@dataclass(frozen=True, slots=True)
class Rules:
    """What a search must keep: numbers of layouts of buffers, stick dims of others, and reductions that must leave full
    sticks (`across`).  Only if `relaxed` may the others have an operand copied just to leave full sticks as well."""

    fixed: Mapping[str, int]
    sticks: Mapping[str, int] = field(default_factory=dict)
    across: frozenset[str] = frozenset()
    relaxed: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """Layout numbers by buffer, the way of every op, price and proved bound; `states` is what was looked at,
    `cut` counts the ops after which frontiers were dropped."""

    layouts: dict[str, int]
    ways: dict[str, Way]
    objective: int
    bound: int
    states: int
    cut: int = 0

    @property
    def avoiding(self) -> bool:
        """True if some reduction has an operand copied, so that it need not leave one value per stick."""
        return any(way.avoids for way in self.ways.values())


@dataclass(frozen=True, slots=True)
class Stuck:
    """The op that has no way left, and the best history before it."""

    op: LoopOp
    layouts: dict[str, int]
    ways: dict[str, Way]


@dataclass(frozen=True, slots=True, eq=False)
class _Move:
    """One transition of a frontier: layouts set by place, copies with prices, and what it adds besides: sticks written
    and its rank below PRIMARY, above it the time of a copy that turns sticks on its own."""

    sets: dict[int, int]
    copies: tuple[tuple[int, int, int], ...]
    minor: int
    way: Way


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    """A history: its price, the one before, and the way taken last."""

    cost: int
    before: _Node | None
    way: Way | None


def best_of(
    program: LoopProgram, ways: StickWays, prices: StickPrices, rules: Rules, width: int, most: int
) -> Outcome | Stuck:
    """The result of a search, and of a wider one within about `most` states if that does not prove the optimum."""
    found = StickSearch(program, ways, prices, rules, width).run()
    if isinstance(found, Stuck) or found.objective == found.bound or most // found.cut < 2 * width:
        return found
    wider = StickSearch(program, ways, prices, rules, min(most // found.cut, _WIDEST)).run()
    if isinstance(wider, Stuck):
        return found
    better = wider if wider.objective <= found.objective else found
    bound, states = max(found.bound, wider.bound), found.states + wider.states
    return replace(better, bound=min(bound, better.objective), states=states)


_Key = tuple[tuple[int, ...], frozenset[int]]


class StickSearch:
    """One search; `width` frontiers at most are kept after every op."""

    def __init__(self, program: LoopProgram, ways: StickWays, prices: StickPrices, rules: Rules, width: int) -> None:
        self.program, self.ways, self.prices, self.rules, self.width = program, ways, prices, rules, width
        self.frontiers = Frontiers(program, frozenset(rules.fixed))
        self.states = 0
        self._moves: dict[tuple[object, Local], tuple[_Move, ...]] = {}
        self._conversions: dict[tuple[str, int, int], int | None] = {}
        self._dropped: int | None = None
        self._cut = 0

    def run(self) -> Outcome | Stuck:
        """Walk all ops; Stuck at the first op that has no way after any history."""
        states: dict[_Key, _Node] = {((), frozenset()): _Node(0, None, None)}
        floors = self._floors()
        for frontier in self.frontiers.steps:
            found = self._expand(frontier, states)
            if not found:
                best = min(states.values(), key=lambda node: node.cost)
                return Stuck(frontier.op, *self._history(best, frontier.number))
            states = self._reduced(frontier, found, floors[frontier.number + 1])
            self.states += len(states)
        best = min(states.values(), key=lambda node: node.cost)
        objective = best.cost // PRIMARY
        bound = objective if self._dropped is None else min(objective, self._dropped)
        layouts, taken = self._history(best, len(self.program.ops))
        return Outcome(layouts, taken, objective, bound, self.states, self._cut)

    def _history(self, node: _Node, ops: int) -> tuple[dict[str, int], dict[str, Way]]:
        taken: list[Way] = []
        place: _Node | None = node
        while place is not None and place.way is not None:
            taken.append(place.way)
            place = place.before
        taken.reverse()
        layouts = dict(self.rules.fixed)
        ways: dict[str, Way] = {}
        for frontier, way in zip(self.frontiers.steps[:ops], taken, strict=True):
            ways[frontier.op.name] = way
            layouts |= {frontier.buffers[place]: number for place, number in way.sets}
        return layouts, ways

    # Transitions

    def _expand(self, frontier: Frontier, states: dict[_Key, _Node]) -> dict[_Key, _Node]:
        found: dict[_Key, _Node] = {}
        keep, codes = frontier.keep, frontier.codes
        sources = [self._source(frontier, place) for place in range(len(frontier.buffers))]
        for (layouts, copies), node in states.items():
            local = tuple(layouts[at] if at >= 0 else number for at, number in sources)
            for move in self.moves(frontier, local):
                cost = node.cost + move.minor
                made = copies
                for place, number, price in move.copies:
                    code = codes[place] | number
                    if not self.prices.shared:
                        cost += price
                    elif code not in made:
                        cost += price
                        made = made | {code}
                made = self._of_use(frontier, made)
                sets = move.sets
                key = (tuple([layouts[at] if at >= 0 else sets[place] for at, place in keep]), made)
                known = found.get(key)
                if known is None or cost < known.cost:
                    found[key] = _Node(cost, node, move.way)
        return found

    def _of_use(self, frontier: Frontier, copies: frozenset[int]) -> frozenset[int]:
        """Copies of buffers that are read again before they are written."""
        last, stale = self.frontiers.last_use, frontier.stale
        gone = [code for code in copies if last[code >> COPY_BITS] <= frontier.number or code >> COPY_BITS in stale]
        return copies.difference(gone) if gone else copies

    def _source(self, frontier: Frontier, place: int) -> tuple[int, int]:
        """Where the layout of an operand stands: its place among the live ones, or (-1, number)."""
        name = frontier.buffers[place]
        if name in self.rules.fixed:
            return -1, self.rules.fixed[name]
        return frontier.sources[place], OPEN

    def moves(self, frontier: Frontier, local: Local) -> tuple[_Move, ...]:
        """Transitions of an op for the layouts of its operands, without those that another one beats."""
        op = frontier.op
        bound = any(name in self.rules.sticks for name in frontier.buffers) or op.name in self.rules.across
        kind = self.ways.kind(op)
        key = (op.name if bound else (kind.number, frontier.begun), local)
        if key not in self._moves:
            self._moves[key] = tuple(self._useful(frontier, local))
        return self._moves[key]

    def _useful(self, frontier: Frontier, local: Local) -> list[_Move]:
        allowed = self._allowed(frontier, self.ways.of(frontier.op, local))
        kept: list[_Move] = []
        for way in allowed:
            made = self._move(frontier, local, way)
            live = {place: number for place, number in made.sets.items() if place in frontier.begun}
            rivals = [
                other
                for other in kept
                if all(other.sets[place] == number for place, number in live.items())
                and set(other.copies) <= set(made.copies)
                and (other.minor <= made.minor or set(other.copies) != set(made.copies))
            ]
            if not rivals:
                kept.append(made)
        return kept

    def _allowed(self, frontier: Frontier, ways: tuple[Way, ...]) -> list[Way]:
        """Ways that keep the rules.  A reduction copies nothing just to avoid its stick, unless it has to."""
        rules, op = self.rules, frontier.op
        kept = []
        for way in ways:
            settled = ((frontier.buffers[place], self.ways.layouts[number]) for place, number in way.sets)
            if all(rules.sticks.get(name, layout.stick_dim) == layout.stick_dim for name, layout in settled):
                kept.append(way)
        if op.name in rules.across:
            return [way for way in kept if not way.spread] or kept
        if (
            op.kind is OpKind.REDUCTION
            and not rules.relaxed
            and not any(access.buffer in rules.sticks for access in op.writes)
        ):
            return [way for way in kept if not way.avoids] or kept
        return kept

    def _move(self, frontier: Frontier, local: Local, way: Way) -> _Move:
        edges = way.moves if self.prices.shared else way.edges
        settled = dict(way.sets)
        layouts = self.ways.layouts
        copies = []
        for place, number in edges:
            source = local[place] if local[place] != OPEN else settled[place]
            buffer = self.ways.scene.buffers[frontier.buffers[place]]
            price = self.prices.copy(buffer, layouts[source], layouts[number]) * PRIMARY
            copies.append((place, number, price))
        sticks = sum(layouts[number].sticks for number in settled.values())
        turned = self.prices.turn(*way.turned) * PRIMARY if way.turned else 0
        return _Move(settled, tuple(copies), turned + sticks * _STICK + min(way.rank, _LAST_RANK), way)

    # What may be dropped

    def _reduced(self, frontier: Frontier, found: dict[_Key, _Node], floor: int) -> dict[_Key, _Node]:
        """Frontiers worth keeping, best first."""
        ordered = sorted(found.items(), key=lambda entry: entry[1].cost)
        kept: list[tuple[_Key, _Node]] = []
        for key, node in ordered:
            if not any(self._reaches(frontier, rival, key, node) for rival in kept[:_RIVALS]):
                kept.append((key, node))
        self._cut += len(kept) > self.width
        for _, node in kept[self.width :]:
            least = node.cost // PRIMARY + floor
            self._dropped = least if self._dropped is None else min(self._dropped, least)
        return dict(kept[: self.width])

    def _reaches(self, frontier: Frontier, rival: tuple[_Key, _Node], key: _Key, node: _Node) -> bool:
        """True if copies turn the rival's frontier into this one for no more than the difference in price."""
        (layouts, copies), better = rival
        spare = node.cost // PRIMARY - better.cost // PRIMARY
        for name, mine, wanted in zip(frontier.live, layouts, key[0], strict=True):
            if mine == wanted:
                continue
            price = self._conversion(frontier, name, mine, wanted)
            if price is None or price > spare:
                return False
            spare -= price
        for code in key[1] - copies:
            spare -= self._copy_price(frontier, code, layouts)
            if spare < 0:
                return False
        return True

    def _copy_price(self, frontier: Frontier, code: int, layouts: tuple[int, ...]) -> int:
        buffer = self.program.buffers[code >> COPY_BITS]
        if buffer.name in self.rules.fixed:
            source = self.rules.fixed[buffer.name]
        else:
            source = layouts[frontier.live.index(buffer.name)]
        if source == code & _LAYOUT:
            return 0
        target = self.ways.layouts[code & _LAYOUT]
        return self.prices.copy(buffer, self.ways.layouts[source], target)

    def _conversion(self, frontier: Frontier, name: str, mine: int, wanted: int) -> int | None:
        """What it costs at most to go on with one layout of a buffer as if it had another; None if that cannot be."""
        if not self.frontiers.convertible(name, frontier.number, self.rules.across):
            return None
        key = (name, mine, wanted)
        if key not in self._conversions:
            self._conversions[key] = self._convert(name, mine, wanted)
        price = self._conversions[key]
        if price is None or self.prices.shared:
            return price
        return price * self.frontiers.reads_after(name, frontier.number)

    def _convert(self, name: str, mine: int, wanted: int) -> int | None:
        buffer = self.ways.scene.buffers[name]
        have, want = self.ways.layouts[mine], self.ways.layouts[wanted]
        if have.elements_per_stick != want.elements_per_stick or have.arrangement is not want.arrangement:
            return None
        if any(one.stick_dim < 0 or buffer.shape[one.stick_dim] <= 1 for one in (have, want)):
            return None
        price = self.prices.copy(buffer, have, want)
        menu = [layout for layout in self.ways.targets(buffer, want) if layout not in (have, want)]
        dearer = (self.prices.copy(buffer, have, to) - self.prices.copy(buffer, want, to) for to in menu)
        return price + sum(max(0, more) for more in dearer)

    def _floors(self) -> list[int]:
        """Per op, what it and all later ones cost at least: copies of inputs, shared out among their readers."""
        floors = [0]
        for frontier in reversed(self.frontiers.steps):
            floors.append(floors[-1] + self._floor(frontier))
        return floors[::-1]

    def _floor(self, frontier: Frontier) -> int:
        reads = self.ways.kind(frontier.op).reads
        names = {frontier.buffers[place] for place in reads}
        if not names or not names <= self.rules.fixed.keys() or frontier.op.kind is OpKind.OPAQUE:
            return 0
        local = tuple(self._source(frontier, place)[1] for place in range(len(frontier.buffers)))
        prices = [
            sum(
                price // PRIMARY // self.frontiers.reads_after(frontier.buffers[place], -1)
                for place, _, price in move.copies
            )
            for move in self.moves(frontier, local)
        ]
        return min(prices, default=0)
