"""Descent: small changes to an answer, each kept only if the exact price falls.

Owns the order in which they are tried and which tasks are worth another look.  Refuses to climb: that is `annealing`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from math import inf

from compiler.solvers.joint.judge import aims
from compiler.solvers.joint.options import Steps
from compiler.solvers.joint.problem import DEVICE, HOME, Answer, JointProblem
from compiler.solvers.joint.prospects import Prospects, Slope
from compiler.solvers.joint.state import Proposal, State, Wish
from compiler.solvers.joint.wishes import Wishes

MOST_CHOICES = 8
"""Divisions that are tried at a task; the cheapest with what is in LX."""

LEAST_GAIN = 1e-7
"""Microseconds by which a time has to fall."""

ASKED_EVERY = 16
"""Tasks between two looks at the clock."""

SWEEPS = 6

Sight = tuple[int, int, bool, tuple[tuple[object, ...], ...]]


def improve(
    problem: JointProblem,
    answer: Answer,
    until: float = inf,
    tell: Callable[[int], bool] | None = None,
    tasks: Iterable[int] | None = None,
    most: int = MOST_CHOICES,
) -> Answer:
    """An answer without faults, and one that is no worse; changes begin at `tasks` (all of them).

    `tell` hears how many tasks were looked at and says whether to stop; `until` is when to, in monotonic seconds.
    """
    state = State.of(problem, answer)
    wishes = Wishes(state, Prospects.of(problem, Slope()))
    waiting, looked = sorted(range(len(problem.tasks)) if tasks is None else set(tasks)), 0
    steps, barren = Steps(wishes.prospects), set[Sight]()
    for _ in range(SWEEPS):
        again: set[int] = set()
        for number in waiting:
            if looked % ASKED_EVERY == 0 and (time.monotonic() > until or (tell is not None and tell(looked))):
                again.clear()
                break
            looked += 1
            sight = _sight(state, steps, number)
            if sight not in barren:
                touched = _better(state, wishes, number, most)
                again |= touched
                if not touched:
                    barren.add(sight)
        if not again:
            break
        waiting = sorted(again)
    found = tidied(problem, state.answer())
    return min(found, answer, key=lambda one: aims(problem, one))


def tidied(problem: JointProblem, answer: Answer) -> Answer:
    """An answer without faults, less what lies in LX for nobody, where that costs nothing."""
    state = State.of(problem, answer)
    for number, (item, (inside, ways)) in enumerate(zip(problem.items, list(state.places), strict=True)):
        used = any(way == HOME or (way >= 0 and DEVICE not in item.copies[way].bills) for way in ways)
        out = state.propose(Wish(resident={number: False})) if inside and not used else None
        if out is not None and not less(state.aims, out.aims):
            state.commit(out)
    return state.answer()


def _sight(state: State, steps: Steps, number: int) -> Sight:
    """What decides whether anything can be better at a task: what it does, how things stand with all that it touches,
    and which side binds its kernel.  Where nothing was found once, nothing is looked for again."""
    problem, task = state.problem, state.problem.tasks[number]
    choices, near = state.choices, []
    for item in task.touched:
        one = problem.items[item]
        place = state.places[item]
        if one.feet or one.copies:
            near.append((place, choices[one.writer] if one.writer >= 0 else -1, *(choices[r] for r in one.readers)))
    sums = state.tally.sums[task.kernel]
    return id(steps.of(number)[0]), choices[number], sums.compute_binds, tuple(near)


def _better(state: State, wishes: Wishes, number: int, most: int) -> set[int]:
    """Make the best change at a task until there is none; the tasks that this touches."""
    touched: set[int] = set()
    while True:
        best: Proposal | None = None
        for wish in wishes.at(number, most):
            found = _cheapest(state, wishes, wish)
            if found is not None and less(found.aims, best.aims if best else state.aims):
                best = found
        if best is None:
            return touched
        state.commit(best)
        touched |= around(state.problem, best)


def _cheapest(state: State, wishes: Wishes, wish: Wish) -> Proposal | None:
    """What a wish comes to; where there is no room for it, the best of what makes some."""
    found = state.propose(wish)
    if found is not None:
        return found
    tried = (state.propose(other) for other in wishes.rivals(wish))
    return min((one for one in tried if one is not None), key=lambda one: one.aims, default=None)


def less(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether the first aim falls, or the second one while the first does not rise."""
    if abs(one[0] - other[0]) > LEAST_GAIN:
        return one[0] < other[0]
    return one[1] < other[1] - LEAST_GAIN


def around(problem: JointProblem, proposal: Proposal) -> set[int]:
    """Tasks to which a change makes a difference: those changed, and all who touch the same items."""
    items = set(proposal.places) | {item for task in proposal.choices for item in problem.tasks[task].operands}
    found = set(proposal.choices)
    for item in items:
        one = problem.items[item]
        found.update(one.readers if one.writer < 0 and len(one.readers) < 9 else (one.writer, *one.readers[:8]))
    return found - {-1}
