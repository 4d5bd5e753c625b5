"""Search: which moves a plan gets, each kept only where the whole plan takes less time with it.

Owns the order in which offers are tried, buffers of equal form together, then those that found no place by eviction.
Every trial is a whole placement and a whole price.  Refuses divisions: those are decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from frozendict import frozendict

from compiler.cost.model import price
from compiler.loops import BufferKind
from compiler.moves.offers import Offers
from compiler.moves.value import Form, Moves, with_moves
from compiler.placing import Placing, Solve, place
from compiler.plan import EditKind, Plan, Slot
from compiler.problem import Problem
from compiler.solvers.eviction import evict
from compiler.solvers.heuristics import best_fit
from compiler.solvers.placement import Effort, Placed, PlacementProblem
from compiler.solvers.stays import Kept

LEAST_US = 1e-6  # what moves have to save, so that rounding never decides
LEAST_TRIALS = 48
STEPS_PER_SECOND = 4000  # steps that are placed and priced in a second of an ordinary machine
ROUNDS = 3  # of evictions
TOGETHER = 8  # moves of one form that are tried one by one where they do not help together

Table = frozendict[str, Moves]
Tell = Callable[[float], bool]


@dataclass(frozen=True, slots=True)
class Trial:
    """A plan with some moves, by buffer, and its time."""

    moves: Table
    placing: Placing
    total_us: float


@dataclass(frozen=True, slots=True)
class Searched:
    """The best trial, what each move saved as it was taken (us, by buffer), and why a forced one is not there."""

    best: Trial
    saved_us: frozendict[str, float]
    refused: frozendict[str, str]


def by_best_fit(question: PlacementProblem) -> Placed:
    """The solver of trials."""
    return best_fit(question, Effort())


@dataclass(slots=True)
class MoveSearch:
    """Tries moves for the plan of a problem; `tell` hears the best time after each trial and may end the search."""

    problem: Problem
    plan: Plan
    effort: Effort
    tell: Tell = field(default=lambda _total: False)
    left: int = field(init=False, default=0)
    ended: bool = field(init=False, default=False)
    saved: dict[str, float] = field(init=False, default_factory=dict)
    refused: dict[str, str] = field(init=False, default_factory=dict)

    def run(self) -> Searched:
        """Moves that pins ask for, then all that help, then evictions."""
        start = self._trial(frozendict())
        assert start is not None
        steps = len(start.placing.scene.schedule.steps)
        self.left = max(LEAST_TRIALS, round(self.effort.seconds * STEPS_PER_SECOND / max(1, steps)))
        offers = Offers(self.problem, start.placing.scene)
        best = self._forced(start, offers)
        forced = frozenset(best.moves)
        for stay in (True, False):
            best = self._all(best, self._open(best, offers, stay), forced)
        best = self._evicting(best, offers, forced)
        return Searched(best, frozendict(self.saved), frozendict(self.refused))

    def settled(self, best: Trial, solve: Solve) -> Trial:
        """The same moves placed by another solver, where that finds room for all of them in no more time."""
        found = self._trial(best.moves, solve)
        return found if found is not None and found.total_us <= best.total_us else best

    def _trial(self, moves: Table, solve: Solve = by_best_fit) -> Trial | None:
        """The plan with these moves; None if one of them finds no room."""
        plan = with_moves(self.problem.program, self.plan, moves.values())
        inside = frozenset(name for one in moves.values() for name in one.inside)
        placing = place(self.problem, plan, solve, moves=True, pinned=inside)
        placed = placing.plan.placement
        away = (name for one in moves.values() for name in one.outside)
        if any(not isinstance(placed[name], Slot) for name in inside) or any(isinstance(placed[n], Slot) for n in away):
            return None
        return Trial(moves, placing, price(self.problem, placing.plan).total_us)

    # What is tried

    def _forced(self, best: Trial, offers: Offers) -> Trial:
        """Moves of buffers that a pin wants in LX, or over the ring, at any price."""
        pins = self.problem.pins
        wanted = [name for name, where in pins.placement.items() if where == "lx"]
        wanted += [name for name, way in pins.relayout.items() if way == "ring"]
        for name in dict.fromkeys(wanted):
            ring = pins.relayout.get(name) == "ring"
            placed = best.placing.plan.placement.get(name)
            if placed is None or (isinstance(placed, Slot) and not ring):
                continue
            one = offers.of(name)
            kinds = {move.edit.kind for move in one.made} if one is not None else set()
            if one is None or (ring and EditKind.RELAYOUT not in kinds):
                self.refused[name] = "no move brings it to a reader"
                continue
            trial = self._trial(best.moves.set(name, one))
            if trial is None:
                self.refused[name] = f"there is no room in LX for {' and '.join(one.inside)}"
            else:
                self.saved[name], best = best.total_us - trial.total_us, trial
        return best

    def _open(self, best: Trial, offers: Offers, stay: bool) -> list[Moves]:
        """Offers for buffers that have no moves yet and are not in LX, those that serve most bytes first."""
        placement, pins = best.placing.plan.placement, self.problem.pins.placement
        found = []
        for name in offers.scene.schedule.buffers:
            if name in best.moves or isinstance(placement[name], Slot) or pins.get(name) == "hbm":
                continue
            if not stay and offers.scene.schedule.buffers[name].kind is not BufferKind.COMPUTED:
                continue  # what arrives in device memory was only ever loaded
            one = offers.of(name, stay=stay)
            if one is not None:
                found.append(one)
        return sorted(found, key=lambda one: -one.layout.size_bytes * max(1, one.served))

    def _all(self, best: Trial, offered: Iterable[Moves], forced: frozenset[str]) -> Trial:
        """Take what helps: buffers of one form together, or if that does not, each alone."""
        groups: dict[Form, list[Moves]] = {}
        for one in offered:
            if one.buffer not in forced:
                groups.setdefault(one.form, []).append(one)
        for group in groups.values():
            taken = self._take(best, group)
            if taken is not None:
                best = taken
                continue
            for one in group if 1 < len(group) <= TOGETHER else ():
                best = self._take(best, [one]) or best
        return best

    def _take(self, best: Trial, group: list[Moves]) -> Trial | None:
        """The plan with these moves as well, if it takes less time."""
        if self.ended or self.left <= 0:
            return None
        self.left -= 1
        trial = self._trial(best.moves | {one.buffer: one for one in group})
        better = trial is not None and trial.total_us < best.total_us - LEAST_US
        self.ended |= self.tell(trial.total_us if trial is not None and better else best.total_us)
        if trial is None or not better:
            return None
        self.saved |= {one.buffer: (best.total_us - trial.total_us) / len(group) for one in group}
        return trial

    # Evictions

    def _evicting(self, best: Trial, offers: Offers, forced: frozenset[str]) -> Trial:
        """Let buffers leave LX where others, that found no room, save more; again where that made other room."""
        breaks: dict[str, frozenset[int]] = {}
        for _ in range(ROUNDS):
            offered = []
            for name, places in self._breaks(best, offers).items():
                more = places | breaks.get(name, frozenset())
                one = None if name in forced else offers.of(name, more)
                if one is not None and one != best.moves.get(name):
                    breaks[name] = more
                    offered.append(one)
            before = best
            best = (self._take(best, offered) if offered else None) or best
            for one in offered if best is before and len(offered) > 1 else ():
                best = self._take(best, [one]) or best
            if best is before:
                break
        return best

    def _breaks(self, best: Trial, offers: Offers) -> dict[str, frozenset[int]]:
        """Ops before which buffers should have left LX, if what found no room then does."""
        placing, found = best.placing, dict[str, frozenset[int]]()
        if placing.found.objective == 0 or self.left <= 0:
            return found
        pins = self.problem.pins.placement
        asked = tuple(replace(one, pinned=pins.get(one.name) == "lx") for one in placing.question.requests)
        kept = {one.name: self._kept(placing, one.name) for one in asked}
        evicted = evict(replace(placing.question, requests=asked), kept, best_fit, self.effort)
        owners = {move.edit.target: one.buffer for one in best.moves.values() for move in one.made}
        for name in kept:
            owner = owners.get(name, name)
            places = frozenset(offers.places[_op_at(placing, step)] for step in evicted.breaks(name))
            if places and owner in offers.scene.schedule.buffers:
                found[owner] = found.get(owner, frozenset()) | places
        return found

    def _kept(self, placing: Placing, name: str) -> Kept:
        size, life = placing.plan.layouts[name].size_bytes, placing.scene.lives[name]
        writer = placing.scene.schedule.steps[life.writes[0]].edit
        loaded = writer is not None and writer.kind is EditKind.CLONE_IN
        return Kept(tuple(size for _ in life.uses), size, in_memory=loaded)


def _op_at(placing: Placing, number: int) -> str:
    step = placing.scene.schedule.steps[number]
    return step.name if step.edit is None else step.edit.before
