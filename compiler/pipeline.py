"""Pipeline: passes as data, run one after the other, each proved by the checker.

Owns the table of passes, the text spec of pipelines and the run; the named ones stand in `pipelines`.  Refuses a pass
that changes what it does not decide, and a plan that fails a check: neither ever reaches a view or an export.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import fields, replace
from typing import ClassVar, Protocol, runtime_checkable

from frozendict import frozendict

from compiler.check import check, check_partial
from compiler.compilation import Compilation, PassRecord, SolverStatus, Verdict
from compiler.cost.model import price
from compiler.counts import counted, singular
from compiler.errors import InputError
from compiler.graph import ModelGraph
from compiler.materialize import materialize
from compiler.passes.assign_layouts import AssignLayouts
from compiler.passes.co_optimize import CoOptimize
from compiler.passes.divide_matmul import DivideMatmul
from compiler.passes.divide_rest import DivideRest
from compiler.passes.improve_division import ImproveDivision
from compiler.passes.insert_restickify import InsertRestickify
from compiler.passes.lift_floors import LiftFloors
from compiler.passes.order_dims import OrderDims
from compiler.passes.pad_operands import PadOperands
from compiler.passes.place_scratchpad import PlaceScratchpad
from compiler.passes.reduce_span import ReduceSpan
from compiler.pins import PinState, PinStatus
from compiler.pipeline_order import alternative, check_order
from compiler.pipelines import PIPELINES, name_of, options_of
from compiler.plan import Claim, Plan
from compiler.problem import Problem
from compiler.schedule import expand
from compiler.solver_status import proved_status
from compiler.unfold import changes, unfold
from compiler.watch import Asked, Finding, Progress, Watch


class Pass(Protocol):
    """A frozen dataclass: options are its fields."""

    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]]
    decides: ClassVar[tuple[str, ...]]

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        """A new plan; only the fields in `decides` may differ."""
        ...


@runtime_checkable
class Searching(Pass, Protocol):
    """A pass that may take long: it tells what it has found and can be ended with that."""

    def search(self, problem: Problem, plan: Plan, watch: Watch) -> Plan:
        """As the call, with somebody watching."""
        ...


PASSES: frozendict[str, type] = frozendict(
    (cls.name, cls)
    for cls in (
        AssignLayouts,
        InsertRestickify,
        OrderDims,
        PadOperands,
        LiftFloors,
        ReduceSpan,
        DivideMatmul,
        DivideRest,
        ImproveDivision,
        PlaceScratchpad,
        CoOptimize,
    )
)
AGAINST, UNFOLD = "against the plan before", "unfold"
"""Records of the log that are of no pass."""
_SPEC = re.compile(r"\s*([a-z][a-z-]*)\s*(?:\{([^{}]*)\})?\s*(?:,|$)")


def parse_pipeline(spec: str) -> tuple[Pass, ...]:
    """Passes of a named pipeline or of a spec `name{option=value option=value},name,...`."""
    text = PIPELINES.get(spec, spec)
    passes: list[Pass] = []
    at = 0
    while at < len(text):
        found = _SPEC.match(text, at)
        if found is None:
            known = ", ".join(PIPELINES)
            raise InputError(f"pipeline {spec!r}", f"'{text[at:]}' is not a pass", f"use {known} or a list of passes")
        passes.append(_make(found[1], found[2] or ""))
        at = found.end()
    if not passes:
        raise InputError("the pipeline", "it has no passes", f"use {', '.join(PIPELINES)}")
    return tuple(passes)


def print_pipeline(passes: tuple[Pass, ...]) -> str:
    """The spec of passes; inverse of `parse_pipeline`."""
    return ",".join(print_pass(one) for one in passes)


def print_pass(one: Pass) -> str:
    """`name{option=value}`."""
    options = " ".join(f"{option.name}={getattr(one, option.name)}" for option in fields(one))  # type: ignore[arg-type]
    return f"{one.name}{{{options}}}" if options else one.name


def _make(name: str, options: str) -> Pass:
    if name not in PASSES:
        raise InputError(f"pass {name!r}", "there is no such pass", f"use one of {', '.join(PASSES)}")
    cls = PASSES[name]
    kinds = {option.name: option.type for option in fields(cls)}
    chosen: dict[str, str | int | float] = {}
    for key, value in options_of(name, options).items():
        if key not in kinds:
            known = ", ".join(kinds) or "none"
            raise InputError(f"pass {name}", f"it has no option '{key}'", f"its options are: {known}")
        chosen[key] = _convert(name, key, value, str(kinds[key]))
    made: Pass = cls(**chosen)
    return made


def _convert(name: str, key: str, value: str, kind: str) -> str | int | float:
    try:
        return int(value) if kind == "int" else float(value) if kind == "float" else value
    except ValueError as error:
        raise InputError(f"pass {name}", f"{key}={value} is not a number", "give a number") from error


def compile_problem(
    graph: ModelGraph,
    problem: Problem,
    *,
    pipeline: str = "staged",
    previous: Plan | None = None,
    progress: Progress | None = None,
    cancelled: Asked | None = None,
    enough: Asked | None = None,
    found: Callable[[Finding], None] | None = None,
) -> Compilation:
    """Run a pipeline on a problem; the compilation's problem has the copies that views need (see `unfold`).

    `previous` is the plan a re-solve starts from: the log ends with what of it was kept.  `found` is told what a search
    has found, `enough` ends it with that.  Raises StudioError where the model cannot be planned, StoppedError when
    cancelled, BrokenPlanError when a pass breaks its contract.
    """
    watch = Watch(previous=previous)
    watch.progress, watch.cancelled = progress or watch.progress, cancelled or watch.cancelled
    watch.enough, watch.found = enough or watch.enough, found or watch.found
    passes = parse_pipeline(pipeline)
    check_order(passes, tuple(PASSES.values()))
    started = time.perf_counter()
    problem, log = _unfolded(problem)
    plan = Plan(problem.program.name, problem.device.name, problem.device.cores, print_pipeline(passes))
    for number, one in enumerate(passes):
        watch.enter(number / (len(passes) + 1), one.name)
        _require_divided(one, problem, plan)
        plan, record = run_pass(one, problem, plan, watch, last=one is passes[-1])
        log.append(record)
    return finished(graph, problem, plan, passes, tuple(log), watch, pipeline, started, previous)


def finished(
    graph: ModelGraph,
    problem: Problem,
    plan: Plan,
    passes: tuple[Pass, ...],
    log: tuple[PassRecord, ...],
    watch: Watch,
    pipeline: str,
    started: float,
    previous: Plan | None,
) -> Compilation:
    """A plan that is decided, proved, priced and spelt out as a program; BrokenPlanError if it fails a check."""
    watch.enter(len(passes) / (len(passes) + 1), "check")
    plan = _finish_pins(problem, plan)
    verdicts = check(problem, plan)
    _require_whole(passes, verdicts)
    cost = price(problem, plan)
    if previous is not None:
        log = (*log, PassRecord(AGAINST, 0.0, kept_of(previous, plan)))
    solver = _solver(name_of(pipeline) or "passes", plan, watch, cost.total_us, time.perf_counter() - started)
    return Compilation(graph, problem, plan, materialize(problem, plan), cost, verdicts, log, solver)


def record_of(one: Pass, plan: Plan, seconds: float) -> PassRecord:
    """What a pass decided, and how long it took."""
    return PassRecord(print_pass(one), seconds, tuple(decided_in(name, plan) for name in one.decides))


def _solver(named: str, plan: Plan, watch: Watch, total_us: float, seconds: float) -> SolverStatus:
    """Who made the plan, and what is known of the best there is: a claim about the time of the whole plan, if any."""
    claim = plan.claims.get(CoOptimize.name)
    if claim is None:
        return SolverStatus(named, "heuristic", total_us, -1.0, -1.0, seconds)
    ended = "stopped" if watch.enough() else "out of time" if watch.out_of_time else ""
    if claim.bound <= 0:
        return SolverStatus(claim.method, ended or "heuristic", total_us, -1.0, -1.0, seconds)
    status = proved_status(plan) if claim.bound >= claim.objective else ended or "within gap"
    return SolverStatus(claim.method, status, total_us, min(total_us, claim.bound / 1000), claim.gap, seconds)


def _unfolded(problem: Problem) -> tuple[Problem, list[PassRecord]]:
    """The problem that the passes see, with the copies its views need, and a record if there are any."""
    started = time.perf_counter()
    program = unfold(problem.program, problem.device)
    if program is problem.program:
        return problem, []
    lines, most = changes(problem.program, program), 20
    told = lines if len(lines) <= most else (*lines[:most], f"and {len(lines) - most} more of this kind")
    return replace(problem, program=program), [PassRecord(UNFOLD, time.perf_counter() - started, told)]


class BrokenPlanError(Exception):
    """A pass broke its contract: a bug of the compiler, with the checker's sentences."""


def _require_divided(one: Pass, problem: Problem, plan: Plan) -> None:
    """A pass that needs divisions needs all of them."""
    if "divisions" not in one.needs:
        return
    steps = expand(problem.program, plan).steps
    idle = next((step.name for step in steps if step.name not in plan.divisions), "")
    if idle:
        raise InputError("the pipeline", f"{idle} has no division yet", f"put divide-rest before {one.name}")


def run_pass(one: Pass, problem: Problem, plan: Plan, watch: Watch, last: bool) -> tuple[Plan, PassRecord]:
    """Run a pass and prove what it changed; the whole plan is proved after the last one anyway."""
    started = time.perf_counter()
    made = one.search(problem, plan, watch) if isinstance(one, Searching) else one(problem, plan)
    seconds = time.perf_counter() - started
    changed = changed_in(plan, made)
    foreign = [name for name in changed if name not in one.decides]
    if foreign:
        raise BrokenPlanError(f"{one.name} changed {', '.join(foreign)}, which it does not decide")
    decided = frozenset(entry.name for entry in fields(Plan) if getattr(made, entry.name))
    if not last:
        _require(one.name, check_partial(problem, made, decided, frozenset(changed)))
    return made, PassRecord(print_pass(one), seconds, tuple(decided_in(name, made) for name in changed))


def changed_in(before: Plan, after: Plan) -> tuple[str, ...]:
    """The fields in which two plans differ."""
    return tuple(entry.name for entry in fields(Plan) if getattr(after, entry.name) != getattr(before, entry.name))


_COUNTED = frozendict({"placement": "places"})
"""What a field has several of, where its name does not say so."""


def decided_in(name: str, plan: Plan) -> str:
    """What a plan has in one of its fields, as the log tells it."""
    value = getattr(plan, name)
    if name == "claims":
        return "; ".join(_claimed(who, claim) for who, claim in plan.claims.items())
    named = _COUNTED.get(name, name)
    return counted(len(value), singular(named), named) if hasattr(value, "__len__") else f"{name}: {value}"


def _claimed(who: str, claim: Claim) -> str:
    """`assign-layouts (exact): 32,768 elements, proved to be least, 330 states`."""
    if claim.objective == claim.bound:
        proof = "proved to be least"
    elif claim.bound > 0:
        proof = f"at least {claim.bound:,} ({claim.gap:.1%} gap)"
    else:
        proof = "no bound known"
    states = counted(claim.states, "state")
    return f"{who} ({claim.method}): {claim.objective:,} {claim.unit}, {proof}, {states}"


def _require(who: str, verdicts: tuple[Verdict, ...]) -> None:
    broken = [violation for verdict in verdicts if not verdict.ok for violation in verdict.violations]
    if broken:
        raise BrokenPlanError(f"after {who}: " + " | ".join(broken[:5]))


def _require_whole(passes: tuple[Pass, ...], verdicts: tuple[Verdict, ...]) -> None:
    """A plan that fails because a pass was left out is the fault of the pipeline that somebody wrote."""
    broken = {verdict.check: verdict.violations[0] for verdict in verdicts if not verdict.ok}
    remedies = {"padding": PadOperands.name, "sticks": OrderDims.name}
    lacking = {check: name for check, name in remedies.items() if all(one.name != name for one in passes)}
    absent = [name for check, name in lacking.items() if check in broken] or list(lacking.values())
    if broken and absent:
        first = next(iter(broken.values()))
        why = f"it leaves out {' and '.join(absent)}, and so its plan fails: {first}"
        raise InputError("the pipeline", why, f"add {' and '.join(absent)}, or use '{alternative(passes)}'")
    _require(passes[-1].name, verdicts)


def kept_of(previous: Plan, plan: Plan) -> tuple[str, ...]:
    """What a re-solve kept of the plan before, one line per table."""
    lines = []
    for name in ("layouts", "divisions", "placement"):
        old, new = getattr(previous, name), getattr(plan, name)
        same = sum(1 for key in new if key in old and old[key] == new[key])
        lines.append(f"kept {same} of {counted(len(new), singular(name), name)}")
    return tuple(lines)


_DECIDES = frozendict(
    {
        "division": "divide-rest",
        "same": "divide-rest or co-optimize",
        "layout": "assign-layouts",
        "order": "order-dims",
        "placement": "place-scratchpad or co-optimize",
        "relayout": "co-optimize, or place-scratchpad with moves=yes,",
    }
)
"""Who decides a pin, by its table."""


def _undecided(key: str) -> str:
    who = _DECIDES.get(key.partition(":")[0])
    return "no pass of this pipeline decides that" + (f"; {who} would" if who else "")


def _finish_pins(problem: Problem, plan: Plan) -> Plan:
    """A pin that no pass of this pipeline looks at is refused, never dropped."""
    silent = [key for key in problem.pins.keys if key not in plan.pins]
    refused = {key: PinStatus(PinState.REFUSED, _undecided(key)) for key in silent}
    return replace(plan, pins=plan.pins | refused) if refused else plan
