"""What the rows of the division table ask: small questions to the compiler with plain answers.

Owns the way from a published row (sizes, splits, a shape) to a number, a split or a sentence of the compiler.  Refuses
to know what the right answer is.
"""

import math
from collections.abc import Mapping
from dataclasses import replace

from frozendict import frozendict

from compiler.contractions import contraction_of, cut_of
from compiler.coordinates import core_boxes
from compiler.cost.matmul import EXECUTION, PREFERENCE, Contraction, Cut, ranking
from compiler.device import load_device
from compiler.division import Division, Split
from compiler.dtypes import DType
from compiler.loops import Access, Apply, Gather, Load, LoopOp, LoopProgram, OpKind, Origin, Role
from compiler.passes.divide_matmul import DivideMatmul
from compiler.passes.reduce_span import ReduceSpan
from compiler.pinning import pinned_division
from compiler.plan import Plan
from compiler.problem import Problem
from compiler.schedule import expand
from compiler.spaces import STRIDED, Axis, Space, space_of
from compiler.spans import reaches_of
from compiler.splits import largest_first, matmul_roles, rank_matmul
from tests.compiler.shapes import divided, factors, unplanned
from tests.programs import product
from tests.sketch import Sketch

MIB = 2**20
SPYRE = load_device("spyre")
Sizes = tuple[int, int, int, int]


def on(program: LoopProgram, cores: int = 32, **numbers: float) -> Problem:
    """The program on the spyre device with some cores and other numbers changed."""
    device = SPYRE.with_cores(cores)
    for key, value in numbers.items():
        device = device.with_number(key, value)
    return Problem(program, device)


def space(program: LoopProgram, op: str) -> Space:
    """The space of an op under plain layouts."""
    plan = unplanned(on(program))
    schedule = expand(program, plan)
    return space_of(schedule.step_map[op].op, schedule, plan.layouts)


def division_of(program: LoopProgram, op: str, cores: int = 32, **numbers: float) -> dict[str, int]:
    """Factors above 1 after all passes."""
    return factors(divided(on(program, cores, **numbers)), op)


# Which core gets which slice


def slots(splits: Mapping[str, int], cores: int) -> list[tuple[int, ...]]:
    """Slot of every loop on the first cores, loops from fastest to slowest."""
    division = Division(tuple(Split(loop, factor, 1) for loop, factor in splits.items()))
    return [tuple(division.slots(core).values()) for core in range(cores)]


def fast_inner(rows: int, columns: int, inner: int) -> list[tuple[int, int, int]]:
    """(m, n, k) of every core of a matmul divided like this."""
    division = space(product(64, 1024, 1024), "matmul").division({"i": rows, "j": columns, "k": inner})
    found = [division.slots(core) for core in range(division.cores)]
    return [(slot["i"], slot["j"], slot["k"]) for slot in found]


def hops(one: list[tuple[int, int, int]]) -> set[int]:
    """Distances between ring positions of neighbours in the sum of one output tile."""
    place = {slot: core for core, slot in enumerate(one)}
    return {place[i, j, k] - place[i, j, k - 1] for i, j, k in one if k}


# The long product of the documents


LONG = product(8192, 32768, 4096)


def long_spans(inner: int) -> dict[str, int]:
    """MiB that one core has to reach in every tensor if K is divided."""
    plan = unplanned(on(LONG))
    schedule = expand(LONG, plan)
    op = schedule.steps[0].op
    division = space(LONG, "matmul").division({"k": inner})
    return {reach.buffer: reach.span(division) // MIB for reach in reaches_of(op, schedule, plan.layouts)}


def long_sizes() -> dict[str, tuple[int, ...]]:
    """Device sizes of the three tensors."""
    return {name: layout.device_size for name, layout in unplanned(on(LONG)).layouts.items()}


def long_stages(limit: int) -> list[dict[str, int]]:
    """Factors after the floors, after the ranking and at the end."""
    problem = on(LONG, span_limit_bytes=limit)
    floored = ReduceSpan()(problem, unplanned(problem))
    stages = [floored, DivideMatmul()(problem, floored), divided(problem)]
    return [factors(plan, "matmul") if "matmul" in plan.divisions else {} for plan in stages]


def long_shares(**split: int) -> dict[str, int]:
    """MiB of every tensor that one core touches."""
    op, layouts = LONG.ops[0], unplanned(on(LONG)).layouts
    division = space(LONG, "matmul").division(split)
    boxes = {
        access.buffer: core_boxes(op, access, LONG.buffer_map[access.buffer], layouts[access.buffer], division)
        for access in (*op.reads, *op.writes)
    }
    return {name: int(box.bytes.max()) // MIB for name, box in boxes.items()}


def long_points(rows: int, columns: int, inner: int) -> str:
    """Points of a split by the ranking, in whole microseconds."""
    return f"{ranking(SPYRE, Contraction(1, 8192, 4096, 32768, True, 2, 2), Cut(1, rows, columns, inner)):,.0f}"


# The ranking of matmuls


def points(sizes: Sizes, split: Sizes, slowdown: float = 2, shared: bool = True) -> str:
    """Total points of a split, three digits; `slowdown` is what a divided K does to compute."""
    device = SPYRE.with_number("k_split_slowdown", slowdown)
    return f"{ranking(device, Contraction(*sizes, shared, 2, 2), Cut(*split)):.3f}"


def terms(sizes: Sizes, split: Sizes, shared: bool = True) -> dict[str, float]:
    """Every term that is not zero, three digits."""
    work, cut = Contraction(*sizes, shared, 2, 2), Cut(*split)
    values = {row.name: round(row.value(SPYRE, work, cut), 3) for row in EXECUTION + PREFERENCE}
    return {name: value for name, value in values.items() if value}


def best_two(sizes: Sizes, shared: bool = True, slowdown: float = 2) -> list[tuple[Sizes, str]]:
    """The winner and the runner-up of a product whose sticks are right, as (b, m, n, k) and points."""
    batch, rows, columns, inner = sizes
    sketch = Sketch("product")
    lead = () if shared else (batch,)
    left = sketch.input("x", *lead, rows, inner)
    sketch.output(sketch.matmul(left, sketch.input("y", *lead, inner, columns)))
    problem = on(sketch.program(), k_split_slowdown=slowdown)
    plan = unplanned(problem)
    one = space(problem.program, "matmul")
    roles = matmul_roles(one)
    assert roles is not None
    names = ("i", "j", "k") if shared else ("i", "j", "l", "k")
    ranked = rank_matmul(one, roles, plan.layouts, problem.device)[:2]
    found = []
    for item in ranked:
        *lead_split, m, n, k = (item.factors[name] for name in names)
        found.append(((math.prod(lead_split), m, n, k), f"{item.points:.3f}"))
    assert DivideMatmul()(problem, plan).divisions["matmul"] == one.division(ranked[0].factors)
    return found


def per_core(sizes: Sizes, **split: int) -> tuple[int, int, int]:
    """Rows and columns of one core, and multiply-accumulates of all, of a plan that is divided like this."""
    batch, rows, columns, inner = sizes
    sketch = Sketch("product")
    lead = (batch,) if batch > 1 else ()
    sketch.output(sketch.matmul(sketch.input("x", *lead, rows, inner), sketch.input("y", *lead, inner, columns)))
    one, layouts = space(sketch.program(), "matmul"), unplanned(on(sketch.program())).layouts
    roles = matmul_roles(one)
    assert roles is not None
    work, cut = contraction_of(one, roles, layouts), cut_of(roles, split)
    return work.rows // cut.rows, work.columns // cut.columns, work.macs


# Largest loop first


def general(cores: int, blocked: str = "", **sizes: int) -> dict[str, int]:
    """Factors of a space without tensors; names that start with r are reduced, those in `blocked` are not divided."""
    axes = tuple(
        Axis(
            name,
            size,
            Role.REDUCTION if name[0] == "r" else Role.OUTPUT,
            blocked=STRIDED if name in blocked.split() else "",
        )
        for name, size in sizes.items()
    )
    op = LoopOp("op", OpKind.REDUCTION, "sum", (), (), (), (), (), Origin())
    return dict(largest_first(Space(op, axes), cores))


def grown(program: LoopProgram, op: str, **floors: int) -> dict[str, int]:
    """Factors above 1 of an op with floors."""
    found = largest_first(space(program, op), SPYRE.cores, floors)
    return {loop: factor for loop, factor in found.items() if factor > 1}


# What is blocked


def blocked(program: LoopProgram, op: str) -> set[str]:
    """Result loops that are not divided."""
    return {axis.name for axis in space(program, op).axes if axis.blocked and axis.role is Role.OUTPUT}


def summed(dim: int, *shape: int) -> LoopProgram:
    """The sum over one dim."""
    sketch = Sketch("sum")
    sketch.output(sketch.reduce("sum", sketch.input("x", *shape), dim))
    return sketch.program()


def summed_twice() -> LoopProgram:
    """The sum over the first two dims of three."""
    sketch = Sketch("sum")
    sketch.output(sketch.reduce("sum", sketch.input("x", 8, 8, 64), 0, 1))
    return sketch.program()


def convolution(strides: tuple[int, int], high: int = 8, wide: int = 16, batch: int = 2, out: int = 32) -> LoopProgram:
    """A 3 x 3 convolution of 64 channels whose result is `high` x `wide`."""
    sketch = Sketch("conv")
    rows, columns = (high - 1) * strides[0] + 3, (wide - 1) * strides[1] + 3
    image = sketch.input("x", batch, 64, rows, columns, order=(0, 2, 3, 1))
    sketch.output(sketch.conv2d(image, sketch.input("w", out, 64, 3, 3, order=(2, 3, 1, 0)), strides))
    return sketch.program()


# Gathers and scatters


def gathered(entries: int, cores: int = 32) -> dict[str, int]:
    """Factors of x[at] with x [128, 64, 512]."""
    sketch = Sketch("gather")
    sketch.output(sketch.rows_of(sketch.input("x", 128, 64, 512), sketch.input("at", entries, dtype=DType.I32)))
    return division_of(sketch.program(), "gather", cores)


def scattered(rows: int, entries: tuple[int, ...], cores: int = 32) -> dict[str, int]:
    """Factors of y[at] = x with y [rows, 64, 512]."""
    sketch = Sketch("scatter")
    values = sketch.input("x", *entries, 64, 512)
    chosen = sketch.input("at", *entries, dtype=DType.I32)
    sketch.output(sketch.apply("add", values, values, name="y"))
    names = ("i", "j", "l", "m")[: len(entries) + 2]
    op = sketch.ops[0]
    inside = replace(values, shape=(*(1 for _ in entries), 64, 512)).index(names)
    place = replace(inside, gathers=(Gather(64 * 512, 1, rows),))
    body = (Load(0, DType.F16), Load(1, DType.I32), Apply("identity", (0,), DType.F16))
    reads = (op.reads[0], Access("at", chosen.index(names[: len(entries)])))
    scatter = replace(op, reads=reads, writes=(Access("y", place),), body=body, results=(2,))
    result = replace(sketch.computed[0], shape=(rows, 64, 512), strides=(64 * 512, 512, 1))
    program = replace(sketch.program(), ops=(scatter,), buffers=(*sketch.inputs, result))
    return division_of(program, "y", cores)


# Pins


def pinned(program: LoopProgram, op: str, **wanted: int) -> tuple[str, str]:
    """State and detail of a pin."""
    problem = on(program)
    plan: Plan = unplanned(problem)
    schedule = expand(program, plan)
    _, status = pinned_division(op, frozendict(wanted), schedule, plan.layouts, problem.device)
    return status.state, status.detail
