"""Beam search over the tasks in order: divisions, residence and moves at once, looking ahead.

Owns the states that are kept: what is in LX between two steps, and the cheapest way there.  LX is held for an item
until the last reader that may find it there, and given up for what is worth more.  Refuses exactness: costs are those
of `prospects`, and what is returned is judged by `price`.
"""

from __future__ import annotations

import time
from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from operator import itemgetter

from frozendict import frozendict

from compiler.solvers.joint.descent import tidied
from compiler.solvers.joint.judge import best, trivial
from compiler.solvers.joint.kinds import Seat
from compiler.solvers.joint.mend import mended
from compiler.solvers.joint.options import Option, Options, Reads, Steps
from compiler.solvers.joint.problem import Answer, JointProblem, Load
from compiler.solvers.joint.prospects import Prospects, Slope
from compiler.solvers.joint.state import abroad
from compiler.solvers.joint.tables import Weights

ASKED_EVERY = 16
"""Tasks between two questions whether to stop."""

WIDTH = 16

Seated = tuple[int, Seat]
"""An item and where it is."""

Shared = frozendict[int, tuple[int, float, float]]
"""Of each input that a kernel reads more than once: bytes still to load, delivery and all of a load paid for (us)."""

NOTHING: Shared = frozendict()

_item = itemgetter(0)


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A state after a task: who is where (`seats`, in order of items), what it cost less what that is worth.

    `even` and `odd` are the units taken at the tick before the task and at its tick, copies made late apart: these are
    in `late` as task from which on, last task, units.  `cuts` are those of ties with tasks still to come, by last task.
    """

    score: float
    seats: tuple[Seated, ...]
    units: int = 0
    tail: int = 0
    even: int = 0
    odd: int = 0
    late: tuple[tuple[int, int, int], ...] = ()
    loaded: Shared = NOTHING
    cuts: tuple[tuple[int, int], ...] = ()
    option: Option | None = None
    before: Node | None = None

    def path(self) -> Iterator[Node]:
        """The nodes from this one back to the first task."""
        node: Node | None = self
        while node is not None and node.option is not None:
            yield node
            node = node.before


def beam(
    problem: JointProblem,
    width: int = WIDTH,
    weights: Weights | None = None,
    until: float = inf,
    tell: Callable[[int], bool] | None = None,
    by_kernel: Mapping[int, Slope] = frozendict[int, Slope](),
) -> Answer | None:
    """The best answer that a beam of so many states comes to; none where pins to LX leave nothing that it finds.

    `tell` hears how many tasks are done and says whether to stop; from then on, and after `until` (monotonic seconds),
    what is left is not searched.  `by_kernel` has other weights for some kernels.
    """
    slope = Slope(weights) if weights else Slope()
    search = _Search(problem, Prospects.of(problem, slope, by_kernel), width)
    nodes = [Node(0.0, ())]
    for number in range(len(problem.tasks)):
        if time.monotonic() > until or (number % ASKED_EVERY == 0 and tell is not None and tell(number)):
            break
        nodes = search.step(number, nodes)
    start = trivial(problem)
    found = best(problem, [*(mended(problem, _answer(problem, node), start) for node in nodes), start])
    return found and tidied(problem, found)


@dataclass
class _Search:
    problem: JointProblem
    prospects: Prospects
    width: int
    steps: Steps = field(init=False)
    rooms: list[int] = field(init=False)
    found: dict[tuple[object, ...], Node] = field(default_factory=dict)
    scores: list[float] = field(default_factory=list)
    items: tuple[int, ...] = ()
    tie: int = -1

    def __post_init__(self) -> None:
        self.steps = Steps(self.prospects)
        whole, reserved = self.problem.capacity // self.problem.alignment, self.problem.reserved
        heights = [self.problem.height(size) for size in reserved or (0,) * len(self.problem.tasks)]
        self.rooms = [whole - height for height in heights]

    def step(self, number: int, nodes: list[Node]) -> list[Node]:
        """The best states after a task, from those before it."""
        step, self.items = self.steps.of(number)
        reads, tasks = self.items[:-1], self.problem.tasks
        self.tie = max(self.problem.tied[number][0].tasks) if number in self.problem.tied else -1
        self.found, self.scores = {}, []
        fresh = number > 0 and tasks[number - 1].kernel != tasks[number].kernel
        for node in nodes:
            seated = dict(node.seats)
            held = tuple([seated.pop(item, None) for item in reads])
            rest, loaded = tuple(seated.items()), NOTHING if fresh else node.loaded
            if self._follow(number, node, rest, step.options(held), loaded) and any(held):
                self._follow(number, node, rest, step.options(held, True), loaded)
        return sorted(self.found.values(), key=lambda node: node.score)[: self.width]

    def _follow(self, number: int, node: Node, rest: tuple[Seated, ...], options: Options, loaded: Shared) -> bool:
        """Enter what comes of a state by each option; `rest` is what lies in LX and is not read.  Whether there was no
        room for one."""
        crowded = False
        asked = dict(node.cuts).get(self.tie) if self.tie >= 0 else None
        for option in options:
            score = node.score + option.delta
            if score > self._worst():
                break
            if asked not in (None, option.cut):
                continue
            have = loaded
            if option.loads:
                have, more = self._load(number, loaded, option.loads)
                score += more
            crowded |= self._enter(number, node, option, rest, score, have)
        return crowded

    def _worst(self) -> float:
        return self.scores[self.width - 1] if len(self.scores) >= self.width else inf

    def _enter(
        self, number: int, node: Node, option: Option, rest: tuple[Seated, ...], score: float, loaded: Shared
    ) -> bool:
        """Enter a state, if there is room for it or can be made; whether there was not enough."""
        even, odd = node.units + node.tail + option.even, node.units + option.odd
        units, late, room = node.units + option.units, node.late, self.rooms[number]
        if option.late:
            if not self._had_room(number, node, option):
                return True
            late = (*late, *((number - ago, number, height) for ago, height in option.late))
        crowded = even > room or odd > room
        if crowded:
            freed = self._given_up(number, rest, even - room, odd - room)
            if not freed:
                return True
            rest = tuple(left for one in rest for left in self._after(one, one in freed))
            less = sum(seat.units for _, seat in freed)
            even, odd, units = even - less * (even > room), odd - less, units - less
            score += sum(seat.loss for _, seat in freed)
        if score <= self._worst():
            left = [(item, seat) for item, seat in zip(self.items, option.seats, strict=True) if seat is not None]
            seats = tuple(sorted([*rest, *left], key=_item))
            cuts = node.cuts if self.tie < 0 else self._cuts(number, node, option)
            self._keep(Node(score, seats, units, option.tail, even, odd, late, loaded, cuts, option, node))
        return crowded

    def _cuts(self, number: int, node: Node, option: Option) -> tuple[tuple[int, int], ...]:
        """The cuts that tasks to come are bound to."""
        found = {**dict(node.cuts), self.tie: option.cut}
        return tuple(sorted(one for one in found.items() if one[0] > number))

    def _had_room(self, number: int, node: Node, option: Option) -> bool:
        """Whether the copies that should have been made earlier would have found room ever since."""
        at = number
        for past in node.path():
            at -= 1
            taken = sum(height for ago, height in option.late if number - ago <= at)
            if not taken:
                return True
            taken += sum(height for since, end, height in node.late if since <= at < end)
            if max(past.even, past.odd) + taken > self.rooms[at]:
                return False
        return True

    def _given_up(self, number: int, rest: tuple[Seated, ...], even: int, odd: int) -> list[Seated]:
        """What is worth least by unit, so that so many units too many are free; nothing if that is not enough.

        What was written right before the task still lies there at the tick before it, if it is cloned out.
        """
        need, items = max(even, odd), self.problem.items
        able = [one for one in rest if one[1].units]
        if even > 0:
            able = [one for one in able if items[one[0]].writer != number - 1]
        if sum(seat.units for _, seat in able) < need:
            return []
        freed: list[Seated] = []
        for one in sorted(able, key=lambda one: one[1].loss / one[1].units):
            freed.append(one)
            need -= one[1].units
            if need <= 0:
                break
        for one in sorted(freed, key=lambda one: one[1].loss, reverse=True):
            if need + one[1].units <= 0:
                freed.remove(one)
                need += one[1].units
        return freed

    def _after(self, one: Seated, freed: bool) -> Iterator[Seated]:
        """What stays of an item that is not read."""
        bare = self.prospects.kinds[one[0]].bare(one[1].since, one[1].met) if freed else one[1]
        if bare is not None:
            yield one[0], bare

    def _load(self, number: int, loaded: Shared, loads: tuple[Load, ...]) -> tuple[Shared, float]:
        """What the kernel has loaded after these, and what they add."""
        prospects, task = self.prospects, self.problem.tasks[number]
        total = 0.0
        for load in loads:
            item = task.touched[load.operand]
            left, delivered, charged = loaded.get(item, (self.problem.items[item].size_bytes, 0.0, 0.0))
            if item not in loaded:
                left = max(left, load.size_bytes)
            paid, fresh = min(left, load.size_bytes), max(0.0, load.delivery_us - delivered)
            whole = max(load.delivery_us, load.burst_us)
            total += prospects.load(Load(0, paid, fresh, max(fresh, whole - charged), load.bytes_per_ns), task.kernel)
            now = left - paid, delivered + fresh, max(charged, whole)
            if loaded.get(item) != now:
                loaded = loaded.set(item, now)
        return loaded, total

    def _keep(self, node: Node) -> None:
        """Enter a state, unless it is there already and cheaper."""
        key = node.seats, node.tail, node.cuts
        old = self.found.get(key)
        if old is not None:
            if old.score <= node.score:
                return
            at = bisect_left(self.scores, old.score)
            del self.scores[at]
        self.found[key] = node
        insort(self.scores, node.score)


def _answer(problem: JointProblem, last: Node) -> Answer:
    """The decisions on the way to a state; what lies beyond it is not searched: first divisions, device memory."""
    start = trivial(problem)
    choices, resident, served = list(start.choices), list(start.resident), [list(ways) for ways in start.served]
    path = list(last.path())
    for number, node in enumerate(reversed(path)):
        option, task = node.option, problem.tasks[number]
        assert option is not None
        choices[number] = option.choice
        for item, way in zip(Reads.of(problem, number).items, option.ways, strict=True):
            served[item][problem.items[item].readers.index(number)] = way
        if option.resident:
            resident[task.operands[task.writes]] = True
    ways = tuple(tuple(row) for row in served)
    out = tuple(abroad(item, inside, row) for item, inside, row in zip(problem.items, resident, ways, strict=True))
    return Answer(tuple(choices), tuple(resident), out, ways)
