"""Judge: which of several answers to a JointProblem is the best, and the one that is always there.

Refuses to search.
"""

from __future__ import annotations

from collections.abc import Iterable

from compiler.solvers.joint.faults import faults
from compiler.solvers.joint.price import price_us
from compiler.solvers.joint.problem import DEVICE, Answer, JointProblem
from compiler.solvers.joint.tally import OVERLAP


def trivial(problem: JointProblem) -> Answer:
    """Everything in device memory, under the first divisions; allowed unless an item has to be in LX."""
    count = len(problem.items)
    served = tuple((DEVICE,) * len(item.readers) for item in problem.items)
    return Answer((0,) * len(problem.tasks), (False,) * count, (False,) * count, served)


def aims(problem: JointProblem, answer: Answer) -> tuple[float, float]:
    """What an answer is judged by: its time, rounded so that the order of sums does not matter, then the second aim."""
    return round(price_us(problem, answer), 6), round(price_us(problem, answer, OVERLAP), 6)


def best(problem: JointProblem, answers: Iterable[Answer]) -> Answer | None:
    """The cheapest of the answers that have no faults; the first of equal ones."""
    ranked = sorted(answers, key=lambda one: aims(problem, one))
    return next((one for one in ranked if not faults(problem, one)), None)
