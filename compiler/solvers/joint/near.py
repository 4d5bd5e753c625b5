"""Near: an answer changed as little as needed, around the tasks where something else is asked of it.

Owns two windows: a narrow one, whose answer is there at once, and a wider one that refines it.  Refuses to search the
whole: what lies further off stays as it is.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from compiler.solvers.cp_sat import SolverMissingError
from compiler.solvers.joint.descent import improve
from compiler.solvers.joint.exact import Outcome, Search, Tell
from compiler.solvers.joint.faults import faults, stays
from compiler.solvers.joint.part import window
from compiler.solvers.joint.problem import Answer, JointProblem
from compiler.solvers.joint.tables import Weights

NARROW, WIDE = 8, 20
"""Tasks on either side that are decided anew."""

SHARES = {NARROW: 0.1, WIDE: 0.3}
"""Of all the work, at most, for each window."""

SLIGHT = 0.016
"""What the smaller of compute and memory counts."""


def near(
    problem: JointProblem,
    starts: Sequence[Answer],
    centres: Iterable[int],
    seconds: float,
    seed: int,
    tell: Tell,
    bound_us: float = -1.0,
) -> Outcome | None:
    """The best start with the tasks around `centres` decided anew; None if no start can be made to fit.

    `bound_us` is what is known of all answers.  Without OR-Tools a descent takes the place of the windows.
    """
    found = Search(problem, seconds, seed, tell, time.monotonic() + seconds, bound_us)
    for start in starts:
        found.offer(start)
        if found.best is not None:
            break
    middles = sorted(set(centres))
    for radius in (NARROW, WIDE):
        for first, last in _spans(middles, radius, len(problem.tasks)):
            _decide(found, first, last, SHARES[radius] / max(1, len(middles)))
    if found.best is None or found.packing is None:
        return None
    return Outcome(found.best, found.packing, found.reached[0], min(bound_us, found.reached[0]), found.states)


def _spans(middles: list[int], radius: int, count: int) -> list[tuple[int, int]]:
    """Stretches of tasks around the middles, joined where they meet."""
    found: list[tuple[int, int]] = []
    for middle in middles:
        first, last = max(0, middle - radius), min(count, middle + radius + 1)
        if found and first <= found[-1][1]:
            first = found.pop()[0]
        found.append((first, last))
    return found


def _weights(found: Search) -> Weights | None:
    """Little of whichever of compute and memory takes less; of a few tasks in all the true time is soon known."""
    if len(found.problem.tasks) <= NARROW:
        return None
    return Weights(1 - SLIGHT, SLIGHT) if found.balance > 1 else Weights(SLIGHT, 1 - SLIGHT)


def _decide(found: Search, first: int, last: int, share: float) -> None:
    if found.over or found.best is None:
        return
    best = found.best
    weights = _weights(found)
    part = window(found.problem, best, first, last, stays(found.problem, best), found.menus)
    try:
        solution = found.asked(part.problem, part.narrowed(best), found.limits(share), weights)
    except SolverMissingError:
        found.offer(improve(found.problem, best, found.until, lambda _: found.say(), range(first, last)))
        return
    if solution is not None:
        changed = part.widened(best, solution.answer)
        if changed != best and not faults(found.problem, changed):
            found.offer(changed)
