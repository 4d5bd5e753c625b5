"""Random cases for the bound that blocks prove together: `python -m tests.compiler.joint.bound_cases [CASES [FIRST]]`.

Owns problems with everything that a bound has to hold for (loads of parts and at several rates, ties, pins, a rest of
the program around it), cuts at any place, any weights and any side of the turnaround; and what an answer counts by the
sums of the enumeration.  The bound may not be more than what the best answer of the whole counts under these weights,
nor, with small problems, than the least time by enumeration.  Several thousand take some minutes.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from random import Random
from time import monotonic

from compiler.solvers.joint.blocks import Blocks
from compiler.solvers.joint.bound import elsewhere
from compiler.solvers.joint.judge import trivial
from compiler.solvers.joint.problem import Answer, Choice, JointProblem, Load, Menu, Tie
from compiler.solvers.joint.solve import Limits, solve
from compiler.solvers.joint.tables import Weights
from tests.compiler.joint.brute_joint import Till, _due, _events, _paid
from tests.compiler.joint.random_joint import random_joint

PARTS = (0.0, 0.001, 0.016, 0.3, 0.5, 0.8, 0.984, 1.0)
SMALL, LARGE = 5, 8  # tasks
CLOSE = 1e-6
ENOUGH_S = 60.0


@dataclass(frozen=True, slots=True)
class Case:
    """A problem, where it is cut, and what counts how much."""

    problem: JointProblem
    ends: tuple[int, ...]
    weights: Weights

    def bound_us(self) -> float | None:
        """What the blocks prove under these weights alone; None if one of them has no answer."""
        return _bound(Blocks(self.problem, self.ends), self.weights)

    def sure_us(self) -> float | None:
        """What they prove of the time: the turnaround on whichever side is smaller."""
        blocks = Blocks(self.problem, self.ends)
        written = replace(self.weights, turned="written")
        other = elsewhere(self.problem, written)
        found = [_bound(blocks, one) for one in (written, other) if one is not None]
        return None if None in found else min(one for one in found if one is not None)

    def least_us(self) -> float | None:
        """What the best answer of the whole counts; None if there is none."""
        found = solve(self.problem, trivial(self.problem), limits(), self.weights)
        return weighted_us(self.problem, found.answer, self.weights) if found else None


def limits() -> Limits:
    """More than a case takes."""
    return Limits(ENOUGH_S, monotonic() + ENOUGH_S)


def _bound(blocks: Blocks, weights: Weights) -> float | None:
    solutions = blocks.solved(weights, limits(), lambda: False)
    return blocks.bound_us(solutions, weights) if solutions is not None else None


def case(seed: int, tasks: int) -> Case:
    """A random case."""
    rng = Random(f"bound {seed}")
    pins, part = rng.choice((0.0, 0.0, 0.15)), rng.random() < 0.3
    problem = random_joint(seed, tasks, 2 if tasks <= SMALL else rng.choice((2, 2, 3)), pins, part, plain=True)
    if rng.random() < 0.6:
        problem = _tied(rng, _varied(rng, problem))
    ends: list[tuple[int, ...]] = [(0, place, tasks) for place in range(1, tasks)]
    ends += [tuple(range(tasks + 1)), (*range(0, tasks, 2), tasks)]
    share = rng.choice(PARTS)
    return Case(problem, rng.choice(ends), Weights(share, 1 - share, rng.choice(("written", "read", "nothing"))))


def _varied(rng: Random, problem: JointProblem) -> JointProblem:
    """The problem with loads of parts of inputs, and at several rates."""
    parts, rates = rng.random() < 0.5, rng.random() < 0.5
    known: dict[int, Menu] = {}

    def load(one: Load) -> Load:
        size = max(1, int(one.size_bytes * rng.choice((0.25, 0.5, 0.75, 1.0, 1.0, 1.0)))) if parts else one.size_bytes
        return replace(one, size_bytes=size, bytes_per_ns=rng.choice((0.0, 0.1, 0.3)) if rates else one.bytes_per_ns)

    def choice(one: Choice) -> Choice:
        return Choice(one.views, tuple(replace(bill, loads=tuple(map(load, bill.loads))) for bill in one.bills))

    for task in problem.tasks:
        if id(task.menu) not in known:
            known[id(task.menu)] = Menu(tuple(map(choice, task.menu.choices)))
    return replace(problem, tasks=tuple(replace(task, menu=known[id(task.menu)]) for task in problem.tasks))


def _tied(rng: Random, problem: JointProblem) -> JointProblem:
    """The problem with two tasks tied, the first choices of which always are alike."""
    if rng.random() < 0.7:
        return problem
    tasks = tuple(sorted(rng.sample(range(len(problem.tasks)), 2)))
    cuts = tuple((0, *(rng.randrange(2) for _ in problem.tasks[task].menu.choices[1:])) for task in tasks)
    return replace(problem, ties=(Tie(tasks, cuts),))


def weighted_us(problem: JointProblem, answer: Answer, weights: Weights) -> float:
    """What an answer counts under weights, by the sums of the enumeration."""
    tills = {task.kernel: Till() for task in problem.tasks}
    for _, kernel, bill, items in sorted(_events(problem, answer), key=lambda event: event[0]):
        tills[kernel].ring(bill, items)
    return sum(_weighted(problem, till, weights) for till in tills.values())


def _weighted(problem: JointProblem, till: Till, weights: Weights) -> float:
    compute, memory, serial, read, written = till.terms
    for item, loads in till.loads.items():
        pooled, apart = _paid(problem.items[item].size_bytes, loads)
        longest = max(load.delivery_us for load in loads)
        read, memory, serial = read + pooled, memory + apart + longest, serial + _due(loads) - longest
    turned = {"written": written, "read": read, "nothing": 0.0}[weights.turned]
    rates = problem.rates
    moved = (read + written) / rates.bytes_per_ns + turned * rates.turnaround_ns_per_byte
    return weights.compute * (compute + till.slowest) + weights.memory * (memory + moved / 1000) + serial


def main(cases: int = 4000, first: int = 0) -> int:
    """Run, print what is wrong, and say whether anything is."""
    began, seen, wrong, shares = monotonic(), 0, 0, 0.0
    for seed in range(first, first + cases):
        one = case(seed, LARGE)
        bound, least = one.bound_us(), one.least_us()
        if bound is None or least is None:
            continue
        seen, shares = seen + 1, shares + bound / max(least, CLOSE)
        if bound > least + CLOSE:
            wrong += 1
            sys.stdout.write(f"{seed}: {bound} us, but {least} us can be had; cut at {one.ends}, {one.weights}\n")
    sys.stdout.write(
        f"{cases} cases, {seen} bounds, {shares / max(seen, 1):.1%} of the least on average, {wrong} wrong, "
        f"{monotonic() - began:.0f} s\n"
    )
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
