"""Plans with moves added by hand: over the ring, into LX, out of LX.

Owns the way from a program, divisions, edits and LX addresses to a plan: everything else is taken from a compiled plan,
everything that is not named in LX is in device memory.  It checks nothing, so that a test can write a plan that is
wrong.
"""

from collections.abc import Mapping
from dataclasses import replace

from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.division import Division
from compiler.graph import ModelGraph
from compiler.liveness import lifetimes
from compiler.loops import LoopProgram, OpKind
from compiler.ownership import holding
from compiler.pipeline import compile_problem
from compiler.plan import Edit, EditKind, Kernel, Placement, Plan, ReasonCode, Slot, Spilled
from compiler.problem import Problem
from compiler.schedule import Schedule, expand, kernels_of

OUT = Spilled(ReasonCode.DEVICE_COPY, "")


def ring(source: str, before: str, *readers: str, replicas: int = 1) -> Edit:
    """A relayout of `source` before a step, for that step alone if none is named."""
    target = f"{source}@ring"
    return Edit(target, EditKind.RELAYOUT, source, target, before, readers or (before,), replicas)


def clone_in(source: str, before: str, *readers: str, replicas: int = 1) -> Edit:
    """A copy into LX."""
    target = f"{source}@in"
    return Edit(target, EditKind.CLONE_IN, source, target, before, readers or (before,), replicas)


def clone_out(source: str, before: str, *readers: str) -> Edit:
    """A copy out of LX; at the end of the program if `before` is empty."""
    target = f"{source}@out"
    return Edit(target, EditKind.CLONE_OUT, source, target, before, readers)


def with_moves(
    loops: LoopProgram,
    divisions: Mapping[str, Division],
    edits: tuple[Edit, ...],
    lx: Mapping[str, int],
    cores: int = 8,
) -> tuple[Compilation, Plan]:
    """The compilation of a program, and its plan with those decisions in place of its own."""
    problem = Problem(loops, load_device("spyre").with_cores(cores))
    made = compile_problem(ModelGraph(loops.name, (), (), ()), problem)
    plan = replace(made.plan, edits=(*made.plan.edits, *edits), divisions=made.plan.divisions | divisions)
    layouts = dict(plan.layouts)
    for edit in edits:
        layouts[edit.target] = layouts[edit.source]
    plan = replace(plan, layouts=frozendict(layouts))
    schedule = expand(made.problem.program, plan)
    kernels = tuple(Kernel(f"k{number}", steps) for number, steps in enumerate(kernels_of(schedule)))
    return made, replace(plan, placement=_placement(schedule, plan, lx), kernels=kernels)


def _placement(schedule: Schedule, plan: Plan, lx: Mapping[str, int]) -> frozendict[str, Placement]:
    kept = {name: place for name, place in plan.placement.items() if isinstance(place, Spilled)}
    placement: dict[str, Placement] = {name: kept.get(name, OUT) for name in schedule.buffers}
    lives = lifetimes(schedule)
    for step in schedule.steps:
        for write in step.op.writes if step.op.kind is not OpKind.OPAQUE else ():
            if write.buffer in lx:
                size, life = holding(step, write.buffer, schedule, plan).bytes_per_core, lives[write.buffer]
                placement[write.buffer] = Slot(lx[write.buffer], size, life.first, life.last)
    return frozendict(placement)
