"""The published and derived examples of the cost model, row by row: laws at their numbers, and whole compiled plans."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.cost.bundled import compute_us
from compiler.cost.delivery import crowding, load_us, partitioned_us, replicated_us, replication, shared_us
from compiler.cost.matmul import Contraction, Cut, batch_step_us
from compiler.cost.memory import one_way_us, restickify_us, turnaround_us
from compiler.cost.model import price
from compiler.cost.patterns import Pattern, Sighting, bytes_per_ns
from compiler.cost.reductions import alone_bytes_per_ns, fused_us
from compiler.cost.relayout import View, relayout_us
from compiler.cost.requests import operand_request_us, requests, swap_us
from compiler.cost.runs import run_bytes
from compiler.cost.tiling import (
    derated_us,
    invariant_us,
    looped_operand_us,
    matmul_tile_efficiency,
    tile_efficiency,
)
from compiler.division import Division, Split
from compiler.dtypes import DType
from compiler.graph import ModelGraph
from compiler.layout import UNIT, stick_layout
from compiler.loops import Apply, Const, Load, LoopProgram
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.plan import Edit, EditKind, Plan, Slot, Spilled
from compiler.price import Cost
from compiler.problem import Problem
from tests.compiler.tiny import spyre
from tests.programs import chain, problem_of, product, selected, softmax
from tests.random_draft import View as TensorView
from tests.sketch import Sketch

MIB = 1 << 20
P = 2 * MIB
EXPERT = 2816 * 704 * 2
S = spyre()
Factors = Mapping[str, int]


def compiled(program: LoopProgram, pins: Mapping[str, Factors] | None = None, cores: int = 32) -> Compilation:
    """A real plan, divisions pinned where they are given."""
    division = frozendict({op: frozendict(factors) for op, factors in (pins or {}).items()})
    problem = problem_of(program, Pins(division=division))
    problem = replace(problem, device=problem.device.with_cores(cores))
    return compile_problem(ModelGraph("table", (), (), ()), problem)


def total(program: LoopProgram) -> float:
    return compiled(program).cost.total_us


# Laws


@pytest.mark.parametrize(
    ("found", "expected", "digits"),
    [
        pytest.param(one_way_us(S, P * 2), 27.96, 2, id="6.9-one-way"),
        pytest.param(turnaround_us(S, P, P), 12.04, 2, id="6.9-turnaround"),
        pytest.param(2e6 / (one_way_us(S, 2000000) + turnaround_us(S, 10**6, 10**6)) / 1e3, 104.86, 2, id="M1"),
        pytest.param(alone_bytes_per_ns(S, 1024, 32), 150.0, 1, id="6.2-rows-1024"),
        pytest.param(alone_bytes_per_ns(S, 4096, 32), 134.2, 1, id="6.2-rows-4096"),
        pytest.param(alone_bytes_per_ns(S, 8192, 32), 120.7, 1, id="6.2-rows-8192"),
        pytest.param(alone_bytes_per_ns(S, 10**7, 32), 114.0, 1, id="6.2-rows-many"),
        pytest.param(alone_bytes_per_ns(S, 10**7, 1), 114 * 0.11, 6, id="6.2-one-core"),
        pytest.param(fused_us(S, 4096 * 2048, 8), 699, 0, id="6.2-fused-8"),
        pytest.param(fused_us(S, 4096 * 2048, 32), 175, 0, id="6.2-fused-32"),
        pytest.param(restickify_us(S, 2 * P), 36.16, 2, id="6.3-restickify"),
        pytest.param(bytes_per_ns(S, Sighting(Pattern.ACROSS_ROWS, 4096, 2048)), 113.0, 1, id="6.3-across"),
        pytest.param(bytes_per_ns(S, Sighting(Pattern.CONCAT, 4096, 2048)), 67.2, 1, id="6.3-cat0"),
        pytest.param(bytes_per_ns(S, Sighting(Pattern.SWAP, 4096, 2048, 8)), 91.6, 1, id="6.3-swap"),
        pytest.param(bytes_per_ns(S, Sighting(Pattern.STACK, 4096, 2048)), 106.0, 1, id="6.3-cat1"),
        pytest.param(bytes_per_ns(S, Sighting(Pattern.ROW, 4096, 2048)), 121.5, 1, id="6.3-row"),
        pytest.param(bytes_per_ns(S, Sighting(Pattern.COLUMN, 4096, 2048)), 115.8, 1, id="6.3-scalar"),
        pytest.param(bytes_per_ns(S, Sighting(Pattern.ROW, 256, 2048)), 116, 0, id="6.3-row-short"),
        pytest.param(bytes_per_ns(S, Sighting(Pattern.COLUMN, 256, 2048)), 99, 0, id="6.3-scalar-short"),
        pytest.param(batch_step_us(S, Contraction(32, 512, 512, 128, False, 2, 2), Cut(8)), 8.0, 6, id="6.4-batch"),
        pytest.param(
            compute_us(S, Contraction(1, 1024, 1024, 1024, True, 2, 2), Cut(1, 8, 4), 1140), 29.43, 2, id="6.4-cube"
        ),
        pytest.param(replicated_us(S, 256 * 1024, 8, 32), 28.49, 2, id="M5"),
        *(
            pytest.param(crowding(S, readers), factor, 4, id=f"M7-{readers}")
            for readers, factor in ((1, 1), (8, 1), (12, 1.3554), (16, 1.6818), (25, 2.3504), (32, 2.8284))
        ),
        pytest.param(shared_us(S, 1_500_000, 32), 18.284, 3, id="6.5-shared"),
        *(
            pytest.param(partitioned_us(S, 26_214_400, cores), time, 2, id=f"6.5-partitioned-{cores}")
            for cores, time in ((16, 174.76), (22, 79.44), (25, 48.93), (32, 0))
        ),
        pytest.param(requests(S, EXPERT, 128), 30976, 0, id="6.5-moe-requests"),
        pytest.param(128 * operand_request_us(S, EXPERT, 128, 22) / 1e3, 26.354, 3, id="M9-requests"),
        pytest.param(128 * partitioned_us(S, EXPERT, 22) / 1e3, 1.538, 3, id="M9-partition-22"),
        pytest.param(128 * partitioned_us(S, EXPERT, 11) / 1e3, 6.459, 3, id="M9-partition-11"),
        pytest.param(looped_operand_us(S, EXPERT, 128, 22, 128) / 1e3, 26.354, 3, id="M9-charged"),
        pytest.param(128 * operand_request_us(S, EXPERT, 512, 11) / 1e3, 4.051, 3, id="M9-second-requests"),
        pytest.param(looped_operand_us(S, EXPERT, 512, 11, 128) / 1e3, 6.459, 3, id="M9-second-charged"),
        pytest.param(
            2 * (looped_operand_us(S, EXPERT, 128, 22, 128) - 128 * partitioned_us(S, EXPERT, 22)) / 1e3,
            *(49.631, 3),
            id="M9-gate-and-up",
        ),
        pytest.param(load_us([(10, 10), (1, 20)]), 20, 6, id="M10"),
        *(
            pytest.param(swap_us(S, P, run, cores) - restickify_us(S, 2 * P), extra, 2, id=f"6.6-{run}-{cores}")
            for run, cores, extra in ((128, 16, 104.80), (128, 32, 43.36), (1024, 16, 0), (128, 1, 125.28))
        ),
        *(
            pytest.param(tile_efficiency(S, rows, columns), share, 3, id=f"6.7-h{rows}-C{columns}")
            for rows, columns, share in (
                *((16, 2048, 1.08), (8, 2048, 1.006), (4, 2048, 0.712), (2, 2048, 0.503)),
                *((4, 512, 0.420), (4, 256, 0.323), (4, 128, 0.248)),
            )
        ),
        *(
            pytest.param(1e3 * relayout_us(S, P, 8, View(run, split)), time, 1, id=f"5.5-{run}-{split}")
            for run, split, time in ((256, 4, 8777.8), (4096, 2, 1136.4), (2048, 4, 2774.6), (128, 8, 25583.7))
        ),
        pytest.param(relayout_us(S, P, 8, View(256, 4)), 8.78, 2, id="C2"),
        pytest.param(relayout_us(S, P, 32, View(2048, 2)), 0.329, 3, id="C4"),
    ],
)
def test_a_law_has_its_number(found: float, expected: float, digits: int) -> None:
    assert round(found, digits) == pytest.approx(expected, abs=1e-9)


def test_m5_lies_within_a_tenth_of_what_was_measured() -> None:
    assert replicated_us(S, 256 * 1024, 8, 32) == pytest.approx(29.7, rel=0.1)


# Matmuls in tiles (laws on top of a compiled plan; no pass makes tiles)


def test_m2_and_m3_softmax_and_matmul_in_tiles_of_rows() -> None:
    whole = total(softmax(4096, 2048))
    assert derated_us(whole, tile_efficiency(S, 16, 2048)) == pytest.approx(296.3, abs=0.05)
    cost = compiled(product(4096, 2048, 1024)).cost
    memory = one_way_us(S, cost.hbm_bytes) + turnaround_us(S, *[sum(s) for s in zip(*moved(cost), strict=True)])
    assert memory == pytest.approx(243.9, abs=0.05)
    again = invariant_us(S, 2048 * 1024 * 2, 8)
    assert again == pytest.approx(166.4, abs=0.05)
    older, newest = matmul_tile_efficiency(S, 16), tile_efficiency(S, 16, 2048)
    assert derated_us(memory, older) == pytest.approx(256.7, abs=0.05)
    assert derated_us(memory, older) + again == pytest.approx(423.1, abs=0.05)
    assert derated_us(memory, newest) + again == pytest.approx(392.2, abs=0.05)


def moved(cost: Cost) -> list[tuple[int, int]]:
    return [(one.read_bytes, one.write_bytes) for one in cost.steps]


# Whole plans


def summed_rows() -> LoopProgram:
    sketch = Sketch("sum")
    sketch.output(sketch.reduce("sum", sketch.input("x", 4096, 2048), 1))
    return sketch.program()


def scaled(sketch: Sketch, x: TensorView, factor: float) -> TensorView:
    """x * factor, the scalar a constant of the body."""
    result = sketch.apply("neg", x, name="mul")
    body = (Load(0, DType.F16), Const(factor, DType.F16), Apply("mul", (0, 1), DType.F16))
    sketch.ops[-1] = replace(sketch.ops[-1], body=body, results=(2,))
    return result


def twice_and_thrice(rows: int) -> LoopProgram:
    """x*2 + x*3 of [rows, 2048]."""
    sketch = Sketch("twice-and-thrice")
    x = sketch.input("x", rows, 2048)
    sketch.output(sketch.apply("add", scaled(sketch, x, 2.0), scaled(sketch, x, 3.0)))
    return sketch.program()


def added(build: Callable[[Sketch], tuple[TensorView, TensorView]]) -> LoopProgram:
    sketch = Sketch("add")
    sketch.output(sketch.apply("add", *build(sketch)))
    return sketch.program()


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        pytest.param(chain(1024, 1024, primitives=("neg",)), 40.00, id="neg"),
        pytest.param(softmax(4096, 2048), 320.0, id="softmax"),
        pytest.param(summed_rows(), 128.96, id="sum-of-rows"),
        pytest.param(
            added(lambda s: (s.input("x", 4096, 2048), s.parameter("b", 2048))),
            (2 * 16 * MIB + 2048 * 2) / 121.5e3,
            id="row-broadcast",
        ),
        pytest.param(
            added(lambda s: (s.input("x", 4096, 2048), s.input("b", 4096, 2048))),
            48 * MIB / 150e3 + 16 * MIB * 0.00574e-3,
            id="no-broadcast",
        ),
    ],
)
def test_a_compiled_plan_takes_its_time(program: LoopProgram, expected: float) -> None:
    assert total(program) == pytest.approx(expected, abs=0.05 if expected == 320 else 0.005)


@pytest.mark.parametrize(("rows", "expected", "measured"), [(2048, 111.8, 113), (4096, 223.7, 222)])
def test_m4_an_input_loaded_into_lx_once(rows: int, expected: float, measured: float) -> None:
    """The load overlaps with nothing and shares no turnaround with what the last op writes."""
    found = compiled(twice_and_thrice(rows))
    size = rows * 2048 * 2
    assert found.cost.hbm_bytes == 2 * size, "both products stay in LX"
    assert found.cost.total_us == pytest.approx(one_way_us(S, 2 * size) + turnaround_us(S, size, size))
    inside = found.plan.placement.set("x", Slot(0, size // 32, 0, 1))
    cost = price(found.problem, replace(found.plan, placement=inside))
    assert cost.total_us == pytest.approx(expected, abs=0.06)
    assert cost.total_us == pytest.approx(measured, rel=0.02)
    assert cost.hbm_bytes == 2 * size
    assert [(one.serial_us > 0, one.hbm_us > 0) for one in cost.steps] == [(True, False), (False, False), (False, True)]


def decode(factors: Factors) -> Cost:
    """x[1,4096] @ W[4096,3200] under a division, as the joint planner prices it."""
    found = compiled(product(1, 4096, 3200), {"matmul": factors})
    assert found.plan.divisions["matmul"].factors == factors
    return price(found.problem, found.plan, overlap=S.number("joint_overlap"))


def test_the_gate_projection_of_a_decode_step() -> None:
    by_columns, mixed, by_depth = (decode(cut) for cut in ({"j": 25}, {"j": 2, "k": 16}, {"k": 32}))
    assert by_columns.total_us == pytest.approx(224.09, abs=0.005)
    assert mixed.total_us == pytest.approx(188.14, abs=0.005)
    assert mixed.compute_us == pytest.approx(24.53, abs=0.005)
    assert by_depth.total_us == pytest.approx(228.75, abs=0.005)
    named = {term.name: term.microseconds for term in by_columns.steps[0].terms}
    assert by_columns.total_us - named["partitioned operand"] == pytest.approx(175.15, abs=0.005)


@pytest.mark.parametrize(("buffer", "loads"), [("x", 4), ("y", 2), ("matmul", 1)])
def test_m6_loads_of_an_operand_under_m_2_and_n_4(buffer: str, loads: int) -> None:
    op = product(128, 64, 512).ops[0]
    access = next(one for one in (*op.reads, *op.writes) if one.buffer == buffer)
    assert replication(op, access, Division((Split("i", 2, 64), Split("j", 4, 128)))) == loads


@pytest.mark.parametrize(
    ("cut", "bank", "activation"),
    [
        ((("i", 2, 32), ("j", 11, 64)), 128, 4096),
        ((("i", 8, 8), ("k", 4, 704)), 2816 // 4 * 704 * 2, 1024),
        ((("i", 8, 8),), 2816 * 704 * 2, 1024),
        ((), 2816 * 704 * 2, 8192 * 44),
        ((("k", 44, 64),), 64 * 704 * 2, 8192),
        ((("i", 4, 16),), 2816 * 704 * 2, 2048),
    ],
    ids=["M2-col11", "M8-K4", "M8", "whole", "one-stick-of-64-rows", "16-rows"],
)
def test_m11_runs_of_the_operands_of_an_expert(
    cut: tuple[tuple[str, int, int], ...], bank: int, activation: int
) -> None:
    sketch = Sketch("expert")
    x, experts = sketch.input("x", 64, 2816), sketch.parameter("bank", 128, 2816, 704)
    sketch.output(sketch.matmul(x, selected(experts, 0, 5)))
    op, buffers = sketch.program().ops[0], sketch.program().buffer_map
    division = Division(tuple(Split(*split) for split in cut))
    orders = {"x": (0, 1), "bank": (UNIT, 0, 1, 2)}
    found = []
    for read in op.reads:
        buffer = buffers[read.buffer]
        layout = stick_layout(buffer.shape, buffer.strides, 64, orders[read.buffer])
        found.append(run_bytes(op, read, buffer, layout, division))
    assert found == [activation, bank]


def test_m13_a_kernel_is_priced_once_and_told_by_bytes() -> None:
    sketch = Sketch("parts")
    x, y = sketch.input("x", 2048, 1024), sketch.input("y", 2048, 1024)
    inner = sketch.apply("exp", sketch.apply("mul", x, y))
    sketch.output(sketch.apply("add", inner, x), sketch.apply("neg", y))
    cost = compiled(sketch.program()).cost
    (kernel,) = cost.kernels
    assert kernel.total_us == cost.total_us == pytest.approx(sum(one.total_us for one in cost.steps))
    assert kernel.total_us == pytest.approx(one_way_us(S, 16 * MIB) + turnaround_us(S, 8 * MIB, 8 * MIB))
    for one in cost.steps:
        assert one.total_us == pytest.approx(kernel.total_us * one.hbm_bytes / cost.hbm_bytes)
    assert [one.total_us for one in cost.steps if not one.hbm_bytes] == [0]


# The graph of the relayout


def ringed() -> tuple[Problem, Plan, Plan]:
    """relu(neg(x)) on 8 cores under splits that do not agree; and with its value carried over the ring."""
    found = compiled(chain(8, 256, 512), {"neg": {"j": 8}, "relu": {"j": 4, "l": 2}}, cores=8)
    plan = found.plan
    edit = Edit("neg.ring", EditKind.RELAYOUT, "neg", "neg.ring", "relu", ("relu",))
    inside = {"neg": Slot(0, 262144, 0, 1), "neg.ring": Slot(262144, 262144, 1, 2)}
    carried = replace(
        plan,
        edits=(edit,),
        layouts=plan.layouts.set("neg.ring", plan.layouts["neg"]),
        divisions=plan.divisions.set("neg.ring", Division((Split("d1", 4, 64), Split("d2", 2, 256)))),
        placement=plan.placement | inside,
        kernels=(),
    )
    return found.problem, plan, carried


def test_c1_a_value_carried_over_the_ring() -> None:
    problem, spilled, carried = ringed()
    assert isinstance(spilled.placement["neg"], Spilled)
    assert price(problem, spilled).total_us == pytest.approx(79.999, abs=0.0005)
    cost = price(problem, carried)
    assert cost.total_us == pytest.approx(41.136, abs=0.0005)
    assert cost.relayout_us == pytest.approx(1.1364, abs=5e-5)
    assert [one.serial_us for one in cost.steps] == [0, cost.relayout_us, 0]
    assert len(cost.kernels) == 1
