"""The checker: proves a plan from problem and plan alone, or says in sentences why it cannot.

Owns the list of checks and which decisions each one needs.  Shares no code with passes, solvers and analyses, trusts no
part of a plan, and never passes what it could not prove.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from compiler.checks.case import FIELDS, Case
from compiler.checks.coverage import coverage
from compiler.checks.findings import Findings
from compiler.checks.launches import edits
from compiler.checks.lifetimes import budget, overlap
from compiler.checks.padding import padding
from compiler.checks.pinned import pins
from compiler.checks.residents import ownership
from compiler.checks.span import span
from compiler.checks.sticks import sticks
from compiler.compilation import Verdict
from compiler.plan import Plan
from compiler.problem import Problem


@dataclass(frozen=True, slots=True)
class Check:
    """A row: name of the light, the fields of a plan it needs, what it does."""

    name: str
    needs: frozenset[str]
    run: Callable[[Case, Findings], None]


def _row(name: str, run: Callable[[Case, Findings], None], *needs: str) -> Check:
    return Check(name, frozenset(needs), run)


CHECKS: tuple[Check, ...] = (
    _row("coverage", coverage, "edits", "divisions"),
    _row("ownership", ownership, "layouts", "edits", "divisions", "placement"),
    _row("overlap", overlap, "layouts", "edits", "divisions", "placement"),
    _row("budget", budget, "layouts", "edits", "divisions", "placement"),
    _row("span", span, "layouts", "edits", "divisions", "placement"),  # until then a division may still grow
    _row("sticks", sticks, "layouts"),
    _row("padding", padding, "layouts", "edits"),
    _row("pins", pins, "pins"),
    _row("edits", edits, "edits"),
)


def check(problem: Problem, plan: Plan) -> tuple[Verdict, ...]:
    """All verdicts on a finished plan, in the order of CHECKS; what is missing from the plan is a violation."""
    return _run(Case(problem, plan, FIELDS, complete=True))


def check_partial(
    problem: Problem, plan: Plan, decided: frozenset[str], changed: frozenset[str] = FIELDS
) -> tuple[Verdict, ...]:
    """Verdicts on the fields of `decided` (names of fields of Plan), for use between passes.

    A check that needs other fields, or none of `changed`, is left out; a buffer or step without an entry is not judged
    yet.  Divisions and placements are decided on a settled list of edits, even an empty one.
    """
    if decided & {"divisions", "placement"}:
        decided |= {"edits"}
    rows = tuple(row for row in CHECKS if row.needs & changed)
    return _run(Case(problem, plan, decided & FIELDS, complete=False), rows) if rows else ()


def _run(case: Case, rows: tuple[Check, ...] = CHECKS) -> tuple[Verdict, ...]:
    verdicts = []
    for row in rows:
        if row.needs <= case.decided:
            findings = Findings(row.name)
            row.run(case, findings)
            verdicts.append(findings.verdict())
    return tuple(verdicts)
