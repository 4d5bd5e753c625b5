"""Audit: whether a saved compilation is what its plan makes it, whatever its file says about itself.

Owns the verdicts beyond those of the checker: that the device program is the one the plan lowers to, that the costs are
those of the plan, and that claims, solver status, log and verdicts agree with the plan and with one another.  Refuses
to search again: of a bound it knows what the document tells of it in several places, not whether it is the best one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from compiler.check import CHECKS, check
from compiler.compilation import AS_READ, IMPORTED, Compilation, Verdict
from compiler.cost.model import price
from compiler.differences import close, difference
from compiler.errors import StudioError
from compiler.import_log import FILES, files_verdicts
from compiler.materialize import materialize
from compiler.passes.co_optimize import CoOptimize
from compiler.pipeline import parse_pipeline
from compiler.pipelines import name_of
from compiler.plan import Claim, Plan
from compiler.solver_status import proved_status

PROGRAM, COST, RECORD = "program", "cost", "record"
_AROUND = frozenset({"unfold", "against the plan before"})  # records of the log that are of no pass
_CUT_SHORT = frozenset({"stopped", "out of time"})
_CLAIMED = re.compile(r"(?:^|; )([a-z-]+) \([^()]*\): \S+ \w+, [^;]*?, \S+ states?(?=;|$)")
_NS_PER_US = 1000


def audit(whole: Compilation) -> tuple[Verdict, ...]:
    """Every check on the plan; where all pass, also whether program, costs and record are those of the plan.

    Takes about half a second for 2,000 ops.
    """
    verdicts = (*check(whole.problem, whole.plan), *files_verdicts(whole))
    if not all(verdict.ok for verdict in verdicts):
        return verdicts
    verdicts = (*verdicts, _program(whole), _cost(whole))
    faults = (*_verdict_faults(whole, verdicts), *_solver_faults(whole), *_claim_faults(whole), *_log_faults(whole))
    return (*verdicts, _settled(whole, _verdict(RECORD, *faults)))


def amended(whole: Compilation, fresh: tuple[Verdict, ...]) -> Compilation:
    """A compilation that an audit refuses, with its verdicts, and without what does not hold: program and costs are
    those of the plan if the checker accepts it, and no bound is told."""
    bare = replace(whole, verdicts=fresh, solver=replace(whole.solver, status="heuristic", bound_us=-1.0, gap=-1.0))
    checked = {row.name for row in CHECKS}
    if not all(verdict.ok for verdict in fresh if verdict.check in checked):
        return bare
    cost = price(whole.problem, whole.plan)
    try:
        program = materialize(whole.problem, whole.plan)
    except StudioError:  # too large for the device, which the verdicts tell
        program = whole.program
    return replace(bare, program=program, cost=cost, solver=replace(bare.solver, objective_us=cost.total_us))


def _verdict(name: str, *faults: str) -> Verdict:
    return Verdict(name, not faults, faults)


def _program(whole: Compilation) -> Verdict:
    try:
        apart = difference(whole.program, materialize(whole.problem, whole.plan))
    except StudioError as error:
        return _verdict(PROGRAM, error.sentence)
    return _verdict(PROGRAM, *([f"the program is not the one that the plan describes: {apart}"] if apart else []))


def _cost(whole: Compilation) -> Verdict:
    apart = difference(whole.cost, price(whole.problem, whole.plan))
    return _verdict(COST, *([f"the costs are not those of the plan: {apart}"] if apart else []))


def _verdict_faults(whole: Compilation, fresh: tuple[Verdict, ...]) -> Iterator[str]:
    """A plan is saved with the verdicts of the checker; one that was opened before also with those of the audit."""
    told = {verdict.check: verdict for verdict in whole.verdicts}
    if len(told) != len(whole.verdicts):
        yield "it has two verdicts of one check"
    for row in CHECKS:
        if row.name not in told:
            yield f"it has no verdict of the check {row.name}"
    known = {verdict.check: verdict for verdict in fresh}
    for name, verdict in told.items():
        if name != RECORD and name not in known:
            yield f"it has a verdict of a check {name}, which does not exist"
        elif name != RECORD and verdict != known[name]:
            yield f"its verdict of the check {name} is not what the check finds"


def _settled(whole: Compilation, fresh: Verdict) -> Verdict:
    """The verdict on the record, which a plan that was opened before also tells."""
    told = next((verdict for verdict in whole.verdicts if verdict.check == RECORD), None)
    if told is None or told == fresh:
        return fresh
    return _verdict(RECORD, *fresh.violations, f"its verdict of the check {RECORD} is not what the check finds")


def _solver_faults(whole: Compilation) -> Iterator[str]:
    solver, claim, total = whole.solver, whole.plan.claims.get(CoOptimize.name), whole.cost.total_us
    bounded = claim is not None and claim.bound > 0
    bound, gap = (min(total, claim.bound / _NS_PER_US), claim.gap) if claim and bounded else (-1.0, -1.0)
    for name, told, wanted in (("objective_us", solver.objective_us, total), ("bound_us", solver.bound_us, bound)):
        if not close(told, wanted):
            yield f"the {name} of its solver is {told:g}, plan and claims make it {wanted:g}"
    if not close(solver.gap, gap):
        yield f"the gap of its solver is {solver.gap:g}, its claims make it {gap:g}"
    names = {claim.method} if claim else {name_of(whole.plan.pipeline), "passes"}
    names = {IMPORTED} if whole.imported else names
    if solver.name not in names:
        yield f"its solver is {solver.name!r}, not {' or '.join(sorted(name for name in names if name))}"
    if solver.status not in (_statuses(whole.plan) if not whole.imported else {AS_READ}):
        yield f"the status of its solver is {solver.status!r}, which its claims do not bear out"


def _statuses(plan: Plan) -> frozenset[str]:
    """How a run can have ended that makes the claim of this plan about all of it, or none."""
    claim = plan.claims.get(CoOptimize.name)
    if claim is None:
        return frozenset({"heuristic"})
    if claim.bound <= 0:
        return frozenset({"heuristic"}) | _CUT_SHORT
    return (
        frozenset({proved_status(plan)}) if claim.bound >= claim.objective else frozenset({"within gap"}) | _CUT_SHORT
    )


def _claim_faults(whole: Compilation) -> Iterator[str]:
    lines = [line for record in whole.log for line in record.decided]
    for who, claim in whole.plan.claims.items():
        if not 0 <= claim.bound <= claim.objective or claim.states < 0:
            yield f"the claim of {who} has the bound {claim.bound:,} for an objective of {claim.objective:,}"
        if not _told(who, claim, lines):
            yield f"the claim of {who} is not the one that the log tells"
    for who in dict.fromkeys(name for line in lines for name in _CLAIMED.findall(line)):
        if who not in whole.plan.claims:
            yield f"the log tells of a claim of {who}, which the plan does not have"
    joint = whole.plan.claims.get(CoOptimize.name)
    if joint is not None and (joint.objective, joint.unit) != (round(whole.cost.total_us * _NS_PER_US), "ns"):
        yield f"the claim of {CoOptimize.name} is for {joint.objective:,} {joint.unit}, which the plan does not take"


def _told(who: str, claim: Claim, lines: list[str]) -> bool:
    """True if the last line of the log that tells of the claim has its figures."""
    named = re.compile(rf"(?:^|; ){re.escape(who)} \((.*?)\): (.+?) (\w+), (.*?), (\S+) states?(?:;|$)")
    found = [match for line in lines for match in named.finditer(line)]
    if not found:
        return False
    method, objective, unit, proof, states = found[-1].groups()
    proved = claim.objective == claim.bound
    bound = proof.startswith("proved") if proved else not claim.bound or f"at least {claim.bound:,} " in proof
    figures = (claim.method, f"{claim.objective:,}", claim.unit, f"{claim.states:,}")
    return (method, objective, unit, states) == figures and bound and proof.startswith("proved") == proved


def _log_faults(whole: Compilation) -> Iterator[str]:
    """Every pass of the pipeline has run, or the last one alone where a plan was changed for other pins.  No pass has
    run where others made the plan."""
    if whole.imported:
        if [record.spec for record in whole.log] not in ([IMPORTED], [IMPORTED, FILES]):
            yield "its log is not that of a plan that was read from files"
        return
    passes = whole.plan.pipeline.split(",")
    try:
        parse_pipeline(whole.plan.pipeline)
    except StudioError as error:
        yield f"its pipeline cannot be read: {error.why}"
        return
    ran = [record.spec for record in whole.log if record.spec not in _AROUND]
    if ran not in (passes, passes[-1:]):
        yield "its log is not that of its pipeline"
