"""Pack: addresses for everything that an answer to a JointProblem has in LX, or who stands in whose way.

Owns the order of the attempts: boxes put on a shelf in several orders, then only what lies around those without a
place, with CP-SAT in ever wider windows, which also proves it where there are no addresses; without OR-Tools in random
orders.  Refuses to change the answer, and parts of programs, of which it does not know where the others lie.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random

from frozendict import frozendict

from compiler.solvers.cp_sat import Budget, Model, SolverMissingError, require
from compiler.solvers.joint.faults import Stay, leaving, stays
from compiler.solvers.joint.problem import Answer, JointProblem
from compiler.solvers.joint.shelf import Box, Lows, Shelf
from compiler.solvers.placement import PlacementProblem
from compiler.solvers.request import Request

Key = tuple[int, int]
Form = tuple[tuple[int, ...], ...]

WORK_PER_SECOND = 0.3  # deterministic seconds of the solver in a second of an ordinary machine
GRACE_SECONDS = 1.5  # by how much the clock may exceed what was asked for
PLACING = 2e-5  # deterministic seconds that it counts to look for a place
SHARE = 0.25  # of all the time, at most, for one question
PROOF_SHARE = 0.05  # the same for each of the questions that make a clash smaller
RESTARTS = 20  # orders drawn at random where there is no solver
WIDTHS = (24, 48, 96, 192)  # boxes that are moved at once


@dataclass(frozen=True, slots=True)
class Packing:
    """Address (bytes) of every stay by item and copy, and by child the parent whose place it took over."""

    addresses: frozendict[Key, int]
    parents: frozendict[Key, Key]


@dataclass(frozen=True, slots=True)
class Clash:
    """Stays that have no addresses together, all of which matter between two ticks, both included.

    `asked_bytes` is the most that they need at one tick: it may be less than `capacity`, as bytes are not moved.
    `proved`: nothing in LX beside them, they still have none; otherwise none were found in the time given.
    """

    stays: tuple[Stay, ...]
    first: int
    last: int
    asked_bytes: int
    capacity: int
    proved: bool


def pack(problem: JointProblem, answer: Answer, seconds: float = 1.0, seed: int = 0) -> Packing | Clash:
    """Addresses of everything in LX, each at one place as long as it stays; `seconds` are measured by counted work.

    Raises ValueError for a part of a program.
    """
    if any(problem.reserved):
        raise ValueError("others lie in LX, nobody says where: only whole programs have addresses")
    found = {one.key: one for one in stays(problem, answer)}
    parents = {key: tuple(dying.key for dying in leaving(problem, answer, found, one)) for key, one in found.items()}
    return place(tuple(found.values()), parents, problem.capacity, problem.alignment, seconds, seed)


def place(
    found: Sequence[Stay],
    parents: Mapping[Key, tuple[Key, ...]],
    capacity: int,
    alignment: int = 128,
    seconds: float = 1.0,
    seed: int = 0,
) -> Packing | Clash:
    """The same for stays with those whose place each may take over, best first; their own `parent` does not count."""
    numbers = {one.key: number for number, one in enumerate(found)}
    boxes = tuple(
        Box(
            -(-one.foot_bytes // alignment),
            one.first,
            one.last,
            tuple(numbers[key] for key in parents.get(one.key, ())),
        )
        for one in found
    )
    packer = _Packer(tuple(found), boxes, capacity, alignment, seconds, seed)
    return packer.overload() or packer.packed()


@dataclass
class _Packer:
    stays: tuple[Stay, ...]
    boxes: tuple[Box, ...]
    capacity: int
    alignment: int
    seconds: float
    seed: int
    shelf: Shelf = field(init=False)
    budget: Budget = field(init=False)
    known: dict[Form, Lows | None] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.shelf = Shelf(self.boxes, self.capacity // self.alignment)
        whole = WORK_PER_SECOND * self.seconds
        self.budget = Budget(self.seed, whole, whole, time.monotonic() + self.seconds + GRACE_SECONDS)

    @cached_property
    def exact(self) -> bool:
        """True if there is a solver; it is looked for when it is needed, as to load it takes its time."""
        try:
            require()
        except SolverMissingError:
            return False
        return True

    def overload(self) -> Clash | None:
        """Those that are too much at the worst tick, if there is one: the largest, as few as possible."""
        taken = self._loads(range(len(self.boxes)))
        worst = max(taken, key=lambda tick: (taken[tick], -tick), default=0)
        if taken.get(worst, 0) <= self.shelf.room:
            return None
        there = [number for number, box in enumerate(self.boxes) if _counts(box, worst)]
        there.sort(key=lambda number: (-self.boxes[number].height, number))
        few, height = list[int](), 0
        while height <= self.shelf.room:
            few.append(there[len(few)])
            height += self.boxes[few[-1]].height
        return self._clash(few, True)

    def packed(self) -> Packing | Clash:
        """Addresses, or a clash that is not one of bytes at a tick."""
        at = self.shelf.fill()
        while len(at) < len(self.boxes):
            stuck = min((number for number in range(len(self.boxes)) if number not in at), key=self._start)
            found = self._repaired(at, stuck)
            if isinstance(found, Clash):
                return found
            at = found
        unit = self.alignment
        parents = {
            self.stays[number].key: self.stays[parent].key
            for number, box in enumerate(self.boxes)
            for parent in box.parents
            if at[parent] == at[number]
        }
        addresses = frozendict((one.key, at[number] * unit) for number, one in enumerate(self.stays))
        return Packing(addresses, frozendict(parents))

    def _start(self, number: int) -> tuple[int, int]:
        return self.boxes[number].first, number

    def _repaired(self, at: Lows, stuck: int) -> Lows | Clash:
        """A place for one more box, those around it being moved; more of them where that does not do."""
        near = self._nearest(stuck)
        for width in WIDTHS:
            if self.budget.spent:
                break
            free = frozenset(near[:width])
            fixed = {number: low for number, low in at.items() if number not in free}
            found = self._tried(free, fixed)
            if len(found) == len(fixed) + len(free):
                return found
            if not self.exact:
                continue
            lows = self._solved(free, fixed)
            if lows is not None:
                return fixed | lows
            if self._impossible(free):
                return self._clash(self._fewer(sorted(free)), True)
            if width >= len(near):
                break
        return self._clash(
            [number for number in near[: WIDTHS[0]] if _meet(self.boxes[number], self.boxes[stuck])], False
        )

    def _tried(self, free: frozenset[int], fixed: Lows) -> Lows:
        """The most places that putting boxes one after the other comes to."""
        before = self.shelf.work
        best = self.shelf.insist(free, fixed)
        rng = Random(self.seed)
        for _ in range(0 if self.exact else RESTARTS):
            if len(best) == len(fixed) + len(free):
                break
            best = max(best, self.shelf.insist(free, fixed, rng), key=len)
        self.budget.left -= PLACING * (self.shelf.work - before)
        return best

    def _nearest(self, stuck: int) -> list[int]:
        """A box, and the others by how far in time they are from it."""
        first, last = self.boxes[stuck].first, self.boxes[stuck].last
        middle = (first + last) // 2

        def distance(number: int) -> tuple[int, int, int]:
            box = self.boxes[number]
            apart = max(box.first - last, first - box.last, 0)
            return apart if number != stuck else -1, max(box.first - middle, middle - box.last, 0), number

        return sorted(range(len(self.boxes)), key=distance)

    def _solved(self, free: frozenset[int], fixed: Lows) -> Lows | None:
        """Places for the free boxes among the others, by search; the same question is asked once."""
        numbers = sorted(free, key=self._start)
        border = {other for number in numbers for other in self.shelf.near[number] if other in fixed}
        around = sorted(border, key=self._start)
        form = self._form(numbers, around, fixed)
        if form not in self.known:
            model = self._model([*numbers, *around])
            model.fix({_name(number): fixed[number] * self.alignment for number in around})
            found = model.solve(self.budget, SHARE)
            places = {number: place for place, number in enumerate(numbers)}
            self.known[form] = (
                None if found is None else {places[number]: self._low(found, number) for number in numbers}
            )
        lows = self.known[form]
        return None if lows is None else {numbers[place]: low for place, low in lows.items()}

    def _form(self, free: list[int], around: list[int], fixed: Lows) -> Form:
        """What matters of a question: everything but numbers and the tick it starts at."""
        start = self.boxes[free[0]].first
        places = {number: place for place, number in enumerate((*free, *around))}
        return tuple(
            (
                box.height,
                box.first - start,
                box.last - start,
                fixed.get(number, -1),
                *(places.get(p, -1) for p in box.parents),
            )
            for number, box in ((number, self.boxes[number]) for number in (*free, *around))
        )

    def _low(self, found: frozendict[str, int], number: int) -> int:
        return found[_name(number)] // self.alignment

    def _model(self, numbers: Iterable[int]) -> Model:
        """A model of some boxes, all of which need a place."""
        inside = set(numbers)
        requests = tuple(
            Request(
                _name(number),
                self.boxes[number].height * self.alignment,
                tuple(dict.fromkeys((self.boxes[number].first, self.boxes[number].last))),
                tuple(_name(parent) for parent in self.boxes[number].parents if parent in inside),
            )
            for number in sorted(inside)
        )
        unit = self.alignment
        model = Model(PlacementProblem(requests, self.shelf.room * unit, unit), with_addresses=True)
        model.require_all()
        return model

    def _impossible(self, numbers: Iterable[int], share: float = SHARE) -> bool:
        """True if some boxes have no places even where nothing else is."""
        model = self._model(numbers)
        return model.solve(self.budget, share) is None and model.impossible

    def _fewer(self, numbers: list[int]) -> list[int]:
        """Fewer of them that still have no places: the smallest are left out first, many at once where that will do."""
        kept = sorted(numbers, key=lambda number: (self.boxes[number].height * self.boxes[number].span, number))
        size = len(kept) // 2
        while size and not self.budget.spent:
            place = 0
            while place < len(kept) and not self.budget.spent:
                rest = kept[:place] + kept[place + size :]
                if rest and self._impossible(rest, PROOF_SHARE):
                    kept = rest
                else:
                    place += size
            size //= 2
        return kept

    def _loads(self, numbers: Iterable[int]) -> dict[int, int]:
        """Units taken at the ticks at which something comes; what takes over a place of one of them counts later."""
        inside = set(numbers)
        changes: dict[int, int] = {}
        for number in inside:
            box = self.boxes[number]
            first = box.first + any(parent in inside for parent in box.parents)
            if first <= box.last:
                changes[first] = changes.get(first, 0) + box.height
                changes[box.last + 1] = changes.get(box.last + 1, 0) - box.height
        taken, height = dict[int, int](), 0
        for tick in sorted(changes):
            height += changes[tick]
            taken[tick] = height
        return taken

    def _clash(self, numbers: Sequence[int], proved: bool) -> Clash:
        boxes = [self.boxes[number] for number in numbers]
        asked = max(self._loads(numbers).values()) * self.alignment
        found = tuple(self.stays[number] for number in sorted(numbers))
        first, last = _where(boxes)
        return Clash(found, first, last, asked, self.capacity, proved)


def _where(boxes: Sequence[Box]) -> tuple[int, int]:
    """The ticks at which more than one of some boxes are there: first and last."""
    starts, ends = sorted(box.first for box in boxes), sorted(box.last for box in boxes)
    if len(boxes) == 1:
        return starts[0], ends[0]
    ticks = [
        (max(one.first, other.first), min(one.last, other.last)) for one in boxes for other in boxes if one is not other
    ]
    both = [(low, high) for low, high in ticks if low <= high]
    return min(low for low, _ in both), max(high for _, high in both)


def _meet(one: Box, other: Box) -> bool:
    return one.first <= other.last and other.first <= one.last


def _counts(box: Box, tick: int) -> bool:
    """True if a box needs units of its own at a tick."""
    return box.first + bool(box.parents) <= tick <= box.last


def _name(number: int) -> str:
    return str(number)
