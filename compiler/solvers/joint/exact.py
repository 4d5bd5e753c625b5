"""Exact: the best answer to a JointProblem that CP-SAT finds, and what no answer goes below.

Owns the order of the questions.  What is short is asked at once, with the true time of kernels.  What is long is cut
into blocks, of which equal ones are solved once; they prove a bound, and the answer stitched out of them is repaired
in windows around the seams.  Compute and memory overlap, so that blocks count a weighted sum of the two; the weights
follow what bounds the whole.  Never worse than the answers to start from.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from compiler.solvers.joint.blocks import Blocks, cuts, form
from compiler.solvers.joint.demote import fitting
from compiler.solvers.joint.faults import faults, stays
from compiler.solvers.joint.judge import aims
from compiler.solvers.joint.pack import Packing, pack
from compiler.solvers.joint.part import Menus, window
from compiler.solvers.joint.price import price_us, times
from compiler.solvers.joint.problem import Answer, JointProblem
from compiler.solvers.joint.solve import Limits, solve
from compiler.solvers.joint.tables import Weights

SHORT = 80
WORK_PER_SECOND = 0.5
LEAST_WEIGHT = 0.004
CLOSE = 1e-4
Tell = Callable[[float, float], bool]
"""Objective and bound (us, -1: none) -> whether to end with the best so far."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The best answer with its addresses; `bound_us` is what none goes below, -1 if that is not known."""

    answer: Answer
    packing: Packing
    objective_us: float
    bound_us: float
    states: int


@dataclass(slots=True)
class Search:
    """Keeps the best answer that has addresses, and tells of it."""

    problem: JointProblem
    seconds: float
    seed: int
    tell: Tell
    until: float = 0.0
    bound_us: float = -1.0
    states: int = 0
    best: Answer | None = None
    packing: Packing | None = None
    stopped: bool = False
    menus: Menus = field(default_factory=Menus)

    def offer(self, answer: Answer) -> bool:
        """Take an answer if it is better than the best and has addresses."""
        made = fitting(self.problem, answer)
        if made is None or (self.best is not None and aims(self.problem, made) >= aims(self.problem, self.best)):
            return False
        found = pack(self.problem, made, 1.0, self.seed)
        while not isinstance(found, Packing):
            smaller = fitting(self.problem, made, {(one.item, one.copy) for one in found.stays})
            if smaller is None or (
                self.best is not None and aims(self.problem, smaller) >= aims(self.problem, self.best)
            ):
                return False
            made, found = smaller, pack(self.problem, smaller, 1.0, self.seed)
        self.best, self.packing = made, found
        self.say()
        return True

    def say(self) -> bool:
        """Tell of the best; True if the search should end."""
        if self.best is not None:
            self.stopped |= self.tell(price_us(self.problem, self.best), self.bound_us)
        return self.over

    @property
    def over(self) -> bool:
        """True if there is nothing left to do, no time, or somebody has enough."""
        return self.stopped or self.proved or time.monotonic() >= self.until

    @property
    def proved(self) -> bool:
        """True if the best answer is known to be the best there is, but for a hair."""
        if self.best is None or self.bound_us < 0:
            return False
        total = price_us(self.problem, self.best)
        return total - self.bound_us <= CLOSE * total

    def limits(self, share: float) -> Limits:
        """A share of all the work."""
        return Limits(share * self.seconds * WORK_PER_SECOND, self.until, self.seed)

    def raised(self, bound_us: float) -> None:
        """A bound that was proved."""
        self.bound_us = max(self.bound_us, bound_us)
        self.say()


def search(problem: JointProblem, starts: Iterable[Answer], seconds: float, seed: int, tell: Tell) -> Outcome | None:
    """The outcome after at most `seconds`, measured by counted work and cut off by the clock; None if no start fits.

    Raises SolverMissingError without OR-Tools.
    """
    found = Search(problem, seconds, seed, tell, time.monotonic() + seconds)
    for start in starts:
        found.offer(start)
    if found.best is None:
        return None
    if len(problem.tasks) <= SHORT:
        _at_once(found)
    else:
        _in_blocks(found)
    assert found.packing is not None
    total = price_us(problem, found.best)
    return Outcome(found.best, found.packing, total, min(found.bound_us, total), found.states)


def _at_once(found: Search) -> None:
    """The whole problem in one question."""
    assert found.best is not None

    def told(objective_us: float, bound_us: float) -> bool:
        found.bound_us = max(found.bound_us, bound_us)
        found.stopped |= found.tell(min(objective_us, price_us(found.problem, found.best or start)), found.bound_us)
        return found.stopped

    start = found.best
    solution = solve(found.problem, start, found.limits(1.0), None, told)
    if solution is None:
        return
    found.states += solution.states
    found.offer(solution.answer)
    found.raised(solution.bound_us)


def _in_blocks(found: Search) -> None:
    """Blocks for a bound and a first answer, then windows around their seams."""
    blocks = Blocks(found.problem, cuts(found.problem), found.menus)
    low, high = 0.0, 1.0
    share = LEAST_WEIGHT
    for _ in range(6):
        weights = Weights(share, 1.0 - share)
        solutions = blocks.solved(weights, found.limits(0.25), found.say)
        if solutions is None:
            break
        found.raised(_bound(found, blocks, weights, blocks.bound_us(solutions, weights)))
        stitched = blocks.stitched(solutions)
        found.offer(stitched)
        _windows(found, weights, blocks.ends)
        more_compute = _compute_bound(found.problem, stitched)
        if (
            found.over
            or (more_compute and share > 1 - 2 * LEAST_WEIGHT)
            or (not more_compute and share == LEAST_WEIGHT)
        ):
            break
        low, high = (share, high) if more_compute else (low, share)
        share = 1 - LEAST_WEIGHT if share == LEAST_WEIGHT else (low + high) / 2
    found.states += blocks.states


def _compute_bound(problem: JointProblem, answer: Answer) -> bool:
    """True if kernels take more for compute than for memory."""
    found = times(problem, answer).values()
    return sum(one.compute_us for one in found) > sum(one.memory_us for one in found)


def _bound(found: Search, blocks: Blocks, weights: Weights, bound_us: float) -> float:
    """The bound with the turnaround on written bytes holds if no answer reads less than it writes."""
    if _reads_more(found.problem):
        return bound_us
    other = Weights(weights.compute, weights.memory, turned_reads=True)
    solutions = blocks.solved(other, found.limits(0.25), found.say)
    return -1.0 if solutions is None else min(bound_us, blocks.bound_us(solutions, other))


def _reads_more(problem: JointProblem) -> bool:
    """True if every answer reads at least what any answer writes, kernel by kernel."""
    read, written = dict.fromkeys(problem.kernels, 0), dict.fromkeys(problem.kernels, 0)
    for task in problem.tasks:
        bills = [choice.bills for choice in task.menu.choices]
        read[task.kernel] += min(bill.read_bytes for row in bills for bill in row)
        written[task.kernel] += max(bill.written_bytes for row in bills for bill in row)
    for item in problem.items:
        if item.writer >= 0 and item.feet:
            written[problem.tasks[item.writer].kernel] += item.out.written_bytes
    return all(read[kernel] >= written[kernel] for kernel in problem.kernels)


def _windows(found: Search, weights: Weights, ends: tuple[int, ...]) -> None:
    """Tasks around every seam decided anew, all else as it is; equal windows once."""
    known: dict[object, Answer | None] = {}
    for before, seam, after in zip(ends, ends[1:], ends[2:], strict=False):
        if found.over or found.best is None:
            return
        first, last = (before + seam) // 2, (seam + after) // 2
        part = window(found.problem, found.best, first, last, stays(found.problem, found.best), found.menus)
        start = part.narrowed(found.best)
        key = (form(part), start)
        if key not in known:
            solution = solve(part.problem, start, found.limits(0.05), weights)
            known[key] = solution.answer if solution else None
            found.states += solution.states if solution else 0
        answer = known[key]
        if answer is not None and answer != start:
            changed = part.widened(found.best, answer)
            if not faults(found.problem, changed):
                found.offer(changed)
