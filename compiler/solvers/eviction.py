"""Eviction: placement in which a buffer may leave the scratchpad between two uses and come back, at the price of its
bytes (facts 8.5, 9.3).

Owns which gaps between uses are given up.  Every stay between two given-up gaps is a request of its own with its own
address, so that any placement solver answers the question that is left.  Refuses addresses: those are the solver's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from compiler.solvers.heuristics import best_fit, first_fit, greedy_sweep
from compiler.solvers.placement import Effort, Placed, PlacementProblem, Status, cut, weight_lost
from compiler.solvers.request import Request
from compiler.solvers.stays import Gap, Kept, Stay, bytes_kept, least_evicted, request_of, stays_of

Solver = Callable[[PlacementProblem, Effort], Placed]
Splits = frozenset[Gap]
STAYS_PER_SECOND = 10_000  # that are asked for in all trials
MOST_SETS = 40  # of gaps, in one round: those of the dearest buffers that found no place


@dataclass(frozen=True, slots=True)
class Evicted:
    """An answer: the stays that have a place, with their addresses, in the order of requests and steps.

    `objective` is the traffic (bytes) of uses outside, dumps and reloads, `bound` what no answer goes below.
    """

    stays: tuple[tuple[Stay, int], ...]
    objective: int
    bound: int
    status: Status
    states: int

    def holds(self, name: str, step: int) -> bool:
        """True if a buffer is in the scratchpad at a step."""
        return any(stay.name == name and stay.first <= step <= stay.last for stay, _ in self.stays)

    def breaks(self, name: str) -> tuple[int, ...]:
        """Steps at which a buffer comes back for a use that reads: the first of every stay but that of its birth."""
        return tuple(stay.first for stay, _ in self.stays if stay.name == name and stay.reloaded)


def evict(problem: PlacementProblem, kept: Mapping[str, Kept], solver: Solver, effort: Effort) -> Evicted:
    """The best of what `solver` finds without and with gaps given up; what is not in `kept` stays whole."""
    search = _Search(problem, kept, effort)
    free, whole = search.free, frozenset[Gap]()
    starts = (search.answer(splits, solver(search.question(splits), effort)) for splits in dict.fromkeys((whole, free)))
    best, states = min(starts, key=lambda one: one.objective), 1
    bound = least_evicted(problem, kept)
    if best.objective > bound:
        splits = search.improve(free)
        tried = (_by_rule(search.question(splits), effort), solver(search.question(splits), effort))
        best = min((best, *(search.answer(splits, one) for one in tried)), key=lambda one: one.objective)
        states += search.tried
    status = Status.OPTIMAL if best.objective == bound else Status.HEURISTIC
    return Evicted(best.stays, best.objective, min(bound, best.objective), status, states)


def _by_rule(question: PlacementProblem, effort: Effort) -> Placed:
    """The best answer of those rules that never go back."""
    answers = (rule(question, effort) for rule in (best_fit, first_fit, greedy_sweep))
    return min(answers, key=lambda placed: weight_lost(question, placed.addresses))


@dataclass(frozen=True, slots=True)
class _Answer:
    stays: tuple[tuple[Stay, int], ...]
    objective: int


@dataclass(slots=True)
class _Search:
    """Tries sets of gaps with best fit, region by region, and keeps what lowers the traffic."""

    problem: PlacementProblem
    kept: Mapping[str, Kept]
    effort: Effort
    tried: int = 0
    left: int = field(init=False)

    def __post_init__(self) -> None:
        self.left = round(self.effort.seconds * STAYS_PER_SECOND)

    @property
    def free(self) -> Splits:
        """Gaps that cost nothing: the next use writes the buffer anew."""
        return frozenset(
            (one.name, number)
            for one in self.problem.requests
            for number, use in enumerate(one.uses[1:])
            if one.name in self.kept and use in self.kept[one.name].rewritten
        )

    def stays(self, request: Request, splits: Splits) -> tuple[Stay, ...]:
        """The stays of a buffer under these splits."""
        return stays_of(request, self.kept.get(request.name), splits)

    def question(self, splits: Splits, names: frozenset[str] | None = None) -> PlacementProblem:
        """What is left to place."""
        asked = [one for one in self.problem.requests if names is None or one.name in names]
        all_stays = {one.name: self.stays(one, splits) for one in asked}
        requests = tuple(
            request_of(stay, one, all_stays)
            for one in asked
            for stay in all_stays[one.name]
            if stay.worth > 0 or stay.pinned
        )
        return PlacementProblem(requests, self.problem.capacity, self.problem.alignment)

    def answer(self, splits: Splits, placed: Placed) -> _Answer:
        """The stays with a place, and the traffic that is left."""
        found = tuple(
            (stay, placed.addresses[stay.key])
            for one in self.problem.requests
            for stay in self.stays(one, splits)
            if stay.key in placed.addresses
        )
        return _Answer(found, self.problem.total - bytes_kept(stay for stay, _ in found))

    def improve(self, splits: Splits) -> Splits:
        """The splits and those that make the traffic less."""
        for part in cut(self.question(splits)):
            names = frozenset(one.name.partition("#")[0] for one in part.requests)
            splits = self._region(names, splits)
        return splits

    def _region(self, names: frozenset[str], splits: Splits) -> Splits:
        """The same for the buffers of a region."""
        worth, placed = self._try(names, splits)
        while self.left > 0:
            sets = (splits | more for more in self._sets(names, splits, placed) if self.left > 0)
            trials = [(*self._try(names, more), more) for more in sets]
            best = max(trials, key=lambda trial: trial[0], default=None)
            if best is None or best[0] <= worth:
                break
            worth, placed, splits = best
        return self._calm(names, splits, worth)

    def _calm(self, names: frozenset[str], splits: Splits, worth: int) -> Splits:
        """Without those splits that turn out to be of no use."""
        for gap in sorted(splits - self.free):
            if gap[0] in names and self.left > 0 and self._try(names, splits - {gap})[0] >= worth:
                splits -= {gap}
        return splits

    def _try(self, names: frozenset[str], splits: Splits) -> tuple[int, Placed]:
        """Bytes that best fit keeps in the scratchpad, and its answer."""
        question = self.question(splits, names)
        self.tried += 1
        self.left -= 1 + len(question.requests)
        placed = _by_rule(question, self.effort)
        return sum(one.saves for one in question.requests if one.name in placed.addresses), placed

    def _sets(self, names: frozenset[str], splits: Splits, placed: Placed) -> list[Splits]:
        """Sets of gaps worth trying: for each stay without a place, its own, and those that make room for it."""
        lost: list[Stay] = []
        inside: list[Stay] = []
        for one in self.problem.requests:
            if one.name in names and one.size <= self.problem.capacity:
                for stay in self.stays(one, splits):
                    (inside if stay.key in placed.addresses else lost).append(stay)
        lost.sort(key=lambda stay: -stay.worth)
        found: dict[Splits, None] = {}
        for stay in lost:
            for more in (*self._own(stay), *self._room(stay, inside)):
                if len(found) < MOST_SETS:
                    found.setdefault(more)
        return list(found)

    def _own(self, stay: Stay) -> Iterator[Splits]:
        """Each gap of the stay itself, and all of them."""
        gaps = self._gaps(stay)
        yield from (frozenset({gap}) for gap, _, _ in gaps)
        if len(gaps) > 1:
            yield frozenset(gap for gap, _, _ in gaps)

    def _room(self, stay: Stay, inside: list[Stay]) -> Iterator[Splits]:
        """Gaps of others around the steps at which the stay, or a part of it between two uses, needs its bytes: those
        that are idle there together, as many as it takes, then each alone."""
        gaps = self._gaps(stay)
        for first, last in ((stay.first, stay.last), *((low, high) for _, low, high in gaps)):
            parts = (first, last) != (stay.first, stay.last)
            chosen = frozenset(gap for gap, low, high in gaps if parts and (low, high) != (first, last))
            near = [
                (other.moved / other.size, gap, other.size, low < last and first < high and high - low > 1)
                for other in inside
                for gap, low, high in self._gaps(other)
                if low <= last and first <= high
            ]
            near.sort()
            yield from (chosen | {gap} for _, gap, _, _ in near)
            lacking = stay.size
            for _, gap, size, idle in near:
                if idle and lacking > 0:
                    chosen, lacking = chosen | {gap}, lacking - size
            if lacking <= 0:
                yield chosen

    def _gaps(self, stay: Stay) -> list[tuple[Gap, int, int]]:
        """Gaps within a stay that may be given up, with the uses around them."""
        if stay.name not in self.kept or stay.pinned:
            return []
        numbers = range(stay.numbers[0], stay.numbers[-1])
        uses = stay.uses
        return [((stay.name, number), uses[at], uses[at + 1]) for at, number in enumerate(numbers)]
