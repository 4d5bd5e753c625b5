"""Random answers to joint problems: allowed but for the room, and spoilt ones.

Refuses to judge: whether a spoilt answer is still allowed is for the rules to say.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from compiler.solvers.joint.problem import DEVICE, HOME, Answer, JointProblem
from tests.compiler.joint.brute_joint import Walk

TRIES = 40


def everything_away(problem: JointProblem) -> Answer:
    """First divisions, nothing in LX."""
    nothing = (False,) * len(problem.items)
    return Answer(
        (0,) * len(problem.tasks), nothing, nothing, tuple((DEVICE,) * len(item.readers) for item in problem.items)
    )


def random_answer(rng: Random, problem: JointProblem) -> Answer:
    """An answer that breaks no rule but perhaps that of room; half of them put in LX what they can."""
    eager = rng.random() < 0.5
    for _ in range(TRIES):
        walk = Walk(problem)
        for number in range(len(problem.tasks)):
            steps = list(walk.ways(number))
            if not steps:
                break
            inside = [step.resident + sum(way != DEVICE for way in step.ways) for step in steps]
            most = [step for step, count in zip(steps, inside, strict=True) if count == max(inside)]
            walk = walk.taken(number, rng.choice(most if eager and rng.random() < 0.8 else steps))
        else:
            if walk.pinned():
                return walk.answer()
    return everything_away(problem)


def spoilt(rng: Random, problem: JointProblem, answer: Answer) -> Answer:
    """The answer with one decision drawn anew."""
    item = rng.randrange(len(problem.items))
    drawn = rng.randrange(4)
    if drawn == 0:
        task = rng.randrange(len(problem.tasks))
        choices = list(answer.choices)
        choices[task] = rng.randrange(len(problem.tasks[task].menu.choices))
        return replace(answer, choices=tuple(choices))
    if drawn == 1:
        return replace(answer, resident=_flipped(answer.resident, item))
    if drawn == 2:
        return replace(answer, out=_flipped(answer.out, item))
    ways, served = list(answer.served[item]), list(answer.served)
    if ways:
        copies = range(len(problem.items[item].copies))
        ways[rng.randrange(len(ways))] = rng.choice((HOME, DEVICE, *copies))
    served[item] = tuple(ways)
    return replace(answer, served=tuple(served))


def _flipped(flags: tuple[bool, ...], place: int) -> tuple[bool, ...]:
    return (*flags[:place], not flags[place], *flags[place + 1 :])
