"""Prices: the examples in the docstrings, bytes per step, kernels, and totals that add up."""

import doctest
from dataclasses import replace
from types import ModuleType

import pytest

import compiler.cost.matmul
import compiler.cost.memory
import compiler.pinning
import compiler.solvers.board
import compiler.solvers.fit
import compiler.solvers.greedy
import compiler.solvers.placement
import compiler.solvers.request
import compiler.spaces
import compiler.splits
from compiler.contractions import contraction_of, cut_of, roles_of
from compiler.cost.delivery import replication, shares
from compiler.cost.model import price
from compiler.division import Division, Split
from compiler.dtypes import DType
from compiler.layout import stick_layout
from compiler.loops import LoopProgram
from compiler.plan import Edit, EditKind, Plan
from compiler.price import Cost, StepCost
from compiler.problem import Problem
from compiler.schedule import expand
from compiler.spaces import space_of
from tests.compiler.shapes import divided, placed, plain_layouts
from tests.programs import chain, problem_of, product, softmax, transposed
from tests.sketch import Sketch

MODULES = (
    compiler.cost.matmul,
    compiler.cost.memory,
    compiler.pinning,
    compiler.solvers.board,
    compiler.solvers.fit,
    compiler.solvers.greedy,
    compiler.solvers.placement,
    compiler.solvers.request,
    compiler.spaces,
    compiler.splits,
)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_examples_in_docstrings(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


def cost_of(program: LoopProgram) -> Cost:
    problem = problem_of(program)
    return price(problem, placed(problem))


def step(cost: Cost, name: str) -> StepCost:
    return next(one for one in cost.steps if one.step == name)


def test_one_read_and_one_write() -> None:
    cost = cost_of(chain(1024, 1024, primitives=("neg",)))
    assert cost.hbm_bytes == 2 * 2_097_152
    assert cost.total_us == pytest.approx(40.00, abs=0.005)
    assert [round(term.microseconds, 2) for term in step(cost, "neg").terms] == [27.96, 12.04]


def test_softmax_that_stays_on_chip_costs_its_input_and_output() -> None:
    cost = cost_of(softmax(4096, 2048))
    assert cost.total_us == pytest.approx(320.0, abs=0.05)
    assert len(cost.kernels) == 1
    assert [round(one.hbm_us) for one in cost.steps] == [160, 0, 0, 0, 160]
    assert [one.hbm_bytes for one in cost.steps] == [16_777_216, 0, 0, 0, 16_777_216]
    assert cost.compute_us == pytest.approx(174.76, abs=0.005), "the slower reduction of values made in the kernel"


def test_fused_reduction_binds_on_few_cores() -> None:
    problem = problem_of(softmax(4096, 2048))
    problem = replace(problem, device=problem.device.with_cores(8))
    assert step(price(problem, placed(problem)), "sum").compute_us == pytest.approx(699.05, abs=0.005)
    problem = replace(problem_of(softmax(512, 1024)), device=problem.device.with_cores(1))
    cost = price(problem, placed(problem))
    assert cost.kernels[0].total_us == pytest.approx(349.53, abs=0.005)
    assert step(cost, "sum").total_us == cost.total_us, "the step that binds the kernel carries its time"


def test_a_reduction_of_an_input_adds_no_fused_time() -> None:
    sketch = Sketch("sum")
    sketch.output(sketch.reduce("sum", sketch.input("x", 512, 512), 1))
    assert cost_of(sketch.program()).compute_us == 0


def test_spilled_values_count_every_time() -> None:
    problem = problem_of(chain(1024, 1024))
    plan = divided(problem)
    cost = price(problem, plan)
    assert cost.hbm_bytes == 4 * 2_097_152, "nothing is placed: the intermediate is written and read back"
    assert cost.total_us == pytest.approx(80.0, abs=0.005)
    assert price(problem, placed(problem)).total_us == pytest.approx(40.0, abs=0.005)


def test_an_input_read_by_two_steps_of_a_kernel_is_loaded_once() -> None:
    sketch = Sketch("twice")
    x = sketch.input("x", 1024, 1024)
    sketch.output(sketch.apply("neg", x), sketch.apply("relu", x))
    cost = cost_of(sketch.program())
    assert [one.read_bytes for one in cost.steps] == [2_097_152, 0]
    assert [one.write_bytes for one in cost.steps] == [2_097_152, 2_097_152]


def test_a_broadcast_operand_is_loaded_once_at_its_own_size() -> None:
    sketch = Sketch("bias")
    sketch.output(sketch.apply("add", sketch.input("x", 512, 1024), sketch.parameter("b", 1024)))
    assert step(cost_of(sketch.program()), "add").read_bytes == 512 * 1024 * 2 + 1024 * 2


def test_a_gather_loads_the_rows_it_picks() -> None:
    sketch = Sketch("gather")
    table = sketch.parameter("table", 32_000, 128)
    sketch.output(sketch.rows_of(table, sketch.input("at", 64, dtype=DType.I32)))
    assert step(cost_of(sketch.program()), "gather").read_bytes == 64 * 128 * 2 + 64 * 4


def test_a_slice_loads_what_it_reads() -> None:
    sketch = Sketch("slice")
    whole = sketch.input("x", 64, 1024)
    parts = [sketch.apply("neg", whole.sliced(0, 8, 24, 1)), sketch.apply("relu", whole.sliced(0, 0, 64, 4))]
    sketch.output(*parts, sketch.apply("abs", whole))
    cost = cost_of(sketch.program())
    row = 1024 * 2
    assert [one.read_bytes for one in cost.steps] == [16 * row, 16 * row, 32 * row], "together no more than the tensor"


def test_padding_lanes_are_moved_too() -> None:
    assert step(cost_of(chain(8, 100, primitives=("neg",))), "neg").read_bytes == 8 * 2 * 128


def copied(rows: int, columns: int) -> tuple[Problem, Plan]:
    """x restickified before an op that wants sticks along the rows."""
    problem = problem_of(chain(rows, columns))
    edit = Edit("neg.x", EditKind.RESTICKIFY, "x", "x.i", "neg", ("neg",))
    along_rows = stick_layout((rows, columns), (columns, 1), 64, (1, 0))
    layouts = {"x": plain_layouts(problem)["x"], "x.i": along_rows, "neg": along_rows, "relu": along_rows}
    return problem, divided(problem, layouts, (edit,))


def test_a_restickify_is_slower_and_is_counted_apart() -> None:
    problem, plan = copied(1024, 1024)
    cost = price(problem, plan)
    assert step(cost, "neg.x").hbm_us == pytest.approx(36.16, abs=0.005)
    assert cost.restickify_us == step(cost, "neg.x").hbm_us
    assert cost.restickify_elements == 1024 * 1024
    assert step(cost, "neg").hbm_us == pytest.approx(40.0, abs=0.005)


@pytest.mark.parametrize(
    ("name", "splits", "loads"),
    [("x", {"j": 2, "l": 4}, 4), ("y", {"j": 2, "l": 4}, 2), ("x", {"i": 4}, 1)],
)
def test_operands_of_a_batched_product_are_loaded_per_slice_they_do_not_know(
    name: str, splits: dict[str, int], loads: int
) -> None:
    sketch = Sketch("bmm")
    sketch.output(sketch.matmul(sketch.input("x", 4, 128, 256), sketch.input("y", 4, 256, 512)))
    op = sketch.program().ops[0]
    access = next(read for read in op.reads if read.buffer == name)
    division = Division(tuple(Split(loop, factor, 64) for loop, factor in splits.items()))
    assert replication(op, access, division) == loads


def test_operands_of_a_plain_product_are_loaded_once_for_all_their_readers() -> None:
    op = product(128, 256, 512).ops[0]
    division = Division((Split("i", 4, 32), Split("j", 8, 64)))
    assert [replication(op, read, division) for read in op.reads] == [8, 4]
    assert replication(op, op.write, division) == 1
    assert all(shares(op, read) for read in op.reads)
    assert step(cost_of(product(128, 256, 512)), "matmul").read_bytes == 2 * 256 * (128 + 512)


def test_sizes_per_core_of_a_product() -> None:
    problem = problem_of(product(1024, 2048, 1024))
    plan = divided(problem)
    schedule = expand(problem.program, plan)
    space = space_of(schedule.steps[0].op, schedule, plan.layouts)
    roles = roles_of(space)
    work, cut = contraction_of(space, roles, plan.layouts), cut_of(roles, {"i": 8, "j": 4})
    assert (work.rows // cut.rows, work.columns // cut.columns, work.macs) == (128, 256, 1024 * 2048 * 1024)
    assert [roles.letter(loop) for loop in ("i", "j", "k")] == ["M", "N", "K"]


def test_sizes_of_a_batched_product() -> None:
    sketch = Sketch("bmm")
    sketch.output(sketch.matmul(sketch.input("x", 4, 1024, 2048), sketch.input("y", 4, 2048, 1024)))
    problem = problem_of(sketch.program())
    plan = divided(problem)
    schedule = expand(problem.program, plan)
    space = space_of(schedule.steps[0].op, schedule, plan.layouts)
    roles = roles_of(space)
    work, cut = contraction_of(space, roles, plan.layouts), cut_of(roles, {"j": 16, "l": 2})
    assert (work.rows // cut.rows, work.columns // cut.columns) == (64, 512)
    assert work.macs == 4 * 1024**2 * 2048
    assert roles.letter("i") == "B"
    assert not work.shared


def test_roles_need_a_contraction() -> None:
    problem = problem_of(chain(8, 64))
    plan = divided(problem)
    schedule = expand(problem.program, plan)
    with pytest.raises(ValueError, match="neg is not a contraction"):
        roles_of(space_of(schedule.steps[0].op, schedule, plan.layouts))


def test_a_large_product_is_bound_by_compute() -> None:
    cost = cost_of(product(4096, 4096, 4096))
    assert cost.total_us == pytest.approx(4096**3 / 32 / 1_536_000)
    names = [term.name for term in cost.steps[0].terms]
    assert names == ["compute", "device memory", "read/write turnaround"]
    assert "1,536,000" in cost.steps[0].terms[0].formula


def test_host_ops_end_a_kernel() -> None:
    sketch = Sketch("host")
    value = sketch.opaque("sort", sketch.apply("neg", sketch.input("x", 64, 1024)))
    sketch.output(sketch.apply("relu", value))
    cost = cost_of(sketch.program())
    assert [kernel.steps for kernel in cost.kernels] == [("neg",), ("sort",), ("relu",)]
    assert step(cost, "sort").hbm_bytes == 2 * 64 * 1024 * 2


@pytest.mark.parametrize("program", [softmax(), product(512, 512, 512), chain(33, 100)], ids=lambda one: one.name)
def test_totals_add_up(program: LoopProgram) -> None:
    cost = cost_of(program)
    assert cost.total_us == pytest.approx(sum(kernel.total_us for kernel in cost.kernels))
    assert cost.total_us == pytest.approx(sum(one.total_us for one in cost.steps))
    assert cost.hbm_bytes == sum(one.hbm_bytes for one in cost.steps)
    for one in cost.steps:
        parts = sum(term.microseconds for term in one.terms)
        assert parts == pytest.approx(one.compute_us + one.hbm_us + one.serial_us)
        assert all(term.formula and term.inputs for term in one.terms)


def test_an_operand_read_along_two_indices_is_loaded_for_both() -> None:
    sketch = Sketch("symmetric")
    x = sketch.input("x", 64, 64)
    sketch.output(sketch.apply("add", x, transposed(x)))
    assert step(cost_of(sketch.program()), "add").read_bytes == 2 * 64 * 64 * 2
