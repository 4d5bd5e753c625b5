"""Exact placement: bytes first, then packing, then windows, then everything at once, each with CP-SAT.

Owns the order of the questions and what their answers prove together.  Refuses the model, which is in
`compiler.solvers.cp_sat`.

Bytes alive per step against the capacity give a bound that nothing can beat.  If their buffers can be packed, that is
proved to be the best.  Otherwise the best answer so far is improved window by window, each an exact placement of some
buffers among the others, before all are decided together, which proves what is best where time allows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from frozendict import frozendict

from compiler.solvers.cp_sat import Budget, Model, require
from compiler.solvers.fit import fit
from compiler.solvers.placement import Effort, Placed, PlacementProblem, Status, bytes_lost, weight_lost
from compiler.solvers.regions import by_region

Addresses = frozendict[str, int]

WORK_PER_SECOND = 0.4  # deterministic seconds of the solver in a second of an ordinary machine
GRACE_SECONDS = 1.5  # by how much the clock may exceed what was asked for
LOADS_SHARE, PACK_SHARE, WINDOW_SHARE = 0.3, 0.1, 0.1  # of all the time, at most, for one question
WIDTHS = (24, 48, 96)  # buffers that are free at once; half of them are new in the next window


def cp_sat(problem: PlacementProblem, effort: Effort) -> Placed:
    """The best placement, proved where the seconds suffice; never worse than best fit.

    Raises SolverMissingError without OR-Tools.
    """
    require()
    return by_region(problem, effort, _search)


def _search(region: PlacementProblem, start: Placed, effort: Effort) -> Placed:
    whole = WORK_PER_SECOND * effort.seconds
    budget = Budget(effort.seed, whole, whole, time.monotonic() + effort.seconds + GRACE_SECONDS)
    best, bound = _loads(region, start.addresses, budget)
    if weight_lost(region, best) > bound and len(region.requests) > WIDTHS[0]:
        best = _windows(region, best, bound, budget)
    if weight_lost(region, best) > bound:
        best, proved = _everything(region, best, budget)
        bound = max(bound, proved)
    return _answer(region, _calm(region, best), bound, start, budget)


def _answer(region: PlacementProblem, best: Addresses, bound: int, start: Placed, budget: Budget) -> Placed:
    """The claim in bytes: of the answers that keep as many pins, none loses fewer than the bound."""
    lost, weight = bytes_lost(region, best), weight_lost(region, best)
    least = lost if bound >= weight else min(lost, max(start.bound, bound - (weight - lost)))
    open_ = Status.CLOCK if budget.clock else Status.LIMIT
    return Placed(best, lost, least, Status.OPTIMAL if bound >= weight else open_, budget.branches)


def _loads(region: PlacementProblem, start: Addresses, budget: Budget) -> tuple[Addresses, int]:
    """The best of the start and of what the question without addresses leads to, and the bound it gives."""
    loads = Model(region, with_addresses=False)
    loads.hint(start)
    chosen = loads.solve(budget, LOADS_SHARE)
    if chosen is None:
        return start, loads.bound
    packed = _pack(region, chosen, budget)
    filled = fit(region.requests, region.capacity, region.alignment, True, packed)
    return _better(region, start, filled), loads.bound


def _pack(region: PlacementProblem, chosen: Addresses, budget: Budget) -> Addresses:
    """Addresses for all of the chosen, by best fit or else by search; for as many as best fit places otherwise."""
    part = region.among(chosen)
    calm = fit(part.requests, part.capacity, part.alignment)
    if len(calm) == len(chosen):
        return calm
    model = Model(part, with_addresses=True)
    model.require_all()
    model.hint(calm)
    found = model.solve(budget, PACK_SHARE)
    return calm if found is None else found


def _windows(region: PlacementProblem, best: Addresses, bound: int, budget: Budget) -> Addresses:
    """Free some buffers that live side by side, keep the others; wider windows once a whole pass gains nothing."""
    for width in WIDTHS:
        before = None
        while best != before and width < len(region.requests):
            before = best
            for free in _sights(region, width):
                if budget.spent or weight_lost(region, best) <= bound:
                    return best
                best = _better(region, best, _window(region, free, best, budget))
    return best


def _sights(region: PlacementProblem, width: int) -> Iterator[frozenset[str]]:
    """Names of buffers in the order of their first steps, so many at a time, half of them seen before."""
    ordered = sorted(region.requests, key=lambda one: (one.start, one.end))
    for first in range(0, len(ordered) - width // 2, width // 2):
        yield frozenset(one.name for one in ordered[first : first + width])


def _window(region: PlacementProblem, free: frozenset[str], best: Addresses, budget: Budget) -> Addresses:
    """The best placement of the free buffers among the others, which stay where they are."""
    alive = [one for one in region.requests if one.name in free]
    kept = frozendict(
        (one.name, best[one.name])
        for one in region.requests
        if one.name in best and one.name not in free and any(one.meets(other) for other in alive)
    )
    model = Model(region.among(free | set(kept)), with_addresses=True)
    model.fix(kept)
    model.hint(best)
    found = model.solve(budget, WINDOW_SHARE)
    if found is None:
        return best
    return frozendict({name: at for name, at in best.items() if name not in free} | dict(found))


def _everything(region: PlacementProblem, best: Addresses, budget: Budget) -> tuple[Addresses, int]:
    """Residents and addresses decided together, and what that proves."""
    model = Model(region, with_addresses=True)
    model.hint(best)
    found = model.solve(budget)
    return best if found is None else _better(region, best, found), model.bound


def _better(region: PlacementProblem, one: Addresses, other: Addresses) -> Addresses:
    return other if weight_lost(region, other) < weight_lost(region, one) else one


def _calm(region: PlacementProblem, found: Addresses) -> Addresses:
    """Where best fit finds room for the same buffers, its addresses: they do not depend on the way of the search."""
    part = region.among(found)
    calm = fit(part.requests, part.capacity, part.alignment)
    return calm if len(calm) == len(found) else _in_order(region, found)


def _in_order(region: PlacementProblem, found: Addresses) -> Addresses:
    """The same addresses in the order of the requests."""
    return frozendict((one.name, found[one.name]) for one in region.requests if one.name in found)
