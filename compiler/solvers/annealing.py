"""Simulated annealing over the order in which buffers are placed (facts 4.6).

Owns moves, temperatures and the packer that turns an order into addresses.  Refuses proofs: its bound is the one that
needs no search.  The same seed gives the same answer, since work is counted and no clock is read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, log
from random import Random

from frozendict import frozendict

from compiler.solvers.fit import fit, order
from compiler.solvers.placement import Effort, Placed, PlacementProblem, answer, weight_lost
from compiler.solvers.regions import by_region
from compiler.solvers.request import may_replace

STEPS_PER_BUFFER = 30
LEAST_STEPS, MOST_STEPS = 500, 5000
CYCLES = 4
HOT, COLD = 0.8, 0.01  # acceptance of an ordinary loss at the start and at the end of a cycle
HORIZON = 2  # over how many losses the ordinary one is averaged
PLACEMENTS_PER_SECOND = 40_000
NOWHERE = -1


def annealing(problem: PlacementProblem, effort: Effort) -> Placed:
    """The best of all orders tried; never worse than best fit."""
    return by_region(problem, effort, _search)


def _search(region: PlacementProblem, start: Placed, effort: Effort) -> Placed:
    packer = Packer.of(region)
    names = [one.name for one in region.requests]
    rank = {one.name: number for number, one in enumerate(order(region.requests))}
    first = sorted(range(len(names)), key=lambda n: (not region.requests[n].pinned, rank[names[n]]))
    walk = _Walk(packer, first, Random(effort.seed))
    walk.run(start.bound, round(effort.seconds * PLACEMENTS_PER_SECOND))
    found = frozendict((names[n], at) for n, at in enumerate(walk.best) if at != NOWHERE)
    if weight_lost(region, found) >= weight_lost(region, start.addresses):
        return answer(region, start.addresses, walk.tried)
    return answer(region, _tidy(region, found), walk.tried)


def _tidy(region: PlacementProblem, found: frozendict[str, int]) -> frozendict[str, int]:
    """Where best fit finds room for the same buffers, its addresses: they do not depend on the way of the search."""
    chosen = region.among(found)
    calm = fit(chosen.requests, region.capacity, region.alignment)
    return calm if len(calm) == len(found) else found


@dataclass(slots=True)
class Packer:
    """Gives each buffer of an order the lowest address that is free for its whole life; the place of a parent or of a
    child first.  Buffers are numbers; `meets` lists those alive at a common step, `kin` those whose place it may share.
    """

    sizes: list[int]
    weights: list[int]
    meets: list[list[int]]
    kin: list[list[int]]
    capacity: int
    alignment: int
    at: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, problem: PlacementProblem) -> Packer:
        """A packer with nothing placed."""
        asked = problem.requests
        numbers = range(len(asked))
        meets = [[m for m in numbers if m != n and asked[m].meets(asked[n])] for n in numbers]
        pairs = {(n, m) for n in numbers for m in meets[n] if asked[m].name in asked[n].parents}
        pairs = {(n, m) for n, m in pairs if may_replace(asked[n], asked[m])}
        kin = [[m for m in meets[n] if (n, m) in pairs or (m, n) in pairs] for n in numbers]
        weights = [one.saves + problem.pin_weight * one.pinned for one in asked]
        sizes = [one.size for one in asked]
        return cls(sizes, weights, meets, kin, problem.capacity, problem.alignment, [NOWHERE] * len(asked))

    def repack(self, order_: list[int], start: int) -> int:
        """Place everything from a position of the order on anew; the weight that found no place."""
        for n in order_[start:]:
            self.at[n] = NOWHERE
        for n in order_[start:]:
            self.at[n] = self._address(n)
        return sum(weight for weight, at in zip(self.weights, self.at, strict=True) if at == NOWHERE)

    def _address(self, n: int) -> int:
        at, sizes, size = self.at, self.sizes, self.sizes[n]
        busy = sorted((at[m], at[m] + sizes[m], m) for m in self.meets[n] if at[m] != NOWHERE)
        for relative in self.kin[n]:
            low = at[relative]
            fits = low != NOWHERE and low + size <= self.capacity
            if fits and all(m == relative or high <= low or low + size <= other for other, high, m in busy):
                return low
        cursor = 0
        for low, high, _ in busy:
            if cursor + size <= low:
                return cursor
            cursor = max(cursor, -(-high // self.alignment) * self.alignment)
        return cursor if cursor + size <= self.capacity else NOWHERE


@dataclass(slots=True)
class _Walk:
    """One run: the order it stands at, the best addresses seen, how many orders were tried."""

    packer: Packer
    order_: list[int]
    random: Random
    best: list[int] = field(default_factory=list)
    tried: int = 0
    ordinary: float = 0.0

    def run(self, least: int, placements: int) -> None:
        """Four cycles of cooling; ends early at a loss of `least` or when so many placements were made."""
        now = best = self.packer.repack(self.order_, 0)
        self.best = list(self.packer.at)
        count = len(self.order_)
        steps = min(max(STEPS_PER_BUFFER * count, LEAST_STEPS), MOST_STEPS)
        for step in range(steps if count > 1 else 0):
            if best <= least or placements <= 0:
                return
            cooled = (step * CYCLES % steps) / steps
            lost, made = self._move(now, HOT * (COLD / HOT) ** cooled)
            placements -= made
            now = lost
            if now < best:
                best, self.best = now, list(self.packer.at)

    def _move(self, now: int, acceptance: float) -> tuple[int, int]:
        """Take one buffer out and put it in elsewhere; the loss afterwards and how many placements that took."""
        count = len(self.order_)
        source, target = self.random.randrange(count), self.random.randrange(count - 1)
        target += target >= source
        before, kept = list(self.order_), list(self.packer.at)
        self.order_.insert(target, self.order_.pop(source))
        start = min(source, target)
        lost = self.packer.repack(self.order_, start)
        self.tried += 1
        if lost > now and not self._accepts(lost - now, acceptance):
            self.order_, self.packer.at, lost = before, kept, now
        return lost, count - start

    def _accepts(self, loss: int, acceptance: float) -> bool:
        """By the temperature at which an ordinary loss is accepted with the given probability."""
        self.ordinary += (loss - self.ordinary) / HORIZON if self.ordinary else loss
        return self.random.random() < exp(loss / self.ordinary * log(acceptance))
