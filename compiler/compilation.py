"""Compilation: one run of the pipeline, with everything a view or a report shows.

Owns the bundle of problem, plan, program, cost, verdicts, pass log and solver status.  Refuses to be incomplete: a
pipeline that cannot finish raises instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from compiler.graph import ModelGraph
from compiler.plan import Plan
from compiler.price import Cost
from compiler.problem import Problem
from compiler.program import Program


@dataclass(frozen=True, slots=True)
class Verdict:
    """One check: `ok`, or a sentence per violation with the step, buffer and core it concerns."""

    check: str
    ok: bool
    violations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PassRecord:
    """What one pass did: its spec, wall seconds, and what it decided in one line each."""

    spec: str
    seconds: float
    decided: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SolverStatus:
    """Who made the plan and how good it is known to be; `bound_us` and `gap` are -1 where no bound is known."""

    name: str
    status: str
    objective_us: float
    bound_us: float
    gap: float
    seconds: float


IMPORTED: Final = "imported"
"""In place of a pipeline and a solver, for decisions that were read from files of others."""
AS_READ: Final = "as the files have it"
"""The status of such decisions."""


@dataclass(frozen=True, slots=True)
class Compilation:
    """The result of compiling one problem, or what was compiled elsewhere."""

    graph: ModelGraph
    problem: Problem
    plan: Plan
    program: Program
    cost: Cost
    verdicts: tuple[Verdict, ...]
    log: tuple[PassRecord, ...]
    solver: SolverStatus

    @property
    def imported(self) -> bool:
        """True if others made the decisions, and this is what their files say."""
        return self.plan.pipeline == IMPORTED

    @property
    def ok(self) -> bool:
        """True if every check passed; only then may the plan be shown as good or exported."""
        return all(verdict.ok for verdict in self.verdicts)
