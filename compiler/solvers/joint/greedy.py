"""Greedy: the co-optimiser that needs no solver: beams under weights that find out what binds each kernel, a descent.

Owns the search for the weights.  A kernel takes the larger of compute and memory, which is what a weighted sum of both
comes to under the right weights: compute counts more where it took longer, and less where it did not.  Refuses proofs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from math import inf

from compiler.solvers.joint.beam import WIDTH, beam
from compiler.solvers.joint.descent import improve
from compiler.solvers.joint.judge import aims, best, trivial
from compiler.solvers.joint.problem import Answer, JointProblem
from compiler.solvers.joint.prospects import Slope
from compiler.solvers.joint.state import State
from compiler.solvers.joint.tables import Weights

ROUNDS = 6
"""Narrow beams that look for the weights; each halves what is not known of them."""

SCOUTS = 4
"""Width of these beams."""

FEW = 100
"""With so many tasks at most these have the whole width."""

FINALISTS = 3
"""So many of the best answers are improved."""

Told = Callable[[Answer], bool]
Slopes = dict[int, Slope]


def greedy(
    problem: JointProblem,
    width: int = WIDTH,
    until: float = inf,
    tell: Told | None = None,
    enough: Callable[[], bool] | None = None,
    rounds: int = ROUNDS,
) -> Answer | None:
    """The best answer found; none where pins to LX leave nothing that it finds.

    `tell` hears of every answer and says whether to stop; `enough` is asked all the time.  `until` is when to stop, in
    monotonic seconds.
    """
    asked = (lambda _: enough()) if enough is not None else None
    found: list[Answer] = []
    for slopes, breadth in _tries(problem, found, width, rounds):
        answer = beam(problem, breadth, None, until, asked, slopes)
        if answer is None:
            break
        found.append(answer)
        if (tell is not None and tell(answer)) or (enough is not None and enough()) or time.monotonic() > until:
            break
    ranked = sorted(dict.fromkeys(found), key=lambda one: aims(problem, one))[:FINALISTS]
    if time.monotonic() > until:
        return best(problem, [*ranked[:1], trivial(problem)])
    return best(problem, [*(improve(problem, one, until, asked) for one in ranked), trivial(problem)])


def _tries(problem: JointProblem, found: list[Answer], width: int, rounds: int) -> Iterator[tuple[Slopes, int]]:
    """Slopes and widths: narrow beams while weights are looked for, then the whole width at the best of them."""
    span = dict.fromkeys(problem.kernels, (0.0, 1.0))
    turned = dict.fromkeys(problem.kernels, False)
    narrow = min(SCOUTS, width) if len(problem.tasks) > FEW else width
    known: list[tuple[tuple[float, float], Slopes]] = []
    for _ in range(rounds):
        slopes = {kernel: _slope(*span[kernel], turned[kernel]) for kernel in problem.kernels}
        yield slopes, narrow
        known.append((aims(problem, found[-1]), slopes))
        _narrow(problem, found[-1], span, turned)
    for _, slopes in sorted(known, key=lambda one: one[0])[:1] if narrow < width else ():
        yield slopes, width


def _slope(low: float, high: float, turned: bool) -> Slope:
    compute = (low + high) / 2
    return Slope(Weights(compute, 1 - compute), turned)


def _narrow(
    problem: JointProblem, answer: Answer, span: dict[int, tuple[float, float]], turned: dict[int, bool]
) -> None:
    """Halve what is not known of the weights by what an answer takes."""
    sums = State.of(problem, answer).tally.sums
    for kernel, (low, high) in span.items():
        middle = (low + high) / 2
        span[kernel] = (middle, high) if sums[kernel].compute_binds else (low, middle)
        turned[kernel] = sums[kernel].read_bytes < sums[kernel].written_bytes
