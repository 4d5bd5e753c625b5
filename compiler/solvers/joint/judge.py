"""Judge: which of several answers to a JointProblem is the best, the one that is always there, and which of equal
divisions is taken.

Refuses to search.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from compiler.solvers.joint.faults import faults
from compiler.solvers.joint.price import mask, price_us
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


def firsts(problem: JointProblem, answer: Answer) -> Answer:
    """The answer with every task under the first of the divisions that come to the same: menus are in order of
    preference, the one that stands first."""
    return replace(answer, choices=tuple(_first(problem, answer, number) for number in range(len(problem.tasks))))


def _first(problem: JointProblem, answer: Answer, number: int) -> int:
    """The first choice of a task with the bill of the present one, its views of what is in LX, and its cut if tied."""
    choices, present = problem.tasks[number].menu.choices, answer.choices[number]
    own, bits = choices[present], mask(problem, answer, number)
    cuts = problem.tied[number][1] if number in problem.tied else (0,) * len(choices)
    for place, choice in enumerate(choices[:present]):
        pairs = enumerate(zip(choice.views, own.views, strict=True))
        alike = all(one == other for operand, (one, other) in pairs if bits >> operand & 1)
        if alike and choice.bills[bits] == own.bills[bits] and cuts[place] == cuts[present]:
            return place
    return present
