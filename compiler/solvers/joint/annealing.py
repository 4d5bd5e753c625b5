"""Simulated annealing over divisions, residence and moves at once (facts 5.7), on the exact price.

Owns moves, temperatures and the best state ever seen.  Refuses proofs, and addresses: no state has more in LX than
there is room for, so that no order of buffers is needed.  The same seed gives the same answer unless time runs out.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import exp, inf
from random import Random
from statistics import median

from compiler.solvers.joint.descent import improve, less
from compiler.solvers.joint.judge import aims
from compiler.solvers.joint.problem import DEVICE, HOME, Answer, JointProblem
from compiler.solvers.joint.prospects import Prospects, Slope
from compiler.solvers.joint.state import Proposal, State, Wish
from compiler.solvers.joint.wishes import Wishes

STEPS_PER_TASK = 40
LEAST_STEPS, MOST_STEPS = 200, 15_000
PROBES = 64
COOLING = 1000.0
ASKED_EVERY = 64
"""Steps between two looks at the clock."""

LEGS = 8
"""Of so many legs each starts from the best state seen before."""

RELAID = 0.5
"""How often a move takes relayouts along."""

SECOND = 0.01
"""What the second aim weighs beside the first while it runs."""

KINDS = ("flip", "recolour", "seat", "way")
SHARES = (0.35, 0.25, 0.2, 0.2)


def annealing(
    problem: JointProblem,
    start: Answer,
    seed: int = 0,
    steps: int | None = None,
    until: float = inf,
    tell: Callable[[int], bool] | None = None,
) -> Answer:
    """The best answer seen, from one without faults on; never worse than that.

    Takes 40 steps per task, 200 to 15,000, unless told how many, and a descent from the best at the end.  `tell` hears
    how many are done and says whether to stop; `until` is when to, in monotonic seconds.
    """
    count = len(problem.tasks)
    if not count:
        return start
    walk = _Walk(State.of(problem, start), Random(seed))
    heat = walk.probed(min(PROBES, 4 * count + 8))
    total = min(max(STEPS_PER_TASK * count, LEAST_STEPS), MOST_STEPS) if steps is None else steps
    for step in range(total if heat > 0 else 0):
        if step % ASKED_EVERY == 0 and (time.monotonic() > until or (tell is not None and tell(step))):
            break
        if step % -(-total // LEGS) == 0 and less(walk.best_aims, walk.state.aims):
            walk.back()
        walk.step(heat * COOLING ** (-step / total))
    found = improve(problem, walk.best, until, tell)
    return min(start, found, key=lambda one: aims(problem, one))


@dataclass
class _Walk:
    state: State
    rng: Random
    wishes: Wishes = field(init=False)
    best: Answer = field(init=False)
    best_aims: tuple[float, float] = field(init=False)

    def __post_init__(self) -> None:
        self.wishes = Wishes(self.state, Prospects.of(self.state.problem, Slope()))
        self.best, self.best_aims = self.state.answer(), self.state.aims

    def back(self) -> None:
        """Return to the best state."""
        self.state = State.of(self.state.problem, self.best)
        self.wishes = Wishes(self.state, self.wishes.prospects)

    def probed(self, count: int) -> float:
        """The median change of so many moves that are allowed and change anything; 0 if there are none."""
        found = []
        for _ in range(8 * count):
            proposal = self._proposal()
            if proposal is not None and self._rise(proposal):
                found.append(abs(self._rise(proposal)))
            if len(found) == count:
                break
        return median(found) if found else 0.0

    def step(self, heat: float) -> None:
        """Try a move; make it if the price falls, and by chance if it does not."""
        proposal = self._proposal()
        if proposal is None:
            return
        rise = self._rise(proposal)
        if rise > 0 and self.rng.random() >= exp(-rise / heat):
            return
        self.state.commit(proposal)
        if less(self.state.aims, self.best_aims):
            self.best, self.best_aims = self.state.answer(), self.state.aims

    def _rise(self, proposal: Proposal) -> float:
        (us, partly), (old, old_partly) = proposal.aims, self.state.aims
        return us - old + SECOND * (partly - old_partly)

    def _proposal(self) -> Proposal | None:
        """What a drawn move comes to; where there is no room for it, with something else put out."""
        wish = self._wish()
        if wish is None:
            return None
        if self.rng.random() < RELAID:
            wish = self.wishes.relaid(wish) or wish
        found = self.state.propose(wish)
        if found is not None or not wish.resident:
            return found
        rivals = list(self.wishes.rivals(wish))
        return self.state.propose(self.rng.choice(rivals)) if rivals else None

    def _wish(self) -> Wish | None:
        kind = self.rng.choices(KINDS, SHARES)[0]
        problem = self.state.problem
        number = self.rng.randrange(len(problem.tasks))
        if kind in ("flip", "recolour"):
            choices = problem.tasks[number].menu.choices
            choice = self.rng.randrange(len(choices))
            if choice == self.state.choices[number]:
                return None
            return self.wishes.recoloured(number, choice) if kind == "recolour" else Wish({number: choice})
        operands = problem.tasks[number].touched
        if not operands:
            return None
        return self._seat(self.rng.choice(operands)) if kind == "seat" else self._way(self.rng.choice(operands))

    def _seat(self, item: int) -> Wish | None:
        """An item into LX or out of it."""
        return Wish(resident={item: not self.state.places[item][0]}) if self.state.problem.items[item].feet else None

    def _way(self, item: int) -> Wish | None:
        """Another way for a reader of an item, or for all that can go it."""
        one, ways = self.state.problem.items[item], self.state.places[item][1]
        if not one.readers or not (one.feet or one.copies):
            return None
        way = self.rng.choice((DEVICE, HOME, *range(len(one.copies))))
        if self.rng.random() < 0.5:
            return Wish(ways={item: (way,) * len(ways)})
        reader = self.rng.randrange(len(ways))
        return Wish(ways={item: (*ways[:reader], way, *ways[reader + 1 :])})
