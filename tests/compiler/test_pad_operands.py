"""Zeros behind contracted dims that end within a stick: by the host, by a copy that is there anyway, or by its own."""

from dataclasses import replace

import pytest

from compiler.dim_orders import comes_first, table_dims
from compiler.dtypes import DType
from compiler.errors import StudioError, UnsupportedError
from compiler.graph import ModelGraph
from compiler.layout import stick_layout
from compiler.loops import LoopProgram, OpKind, Term
from compiler.passes.pad_operands import PadOperands
from compiler.pipeline import compile_problem
from compiler.plan import EditKind, Plan
from compiler.schedule import expand
from compiler.tails import CONTRACTIONS, tail_of
from tests.compiler.legality_oracle import plan_faults
from tests.compiler.order_cases import ordered
from tests.compiler.tiny import buffer, graph_input, naive_plan, op, program
from tests.programs import attention, problem_of, product, transposed
from tests.random_draft import View
from tests.random_programs import random_program
from tests.sketch import Sketch

GRAPH = ModelGraph("padded", (), (), ())


def filled(found: LoopProgram) -> Plan:
    """Layouts, restickifies, orders and zeros of a program."""
    return PadOperands()(problem_of(found), ordered(found))


def names(plan: Plan) -> list[tuple[str, EditKind, tuple[str, ...]]]:
    return [(edit.name, edit.kind, edit.readers) for edit in plan.edits]


def linear(depth: int, columns: int = 512) -> LoopProgram:
    """x W^T as nn.Linear writes it."""
    sketch = Sketch("linear")
    sketch.output(sketch.matmul(sketch.input("x", 16, depth), transposed(sketch.parameter("w", columns, depth))))
    return sketch.program()


def computed(*shapes: tuple[int, ...]) -> tuple[Sketch, list[View]]:
    """A sketch with computed tensors of these shapes."""
    sketch = Sketch("computed")
    return sketch, [sketch.apply("neg", sketch.input(name, *shape)) for name, shape in zip("xyz", shapes, strict=False)]


# Who writes the zeros


def test_a_weight_is_filled_up_for_nothing() -> None:
    plan = filled(linear(784))
    assert plan.edits == ()
    assert plan.layouts["w"].padding == ((1, 832),)
    assert plan.layouts["w"].device_size == (8, 832, 64)
    assert plan.reasons["layout:w"].endswith(
        "dim 1 filled up with zeros from 784 to 832, because matmul reads 784 steps of k in sticks of 64"
    )
    assert plan_faults(problem_of(linear(100, 64)), filled(linear(100, 64))) == []


def test_whole_sticks_need_no_zeros() -> None:
    for found in (linear(832), product(16, 128, 64)):
        assert PadOperands()(problem_of(found), ordered(found)) == ordered(found)


def test_a_computed_operand_is_copied() -> None:
    sketch, (y,) = computed((100, 128))
    sketch.output(sketch.matmul(sketch.input("left", 16, 100), y))
    plan = filled(sketch.program())
    assert names(plan) == [("neg@pad0x128", EditKind.PAD, ("matmul",))]
    assert plan.layouts["neg"].padding == ()
    assert plan.layouts["neg@pad0x128"] == stick_layout((100, 128), (128, 1), 64, padding=((0, 128),))
    assert plan.reasons["layout:neg@pad0x128"] == "the copy of neg that matmul needs"
    assert plan.reasons["edit:neg@pad0x128"] == (
        "neg with dim 0 filled up with zeros from 100 to 128, because matmul reads 100 steps of k in sticks of 64; "
        "the copy takes 0.54 µs: 12,800 elements moved"
    )
    assert plan_faults(problem_of(sketch.program()), plan) == []


def test_an_input_is_copied() -> None:
    assert names(filled(product(16, 100, 64))) == [("y@pad0x128", EditKind.PAD, ("matmul",))]


def test_a_restickify_fills_up_on_its_way() -> None:
    sketch, (x, y) = computed((16, 100), (128, 100))
    sketch.output(sketch.matmul(x, transposed(y)))
    plan = filled(sketch.program())
    assert names(plan) == [("neg_1@d0", EditKind.RESTICKIFY, ("matmul",))]
    assert plan.layouts["neg_1@d0"].padding == ((1, 128),)
    assert "dim 1 filled up with zeros from 100 to 128" in plan.reasons["layout:neg_1@d0"]


def test_a_reorder_fills_up_on_its_way() -> None:
    plan = filled(attention(32, 100, 64))
    assert names(plan)[1] == ("v@order102", EditKind.REORDER, ("context",))
    assert plan.layouts["v@order102"].device_size == (32, 1, 128, 64)


def test_a_weight_that_is_returned_is_copied() -> None:
    sketch = Sketch()
    w = sketch.parameter("w", 100, 128)
    sketch.output(sketch.matmul(sketch.input("x", 16, 100), w), w)
    assert names(filled(sketch.program())) == [("w@pad0x128", EditKind.PAD, ("matmul",))]


# How much


def test_each_element_width_has_its_own_stick() -> None:
    sketch = Sketch()
    x, w = sketch.input("x", 16, 40, dtype=DType.F32), sketch.parameter("w", 40, 64, dtype=DType.F32)
    sketch.output(sketch.matmul(x, w))
    assert filled(sketch.program()).layouts["w"].padding == ((0, 64),)


def test_the_last_rows_of_a_slice_are_followed_by_zeros() -> None:
    """Rows 10 to 109 of 110 are read as 128 from row 10 on."""
    sketch, (y,) = computed((110, 128))
    sketch.output(sketch.matmul(sketch.input("left", 16, 100), y.sliced(0, 10, 110, 1)))
    assert filled(sketch.program()).layouts["neg@pad0x138"].padding == ((0, 138),)


def test_one_weight_with_two_needs_gets_the_longer() -> None:
    sketch = Sketch()
    w = sketch.parameter("w", 110, 128)
    whole = sketch.matmul(sketch.input("x", 16, 110), w)
    part = sketch.matmul(sketch.input("y", 16, 70), w.sliced(0, 40, 110, 1))
    sketch.output(sketch.apply("add", whole, part))
    plan = filled(sketch.program())
    assert plan.layouts["w"].padding == ((0, 168),)
    assert plan.edits == ()


def test_channels_of_a_convolution() -> None:
    sketch = Sketch()
    image, weight = sketch.input("image", 1, 3, 9, 9), sketch.parameter("weight", 64, 3, 3, 3)
    sketch.output(sketch.conv2d(image, weight))
    plan = filled(sketch.program())
    assert dict(plan.layouts["weight"].padding) == {1: 64}
    assert all(edit.kind is EditKind.RESTICKIFY for edit in plan.edits)


def test_a_right_operand_that_does_not_follow_the_loop_needs_nothing() -> None:
    """Every step of k reads the same row."""
    x, row, y = graph_input("x", 16, 100), graph_input("row", 1, 128), buffer("y", 16, 128)
    extents = {"m": 16, "n": 128, "k": 100}
    multiply = op("multiply", "mnK", extents, [(x, "mk"), (row, ".n")], (y, "mn"), OpKind.MATMUL, "sum")
    problem = problem_of(program([x, row, y], [multiply], y))
    plan = naive_plan(problem)
    assert PadOperands()(problem, plan) == plan


# Sharing


def test_readers_share_a_copy() -> None:
    sketch, (y,) = computed((100, 128))
    first, second = (sketch.matmul(sketch.input(name, 16, 100), y) for name in ("a", "b"))
    sketch.output(sketch.apply("add", first, second))
    plan = filled(sketch.program())
    assert names(plan) == [("neg@pad0x128", EditKind.PAD, ("matmul", "matmul_1"))]
    assert plan.edits[0].before == "matmul"


def test_a_copy_with_the_longest_need_serves_all() -> None:
    sketch, (y,) = computed((110, 128))
    part = sketch.matmul(sketch.input("a", 16, 70), y.sliced(0, 40, 110, 1))
    whole = sketch.matmul(sketch.input("b", 16, 110), y)
    sketch.output(sketch.apply("add", part, whole))
    assert names(filled(sketch.program())) == [("neg@pad0x168", EditKind.PAD, ("matmul", "matmul_1"))]


def test_only_the_right_read_is_sent_to_the_copy() -> None:
    sketch, (y,) = computed((100, 100))
    sketch.output(sketch.matmul(y, y))
    plan = filled(sketch.program())
    assert names(plan) == [("neg@pad0x128", EditKind.PAD, ("matmul#1",))]
    assert plan_faults(problem_of(sketch.program()), plan) == []
    read = [access.buffer for access in expand(sketch.program(), plan).step_map["matmul"].op.reads]
    assert read == ["neg", "neg@pad0x128"]


def test_a_copy_is_made_again_after_its_source_was_written() -> None:
    sketch, (y, z) = computed((100, 128), (100, 128))
    left = sketch.input("left", 16, 100)
    before = sketch.matmul(left, y)
    sketch.write(z, y)
    sketch.output(sketch.apply("add", before, sketch.matmul(left, y)))
    edits = [(edit.name, edit.before, edit.readers) for edit in filled(sketch.program()).edits]
    assert edits == [
        ("neg@pad0x128", "matmul", ("matmul",)),
        ("neg@pad0x128~2", "matmul_1", ("matmul_1",)),
    ]


def test_copies_stand_where_they_are_needed() -> None:
    sketch, (x, y) = computed((100, 128), (128, 100))
    first = sketch.matmul(sketch.input("a", 16, 100), x, "first")
    second = sketch.matmul(first, y, "second")
    sketch.output(sketch.matmul(second, x, "third"))
    places = {one.name: place for place, one in enumerate(sketch.program().ops)}
    before = [places[edit.before] for edit in filled(sketch.program()).edits]
    assert before == sorted(before)


def test_whole_plans_are_legal() -> None:
    sketch, (x, y) = computed((16, 100), (100, 100))
    sketch.output(sketch.matmul(sketch.matmul(x, y), transposed(y)))
    for found in (linear(784), linear(100), attention(4, 100, 64), sketch.program()):
        compiled = compile_problem(GRAPH, problem_of(found))
        assert compiled.ok
        assert any(layout.padding for layout in compiled.plan.layouts.values())


# What no padding helps


def refusal(found: LoopProgram, plan: Plan) -> str:
    with pytest.raises(UnsupportedError) as caught:
        PadOperands()(problem_of(found), plan)
    return caught.value.sentence


def test_rows_behind_a_slice_are_no_zeros() -> None:
    x, y, z = graph_input("x", 16, 100), graph_input("y", 200, 128), buffer("z", 16, 128)
    extents = {"m": 16, "n": 128, "k": 100}
    multiply = op("multiply", "mnK", extents, [(x, "mk"), (y, "kn")], (z, "mn"), OpKind.MATMUL, "sum")
    found = program([x, y, z], [multiply], z)
    assert refusal(found, naive_plan(problem_of(found))) == (
        "multiply: k has 100 steps and is read in sticks of 64, up to step 128, so that y [200, 128] must hold zeros "
        "behind its last row along k, but it is read up to row 99 of dim 0, which has 200; make k, the contracted "
        "size, a multiple of 64 (128), or clone y as the product reads it in a step of its own."
    )


@pytest.mark.parametrize(
    ("shape", "walked", "extents", "words"),
    [
        ((100, 100, 128), "kkn", {}, "it moves 1 of dim 0 and 1 of dim 1 per step of k"),
        ((115, 128), "kn", {"m": 16}, "it is moved along dim 0 by m too"),
        ((128, 100), "nk", {}, "it has its sticks along dim 1, that of k"),
    ],
)
def test_rows_that_are_not_one_after_the_other(
    shape: tuple[int, ...], walked: str, extents: dict[str, int], words: str
) -> None:
    x, y, z = graph_input("x", 16, 100), graph_input("y", *shape), buffer("z", 16, 128)
    sizes = {"m": 16, "n": 128, "k": 100}
    multiply = op("multiply", "mnK", sizes, [(x, "mk"), (y, walked)], (z, "mn"), OpKind.MATMUL, "sum")
    if extents:  # an image that a window slides over
        read = multiply.reads[1]
        index = replace(read.index, terms=(*read.index.terms, Term(128, (("m", 1),))))
        multiply = replace(multiply, reads=(multiply.reads[0], replace(read, index=index)))
    found = program([x, y, z], [multiply], z)
    assert words in refusal(found, naive_plan(problem_of(found)))


# Programs


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_random_plans_end_with_zeros_and_tables_in_place(first: int) -> None:
    """Those that can be planned at all; the rest ask for what sticks cannot do."""
    planned = 0
    for seed in range(first, first + 20):
        found = random_program(seed)
        try:
            plan = filled(found)
        except StudioError:
            continue
        planned += 1
        schedule = expand(found, plan)
        for step in schedule.steps:
            tail = tail_of(step.op, schedule.buffers, plan.layouts) if step.op.kind in CONTRACTIONS else None
            assert tail is None or tail.filled(plan.layouts[step.op.reads[tail.read].buffer]), (seed, step.name)
            for access in (*step.op.reads, *step.op.writes):
                picked = table_dims(access, schedule.buffers[access.buffer])
                assert comes_first(plan.layouts[access.buffer], picked), (seed, step.name)
    assert planned > 3
