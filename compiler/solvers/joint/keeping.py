"""Keeping: which demands can be met together, the first ones first, and who stands in the way of the others.

Owns the order of the questions: seats are tried first; where that does not settle it, CP-SAT proves it, or, without
OR-Tools, what was not found counts as not to be had.  A clash is a set of demands none of which can be left out of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from compiler.solvers.cp_sat import SolverMissingError
from compiler.solvers.joint.demands import Asked
from compiler.solvers.joint.problem import Answer
from compiler.solvers.joint.proving import Proving
from compiler.solvers.joint.seating import Seating

FEW = 8
"""So many demands are left out one by one when a clash is looked for; of more, half of them first."""


@dataclass(slots=True)
class Keeping:
    """Answers questions about one set of demands, by their numbers."""

    asked: Asked
    seating: Seating = field(init=False)
    _proving: Proving | None = None
    _alone: bool = False
    _reach: list[tuple[frozenset[int], int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.seating = Seating(self.asked)
        self._reach = [self._reached(number) for number in range(len(self.asked.demands))]

    def holds(self, wanted: Sequence[int]) -> Answer | tuple[int, ...]:
        """An answer of the part that meets these demands, or some of them that cannot be met together."""
        found = self.seating.found(wanted)
        if found is not None:
            return found
        if self.seating.whole or not self._has_prover():
            return tuple(wanted)
        assert self._proving is not None
        proved = self._proving.ask(wanted)
        return tuple(wanted) if proved is None else proved

    def kept(self) -> tuple[tuple[int, ...], Answer, dict[int, tuple[int, ...]]]:
        """The demands that are met, the first ones first, how, and of each other one those that it clashes with."""
        everything = tuple(range(len(self.asked.demands)))
        found = self.holds(everything)
        if isinstance(found, Answer):
            return everything, found, {}
        taken: tuple[int, ...] = ()
        clashes: dict[int, tuple[int, ...]] = {}
        answer = self._answer(())
        rest = everything
        while rest:
            good, answer = self._as_many(taken, rest, answer)
            taken, rest = taken + rest[:good], rest[good:]
            if rest:
                clashes[rest[0]] = self.clash(taken, rest[0])
                rest = rest[1:]
        return taken, answer, clashes

    def _as_many(self, taken: tuple[int, ...], rest: tuple[int, ...], answer: Answer) -> tuple[int, Answer]:
        """How many of the rest can be met on top of those taken, in their order, and how."""
        low, high, step = 0, len(rest), 1
        while low < high:
            middle = min(low + step, high)
            found = self.holds((*taken, *rest[:middle]))
            if isinstance(found, Answer):
                low, answer, step = middle, found, 2 * step
            else:
                high, step = middle - 1, max(1, (high - low) // 4)
        return low, answer

    def clash(self, taken: tuple[int, ...], late: int) -> tuple[int, ...]:
        """A demand, and the fewest of those taken that it cannot be met with: none of them can be left out."""
        for crowd in ((), tuple(one for one in taken if self._meet(one, late)), taken):
            found = self.holds((*crowd, late))
            if not isinstance(found, Answer):
                return self._fewer(tuple(one for one in found if one != late), late)
        return ()

    def _fewer(self, crowd: tuple[int, ...], late: int) -> tuple[int, ...]:
        """As few of a crowd as still stand in the way of a demand; the last ones are left out first."""
        left, needed = crowd, list[int]()
        while len(left) > FEW:
            found = self.holds((*left[: len(left) // 2], late))
            if isinstance(found, Answer):
                break
            left = tuple(one for one in left if one in found)
        while left:
            *rest, last = left
            found = self.holds((*rest, *needed, late))
            if isinstance(found, Answer):
                needed.append(last)
                left = tuple(rest)
            else:
                left = tuple(one for one in rest if one in found)
        return tuple(sorted(needed))

    def _answer(self, wanted: Sequence[int]) -> Answer:
        found = self.seating.found(wanted)
        assert found is not None, "nothing asked for, nothing in the way"
        return found

    def _meet(self, one: int, other: int) -> bool:
        """Whether two demands have to do with the same tasks, or with LX at the same time."""
        (mine, first, last), (theirs, start, end) = self._reach[one], self._reach[other]
        return not mine.isdisjoint(theirs) or (first <= end and start <= last)

    def _reached(self, number: int) -> tuple[frozenset[int], int, int]:
        demand = self.asked.demands[number]
        if demand.tie is not None:
            return frozenset(demand.tie.tasks), 0, -1
        item = self.asked.problem.items[demand.item]
        tasks = frozenset({*item.readers, *((item.writer,) if item.writer >= 0 else ())})
        return tasks, min(tasks), max(tasks)

    def _has_prover(self) -> bool:
        if self._proving is None and not self._alone:
            try:
                self._proving = Proving(self.asked)
            except SolverMissingError:
                self._alone = True
        return not self._alone
