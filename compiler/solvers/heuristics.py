"""Placement in one go: the rules that never go back, as solvers of one form.

Owns how pinned buffers go first with a rule that only knows an order.  Refuses search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from frozendict import frozendict

from compiler.solvers.fit import fit
from compiler.solvers.greedy import greedy
from compiler.solvers.placement import Effort, Placed, PlacementProblem, answer
from compiler.solvers.request import Request

Rule = Callable[[Sequence[Request], int, int, Mapping[str, int] | None], frozendict[str, int]]


def best_fit(problem: PlacementProblem, _effort: Effort) -> Placed:
    """Best fit in the order of `compiler.solvers.fit.order`."""
    return _answer(_best, problem)


def first_fit(problem: PlacementProblem, _effort: Effort) -> Placed:
    """First fit in the order of `compiler.solvers.fit.order`."""
    return _answer(_first, problem)


def greedy_sweep(problem: PlacementProblem, _effort: Effort) -> Placed:
    """The greedy sweep over time."""
    return _answer(greedy, problem)


def _best(
    requests: Sequence[Request], capacity: int, alignment: int, fixed: Mapping[str, int] | None
) -> frozendict[str, int]:
    return fit(requests, capacity, alignment, True, fixed)


def _first(
    requests: Sequence[Request], capacity: int, alignment: int, fixed: Mapping[str, int] | None
) -> frozendict[str, int]:
    return fit(requests, capacity, alignment, False, fixed)


RULES: tuple[Rule, ...] = (_best, _first, greedy)


def _answer(rule: Rule, problem: PlacementProblem) -> Placed:
    """What is pinned is placed first, by the rule that places most of it."""
    pinned = [request for request in problem.requests if request.pinned]
    fixed: frozendict[str, int] = frozendict()
    for one in (rule, *RULES) if pinned else ():
        placed = one(pinned, problem.capacity, problem.alignment, None)
        fixed = placed if len(placed) > len(fixed) else fixed
    addresses = rule(problem.requests, problem.capacity, problem.alignment, fixed)
    return answer(problem, addresses, len(problem.requests))
