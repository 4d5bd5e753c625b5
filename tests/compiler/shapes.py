"""Layouts and plans for programs whose sticks are right as they stand: no copy to another stick dim is ever needed.

Owns the plainest layouts that are legal for `tests.sketch` programs: default ones, sparse where a reduction folds the
stick. Refuses restickifies: a program that needs one has to bring its own edits.
"""

from collections.abc import Callable, Mapping

from frozendict import frozendict

from compiler.coordinates import lane_loops, walk_of
from compiler.layout import StickLayout, stick_layout
from compiler.loops import LoopOp, LoopProgram
from compiler.passes.divide_matmul import DivideMatmul
from compiler.passes.divide_rest import DivideRest
from compiler.passes.place_scratchpad import PlaceScratchpad
from compiler.passes.reduce_span import ReduceSpan
from compiler.plan import Edit, Plan
from compiler.problem import Problem

Pass = Callable[[Problem, Plan], Plan]
DIVIDE: tuple[Pass, ...] = (ReduceSpan(), DivideMatmul(), DivideRest())


def plain_layouts(problem: Problem) -> frozendict[str, StickLayout]:
    """Default layout of every buffer; results reduced along the stick, and what is made from them alone, are sparse."""
    program, lanes = problem.program, problem.device.lanes
    layouts = {b.name: stick_layout(b.shape, b.strides, lanes(b.dtype)) for b in program.buffers}
    for op in program.ops:
        if _lane_constant(op, program, layouts):
            result = program.buffer_map[op.write.buffer]
            order = (*range(len(result.shape)), -1)
            layouts[result.name] = stick_layout(result.shape, result.strides, lanes(result.dtype), order)
    return frozendict(layouts)


def _lane_constant(op: LoopOp, program: LoopProgram, layouts: Mapping[str, StickLayout]) -> bool:
    along: set[str] = set()
    for read in op.reads:
        along |= lane_loops(walk_of(op, read, program.buffer_map[read.buffer]), layouts[read.buffer])
    return bool(op.loops) and bool(op.reads) and not any(loop.name in along for loop in op.output_loops)


def unplanned(problem: Problem, layouts: Mapping[str, StickLayout] | None = None, edits: tuple[Edit, ...] = ()) -> Plan:
    """A plan with layouts and nothing else."""
    chosen = plain_layouts(problem) | (layouts or {})
    return Plan(problem.program.name, problem.device.name, problem.device.cores, "test", layouts=chosen, edits=edits)


def run(passes: tuple[Pass, ...], problem: Problem, plan: Plan) -> Plan:
    """The passes one after the other."""
    for one in passes:
        plan = one(problem, plan)
    return plan


def divided(problem: Problem, layouts: Mapping[str, StickLayout] | None = None, edits: tuple[Edit, ...] = ()) -> Plan:
    """A plan with every step divided."""
    return run(DIVIDE, problem, unplanned(problem, layouts, edits))


def placed(
    problem: Problem,
    layouts: Mapping[str, StickLayout] | None = None,
    edits: tuple[Edit, ...] = (),
    solver: str = "best-fit",
) -> Plan:
    """A plan with divisions and placement."""
    return PlaceScratchpad(solver)(problem, divided(problem, layouts, edits))


def factors(plan: Plan, op: str) -> dict[str, int]:
    """Factors above 1 of an op."""
    return dict(plan.divisions[op].factors)
