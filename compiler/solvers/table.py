"""The placement solvers by name: each answers a PlacementProblem with a Placed.

Owns the names that a pipeline may write, and what is used where OR-Tools is missing.  Refuses to choose.
"""

from __future__ import annotations

from collections.abc import Callable

from frozendict import frozendict

from compiler.solvers.annealing import annealing
from compiler.solvers.exact import cp_sat
from compiler.solvers.heuristics import best_fit, first_fit, greedy_sweep
from compiler.solvers.placement import Effort, Placed, PlacementProblem

Solver = Callable[[PlacementProblem, Effort], Placed]

SOLVERS: frozendict[str, Solver] = frozendict(
    {
        "best-fit": best_fit,
        "first-fit": first_fit,
        "greedy": greedy_sweep,
        "annealing": annealing,
        "cp-sat": cp_sat,
    }
)
FALLBACK = "best-fit"
