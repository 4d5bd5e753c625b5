"""Plans with moves added by hand, and what PyTorch computes from the same numbers.

Owns the way from a program, divisions, edits and LX addresses to a Program: everything else is taken from a compiled
plan, everything that is not named in LX is in device memory.  It checks nothing, so that a test can write a plan that
is wrong.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import torch
from frozendict import frozendict
from torch import Tensor

from compiler.device import load_device
from compiler.division import Division
from compiler.graph import ModelGraph
from compiler.loops import LoopProgram, OpKind
from compiler.materialize import materialize
from compiler.ownership import holding
from compiler.pipeline import compile_problem
from compiler.plan import Edit, EditKind, Kernel, Placement, Plan, ReasonCode, Slot, Spilled
from compiler.problem import Problem
from compiler.program import Program
from compiler.schedule import expand, kernels_of
from simulator.functional.verify import verify
from simulator.report import VerifyReport

OUT = Spilled(ReasonCode.DEVICE_COPY, "")


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
        problem = Problem(self.loops, load_device("spyre").with_cores(self.cores))
        made = compile_problem(ModelGraph(self.loops.name, (), (), ()), problem)
        plan = replace(made.plan, edits=(*made.plan.edits, *self.edits))
        layouts = dict(plan.layouts)
        for edit in self.edits:
            layouts[edit.target] = layouts[edit.source]
        divisions = {**plan.divisions, **self.divisions}
        plan = replace(plan, layouts=frozendict(layouts), divisions=frozendict(divisions))
        schedule = expand(made.problem.program, plan)
        placement: dict[str, Placement] = dict.fromkeys(schedule.buffers, OUT)
        for step in schedule.steps:
            for write in step.op.writes if step.op.kind is not OpKind.OPAQUE else ():
                if write.buffer in self.lx:
                    size = holding(step, write.buffer, schedule, plan).bytes_per_core
                    placement[write.buffer] = Slot(self.lx[write.buffer], size, 0, 0)
        kernels = tuple(Kernel(f"k{number}", steps) for number, steps in enumerate(kernels_of(schedule)))
        return made.problem, replace(plan, placement=frozendict(placement), kernels=kernels)

    def program(self) -> Program:
        """The plan made concrete."""
        return materialize(*self.plan())

    def judge(self, program: Program | None = None, *, poison: bool = True) -> VerifyReport:
        """The verdict of the simulator."""
        return verify(program or self.program(), self.inputs, self.expected, poison=poison)


def ring(source: str, before: str, *readers: str, replicas: int = 1) -> Edit:
    """A relayout of `source` before a step, for that step alone if none is named."""
    target = f"{source}@ring"
    return Edit(target, EditKind.RELAYOUT, source, target, before, readers or (before,), replicas)


def clone_in(source: str, before: str, *readers: str, replicas: int = 1) -> Edit:
    """A copy into LX."""
    target = f"{source}@in"
    return Edit(target, EditKind.CLONE_IN, source, target, before, readers or (before,), replicas)


def clone_out(source: str, before: str, *readers: str) -> Edit:
    """A copy out of LX; before the end of the program if `before` is empty."""
    target = f"{source}@out"
    return Edit(target, EditKind.CLONE_OUT, source, target, before, readers)


def numbers(*shape: int, seed: int = 0) -> Tensor:
    """Normal numbers that are the same each run."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).half()
