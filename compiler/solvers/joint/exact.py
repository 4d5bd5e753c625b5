"""Exact: the best answer to a JointProblem that CP-SAT finds, and what no answer goes below.

Owns the order of the questions.  What is short is asked at once, with the true time of kernels.  What is long is cut
into blocks, of which equal ones are solved once; they prove a bound, and the answer stitched out of them is repaired
in windows around the seams.  Compute and memory overlap, so that blocks count a weighted sum of the two; the weights
follow what bounds the whole.  Never worse than the answers to start from.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise

from compiler.solvers.cp_sat import require
from compiler.solvers.joint.blocks import Blocks, cuts, form, side_by_side
from compiler.solvers.joint.bound import elsewhere, fused_us
from compiler.solvers.joint.demote import fitting
from compiler.solvers.joint.faults import faults, stays
from compiler.solvers.joint.greedy import greedy
from compiler.solvers.joint.judge import aims
from compiler.solvers.joint.ladder import LITTLE, first_weights, ladder
from compiler.solvers.joint.mend import mended
from compiler.solvers.joint.pack import Packing, pack
from compiler.solvers.joint.part import Menus, window
from compiler.solvers.joint.price import price_us, times
from compiler.solvers.joint.problem import Answer, JointProblem
from compiler.solvers.joint.solve import Limits, Solution, solve
from compiler.solvers.joint.tables import Weights

TINY, SHORT, EARLY = 30, 80, 400  # tasks
WORK_PER_SECOND = 1.0
PASSES = 3
ROUNDED_US = 1e-3  # how far the whole units of a model may be off
HEAD_START = 0.4  # of the time, before a second question is asked
PROVED, CLOSE = 1e-6, 3e-4  # gaps that are none, and that are not worth another step of a long program
STEP_SHARE, BLOCK_SHARE, WINDOW_SHARE, HIDDEN_SHARE = 0.3, 0.25, 0.05, 0.25
Tell = Callable[[float, float], bool]
"""Objective and bound (us, -1: none) -> whether to end with the best so far."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The best answer with its addresses; `bound_us` is what none goes below, -1 if that is not known.  `spent`: the
    search was ended by the clock, or had done all the work that its time allows."""

    answer: Answer
    packing: Packing
    objective_us: float
    bound_us: float
    states: int
    spent: bool = False


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
    reached: tuple[float, float] = (math.inf, math.inf)
    lock: threading.RLock = field(default_factory=threading.RLock)
    close: float = PROVED
    tried: Answer | None = None
    work: float = 0.0
    stopped: bool = False
    menus: Menus = field(default_factory=Menus)

    def offer(self, answer: Answer) -> bool:
        """Take an answer if it is better than the best and has addresses; what has none gives up who is in the way.
        What it does not do for pins is done as in the best."""
        made = fitting(self.problem, answer if self.best is None else mended(self.problem, answer, self.best))
        while made is not None:
            reached = aims(self.problem, made)
            if reached >= self.reached:
                return False
            found = pack(self.problem, made, 1.0, self.seed)
            if isinstance(found, Packing):
                self.best, self.packing, self.reached = made, found, reached
                self.say()
                return True
            made = fitting(self.problem, made, {(one.item, one.copy) for one in found.stays})
        return False

    def heard(self, answer: Answer) -> bool:
        """Take an answer and tell of it; True if somebody has enough."""
        self.offer(answer)
        return self.stopped

    def say(self) -> bool:
        """Tell of the best; True if the search should end.  Several questions may say so at once."""
        with self.lock:
            if self.best is not None and not self.stopped:
                self.stopped = self.tell(self.reached[0], self.bound_us)
        return self.stopped

    @property
    def answered(self) -> bool:
        """True if the last weights had an answer."""
        return self.tried is not None

    @property
    def compute_bound(self) -> bool:
        """True if kernels take more for compute than for memory in that answer."""
        found = times(self.problem, self.tried).values() if self.tried is not None else ()
        return sum(one.compute_us for one in found) > sum(one.memory_us for one in found)

    @property
    def long(self) -> bool:
        """True if the problem is cut into blocks."""
        return len(self.problem.tasks) > SHORT

    @property
    def balance(self) -> float:
        """Compute over memory in the best answer."""
        found = times(self.problem, self.best).values() if self.best is not None else ()
        memory = sum(one.memory_us for one in found)
        return sum(one.compute_us for one in found) / memory if memory else 1.0

    @property
    def over(self) -> bool:
        """True if there is nothing left to do, no time, or somebody has enough."""
        return self.stopped or self.proved or time.monotonic() >= self.until

    @property
    def proved(self) -> bool:
        """True if the best answer is known to be the best there is, or close enough to it."""
        return self.best is not None and 0 <= self.bound_us >= (1 - self.close) * self.reached[0]

    @property
    def spent(self) -> bool:
        """True if it ends for lack of time, or of work that its time allows, and for no other reason."""
        open_ = not (self.proved or self.stopped)
        return open_ and (time.monotonic() >= self.until or self.work >= self.allowance)

    @property
    def allowance(self) -> float:
        """All the work, in the solver's deterministic seconds."""
        return self.seconds * WORK_PER_SECOND

    def limits(self, share: float) -> Limits:
        """A share of all the work."""
        return Limits(share * self.allowance, self.until, self.seed, over=self.say)

    def asked(
        self,
        problem: JointProblem,
        start: Answer,
        limits: Limits,
        weights: Weights | None,
    ) -> Solution | None:
        """A question to CP-SAT, its work counted."""
        found = solve(problem, start, limits, weights)
        self.work += found.work if found else limits.work
        self.states += found.states if found else 0
        return found

    def raised(self, bound_us: float) -> None:
        """A bound that was proved."""
        self.bound_us = max(self.bound_us, bound_us)
        self.say()


def steady(tell: Tell) -> Tell:
    """The same, told of the best objective and the best bound so far, whoever of several questions says what."""
    told, lock = [math.inf, -1.0], threading.Lock()

    def say(objective_us: float, bound_us: float) -> bool:
        with lock:
            told[:] = min(told[0], objective_us), max(told[1], bound_us)
            return tell(*told)

    return say


def search(problem: JointProblem, starts: Iterable[Answer], seconds: float, seed: int, tell: Tell) -> Outcome | None:
    """The outcome after at most `seconds`, measured by counted work and cut off by the clock; None if no start fits.

    Raises SolverMissingError without OR-Tools.
    """
    require()
    found = Search(problem, seconds, seed, steady(tell), time.monotonic() + seconds)
    found.close = CLOSE if found.long else PROVED
    for start in starts:
        found.offer(start)
    if found.best is None:
        return None
    if not found.over:
        (_in_blocks if found.long else _at_once)(found)
    assert found.packing is not None
    total = price_us(problem, found.best)
    spent = found.spent or not (found.long or found.proved or found.stopped)
    return Outcome(found.best, found.packing, total, min(found.bound_us, total), found.states, spent)


def _at_once(found: Search) -> None:
    """The whole problem with its true time, and where that takes long beside it with weights: they bound it from below
    even if the first question stays open."""
    assert found.best is not None
    start, total = found.best, found.reached[0]
    beside = Search(
        found.problem, found.seconds, found.seed, found.tell, found.until, best=start, packing=found.packing
    )

    def told(objective_us: float, bound_us: float) -> bool:
        with found.lock:
            found.stopped |= found.tell(min(objective_us, total), max(bound_us, found.bound_us, beside.bound_us))
        return found.stopped

    answered, settled = threading.Event(), threading.Event()

    def ask(number: int) -> Solution | None:
        if number == 0:
            try:
                solution = solve(found.problem, start, found.limits(1.0), None, told)
            finally:
                answered.set()
            if solution is not None and solution.optimal:
                settled.set()
            return solution
        if len(found.problem.tasks) > TINY:
            made = greedy(
                found.problem, until=found.until, tell=beside.heard, enough=lambda: found.say() or settled.is_set()
            )
            if made is not None:
                beside.offer(made)
            if not answered.wait(HEAD_START * found.seconds):
                _weighed(beside)
        return None

    solution = side_by_side(ask, (0, 1))[0]
    found.states += beside.states
    if solution is not None:
        found.states += solution.states
        found.offer(solution.answer)
        exact = solution.optimal and found.reached[0] <= solution.objective_us + ROUNDED_US
        found.raised(found.reached[0] if exact else solution.bound_us)
    if beside.best is not None:
        found.offer(beside.best)
    found.raised(beside.bound_us)
    _less_hidden(found)


def _less_hidden(found: Search) -> None:
    """Of the answers that take as long, one with less hidden behind the larger of compute and memory: how much really
    overlaps is not known."""
    if found.best is None or found.stopped or time.monotonic() >= found.until:
        return
    limits = found.limits(HIDDEN_SHARE)
    solution = solve(found.problem, found.best, limits, None, None, found.reached[0])
    if solution is not None:
        found.states += solution.states
        found.offer(solution.answer)


def _weighed(found: Search) -> None:
    """The whole problem under the weights of a ladder."""
    for weights in ladder(found):
        assert found.best is not None
        solution = found.asked(found.problem, found.best, found.limits(STEP_SHARE), weights)
        if solution is None:
            return
        found.offer(solution.answer)
        found.raised(_turned(found, solution, weights))
        found.tried = solution.answer


def _turned(found: Search, solution: Solution, weights: Weights) -> float:
    """A bound with the turnaround on written bytes holds if no answer reads less than it writes; else the one with the
    turnaround elsewhere has to be as high."""
    other, apart = elsewhere(found.problem, weights), weights.compute * fused_us(found.problem)
    if other is None:
        return solution.bound_us + apart
    limits = replace(found.limits(STEP_SHARE), enough_us=solution.bound_us)
    turned = found.asked(found.problem, solution.answer, limits, other)
    return -1.0 if turned is None else min(solution.bound_us, turned.bound_us) + apart


def _in_blocks(found: Search) -> None:
    """Blocks for a bound and a first answer, then windows around their seams; and beams, before the blocks where those
    take little time, else after them: an answer of theirs is repaired in windows, too, if it is the better one."""
    ends = cuts(found.problem)
    early = len(found.problem.tasks) <= EARLY
    if early:
        _beams(found)
    _blocks(found, ends)
    if found.stopped or early or time.monotonic() >= found.until:
        return
    if _beams(found) and not found.over:
        _repaired(found, first_weights(found), ends)


def _beams(found: Search) -> bool:
    """True if beams come to a better answer than the best."""
    made = greedy(found.problem, until=found.until, enough=found.say)
    return made is not None and found.offer(made)


def _blocks(found: Search, ends: tuple[int, ...]) -> None:
    """Blocks under the weights of a ladder, each time with windows around their seams."""
    blocks = Blocks(found.problem, ends, found.menus)
    for weights in ladder(found):
        solutions = blocks.solved(weights, found.limits(BLOCK_SHARE), found.say)
        found.work, found.states = found.work + blocks.work, found.states + blocks.states
        blocks.work, blocks.states = 0.0, 0
        if solutions is None:
            break
        found.raised(_bound(found, blocks, weights, solutions))
        found.tried = blocks.stitched(solutions)
        found.offer(found.tried)
        _repaired(found, weights, blocks.ends)


def _bound(found: Search, blocks: Blocks, weights: Weights, solutions: list[Solution]) -> float:
    """The bound that blocks prove together, the turnaround on whichever side is smaller (see `_turned`)."""
    bound = blocks.bound_us(solutions, weights)
    other = elsewhere(found.problem, weights)
    if other is None:
        return bound
    turned = blocks.solved(other, found.limits(BLOCK_SHARE), found.say, solutions)
    return -1.0 if turned is None else min(bound, blocks.bound_us(turned, other))


def _repaired(found: Search, weights: Weights, ends: tuple[int, ...]) -> None:
    """Windows over the seams of blocks, then over the blocks, and again, until a pass gains nothing."""
    halves = (0, *((one + other) // 2 for one, other in pairwise(ends)), ends[-1])
    for places in (halves, ends) * PASSES:
        if found.best is None:
            return
        before = found.reached[0]
        _windows(found, weights, places)
        gained = before - found.reached[0]
        if found.over or (gained < LITTLE * before and places is ends):
            return


def _windows(found: Search, weights: Weights, places: tuple[int, ...]) -> None:
    """The tasks between two places decided anew, all else as it is; equal windows once."""
    known: dict[object, Answer | None] = {}
    for first, last in pairwise(sorted(set(places))):
        if found.over or found.best is None:
            return
        part = window(found.problem, found.best, first, last, stays(found.problem, found.best), found.menus)
        start = part.narrowed(found.best)
        key = (form(part), start)
        if key not in known:
            solution = found.asked(part.problem, start, found.limits(WINDOW_SHARE), weights)
            known[key] = solution.answer if solution else None
        answer = known[key]
        if answer is not None and answer != start:
            changed = part.widened(found.best, answer)
            if not faults(found.problem, changed):
                found.offer(changed)
