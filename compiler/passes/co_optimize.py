"""co-optimize: divisions, residence in LX, moves and addresses in one decision on one cost model (facts 5).

Owns the choice of the search, and the plan made of its answer; what it starts from is `compiler.joint.opening`, the
program as tables `compiler.joint`, the searches are `compiler.solvers.joint`.  Refuses to be worse than what it starts
from, and to change a division that a pin has decided.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from frozendict import frozendict

from compiler.collecting import uncollected
from compiler.cost.model import price
from compiler.errors import InputError
from compiler.joint.assembly import Assembly
from compiler.joint.conflict import Settled, settled
from compiler.joint.ground import Ground
from compiler.joint.judge import Judge
from compiler.joint.opening import ASKED_EVERY_S, Opening, opened
from compiler.joint.pins import joint_status, tie_reasons
from compiler.joint.reasons import placements, reasons
from compiler.joint.starts import answer_of
from compiler.joint.weighed import unweighed
from compiler.passes.place_scratchpad import MOST_SECONDS
from compiler.plan import Claim, Plan, Slot, Spilled
from compiler.problem import Problem
from compiler.search_notes import (
    BEFORE,
    BY_ITSELF,
    HURRIED,
    IMPROVED,
    IN_TIME,
    START,
    STOPPED,
    nothing_better,
    with_notes,
)
from compiler.solver_status import partly_offered, with_offer
from compiler.solvers.cp_sat import SolverMissingError
from compiler.solvers.joint.exact import Outcome, Tell, steady
from compiler.solvers.joint.faults import faults
from compiler.solvers.joint.judge import firsts
from compiler.solvers.joint.near import near
from compiler.solvers.joint.problem import Answer
from compiler.solvers.joint.table import FALLBACK, SEARCHES
from compiler.watch import Watch

NS_PER_US = 1000
FEW = 12
"""Steps of a program that is decided anew as a whole, within a second or two, where pins change what it has."""
TABLES_OVER_SECONDS, FIGURES_OVER_SECONDS = 0.5, 1.0
"""By how much the time may be exceeded until tables are given up, and until reasons do without further figures."""
LEAST_SECONDS, FEW_STEPS = 0.1, 30
"""A search of few steps has that much time in any case; it may end with a proof."""


@dataclass(frozen=True, slots=True)
class CoOptimize:
    """Revises divisions, adds edits with their layouts, sets placement, kernels, pins and a claim in ns.

    `solver` is one of SEARCHES; `seconds` bounds it by counted work and by the clock, `seed` steers it.  `moves=no`
    leaves out clones and relayouts.  Where OR-Tools is missing, `greedy` takes the place of cp-sat, and the claim's
    method and `reasons` say so.
    """

    name: ClassVar[str] = "co-optimize"
    needs: ClassVar[tuple[str, ...]] = ("layouts", "edits", "divisions")
    decides: ClassVar[tuple[str, ...]] = (
        "layouts",
        "edits",
        "divisions",
        "placement",
        "kernels",
        "pins",
        "reasons",
        "claims",
    )
    extends: ClassVar[tuple[str, ...]] = ("layouts", "edits")
    solver: str = "cp-sat"
    seconds: float = 10.0
    seed: int = 0
    moves: str = "yes"

    def __post_init__(self) -> None:
        if self.solver not in SEARCHES:
            known = ", ".join(SEARCHES)
            raise InputError(f"solver {self.solver}", "co-optimize has no such solver", f"use one of {known}")
        if self.seed < 0:
            raise InputError(f"seed {self.seed}", "a solver counts its seeds from 0", "use 0 or a number above")
        if not 0 < self.seconds <= MOST_SECONDS:
            why = "a solver needs time, and at most a day of it"
            raise InputError(f"seconds {self.seconds}", why, f"use a number above 0 and up to {MOST_SECONDS}")
        if self.moves not in ("yes", "no"):
            raise InputError(f"pass {self.name}", f"its moves is {self.moves!r}", "use yes or no")

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        return self.search(problem, plan, Watch())

    def search(self, problem: Problem, plan: Plan, watch: Watch) -> Plan:
        """As the call; `watch` is told of every answer and may end the search with the best."""
        until = watch.begin(self.seconds)
        tell = steady(partial(watch.tell, self.solver))
        last = watch.previous is None or self.name not in watch.previous.claims
        start = opened(problem, plan, self.seconds, tell, last)
        enough, late = start.enough(tell), last and start.late(self.seconds)
        if start.kept and (enough or late):
            watch.out_of_time = late
            return self._as_it_stands(problem, start, self.solver, watch)
        pause = _Pause(start, tell, until + TABLES_OVER_SECONDS if last else math.inf) if start.kept else _go_on
        try:
            pins = settled(problem, plan, self.moves == "yes", pause)
        except _PausedError as paused:
            watch.out_of_time = paused.late
            return self._as_it_stands(problem, start, self.solver, watch)
        before = [watch.previous] if watch.previous is not None else []
        starts = pins.starts(answer_of(pins.ground, one) for one in (*before, *start.plans))
        method, missing, found = self._found(pins.ground, starts, until, tell)
        watch.out_of_time = found.spent
        found = replace(found, answer=firsts(pins.ground.problem, found.answer))
        made = self._made(problem, plan, pins, found, method, missing, until + FIGURES_OVER_SECONDS)
        if start.kept and made.claims[self.name].objective > start.cost.total_us * NS_PER_US + 1:
            return self._as_it_stands(problem, start, method, watch, missing)  # its tables know less than the start
        return self._said(made, start, watch)

    def _as_it_stands(
        self, problem: Problem, start: Opening, method: str, watch: Watch, missing: dict[str, str] | None = None
    ) -> Plan:
        """The plan that the search starts from, before it has found anything."""
        plan, total = unweighed(problem, start.plans[-1]), start.cost.total_us
        told = {f"pass:{self.name}": f"{total:,.3f} µs by the cost model"} | (missing or {})
        claim = Claim(method, "ns", round(total * NS_PER_US), 0, 0)
        made = replace(
            plan,
            reasons=frozendict({**plan.reasons, **told}),
            pins=plan.pins | start.status,
            claims=start.claims.set(self.name, claim),
        )
        return self._said(made, start, watch)

    def _said(self, made: Plan, start: Opening, watch: Watch) -> Plan:
        """The plan, which says so if it may not be the best and is no better than what was known before the search, or
        if there was too little time for that."""
        claim, key = made.claims[self.name], f"pass:{self.name}"
        if claim.bound >= claim.objective:
            return made
        stopped = watch.enough()
        ended = STOPPED if stopped else IN_TIME if watch.out_of_time else BY_ITSELF
        known = {IMPROVED if len(start.plans) > 1 else START: start.cost.total_us} if start.kept else {}
        before = watch.previous
        old = before.claims.get(self.name) if before is not None else None
        if before is not None and old is not None and before.pins == made.pins:
            known[BEFORE] = old.objective / NS_PER_US
        than = min(known, key=lambda one: known[one], default="")
        unimproved = bool(than) and claim.objective + 1 >= round(known[than] * NS_PER_US)
        hurried = start.hurried and watch.out_of_time and not stopped and old is None
        notes = (nothing_better(ended, than) if unimproved else "", HURRIED if hurried else "")
        return replace(made, reasons=made.reasons.set(key, with_notes(made.reasons[key], *notes)))

    def near(
        self, problem: Problem, plan: Plan, before: Plan, changed: frozenset[str], bounded: bool, watch: Watch
    ) -> Plan | None:
        """The plan before, for pins that have changed for some ops and buffers: only what lies near them is searched.

        `plan` is that without moves and placement, its pinned divisions set.  `bounded`: pins were only added,
        so that what no plan went below none goes below now.  None where something has to be decided anew, and the
        steps are so few that all of them can be, with a proof.
        """
        until = watch.begin(self.seconds)
        with uncollected():
            pins = settled(problem, plan, self.moves == "yes")
            ground = pins.ground
            start = answer_of(ground, before)
        tasks = [number for number, task in enumerate(ground.problem.tasks) if task.name in changed]
        for one in ground.subjects:
            if one.buffer in changed:
                tasks += [*([one.writer] if one.writer >= 0 else []), *one.readers]
        claim = before.claims.get(self.name)
        bound = claim.bound / NS_PER_US if bounded and claim is not None and claim.bound else -1.0
        starts, tell = pins.starts([start]), partial(watch.tell, self.solver)
        method = claim.method if claim is not None else self.solver

        few = len(ground.problem.tasks) <= FEW

        def searched(centres: list[int]) -> Plan:
            found = near(ground.problem, starts, centres, self.seconds, self.seed, tell, bound)
            return self._made(problem, plan, pins, _told(found), method, {}, until + FIGURES_OVER_SECONDS)

        same = bounded and not faults(ground.problem, start) and self._says(ground, start, before)
        made = searched([]) if same else None
        if made is None or made.edits != before.edits:  # what it had may go over a way that it may not take any more
            made = None if few else searched(tasks)
        else:
            made = _worded(made, before, changed)
        return made and with_offer(made, self.name, not (bounded and partly_offered(before)))

    def _says(self, ground: Ground, answer: Answer, plan: Plan) -> bool:
        """True if an answer is what the plan has, and not only what is nearest to it."""
        chosen = (kind.divisions[choice] for kind, choice in zip(ground.kinds, answer.choices, strict=True))
        names = (task.name for task in ground.problem.tasks)
        inside = {
            one.buffer: here for one, here in zip(ground.subjects, answer.resident, strict=True) if one.writer >= 0
        }
        slots = (
            isinstance(place, Slot) == inside.get(name, False)
            for name, place in plan.placement.items()
            if name in inside
        )
        return all(plan.divisions[name] == one for name, one in zip(names, chosen, strict=True)) and all(slots)

    def _made(
        self,
        problem: Problem,
        plan: Plan,
        pins: Settled,
        found: Outcome,
        method: str,
        missing: dict[str, str],
        until: float,
    ) -> Plan:
        assembly = Assembly(problem, pins.ground, found.answer, found.packing)
        made = assembly.plan()
        judge = Judge(pins.ground, found.answer, self.moves == "yes", until)
        made = replace(made, placement=placements(problem, made, assembly, judge))
        total = price(problem, made).total_us
        status = joint_status(problem, made, pins.refused)
        told = dict(reasons(plan, made, judge)) | tie_reasons(problem, made, status) | missing
        apart = abs(total - found.objective_us)
        told.setdefault(
            f"pass:{self.name}",
            f"{found.objective_us:,.3f} µs counted by the search, {total:,.3f} µs by the cost model"
            + (f": {apart:,.3f} µs apart" if apart >= 0.0005 else ""),
        )
        made = replace(
            made,
            reasons=frozendict(told),
            pins=made.pins | status,
            claims=made.claims.set(self.name, _claim(method, total, found)),
        )
        return with_offer(made, self.name, pins.ground.whole)

    def _found(
        self, ground: Ground, starts: list[Answer], until: float, tell: Tell
    ) -> tuple[str, dict[str, str], Outcome]:
        """Who answered, the reason if that is somebody else than was asked, and the outcome."""
        least = LEAST_SECONDS if len(ground.problem.tasks) <= FEW_STEPS else 0.0
        seconds = max(least, until - time.monotonic())
        try:
            return self.solver, {}, _told(SEARCHES[self.solver](ground.problem, starts, seconds, self.seed, tell))
        except SolverMissingError as missing:
            why = {f"pass:{self.name}": f"{FALLBACK} in place of {self.solver}: {missing.why}"}
            found = SEARCHES[FALLBACK](ground.problem, starts, seconds, self.seed, tell)
            return f"{FALLBACK}-without-or-tools", why, _told(found)


class _PausedError(Exception):
    """Tables were given up: somebody has enough, or they would come too late."""

    def __init__(self, late: bool) -> None:
        super().__init__()
        self.late = late


@dataclass(slots=True)
class _Pause:
    """Ends the making of tables where the opening will do; asked as often as anyone likes."""

    start: Opening
    tell: Tell
    until: float
    next: float = 0.0

    def __call__(self) -> None:
        now = time.monotonic()
        if now >= self.until:
            raise _PausedError(late=True)
        if now >= self.next:
            self.next = now + ASKED_EVERY_S
            if self.start.enough(self.tell):
                raise _PausedError(late=False)


def _go_on() -> None:
    """No pin is kept before the tables are made."""


def _worded(made: Plan, before: Plan, changed: frozenset[str]) -> Plan:
    """A plan that decides what the one before does, in its words: what was weighed then still is why, though a pin now
    leaves less to weigh.  What pins have changed for is told anew."""
    if (made.divisions, made.edits, made.layouts) != (before.divisions, before.edits, before.layouts):
        return made
    placement = {
        name: before.placement[name]
        if name not in changed and isinstance(place, Spilled) and isinstance(before.placement.get(name), Spilled)
        else place
        for name, place in made.placement.items()
    }
    reasons = {
        key: before.reasons.get(key, why) if key.partition(":")[2] not in changed else why
        for key, why in made.reasons.items()
    }
    return replace(made, placement=frozendict(placement), reasons=frozendict(reasons))


def _told(found: Outcome | None) -> Outcome:
    if found is None:
        raise InputError("the pins", "no plan has all buffers that they want in LX", "remove a placement pin")
    return found


def _claim(method: str, total_us: float, found: Outcome) -> Claim:
    """Objective and bound in ns; a bound that is not known is 0."""
    objective = round(total_us * NS_PER_US)
    bound = max(0, min(objective, int(found.bound_us * NS_PER_US) + 1))  # the search counts in parts of a ns
    return Claim(method, "ns", objective, bound, found.states)
