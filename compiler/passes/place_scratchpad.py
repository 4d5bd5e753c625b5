"""place-scratchpad: which buffers live in LX, where, and why the others do not (facts 4).

Owns the placement of every buffer, placement pins, the kernels and, where it may, moves: relayouts, clones of inputs
and outputs, dumps and reloads around host ops and for buffers that found no room.  Refuses to change a division.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from compiler.copy_names import made_copies
from compiler.cost.model import price
from compiler.eligibility import scene_of
from compiler.errors import InputError
from compiler.moves.search import LEAST_US, MoveSearch, Searched
from compiler.moves.words import reasons_of
from compiler.pinning import no_buffer, refused
from compiler.pins import PinState, PinStatus
from compiler.placing import Placing, place
from compiler.plan import Claim, EditKind, Plan, Slot
from compiler.problem import Problem
from compiler.reasons import NO_REMEDY, REASONS
from compiler.solvers.cp_sat import SolverMissingError
from compiler.solvers.placement import Effort, Placed, PlacementProblem
from compiler.solvers.table import FALLBACK, SOLVERS
from compiler.watch import Watch

MOST_SECONDS = 86_400
MOVES = ("no", "yes")


@dataclass(frozen=True, slots=True)
class PlaceScratchpad:
    """Sets placement, kernels, the status of placement pins and a claim; `solver` is one of SOLVERS.

    `seed` steers annealing and cp-sat, `seconds` bounds them by counted work, so that the same options give the same
    plan.  The claim is the traffic to device memory (bytes) of eligible buffers that got no place.  Where OR-Tools is
    missing, best-fit takes the place of cp-sat, and the claim's method and `reasons` say so.

    With `moves=yes` it adds moves, with layouts and divisions of their own, each where the time of the whole plan gets
    less; the plan never takes longer than without.  Relayout pins are decided then.
    """

    name: ClassVar[str] = "place-scratchpad"
    needs: ClassVar[tuple[str, ...]] = ("layouts", "edits", "divisions")
    decides: ClassVar[tuple[str, ...]] = (
        *("placement", "kernels", "pins", "reasons", "claims"),
        *("layouts", "edits", "divisions"),
    )
    extends: ClassVar[tuple[str, ...]] = ("layouts", "edits", "divisions")
    solver: str = "best-fit"
    seed: int = 0
    seconds: float = 5.0
    moves: str = "no"

    def __post_init__(self) -> None:
        if self.solver not in SOLVERS:
            known = ", ".join(SOLVERS)
            raise InputError(f"solver {self.solver}", "place-scratchpad has no such solver", f"use one of {known}")
        if self.seed < 0:
            raise InputError(f"seed {self.seed}", "a solver counts its seeds from 0", "use 0 or a number above")
        if not 0 < self.seconds <= MOST_SECONDS:
            why = "a solver needs time, and at most a day of it"
            raise InputError(f"seconds {self.seconds}", why, f"use a number above 0 and up to {MOST_SECONDS}")
        if self.moves not in MOVES:
            raise InputError(f"moves {self.moves}", "place-scratchpad makes moves or makes none", "use yes or no")

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        return self.search(problem, plan, Watch())

    def search(self, problem: Problem, plan: Plan, watch: Watch) -> Plan:
        """As the call; who watches is told of the time of the plan with the moves found so far."""
        steps = scene_of(problem.program, plan).schedule.steps
        idle = next((step.name for step in steps if step.name not in plan.divisions), "")
        if idle:
            raise InputError("the pipeline", f"{idle} has no division yet", f"put divide-rest before {self.name}")
        solve = _Solver(self.solver, Effort(self.seed, self.seconds))
        placing, told = place(problem, plan, solve), dict[str, str]()
        status = _placement_status(problem, placing)
        if self.moves == "yes":
            searched = self._searched(problem, plan, solve, watch)
            if _worth_it(problem, placing, searched):
                placing = searched.best.placing
                told |= reasons_of(searched.best.moves, searched.saved_us, price(problem, placing.plan))
            status = _placement_status(problem, placing) | _ring_status(problem, placing, searched.refused)
        if solve.missing:
            told[f"pass:{self.name}"] = f"{FALLBACK} in place of {self.solver}: {solve.missing}"
        found = placing.found
        claim = Claim(solve.method, "bytes", found.objective, found.bound, found.states)
        return replace(
            placing.plan,
            pins=plan.pins | status,
            reasons=plan.reasons | told,
            claims=plan.claims.set(self.name, claim),
        )

    def _searched(self, problem: Problem, plan: Plan, solve: _Solver, watch: Watch) -> Searched:
        """The moves that help, placed by this solver."""
        search = MoveSearch(problem, plan, Effort(self.seed, self.seconds), lambda total: watch.tell("moves", total))
        found = search.run()
        return replace(found, best=search.settled(found.best, solve)) if self.solver != FALLBACK else found


class _Solver:
    """A solver by name; where it is `missing`, and why, another one answers, which `method` tells."""

    def __init__(self, name: str, effort: Effort) -> None:
        self.method, self.effort, self.missing = name, effort, ""

    def __call__(self, question: PlacementProblem) -> Placed:
        try:
            return SOLVERS[FALLBACK if self.missing else self.method](question, self.effort)
        except SolverMissingError as missing:
            self.missing, self.method = missing.why, f"{FALLBACK}-without-or-tools"
            return SOLVERS[FALLBACK](question, self.effort)


def _worth_it(problem: Problem, plain: Placing, searched: Searched) -> bool:
    """True if the plan with moves takes less time, or a pin asks for them."""
    pins = problem.pins
    asked = {name for name, where in pins.placement.items() if where == "lx"}
    asked |= {name for name, way in pins.relayout.items() if way == "ring"}
    shorter = searched.best.total_us < price(problem, plain.plan).total_us - LEAST_US
    return shorter or not asked.isdisjoint(searched.best.moves)


def _placement_status(problem: Problem, placing: Placing) -> dict[str, PinStatus]:
    return {f"placement:{name}": _status(name, where, placing) for name, where in problem.pins.placement.items()}


def _pinnable(placing: Placing) -> list[str]:
    """All buffers but the copies that the plan makes by itself, in their order."""
    made = made_copies(placing.plan)
    return [name for name in placing.judged if name not in made]


def _status(name: str, where: str, placing: Placing) -> PinStatus:
    known = _pinnable(placing)
    if name not in known:
        return refused(no_buffer(name, known))
    if where not in ("lx", "hbm"):
        return refused(f"{where!r} is no place; use 'lx' or 'hbm'")
    found = placing.plan.placement[name]
    if where == "hbm" or isinstance(found, Slot):
        return PinStatus(PinState.HONOURED)
    clone = _copy_of(placing.plan, name, EditKind.CLONE_IN)
    if clone:
        return PinStatus(PinState.ADJUSTED, f"its clone {clone} is in LX; {found.detail}")
    remedy = REASONS[found.code].remedy
    return refused(found.detail if remedy.startswith(NO_REMEDY) else f"{found.detail}. {remedy}")


def _ring_status(problem: Problem, placing: Placing, why: Mapping[str, str]) -> dict[str, PinStatus]:
    found, known = {}, _pinnable(placing)
    for name, way in problem.pins.relayout.items():
        ring = _copy_of(placing.plan, name, EditKind.RELAYOUT)
        if name not in known:
            status = refused(no_buffer(name, known))
        elif way not in ("ring", "none"):
            status = refused(f"{way!r} is no way; use 'ring' or 'none'")
        elif way == "none" or ring:
            status = PinStatus(PinState.HONOURED)
        else:
            status = refused(why.get(name, "all its readers find it where it is"))
        found[f"relayout:{name}"] = status
    return found


def _copy_of(plan: Plan, name: str, kind: EditKind) -> str:
    return next((edit.target for edit in plan.edits if (edit.source, edit.kind) == (name, kind)), "")
