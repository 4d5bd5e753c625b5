"""Plans with moves added by hand, and what PyTorch computes from the same numbers.

Owns the way from such a plan to a verdict of the simulator.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from compiler.division import Division
from compiler.loops import LoopProgram
from compiler.materialize import materialize
from compiler.plan import Edit, Plan
from compiler.problem import Problem
from compiler.program import Program
from simulator.functional.verify import verify
from simulator.report import VerifyReport
from tests.moved_plans import with_moves


@dataclass(frozen=True)
class Moved:
    """A program with the decisions of a test: `divisions` by step, `lx` addresses by buffer."""

    loops: LoopProgram
    inputs: Mapping[str, Tensor]
    expected: Mapping[str, Tensor]
    divisions: Mapping[str, Division]
    edits: tuple[Edit, ...]
    lx: Mapping[str, int] = field(default_factory=dict)
    cores: int = 8

    def plan(self) -> tuple[Problem, Plan]:
        """The compiled plan with those decisions in place of its own."""
        made, plan = with_moves(self.loops, self.divisions, self.edits, self.lx, self.cores)
        return made.problem, plan

    def program(self) -> Program:
        """The plan made concrete."""
        return materialize(*self.plan())

    def judge(self, program: Program | None = None, *, poison: bool = True) -> VerifyReport:
        """The verdict of the simulator."""
        return verify(program or self.program(), self.inputs, self.expected, poison=poison)


def numbers(*shape: int, seed: int = 0) -> Tensor:
    """Normal numbers that are the same each run."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).half()
