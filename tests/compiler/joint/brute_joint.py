"""The best answer to a small joint problem by trying every decision, and what is allowed and what it takes.

Written from the rules alone and sharing no code with the solvers but the values they exchange.  Refuses speed: a branch
is left only where the steps so far, and the least of each term of the others, are dearer than the best answer found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product

from compiler.plan import EditKind
from compiler.solvers.joint.problem import DEVICE, HOME, NOWHERE, Answer, Bill, JointProblem, Load
from tests.compiler.joint.brute_room import Key, Rectangle, crowded, lie, with_heirs

PARTLY = 0.46
CLOSE = 1e-7

Seats = dict[Key, tuple[int, int]]
"""What is in LX: first and last tick at which it is touched."""


@dataclass(frozen=True, slots=True)
class Best:
    """The least time (us), of the answers that take it the least with partial overlap, and one of those."""

    us: float
    partly_us: float
    answer: Answer


@dataclass(slots=True)
class Till:
    """What a kernel has to pay, by term, and the loads of every input in the order of the steps."""

    terms: list[float] = field(default_factory=lambda: [0.0] * 5)
    slowest: float = 0.0
    loads: dict[int, list[Load]] = field(default_factory=dict)

    def ring(self, bill: Bill, items: tuple[int, ...]) -> None:
        """Add a bill."""
        self.add(_terms(bill))
        self.slowest = max(self.slowest, bill.fused_us)
        for load in bill.loads:
            self.loads.setdefault(items[load.operand], []).append(load)

    def add(self, terms: list[float]) -> None:
        """Add terms."""
        self.terms = [one + other for one, other in zip(self.terms, terms, strict=True)]

    def copy(self) -> Till:
        """The same, to be continued in another way."""
        return Till(list(self.terms), self.slowest, {item: list(loads) for item, loads in self.loads.items()})

    def us(self, problem: JointProblem, whole: bool) -> tuple[float, float]:
        """Time with full and with partial overlap; if steps are still to come (not `whole`), no more than then."""
        compute, memory, serial, read, written = self.terms
        for item, loads in self.loads.items():
            pooled, apart = _paid(problem.items[item].size_bytes, loads)
            longest = max(load.delivery_us for load in loads)
            memory += longest
            if whole or not any(load.bytes_per_ns for load in loads):
                read, memory = read + pooled, memory + apart
            serial += _due(loads) - longest if whole else 0.0
        rates = problem.rates
        moved = (read + written) / rates.bytes_per_ns + min(read, written) * rates.turnaround_ns_per_byte
        less, more = sorted((compute + self.slowest, memory + moved / 1000))
        return more + serial, more + (1 - PARTLY) * less + serial


def _terms(bill: Bill) -> list[float]:
    return [bill.compute_us, bill.memory_us, bill.serial_us, bill.read_bytes, bill.written_bytes]


def _paid(size_bytes: int, loads: list[Load]) -> tuple[int, float]:
    """Bytes at the common rate that steps pay for one input, the first of them first, and time of the others (us)."""
    once = max([size_bytes] + [load.size_bytes for load in loads])
    pooled, apart = 0, 0.0
    for place, load in enumerate(loads):
        before = sum(one.size_bytes for one in loads[:place])
        fresh = max(0, min(before + load.size_bytes, once) - before)
        if load.bytes_per_ns:
            apart += fresh / load.bytes_per_ns / 1000
        else:
            pooled += fresh
    return pooled, apart


def _due(loads: list[Load]) -> float:
    """What steps pay for one input beyond bytes, each what it takes beyond the dearest before it."""
    due = 0.0
    for place, load in enumerate(loads):
        before = loads[:place]
        fresh = load.delivery_us - max((one.delivery_us for one in before), default=0.0)
        beyond = max(load.delivery_us, load.burst_us)
        beyond -= max((max(one.delivery_us, one.burst_us) for one in before), default=0.0)
        due += max(0.0, fresh, beyond)
    return due


def worth_us(problem: JointProblem, answer: Answer) -> tuple[float, float]:
    """What an answer takes with full and with partial overlap: its moves and steps in the order of their ticks."""
    events = sorted(_events(problem, answer), key=lambda event: event[0])
    tills = {task.kernel: Till() for task in problem.tasks}
    for kernel, bill in problem.base.items():
        tills[kernel].ring(bill, ())
    for _, kernel, bill, items in events:
        tills[kernel].ring(bill, items)
    return _both(till.us(problem, True) for till in tills.values())


def _both(kernels: Iterable[tuple[float, float]]) -> tuple[float, float]:
    found = list(kernels)
    return sum(us for us, _ in found), sum(partly for _, partly in found)


def _events(problem: JointProblem, answer: Answer) -> Iterator[tuple[int, int, Bill, tuple[int, ...]]]:
    """Tick, kernel, bill and items of everything that runs."""
    for item, row in enumerate(problem.items):
        for place in sorted({way for way in answer.served[item] if way >= 0}):
            copy = row.copies[place]
            start = _left(problem, answer.choices, item) if copy.kind is EditKind.RELAYOUT else DEVICE
            yield 2 * copy.before, problem.tasks[copy.before].kernel, copy.bills[start], (item,)
        if answer.out[item]:
            yield 2 * row.writer + 2, problem.tasks[row.writer].kernel, row.out, (item,)
    for number, task in enumerate(problem.tasks):
        inside = 0
        for place, item in enumerate(task.operands):
            if place == task.writes:
                inside += answer.resident[item] * 2**place
            elif answer.served[item][problem.items[item].readers.index(number)] != DEVICE:
                inside += 2**place
        yield (
            2 * number + 1,
            task.kernel,
            task.menu.choices[answer.choices[number]].bills[inside],
            (*task.operands, *task.inputs),
        )


def _left(problem: JointProblem, choices: tuple[int, ...], item: int) -> int:
    """The view that the writer leaves."""
    task = problem.tasks[problem.items[item].writer]
    return task.menu.choices[choices[problem.items[item].writer]].views[task.writes]


def rectangles(problem: JointProblem, answer: Answer) -> list[Rectangle] | None:
    """What an answer has in LX; None if it breaks a rule, whatever the room."""
    walk = Walk(problem)
    for number in range(len(problem.tasks)):
        step = _step_of(problem, answer, number)
        if step not in walk.ways(number):
            return None
        walk = walk.taken(number, step)
    return walk.rectangles() if walk.pinned() and walk.answer() == answer else None


def allowed(problem: JointProblem, answer: Answer) -> bool:
    """True if an answer breaks no rule and what it has in LX fits at every tick."""
    found = rectangles(problem, answer)
    return found is not None and not crowded(found, *_room(problem))


def _room(problem: JointProblem) -> tuple[int, dict[int, int]]:
    """Units of LX, and those that others take at some ticks."""
    taken = {
        2 * number + late: -(-size // problem.alignment)
        for number, size in enumerate(problem.reserved)
        for late in (0, 1)
    }
    return problem.capacity // problem.alignment, taken


@dataclass(frozen=True, slots=True)
class Step:
    """What is decided at a step: its division, how it gets what it reads, and where what it writes goes."""

    choice: int
    ways: tuple[int, ...]
    resident: bool
    out: bool


def _step_of(problem: JointProblem, answer: Answer, number: int) -> Step:
    task = problem.tasks[number]
    reads = [item for place, item in enumerate(task.operands) if place != task.writes]
    ways = tuple(answer.served[item][problem.items[item].readers.index(number)] for item in reads)
    if task.writes < 0:
        return Step(answer.choices[number], ways, False, False)
    written = task.operands[task.writes]
    return Step(answer.choices[number], ways, answer.resident[written], answer.out[written])


@dataclass(slots=True)
class Walk:
    """The decisions for the first steps of a program."""

    problem: JointProblem
    steps: tuple[Step, ...] = ()
    views: dict[int, int] = field(default_factory=dict)
    resident: frozenset[int] = frozenset()
    out: frozenset[int] = frozenset()
    served: dict[tuple[int, int], int] = field(default_factory=dict)
    seats: Seats = field(default_factory=dict)
    tills: dict[int, Till] = field(default_factory=dict)

    def ways(self, number: int) -> Iterator[Step]:
        """Every decision that the rules allow at a step."""
        task = self.problem.tasks[number]
        for place, choice in enumerate(task.menu.choices):
            sides = [
                self._sources(item, number, choice.views[operand])
                for operand, item in enumerate(task.operands)
                if operand != task.writes
            ]
            ends = [(False, False)]
            if task.writes >= 0:
                ends = self._ends(task.operands[task.writes], choice.views[task.writes])
            for ways, (resident, out) in product(product(*sides), ends):
                yield Step(place, ways, resident, out)

    def _sources(self, item: int, reader: int, view: int) -> list[int]:
        """From where a reader may get an item."""
        row, home = self.problem.items[item], item in self.resident
        abroad = not home or item in self.out
        found = [DEVICE] if abroad else []
        if row.pinned == "hbm":
            return found
        found += [HOME] if home and view != NOWHERE and view == self.views[item] else []
        for place, copy in enumerate(row.copies):
            if view != copy.view or reader not in copy.readers:
                continue
            moves = copy.kind is EditKind.RELAYOUT
            if (home and self.views[item] in copy.bills) if moves else abroad:
                found.append(place)
        return found

    def _ends(self, item: int, view: int) -> list[tuple[bool, bool]]:
        """Whether a written item is in LX, and cloned out of it."""
        row = self.problem.items[item]
        if view not in row.feet or row.pinned == "hbm":
            return [(False, False)]
        return [(False, False), (True, True)] if row.output else [(False, False), (True, False), (True, True)]

    def taken(self, number: int, step: Step) -> Walk:
        """The walk with a step more."""
        task = self.problem.tasks[number]
        choice = task.menu.choices[step.choice]
        tills = dict(self.tills)
        tills[task.kernel] = tills.get(task.kernel, Till()).copy()
        views, served, seats = dict(self.views), dict(self.served), dict(self.seats)
        grown = Walk(self.problem, (*self.steps, step), views, self.resident, self.out, served, seats, tills)
        reads = [item for place, item in enumerate(task.operands) if place != task.writes]
        for item, way in zip(reads, step.ways, strict=True):
            grown._read(item, way, number)
        inside = [way != DEVICE for way in step.ways]
        if task.writes >= 0:
            inside.insert(task.writes, step.resident)
        bits = sum(1 << place for place, one in enumerate(inside) if one)
        grown.tills[task.kernel].ring(choice.bills[bits], (*task.operands, *task.inputs))
        if task.writes >= 0:
            grown._write(task.operands[task.writes], choice.views[task.writes], step)
        return grown

    def _read(self, item: int, way: int, number: int) -> None:
        self.served[item, number] = way
        if way == DEVICE:
            return
        if way >= 0:
            copy = self.problem.items[item].copies[way]
            moves = copy.kind is EditKind.RELAYOUT
            if (item, way) not in self.seats:
                kernel = self.problem.tasks[copy.before].kernel
                self.tills[kernel] = self.tills.get(kernel, Till()).copy()
                self.tills[kernel].ring(copy.bills[self.views[item] if moves else DEVICE], (item,))
            if moves:
                self._touch((item, HOME), 2 * copy.before)
            self._touch((item, way), 2 * copy.before)
        self._touch((item, way), 2 * number + 1)

    def _write(self, item: int, view: int, step: Step) -> None:
        self.views[item] = view
        row = self.problem.items[item]
        if step.resident:
            self.resident |= {item}
            self._touch((item, HOME), 2 * row.writer + 1)
        if step.out:
            self.out |= {item}
            self._touch((item, HOME), 2 * row.writer + 2)
            self.tills[self.problem.tasks[row.writer].kernel].ring(row.out, (item,))

    def _touch(self, key: Key, tick: int) -> None:
        low, high = self.seats.get(key, (tick, tick))
        self.seats[key] = min(low, tick), max(high, tick)

    def rectangles(self) -> list[Rectangle]:
        """What is in LX so far."""
        found = []
        for (item, place), (first, last) in self.seats.items():
            row = self.problem.items[item]
            view = self.views[item] if place == HOME else row.copies[place].view
            foot = row.feet[view] if place == HOME else row.copies[place].foot_bytes
            height = (foot + self.problem.alignment - 1) // self.problem.alignment
            near: tuple[Key, ...] = ()
            if place == HOME:
                near = tuple((parent, self.served[parent, row.writer]) for parent in row.parents)
            found.append(Rectangle((item, place), (view, foot), height, first, last, near))
        return with_heirs(found)

    def pinned(self) -> bool:
        """True if what is pinned to LX has been read there, or is there if nobody reads it."""
        read = {item for (item, _), way in self.served.items() if way != DEVICE}
        return all(
            row.pinned != "lx" or item in (read if row.readers else self.resident)
            for item, row in enumerate(self.problem.items)
        )

    def answer(self) -> Answer:
        """The decisions as an answer, all steps taken."""
        items = range(len(self.problem.items))
        return Answer(
            tuple(step.choice for step in self.steps),
            tuple(item in self.resident for item in items),
            tuple(item in self.out for item in items),
            tuple(
                tuple(self.served.get((item, reader), DEVICE) for reader in self.problem.items[item].readers)
                for item in items
            ),
        )


def best_of_all(problem: JointProblem, packed: bool = False) -> Best | None:
    """The best answer that fits at every tick, or, if `packed`, that has addresses; None if there is none."""
    rest = _least_of_the_rest(problem)
    room, taken = _room(problem)
    best: list[Best] = []

    def descend(walk: Walk, number: int) -> None:
        if number == len(problem.tasks):
            us, partly = worth_us(problem, walk.answer())
            if walk.pinned() and _better(us, partly, best) and not (packed and not lie(walk.rectangles(), room)):
                best[:] = [Best(us, partly, walk.answer())]
            return
        grown = [walk.taken(number, step) for step in walk.ways(number)]
        bounds = [_bound(one, rest[number + 1]) for one in grown]
        for place in sorted(range(len(grown)), key=bounds.__getitem__):
            if _better(*bounds[place], best) and not crowded(grown[place].rectangles(), room, taken):
                descend(grown[place], number + 1)

    descend(Walk(problem), 0)
    return best[0] if best else None


def _better(us: float, partly: float, best: list[Best]) -> bool:
    if not best or us < best[0].us - CLOSE:
        return True
    return us < best[0].us + CLOSE and partly < best[0].partly_us - CLOSE


def _bound(walk: Walk, rest: dict[int, list[float]]) -> tuple[float, float]:
    """What no continuation of a walk goes below."""
    started = {kernel: walk.tills.get(kernel, Till()) for kernel in rest}
    ended = (
        Till([a + b for a, b in zip(till.terms, rest[kernel], strict=True)], till.slowest, till.loads)
        for kernel, till in started.items()
    )
    return _both(till.us(walk.problem, False) for till in ended)


def _least_of_the_rest(problem: JointProblem) -> list[dict[int, list[float]]]:
    """By how many steps are taken: per kernel the least of every term of the others, each by itself."""
    found: list[dict[int, list[float]]] = [{task.kernel: [0.0] * 5 for task in problem.tasks}]
    found[0].update((kernel, _terms(bill)) for kernel, bill in problem.base.items())
    for task in reversed(problem.tasks):
        bills = [_terms(bill) for choice in task.menu.choices for bill in choice.bills]
        least = [min(column) for column in zip(*bills, strict=True)]
        later = {kernel: list(terms) for kernel, terms in found[0].items()}
        later[task.kernel] = [a + b for a, b in zip(later[task.kernel], least, strict=True)]
        found.insert(0, later)
    return found
