"""Regions: a placement problem cut where nothing is alive, so that only what is contended is searched.

Owns the answer of best fit for what needs no search, and the reuse of answers for regions of one form
(repeated blocks).  Refuses to search itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from frozendict import frozendict

from compiler.solvers.heuristics import best_fit
from compiler.solvers.placement import Effort, Placed, PlacementProblem, Status, cut

Form = tuple[tuple[int, tuple[int, ...], tuple[int, ...], bool, int, bool], ...]
Search = Callable[[PlacementProblem, Placed, Effort], Placed]


def by_region(problem: PlacementProblem, effort: Effort, search: Search) -> Placed:
    """Best fit everywhere, and `search(region, best fit, effort)` where that is not known to be optimal.

    The seconds that are left are shared by the regions that are left; regions of one form are searched once.
    """
    parts = cut(problem)
    starts = [best_fit(part, effort) for part in parts]
    found: dict[int, Placed] = {n: start for n, start in enumerate(starts) if start.status is Status.OPTIMAL}
    forms = {number: form(parts[number]) for number in range(len(parts)) if number not in found}
    seen: dict[Form, int] = {}
    left = len(set(forms.values()))
    for number, shape in forms.items():
        if shape in seen:
            found[number] = _renamed(parts[seen[shape]], found[seen[shape]], parts[number])
            continue
        seen[shape] = number
        found[number] = search(parts[number], starts[number], replace(effort, seconds=effort.seconds / left))
    return _joined(problem, [found[number] for number in range(len(parts))])


def form(part: PlacementProblem) -> Form:
    """What of a region matters to a solver: everything but names and the step it starts at."""
    at = {one.name: number for number, one in enumerate(part.requests)}
    first = min(one.start for one in part.requests)
    return tuple(
        (
            one.size,
            tuple(use - first for use in one.uses),
            tuple(at[name] for name in one.parents if name in at),
            one.computed,
            one.saves,
            one.pinned,
        )
        for one in part.requests
    )


def _renamed(searched: PlacementProblem, found: Placed, part: PlacementProblem) -> Placed:
    """The answer of a region for another one of the same form."""
    names = dict(zip((one.name for one in searched.requests), (one.name for one in part.requests), strict=True))
    return replace(found, addresses=frozendict((names[name], at) for name, at in found.addresses.items()), states=0)


def _joined(problem: PlacementProblem, parts: list[Placed]) -> Placed:
    """One answer out of those of all regions."""
    where = {name: at for part in parts for name, at in part.addresses.items()}
    addresses = frozendict((one.name, where[one.name]) for one in problem.requests if one.name in where)
    worst = max((part.status for part in parts), key=_RANK.index, default=Status.OPTIMAL)
    objective, bound = sum(part.objective for part in parts), sum(part.bound for part in parts)
    return Placed(addresses, objective, bound, worst, sum(part.states for part in parts))


_RANK = (Status.OPTIMAL, Status.HEURISTIC, Status.LIMIT, Status.CLOCK)
