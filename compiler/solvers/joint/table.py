"""The searches for answers to a JointProblem by name.

Owns the names that a pipeline may write, and what is used where OR-Tools is missing.  Refuses to choose.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from frozendict import frozendict

from compiler.solvers.joint.annealing import annealing
from compiler.solvers.joint.descent import improve
from compiler.solvers.joint.exact import Outcome, Search, Tell, search
from compiler.solvers.joint.greedy import greedy as beams
from compiler.solvers.joint.problem import Answer, JointProblem

Searching = Callable[[JointProblem, Sequence[Answer], float, int, Tell], Outcome | None]


def greedy(problem: JointProblem, starts: Sequence[Answer], seconds: float, seed: int, tell: Tell) -> Outcome | None:
    """Beams over the steps under several weights, then changes that lower the exact time."""
    found = _started(problem, starts, seconds, seed, tell)

    def told(answer: Answer) -> bool:
        found.offer(answer)
        return found.over

    made = beams(problem, until=found.until, tell=told, enough=found.say)
    if made is not None:
        found.offer(made)
    if found.best is not None and not found.over:
        found.offer(improve(problem, found.best, found.until, lambda _: found.say()))
    return _outcome(found)


def annealed(problem: JointProblem, starts: Sequence[Answer], seconds: float, seed: int, tell: Tell) -> Outcome | None:
    """Simulated annealing from the best start."""
    found = _started(problem, starts, seconds, seed, tell)
    if found.best is not None:
        found.offer(annealing(problem, found.best, seed, None, found.until, lambda _: found.say()))
    return _outcome(found)


def exact(problem: JointProblem, starts: Sequence[Answer], seconds: float, seed: int, tell: Tell) -> Outcome | None:
    """CP-SAT, at once or in blocks."""
    return search(problem, starts, seconds, seed, tell)


def _started(problem: JointProblem, starts: Sequence[Answer], seconds: float, seed: int, tell: Tell) -> Search:
    found = Search(problem, seconds, seed, tell, time.monotonic() + seconds)
    for start in starts:
        found.offer(start)
    return found


def _outcome(found: Search) -> Outcome | None:
    if found.best is None or found.packing is None:
        return None
    return Outcome(found.best, found.packing, found.reached[0], found.bound_us, found.states, found.spent)


SEARCHES: frozendict[str, Searching] = frozendict({"cp-sat": exact, "greedy": greedy, "annealing": annealed})
FALLBACK = "greedy"
