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
from compiler.plan import Edit, Plan, Slot, Spilled
from compiler.problem import Problem

Pass = Callable[[Problem, Plan], Plan]
DIVIDE: tuple[Pass, ...] = (ReduceSpan(), DivideMatmul(), DivideRest())


def plain_layouts(problem: Problem, given: Mapping[str, StickLayout] | None = None) -> frozendict[str, StickLayout]:
    """Default layout of every buffer; results reduced along the stick, and what is made from them alone, are sparse.

    Layouts that are `given` stay.
    """
    program, lanes = problem.program, problem.device.lanes
    layouts = {b.name: stick_layout(b.shape, b.strides, lanes(b.dtype)) for b in program.buffers} | dict(given or {})
    for op in program.ops:
        if op.write.buffer not in (given or {}) and _lane_constant(op, program, layouts):
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
    chosen = plain_layouts(problem, layouts)
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


def slot(plan: Plan, name: str) -> Slot:
    """The slot of a buffer that has to be resident."""
    found = plan.placement[name]
    assert isinstance(found, Slot), f"{name}: {found}"
    return found


def spilled(plan: Plan, name: str) -> Spilled:
    """The reason of a buffer that has to be in device memory."""
    found = plan.placement[name]
    assert isinstance(found, Spilled), f"{name}: {found}"
    return found


def overlaps(plan: Plan) -> list[str]:
    """Pairs of resident buffers that share bytes at a common step without one having taken the other's place."""
    slots = [(name, one) for name, one in plan.placement.items() if isinstance(one, Slot)]
    found = []
    for place, (name, one) in enumerate(slots):
        for other_name, other in slots[place + 1 :]:
            together = one.first_step <= other.last_step and other.first_step <= one.last_step
            apart = one.address + one.size_bytes <= other.address or other.address + other.size_bytes <= one.address
            in_place = one.address == other.address and (one.in_place_of == other_name or other.in_place_of == name)
            if together and not apart and not in_place:
                found.append(f"{name} and {other_name}")
    return found
