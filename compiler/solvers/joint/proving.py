"""Proving: demands asked of CP-SAT, which says who stands in whose way.

Owns one model in which every demand may be taken or left, so that many sets of them are asked one after the other.
Refuses prices and addresses.  OR-Tools is loaded when a model is made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compiler.solvers.cp_sat import require
from compiler.solvers.joint.demands import Asked
from compiler.solvers.joint.judge import trivial
from compiler.solvers.joint.model import JointModel
from compiler.solvers.joint.problem import Answer, Tie
from compiler.solvers.joint.room import Room

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

WORK = 0.5
"""Deterministic seconds for one question."""


@dataclass(slots=True)
class Proving:
    """A model of demands.  Raises SolverMissingError without OR-Tools."""

    asked: Asked
    made: JointModel = field(init=False)
    taken: list[cp_model.IntVar] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        require()
        self.made = JointModel(self.asked.problem, trivial(self.asked.problem), None)
        Room(self.made).build()
        for demand in self.asked.demands:
            mine = self.made.model.new_bool_var("")
            self.taken.append(mine)
            if demand.tie is not None:
                self._tie(demand.tie, mine)
                continue
            ways = self.made.rings(demand.item) if demand.ring else self.made.inside_for(demand.item)
            self.made.model.add_bool_or(ways).only_enforce_if(mine)

    def _tie(self, tie: Tie, mine: cp_model.IntVar) -> None:
        rows: list[dict[int, list[cp_model.IntVar]]] = []
        for task, cuts in zip(tie.tasks, tie.cuts, strict=True):
            row: dict[int, list[cp_model.IntVar]] = defaultdict(list)
            for choice, variable in self.made.chosen[task].items():
                row[cuts[choice]].append(variable)
            rows.append(row)
        for other in rows[1:]:
            for cut in sorted({*rows[0], *other}):
                both = sum(rows[0].get(cut, [])) - sum(other.get(cut, []))
                self.made.model.add(both == 0).only_enforce_if(mine)

    def ask(self, wanted: Sequence[int]) -> Answer | tuple[int, ...] | None:
        """An answer that meets these demands; if there is none, some of them that cannot be met together; None if no
        answer was found in the time given."""
        from ortools.sat.python import cp_model

        self.made.model.clear_assumptions()
        self.made.model.add_assumptions([self.taken[number] for number in wanted])
        solver = cp_model.CpSolver()
        solver.parameters.catch_sigint_signal = False
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 0
        solver.parameters.presolve_inclusion_work_limit = 0  # else 9.15 proves wrong optima (or-tools 5293)
        solver.parameters.symmetry_level = 0
        solver.parameters.linearization_level = 0  # nothing is priced, and propagation alone is quickest
        solver.parameters.cp_model_presolve = False
        solver.parameters.max_deterministic_time = WORK
        status = solver.solve(self.made.model)
        if status == cp_model.INFEASIBLE:
            core = set(solver.sufficient_assumptions_for_infeasibility())
            return tuple(number for number in wanted if self.taken[number].index in core)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        return self.made.answer(dict(enumerate(solver.response_proto.solution)))
