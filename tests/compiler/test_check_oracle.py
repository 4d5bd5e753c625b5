"""Checker and oracle on layouts that nobody chose: both must call the same plans legal."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.check import check
from compiler.device import load_device
from compiler.division import Division
from compiler.errors import StudioError
from compiler.layout import SPARSE, UNIT, Arrangement, StickLayout, stick_layout
from compiler.loops import Buffer, Load, LoopProgram, OpKind
from compiler.pipeline import parse_pipeline
from compiler.plan import EditKind, Kernel, Plan, ReasonCode, Spilled
from compiler.problem import Problem
from compiler.schedule import expand, kernels_of
from compiler.unfold import unfold
from tests.compiler.legality_oracle import plan_faults
from tests.compiler.tiny import failed
from tests.random_programs import TINY, random_program

PER_TEST = 5
CHANGES = 12


def laid_out(problem: Problem) -> Plan:
    """Layouts and edits of the staged pipeline; one core and device memory, so that nothing else matters."""
    plan = Plan(problem.program.name, problem.device.name, problem.device.cores, "staged")
    for one in parse_pipeline("staged"):
        if "divisions" in one.decides:
            break
        plan = one(problem, plan)
    schedule = expand(problem.program, plan)
    return replace(
        plan,
        divisions=frozendict((step.name, Division()) for step in schedule.steps),
        placement=frozendict((name, Spilled(ReasonCode.CAPACITY, "not tried")) for name in schedule.buffers),
        kernels=tuple(Kernel(f"k{number}", steps) for number, steps in enumerate(kernels_of(schedule))),
    )


def some_layout(rng: random.Random, buffer: Buffer, old: StickLayout) -> StickLayout:
    """Any layout of a buffer: another order, a unit dim or a sparse stick, an arrangement, zeros along some dims."""
    rank = len(buffer.shape)
    order = tuple(rng.sample(range(rank), rank)) if rng.random() < 0.7 else tuple(d for d in old.dim_order if d >= 0)
    if rng.random() < 0.2 and order:
        order = (*order, SPARSE)
    if rng.random() < 0.3 and order:
        order = (UNIT, *order)
    lanes = rng.choice((32, 64)) if buffer.dtype.value == "bool" else old.elements_per_stick
    kinds = [Arrangement.STANDARD] * 4 + [{32: Arrangement.F16_TO_F32}.get(lanes, Arrangement.F32_TO_F16)]
    arrangement = rng.choice(kinds) if rng.random() < 0.5 else old.arrangement
    padded = [dim for dim in order[:-1] if dim >= 0 and rng.random() < 0.2]
    padding = tuple((dim, buffer.shape[dim] + rng.choice((0, 1, 60, -buffer.shape[dim] % lanes))) for dim in padded)
    return stick_layout(buffer.shape, buffer.strides, lanes, order[:6], arrangement, padding)


def changed(rng: random.Random, problem: Problem, plan: Plan) -> Plan:
    """One layout or one kind of edit replaced."""
    if plan.edits and rng.random() < 0.2:
        number = rng.randrange(len(plan.edits))
        edits = [*plan.edits]
        edits[number] = replace(edits[number], kind=rng.choice(tuple(EditKind)))
        return replace(plan, edits=tuple(edits))
    buffers = expand(problem.program, plan).buffers
    name = rng.choice(sorted(buffers))
    layout = some_layout(rng, buffers[name], plan.layouts[name])
    return replace(plan, layouts=plan.layouts.set(name, layout))


def copying(program: LoopProgram) -> LoopProgram:
    """The program with every pointwise op of one operand turned into a copy of it."""
    ops = []
    for op in program.ops:
        plain = op.kind is OpKind.POINTWISE and len(op.reads) == 1 and not op.reads[0].index.gathers
        load = op.body[0] if op.body else None
        if plain and isinstance(load, Load) and load.dtype is program.buffer_map[op.write.buffer].dtype:
            op = replace(op, body=(Load(0, load.dtype),), results=(0,))
        ops.append(op)
    return replace(program, ops=tuple(ops))


def compiled(seed: int) -> tuple[Problem, Plan] | None:
    program = random_program(seed, 5, TINY)
    device = load_device("spyre")
    problem = Problem(unfold(copying(program) if seed % 2 else program, device), device)
    try:
        return problem, laid_out(problem)
    except StudioError:
        return None


def agreed(seed: int) -> Counter[bool]:
    """How often both called a changed plan legal and illegal; a difference of opinion fails."""
    found: Counter[bool] = Counter()
    given = compiled(seed)
    if given is None:
        return found
    problem, plan = given
    assert failed(check(problem, plan)) == {}, seed
    assert plan_faults(problem, plan, finished=True) == [], seed
    rng = random.Random(f"layouts {seed}")
    for _ in range(CHANGES):
        other = changed(rng, problem, plan)
        verdicts = failed(check(problem, other))
        faults = plan_faults(problem, other, finished=True)
        assert bool(verdicts) == bool(faults), (seed, verdicts, faults)
        found[not faults] += 1
        plan = plan if faults else other
    return found


@pytest.mark.parametrize("first", range(0, 100, PER_TEST))
def test_checker_and_oracle_agree(first: int) -> None:
    for seed in range(first, first + PER_TEST):
        agreed(seed)


def test_both_opinions_are_heard() -> None:
    found = sum((agreed(seed) for seed in range(100, 120)), Counter[bool]())
    assert min(found[True], found[False]) >= 20, found
