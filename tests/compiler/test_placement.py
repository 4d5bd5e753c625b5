"""Scratchpad placement: who is resident, in whose place, and the reason of everyone else."""

from dataclasses import replace

import pytest

from compiler.division import Division, Split
from compiler.dtypes import DType
from compiler.layout import stick_layout
from compiler.liveness import lifetimes
from compiler.loops import LoopProgram
from compiler.passes.place_scratchpad import PlaceScratchpad
from compiler.plan import Edit, EditKind, Plan, ReasonCode, Slot, Spilled
from compiler.problem import Problem
from compiler.reasons import REASONS
from compiler.schedule import expand
from compiler.solvers.table import SOLVERS
from tests.compiler.shapes import divided, overlaps, placed, plain_layouts, slot, spilled
from tests.programs import attention, chain, problem_of, softmax, transposed
from tests.sketch import Sketch

ALL = pytest.mark.parametrize("solver", SOLVERS)


def test_softmax_stays_on_chip_between_input_and_output() -> None:
    plan = placed(problem_of(softmax()))
    assert spilled(plan, "x").code is ReasonCode.GRAPH_INPUT
    assert spilled(plan, "truediv").code is ReasonCode.GRAPH_OUTPUT
    assert slot(plan, "max") == Slot(slot(plan, "max").address, 2048, 0, 1)
    assert slot(plan, "sub") == Slot(slot(plan, "sub").address, 32_768, 1, 2)
    assert slot(plan, "exp") == Slot(slot(plan, "sub").address, 32_768, 2, 4, in_place_of="sub")
    assert not overlaps(plan)


@ALL
@pytest.mark.parametrize("cores", [1, 3, 4, 32])
def test_every_buffer_has_a_placement_within_the_budget(solver: str, cores: int) -> None:
    problem = problem_of(softmax(96, 512))
    problem = replace(problem, device=problem.device.with_cores(cores))
    plan = placed(problem, solver=solver)
    assert list(plan.placement) == list(expand(problem.program, plan).buffers)
    for one in plan.placement.values():
        if isinstance(one, Slot):
            assert one.address % 128 == 0
            assert one.size_bytes % 128 == 0
            assert one.address + one.size_bytes <= problem.device.lx_budget_bytes
    assert not overlaps(plan)


def test_kernels_are_named_and_ended_by_host_ops() -> None:
    sketch = Sketch("host")
    sketch.output(sketch.apply("relu", sketch.opaque("sort", sketch.apply("neg", sketch.input("x", 8, 64)))))
    plan = placed(problem_of(sketch.program()))
    assert [(kernel.name, kernel.steps) for kernel in plan.kernels] == [
        ("kernel0", ("neg",)),
        ("kernel1", ("sort",)),
        ("kernel2", ("relu",)),
    ]


# One reason each


def reason(program: LoopProgram, name: str) -> Spilled:
    return spilled(placed(problem_of(program)), name)


def test_parameters_arrive_in_device_memory() -> None:
    sketch = Sketch("linear")
    sketch.output(sketch.matmul(sketch.input("x", 64, 128), sketch.parameter("w", 128, 64)))
    found = reason(sketch.program(), "w")
    assert found == Spilled(ReasonCode.GRAPH_INPUT, "16,384 B: a parameter, it arrives in device memory")


def test_host_ops_and_what_lives_across_them() -> None:
    sketch = Sketch("host")
    x = sketch.input("x", 64, 128)
    kept, given = sketch.apply("neg", x), sketch.apply("abs", x)
    result = sketch.opaque("sort", given)
    sketch.output(sketch.apply("add", kept, result))
    program = sketch.program()
    assert reason(program, "abs") == Spilled(
        ReasonCode.OPAQUE_USER, "sort at step 2 runs on the host and uses device memory only"
    )
    assert reason(program, "sort").code is ReasonCode.OPAQUE_USER
    assert reason(program, "neg") == Spilled(ReasonCode.ACROSS_OPAQUE, "alive from step 0 to 3, across sort at step 2")


def copied(rows: int, columns: int) -> tuple[Problem, Plan]:
    problem = problem_of(chain(rows, columns, primitives=("neg", "abs", "relu")))
    along_rows = stick_layout((rows, columns), (columns, 1), 64, (1, 0))
    layouts = {name: plain_layouts(problem)[name] for name in ("x", "neg")}
    layouts |= dict.fromkeys(("neg.i", "abs", "relu"), along_rows)
    edit = Edit("abs.neg", EditKind.RESTICKIFY, "neg", "neg.i", "abs", ("abs",))
    return problem, placed(problem, layouts, (edit,))


def test_what_a_restickify_reads_stays_out_and_what_it_writes_may_stay_in() -> None:
    _, plan = copied(1024, 1024)
    assert spilled(plan, "neg") == Spilled(ReasonCode.RESTICKIFY_READER, "abs.neg at step 1 copies it to other sticks")
    assert spilled(plan, "neg.i").code is ReasonCode.DIVISION_MISMATCH, (
        "the copy and its reader are divided differently"
    )


def test_gathers_keep_table_and_index_out() -> None:
    sketch = Sketch("gather")
    table = sketch.apply("neg", sketch.input("x", 64, 128))
    chosen = sketch.apply("abs", sketch.input("at", 32, dtype=DType.I32))
    sketch.output(sketch.rows_of(table, chosen))
    program = sketch.program()
    assert reason(program, "neg") == Spilled(
        ReasonCode.INDIRECT, "gather at step 2 chooses its elements by a value read from memory"
    )
    assert reason(program, "abs") == Spilled(ReasonCode.INDIRECT, "gather at step 2 uses it as an index")


def test_a_slice_is_a_partial_read() -> None:
    sketch = Sketch("slice")
    value = sketch.apply("neg", sketch.input("x", 64, 128))
    sketch.output(sketch.apply("relu", value.sliced(0, 0, 32, 1)))
    assert reason(sketch.program(), "neg") == Spilled(ReasonCode.PARTIAL_READ, "relu reads 64 of its 128 sticks")


def test_a_masked_read_is_a_partial_read() -> None:
    sketch = Sketch("pad")
    sketch.output(sketch.pad(sketch.apply("neg", sketch.input("x", 64, 128)), 64, 64))
    assert reason(sketch.program(), "neg") == Spilled(ReasonCode.PARTIAL_READ, "pad reads it under a mask")


def test_a_split_reduction_leaves_partial_sums() -> None:
    sketch = Sketch("sum")
    total = sketch.reduce("sum", sketch.input("x", 4, 512, 64), 1)
    sketch.output(sketch.apply("neg", total))
    assert reason(sketch.program(), "sum") == Spilled(
        ReasonCode.PARTIAL_SUMS, "sum splits its reduced loop j by 8; finished values are on 1 core in 8 only"
    )


def with_divisions(program: LoopProgram, **divisions: Division) -> Plan:
    problem = problem_of(program)
    plan = divided(problem)
    return PlaceScratchpad()(problem, replace(plan, divisions=plan.divisions | divisions))


def test_other_factors_are_a_mismatch_with_the_first_wrong_core() -> None:
    plan = with_divisions(chain(64, 256), neg=Division((Split("i", 4, 16),)), relu=Division((Split("j", 4, 64),)))
    assert spilled(plan, "neg") == Spilled(
        ReasonCode.DIVISION_MISMATCH, "neg is divided i 4, relu j 4; core 0 does not hold what it reads"
    )


def test_equal_factors_in_another_order_are_a_mismatch() -> None:
    """Core 1 writes rows 32..63 of the first half and reads rows 0..31 of the second."""
    first = Division((Split("i", 2, 32), Split("j", 2, 128)))
    second = Division((Split("j", 2, 128), Split("i", 2, 32)))
    plan = with_divisions(chain(64, 256), neg=first, relu=second)
    assert spilled(plan, "neg").detail.endswith("core 1 does not hold what it reads")
    assert slot(with_divisions(chain(64, 256), neg=first, relu=first), "neg").size_bytes == 64 * 256 * 2 // 4


@pytest.mark.parametrize("cores", [1, 2, 8])
def test_more_or_fewer_cores_are_a_mismatch(cores: int) -> None:
    other = Division((Split("i", cores, 64 // cores),)) if cores > 1 else Division()
    plan = with_divisions(chain(64, 256), neg=Division((Split("i", 4, 16),)), relu=other)
    assert spilled(plan, "neg").code is ReasonCode.DIVISION_MISMATCH


def test_one_owner_is_not_a_copy_for_everyone() -> None:
    """A value reduced on one core, read by all of them: 31 cores would read what they do not hold."""
    sketch = Sketch("rmsnorm")
    x = sketch.input("x", 1, 4096)
    sketch.output(sketch.apply("mul", x, sketch.reduce("sum", x, 1)))
    plan = with_divisions(sketch.program(), sum=Division(), mul=Division((Split("j", 32, 128),)))
    assert spilled(plan, "sum") == Spilled(
        ReasonCode.DIVISION_MISMATCH, "sum is divided 1 core, mul j 32; core 1 does not hold what it reads"
    )


def test_a_value_nobody_reads_saves_nothing() -> None:
    sketch = Sketch("dead")
    x = sketch.input("x", 64, 128)
    sketch.apply("neg", x)
    sketch.output(sketch.apply("relu", x))
    assert reason(sketch.program(), "neg") == Spilled(ReasonCode.NOT_READ, "written at step 0 and read by no step")


def test_a_result_filled_in_parts_stays_out() -> None:
    sketch = Sketch("cat")
    both = sketch.cat(0, sketch.input("x", 32, 64), sketch.input("y", 32, 64))
    sketch.output(sketch.apply("neg", both))
    found = reason(sketch.program(), "cat")
    assert found.code is ReasonCode.LX_GAP
    assert found.detail.startswith("2 steps fill it")


def test_unequal_boxes_are_a_gap() -> None:
    uneven = Division((Split("i", 2, 40),))
    plan = with_divisions(chain(64, 128), neg=uneven, relu=uneven)
    assert spilled(plan, "neg") == Spilled(ReasonCode.LX_GAP, "its cores hold between 6,144 and 10,240 B of it")


def test_what_is_larger_than_the_scratchpad_stays_out() -> None:
    problem = problem_of(chain(1024, 1024))
    problem = replace(problem, device=problem.device.with_cores(1))
    found = spilled(placed(problem), "neg")
    assert found == Spilled(
        ReasonCode.CAPACITY, "needs 2,097,152 B per core, 471,808 B more than the 1,625,344 B of LX"
    )


def test_no_gap_names_what_is_in_the_way() -> None:
    sketch = Sketch("two")
    x = sketch.input("x", 512, 1024)
    first, second = sketch.apply("neg", x), sketch.apply("abs", x)
    sketch.output(sketch.apply("sub", first, second))
    problem = problem_of(sketch.program())
    problem = replace(problem, device=problem.device.with_cores(1))
    plan = placed(problem)
    assert slot(plan, "abs").size_bytes == 2**20
    assert spilled(plan, "neg") == Spilled(
        ReasonCode.CAPACITY,
        "needs 1,048,576 B per core in steps 0 to 2; the largest gap is 576,768 B, so that 471,808 B are lacking; "
        "in the way: abs (1,048,576 B)",
    )


def test_every_reason_has_words() -> None:
    assert set(REASONS) == set(ReasonCode)
    assert all(row.title and row.sentence and row.remedy for row in REASONS.values())


# In place


def test_a_chain_shares_one_address() -> None:
    plan = placed(problem_of(chain(256, 512, primitives=("neg", "abs", "exp", "relu"))))
    slots = [slot(plan, name) for name in ("neg", "abs", "exp")]
    assert {one.address for one in slots} == {0}
    assert [one.in_place_of for one in slots] == ["", "neg", "abs"]


def test_a_value_read_again_later_is_not_overwritten() -> None:
    sketch = Sketch("later")
    first = sketch.apply("neg", sketch.input("x", 256, 512))
    second = sketch.apply("exp", first)
    sketch.output(sketch.apply("add", first, second))
    plan = placed(problem_of(sketch.program()))
    assert slot(plan, "exp").in_place_of == ""
    assert slot(plan, "exp").address != slot(plan, "neg").address


def test_a_transposed_read_is_not_overwritten() -> None:
    """On one core every read is at home, but writing [i,j] would destroy what [j,i] still has to give."""
    sketch = Sketch("symmetric")
    first = sketch.apply("neg", sketch.input("x", 64, 64))
    second = sketch.apply("add", first, transposed(first))
    sketch.output(sketch.apply("relu", second))
    problem = problem_of(sketch.program())
    problem = replace(problem, device=problem.device.with_cores(1))
    plan = placed(problem)
    assert slot(plan, "neg").last_step == slot(plan, "add").first_step
    assert slot(plan, "add").in_place_of == ""
    assert not overlaps(plan)


def test_a_reduction_does_not_overwrite_what_it_reads() -> None:
    sketch = Sketch("sum")
    first = sketch.apply("neg", sketch.input("x", 64, 128, 64))
    sketch.output(sketch.apply("relu", sketch.reduce("sum", first, 1)))
    plan = placed(problem_of(sketch.program()))
    assert slot(plan, "sum").in_place_of == ""
    assert not overlaps(plan)


def test_another_width_is_not_in_place() -> None:
    sketch = Sketch("widths")
    first = sketch.apply("neg", sketch.input("x", 64, 64, dtype=DType.F32))
    sketch.output(sketch.apply("relu", sketch.apply("gt", first, first, dtype=DType.BOOL)))
    problem = problem_of(sketch.program())
    plan = PlaceScratchpad()(problem, divided(problem))
    assert not isinstance(plan.placement["gt"], Slot) or slot(plan, "gt").in_place_of == ""


# Lifetimes


def test_lifetimes_follow_the_inserted_copy() -> None:
    problem, plan = copied(128, 128)
    lives = lifetimes(expand(problem.program, plan))
    assert (lives["neg"].writes, lives["neg"].reads) == ((0,), (1,))
    assert (lives["neg.i"].first, lives["neg.i"].last) == (1, 2)
    assert (lives["x"].uses, lives["x"].computed) == ((0,), False)


@ALL
def test_attention_keeps_what_its_divisions_allow(solver: str) -> None:
    problem = problem_of(attention())
    layouts = {"k": stick_layout((4, 512, 64), (32_768, 64, 1), 64, (0, 2, 1))}
    plan = PlaceScratchpad(solver)(problem, divided(problem, layouts))
    assert spilled(plan, "scores").code is ReasonCode.DIVISION_MISMATCH
    assert not overlaps(plan)
