"""Keeping: which demands can be met together, the first ones first, and who stands in the way of the others.

Owns the order of the questions: demands that have to do with the same tasks, or with LX at the same time, by trying;
then all at once by CP-SAT, which names some that clash.  Without OR-Tools, or where time runs out, what was not found
counts as not to be had.  A clash is a set of demands none of which can be left out of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from compiler.solvers.cp_sat import SolverMissingError
from compiler.solvers.joint.demands import Asked, asked_of
from compiler.solvers.joint.problem import Answer
from compiler.solvers.joint.proving import Proving
from compiler.solvers.joint.seating import Seating

QUICK = 30
"""Seats that are taken before CP-SAT is asked, and 2 more for each demand."""

Numbers = tuple[int, ...]


@dataclass(slots=True)
class Keeping:
    """Answers questions about one set of demands, by their numbers; `clashes` has those that were given up, each with
    the others that it clashes with."""

    asked: Asked
    seating: Seating = field(init=False)
    clashes: dict[int, Numbers] = field(default_factory=dict)
    proved: bool = True
    _proving: Proving | None = None
    _unproved: bool = False
    _reach: list[tuple[frozenset[int], int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.seating = Seating(self.asked)
        self._reach = [self._reached(number) for number in range(len(self.asked.demands))]

    def kept(self) -> tuple[Numbers, Answer]:
        """The demands that are met, the first ones first, and how."""
        taken = self._without_neighbours()
        found = self.holds(taken)
        while not isinstance(found, Answer):
            late, crowd = self._late(taken, found)
            self.clashes[late] = crowd
            taken = tuple(one for one in taken if one != late)
            found = self.holds(taken)
        for late in sorted(self.clashes):
            if not self.clashes.keys().isdisjoint(self.clashes[late]):  # who stood in its way is gone itself
                again = self.holds((*taken, late))
                if isinstance(again, Answer):
                    taken, found = tuple(sorted((*taken, late))), again
                    del self.clashes[late]
        return taken, found

    def holds(self, wanted: Numbers) -> Answer | Numbers:
        """An answer of the part that meets these demands, or some of them that cannot be met together; whether that
        is `proved`."""
        found = self.seating.found(wanted, tried=QUICK + 2 * len(wanted))
        if found is None and not self.seating.whole and not self._has_prover():
            found = self.seating.found(wanted)
        self.proved = self.seating.whole
        if found is not None or self.proved or self._proving is None:
            return wanted if found is None else found
        asked = self._proving.ask(wanted)
        self.proved = asked is not None
        return asked or wanted

    # Clashes

    def _without_neighbours(self) -> Numbers:
        """The demands but for those that clash with earlier ones at the same tasks, or in LX at the same time."""
        taken: Numbers = ()
        for number in range(len(self.asked.demands)):
            for crowd in ((), self._at_tasks(taken, number), self._at_times(taken, number)):
                if self._apart((*crowd, number)):
                    self.clashes[number] = self._fewest(crowd, number)
                    break
            else:
                taken = (*taken, number)
        return taken

    def _apart(self, wanted: Numbers) -> bool:
        """Whether everything was tried to meet some demands, in vain."""
        return not self.seating.fits(wanted, tried=QUICK + 2 * len(wanted)) and self.seating.whole

    def _fewest(self, crowd: Numbers, late: int) -> Numbers:
        """As few of a crowd as still stand in the way of a demand, the first ones rather than the last."""
        needed: Numbers = ()
        while crowd:
            *rest, last = crowd
            crowd = tuple(rest)
            if not self._apart((*crowd, *needed, late)):
                needed = (last, *needed)
        return needed

    def _late(self, taken: Numbers, found: Numbers) -> tuple[int, Numbers]:
        """The last of those that clash, and the others; if nobody knows who clashes, the first one too many, and those
        that are in LX at the same time."""
        if not self.proved:
            late = taken[self._as_many(taken)]
            return late, self._at_times(tuple(one for one in taken if one < late), late)
        small = asked_of(self.asked.problem, [self.asked.demands[number] for number in found])
        crowd = _smallest(small)
        return found[crowd[-1]], tuple(found[one] for one in crowd[:-1])

    def _as_many(self, wanted: Numbers) -> int:
        """How many of the demands can be met, in their order, if not all can."""
        low, high = 0, len(wanted) - 1
        while low < high:
            middle = (low + high + 1) // 2
            if isinstance(self.holds(wanted[:middle]), Answer):
                low = middle
            else:
                high = middle - 1
        return low

    def _at_tasks(self, taken: Numbers, number: int) -> Numbers:
        tasks = self._reach[number][0]
        return tuple(one for one in taken if not tasks.isdisjoint(self._reach[one][0]))

    def _at_times(self, taken: Numbers, number: int) -> Numbers:
        _, first, last = self._reach[number]
        return tuple(one for one in taken if self._reach[one][1] <= last + 1 and first <= self._reach[one][2] + 1)

    def _reached(self, number: int) -> tuple[frozenset[int], int, int]:
        """The tasks that a demand has to do with, the first and the last one; a tie takes no room at any time."""
        demand = self.asked.demands[number]
        if demand.tie is not None:
            return frozenset(demand.tie.tasks), 0, -1
        item = self.asked.problem.items[demand.item]
        tasks = frozenset({*item.readers, *((item.writer,) if item.writer >= 0 else ())})
        return tasks, min(tasks), max(tasks)

    def _has_prover(self) -> bool:
        if self._proving is None and not self._unproved:
            try:
                self._proving = Proving(self.asked)
            except SolverMissingError:
                self._unproved = True
        return not self._unproved


def _smallest(asked: Asked) -> Numbers:
    """Of demands that clash as few as still do, the first ones rather than the last."""
    keeping, left, needed = Keeping(asked), tuple(range(len(asked.demands))), Numbers()
    while left:
        *rest, last = left
        found = keeping.holds((*rest, *needed))
        if isinstance(found, Answer):
            needed, left = (last, *needed), tuple(rest)
        else:
            left = tuple(one for one in rest if one in found)
    return needed
