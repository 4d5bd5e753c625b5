"""Dim orders: batched products, tables, pins, the public heuristic, and least time against enumeration."""

import doctest
from dataclasses import replace
from itertools import combinations, permutations, product
from types import ModuleType

import pytest
from frozendict import frozendict

import compiler.dim_orders as dim_orders
import compiler.order_reasons as order_reasons
from compiler.check import check
from compiler.dim_orders import public_order, reordered
from compiler.errors import InputError, LimitError
from compiler.graph import ModelGraph
from compiler.layout import UNIT
from compiler.loops import BufferKind, LoopProgram
from compiler.passes.order_dims import OrderDims
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.plan import Edit, EditKind, Plan
from compiler.schedule import expand
from tests.compiler.layout_cases import solved
from tests.compiler.legality_oracle import plan_faults
from tests.compiler.order_cases import computed, embedding, kinds, ordered, orders, priced, products, scores
from tests.compiler.tiny import buffer, layout_of
from tests.programs import attention, chain, problem_of, transposed
from tests.sketch import Sketch

GRAPH = ModelGraph("orders", (), (), ())
OUTSIDE = (1, 0, 2)


@pytest.mark.parametrize("module", [dim_orders, order_reasons], ids=lambda module: module.__name__)
def test_examples_in_docstrings(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


# Products


def test_computed_operands_take_the_order_for_nothing() -> None:
    program = computed()
    plan = ordered(program)
    assert kinds(plan) == {EditKind.RESTICKIFY: 1}
    assert plan.layouts["relu"].device_size == (4, 8, 512, 64)
    assert plan.layouts["relu_1@d1"].device_size == (4, 8, 512, 64)
    assert plan.layouts["scores"].device_size == (4, 8, 512, 64)
    claim = plan.claims["order-dims"]
    assert (claim.method, claim.unit, claim.objective, claim.bound) == ("exact", "ns", 41943, 41943)
    assert (
        "dim order 1, 0, 2, batch outermost for scores: 41.94 µs instead of 104.86 µs" in plan.reasons["layout:scores"]
    )


def test_steps_that_can_work_in_place_keep_the_order_of_their_neighbours() -> None:
    plan = ordered(computed())
    assert {name: plan.layouts[name].dim_order for name in ("neg", "relu", "exp")} == dict.fromkeys(
        ("neg", "relu", "exp"), OUTSIDE
    )
    assert plan.reasons["layout:neg"].endswith("dim order 1, 0, 2, the order of relu, so that a step can work in place")
    assert plan.layouts["q"].dim_order == (0, 1, 2)


def test_an_input_is_copied_where_that_pays() -> None:
    program = attention(4, 512, 512)
    plan = ordered(program)
    assert [(edit.name, edit.kind, edit.before, edit.readers) for edit in plan.edits] == [
        ("k@d1", EditKind.RESTICKIFY, "scores", ("scores",)),
        ("q@order102", EditKind.REORDER, "scores", ("scores",)),
        ("v@order102", EditKind.REORDER, "context", ("context",)),
    ]
    assert plan.layouts["q@order102"].device_size == (4, 8, 512, 64)
    assert plan.reasons["layout:q@order102"] == "the copy of q that scores needs"
    assert plan.reasons["edit:q@order102"] == (
        "q in dim order 1, 0, 2, batch outermost for scores: 41.94 µs instead of 104.86 µs; the copy takes 35.79 µs: "
        "1,048,576 elements moved"
    )
    assert plan.claims["order-dims"].objective == priced(program, plan) == 2 * (41943 + 35788)


def test_an_input_is_left_alone_where_a_copy_costs_more_than_it_saves() -> None:
    program = attention(4, 256, 256)
    plan = ordered(program)
    assert kinds(plan) == {EditKind.RESTICKIFY: 1}
    assert orders(plan) == {}
    clause = plan.reasons["layout:q"].rpartition("; ")[2]
    assert clause == (
        "a batch stays just before a stick for scores, 13.11 µs instead of 10.49 µs: "
        "the copies for another order would take 8.46 µs"
    )
    claim = plan.claims["order-dims"]
    assert claim.objective == claim.bound == priced(program, plan)


def test_what_hides_behind_its_traffic_is_not_worth_a_copy() -> None:
    """Depth 64: 13.11 µs with a batch just before a stick, 1.84 µs without, and 17.48 µs to bring all operands."""
    program = attention(4, 512, 64)
    plan = ordered(program)
    assert kinds(plan) == {EditKind.RESTICKIFY: 1}
    assert plan.reasons["layout:q"].endswith(
        "; a batch stays just before a stick for scores, hidden behind 17.48 µs of traffic: another order would gain "
        "nothing"
    )
    assert plan.claims["order-dims"].objective == priced(program, plan) == 2 * (17476 + 1)


def test_what_hides_behind_its_traffic_still_takes_an_order_for_nothing() -> None:
    program = computed(4, 512, 64)
    plan = ordered(program)
    assert kinds(plan) == {EditKind.RESTICKIFY: 1}
    assert plan.layouts["relu"].dim_order == plan.layouts["scores"].dim_order == OUTSIDE
    assert plan.reasons["layout:scores"].endswith(
        "dim order 1, 0, 2, batch outermost for scores, at no cost: hidden behind 17.48 µs of traffic in any order"
    )
    assert plan.claims["order-dims"].objective == priced(program, plan) == 17476


def test_a_copy_is_shared_by_all_who_need_it() -> None:
    """Three products with 2-D weights: 705 MAC/ns/core with the batch just before the stick of x."""
    sketch = Sketch()
    sketch.output(products(sketch, sketch.input("x", 4, 2048, 2048), 3, 1024))
    program = sketch.program()
    plan = ordered(program)
    assert [(edit.name, edit.readers) for edit in plan.edits] == [("x@order102", ("matmul", "matmul_1", "matmul_2"))]
    assert plan.claims["order-dims"].objective == priced(program, plan)
    alone = Sketch()
    alone.output(products(alone, alone.input("x", 4, 2048, 2048), 1, 1024))
    assert ordered(alone.program()).edits == ()


def test_many_products_of_one_input_are_decided_without_all_combinations() -> None:
    sketch = Sketch()
    sketch.output(products(sketch, sketch.input("x", 4, 2048, 2048), 12))
    program = sketch.program()
    plan = ordered(program)
    assert [len(edit.readers) for edit in plan.edits] == [12]
    claim = plan.claims["order-dims"]
    assert claim.bound < claim.objective == priced(program, plan)
    assert claim.method == "descent"
    assert claim.states < 100


def test_only_the_reads_that_need_a_copy_read_it() -> None:
    """x x^T: the left operand in another order, the right one in sticks of another dim."""
    sketch = Sketch()
    x = sketch.input("x", 4, 512, 512)
    sketch.output(sketch.matmul(x, transposed(x, 1, 2)))
    plan = ordered(sketch.program())
    edits = [(edit.name, edit.readers) for edit in plan.edits]
    assert edits == [("x@d1", ("matmul#1",)), ("x@order102", ("matmul#0",))]
    assert compile_problem(GRAPH, problem_of(sketch.program())).plan.edits == plan.edits


def test_a_copy_is_made_again_after_its_source_was_written() -> None:
    sketch = Sketch()
    x, w = sketch.input("x", 4, 2048, 2048), sketch.parameter("w", 2048, 2048)
    first, second = sketch.parameter("a", 2048, 2048), sketch.parameter("b", 2048, 2048)
    before = sketch.apply("add", sketch.matmul(x, w), sketch.matmul(x, first))
    sketch.write(sketch.apply("neg", x), x)
    after = sketch.apply("add", sketch.matmul(x, second), sketch.matmul(x, w))
    sketch.output(sketch.apply("add", before, after))
    edits = [(edit.name, edit.before, edit.readers) for edit in ordered(sketch.program()).edits]
    assert edits == [
        ("x@order102", "matmul", ("matmul", "matmul_1")),
        ("x@order102~2", "matmul_2", ("matmul_2", "matmul_3")),
    ]


def test_a_tensor_whose_readers_want_different_dims_gets_a_copy_only_if_that_pays() -> None:
    """Batches of dim 0 here and of dim 1 there, and dim 2 on the stick: no order suits both."""

    def both(rows: int) -> LoopProgram:
        sketch = Sketch()
        x = sketch.apply("neg", sketch.input("x", rows, rows, 512))
        right = sketch.parameter("right", rows, 512, 512)
        sketch.output(sketch.matmul(x, right), sketch.matmul(transposed(x), right))
        return sketch.program()

    large, small = ordered(both(256)), ordered(both(128))
    assert kinds(large) == {EditKind.REORDER: 1}
    assert large.edits[0].source == "neg"
    assert kinds(small) == {}
    for program, plan in ((both(256), large), (both(128), small)):
        claim = plan.claims["order-dims"]
        assert claim.objective == claim.bound == priced(program, plan)


def test_models_with_a_batch_of_one_keep_the_order_of_the_host() -> None:
    sketch = Sketch()
    q, k = (sketch.input(name, 1, 32, 128, 64) for name in "qk")
    sketch.output(scores(sketch, q, k))
    plan = ordered(sketch.program())
    assert orders(plan) == {}
    assert kinds(plan) == {EditKind.RESTICKIFY: 1}


def test_weights_take_any_order_for_nothing() -> None:
    sketch = Sketch()
    x, w = sketch.apply("neg", sketch.input("x", 8, 512, 64)), sketch.parameter("w", 8, 64, 128)
    sketch.output(sketch.matmul(x, w))
    plan = ordered(sketch.program())
    assert plan.edits == ()
    assert plan.layouts["w"].device_size == (8, 2, 64, 64)


def test_a_weight_that_is_returned_is_laid_out_by_the_host() -> None:
    sketch = Sketch()
    x, w = sketch.apply("neg", sketch.input("x", 8, 512, 512)), sketch.parameter("w", 8, 512, 512)
    sketch.output(sketch.matmul(x, w), w)
    plan = ordered(sketch.program())
    assert plan.layouts["w"].dim_order == (0, 1, 2)
    assert [edit.source for edit in plan.edits] == ["w"]


def test_two_batch_dims() -> None:
    sketch = Sketch()
    q, k = (sketch.apply("neg", sketch.input(name, 2, 4, 128, 64)) for name in "qk")
    sketch.output(scores(sketch, q, k))
    plan = ordered(sketch.program())
    assert plan.layouts["neg"].dim_order == (2, 0, 1, 3)
    assert plan.layouts["neg_1@d2"].dim_order == (3, 0, 1, 2)
    assert plan.layouts["scores"].dim_order == (2, 0, 1, 3)


def test_zeros_need_a_copy_anyway_so_that_its_order_is_free() -> None:
    """A copy of v must be made because 100 rows are read as 128; q would have to be copied for its order alone."""
    program = attention(32, 100, 64)
    plan = ordered(program)
    assert [(edit.name, edit.kind) for edit in plan.edits] == [
        ("k@d1", EditKind.RESTICKIFY),
        ("v@order102", EditKind.REORDER),
    ]
    assert plan.claims["order-dims"].method == "exact"


# Least time


def least(program: LoopProgram) -> int:
    """The least time over both orders of every computed buffer, weight and copy, and all choices of inputs to copy."""
    base = solved(program)
    made = {edit.source for edit in base.edits}
    inputs = [one.name for one in program.buffers if one.kind is BufferKind.INPUT and one.name not in made]
    subsets = (chosen for count in range(len(inputs) + 1) for chosen in combinations(inputs, count))
    return min(least_with(program, base, copied) for copied in subsets)


def least_with(program: LoopProgram, base: Plan, copied: tuple[str, ...]) -> int:
    """The same with copies of just these inputs."""
    edits = list(base.edits)
    for name in copied:
        readers = tuple(op.name for op in program.ops if any(read.buffer == name for read in op.reads))
        edits.append(Edit(f"{name}@", EditKind.REORDER, name, f"{name}@", readers[0], readers))
    layouts = {**base.layouts, **{f"{name}@": base.layouts[name] for name in copied}}
    plan = replace(base, edits=tuple(edits), layouts=frozendict(layouts))
    buffers = expand(program, plan).buffers
    free = [name for name, one in buffers.items() if one.kind is BufferKind.COMPUTED]
    menus = []
    for name in free:
        first, second, stick = layouts[name].dim_order
        menus.append(
            [reordered(layouts[name], buffers[name], (*dims, stick)) for dims in permutations((first, second))]
        )
    ways = (layouts | dict(zip(free, chosen, strict=True)) for chosen in product(*menus))
    return min(priced(program, replace(plan, layouts=frozendict(way))) for way in ways)


@pytest.mark.parametrize("heads", [4, 32])
@pytest.mark.parametrize(
    ("length", "depth", "copied"), [(64, 64, 0), (512, 64, 0), (256, 256, 0), (512, 512, 2), (2048, 1024, 2)]
)
def test_no_choice_of_orders_takes_less(heads: int, length: int, depth: int, copied: int) -> None:
    """Both products hide behind their traffic, are too small for copies, gain down to their traffic, down to the
    sustained rate."""
    sketch = Sketch()
    q, k = sketch.input("q", heads, length, depth), sketch.input("k", heads, length, depth)
    sketch.output(sketch.matmul(scores(sketch, q, k), sketch.input("v", heads, length, depth)))
    program = sketch.program()
    plan = ordered(program)
    assert kinds(plan)[EditKind.REORDER] == copied
    assert plan.claims["order-dims"].objective == priced(program, plan) == least(program)


# Rules


@pytest.mark.parametrize(
    ("shape", "order", "device_size"),
    [
        ((1024, 256), (0, 1), (4, 1024, 64)),
        ((5, 100, 150), OUTSIDE, (5, 3, 100, 64)),
        ((128, 64, 512), (0, 1, 2), (64, 8, 128, 64)),
        ((8, 8, 512), (0, 1, 2), (8, 8, 8, 64)),
        ((2, 8, 512, 64), (2, 1, 0, 3), (8, 2, 1, 512, 64)),
        ((2, 512, 512, 64), (1, 0, 2, 3), (2, 512, 1, 512, 64)),
    ],
)
def test_the_public_swap(shape: tuple[int, ...], order: tuple[int, ...], device_size: tuple[int, ...]) -> None:
    """The largest dim trades places with the one just inside the count of sticks, if it is larger."""
    one = buffer("one", *shape)
    found = public_order(layout_of(one), one)
    assert (found.dim_order, found.device_size) == (order, device_size)


def test_the_public_swap_leaves_tables_and_unit_dims() -> None:
    one = buffer("one", 4, 1000, 64)
    table = frozenset({frozenset({1})})
    assert public_order(layout_of(one), one, table) == layout_of(one)
    unit = layout_of(one, (UNIT, 0, 1, 2))
    assert public_order(unit, one) == unit


def test_the_public_rule_swaps_operands_and_results_of_products_only() -> None:
    program = computed()
    plan = ordered(program, "public")
    assert plan.layouts["relu"].dim_order == plan.layouts["scores"].dim_order == OUTSIDE
    assert plan.layouts["relu_1@d1"].dim_order == (2, 0, 1)
    assert plan.layouts["neg"].dim_order == plan.layouts["exp"].dim_order == (0, 1, 2)
    claim = plan.claims["order-dims"]
    assert (claim.method, claim.objective) == ("public", priced(program, plan))
    assert "batch outermost for scores" in plan.reasons["layout:relu"]


def test_the_public_rule_can_be_beaten() -> None:
    """[512, 512, 512]: no dim is larger than the batch, so that the public rule leaves it just before the stick."""
    program = computed(512, 512, 512)
    public, search = ordered(program, "public"), ordered(program)
    assert public.claims["order-dims"].objective == priced(program, public) == 13421773
    assert search.claims["order-dims"].objective == priced(program, search) == 5368709
    assert public.claims["order-dims"].bound == 5368709


def test_the_default_rule_leaves_what_is_there() -> None:
    program = computed()
    plan = ordered(program, "default")
    assert (plan.layouts, plan.edits) == (solved(program).layouts, solved(program).edits)
    assert (plan.claims["order-dims"].method, plan.claims["order-dims"].objective) == ("default", 104858)


def test_another_rule_is_refused() -> None:
    with pytest.raises(InputError, match="use search or public or default"):
        OrderDims("best")


# Large tensors


def test_an_order_that_no_core_could_reach_over_is_not_taken() -> None:
    """37 batches outermost cannot be divided among 32 cores, and all of x is more than a core can address."""
    sketch = Sketch()
    x, w = sketch.apply("neg", sketch.input("x", 37, 2048, 2048)), sketch.parameter("w", 37, 2048, 64)
    sketch.output(sketch.matmul(x, w))
    program = sketch.program()
    found = compile_problem(GRAPH, problem_of(program))
    assert found.plan.layouts["neg"].dim_order == (0, 1, 2)
    with pytest.raises(LimitError):
        compile_problem(GRAPH, problem_of(program, Pins(order=frozendict(neg=OUTSIDE))))


# Programs


@pytest.mark.parametrize(
    "program", [attention(4, 64, 64), chain(64, 128), embedding("input", 40)], ids=lambda p: p.name
)
def test_plans_are_legal(program: LoopProgram) -> None:
    plan = ordered(program)
    assert plan_faults(problem_of(program), plan) == []
    assert set(plan.layouts) == set(expand(program, plan).buffers)
    assert {f"layout:{name}" for name in plan.layouts} <= set(plan.reasons)
    assert all(f"edit:{edit.name}" in plan.reasons for edit in plan.edits)
    assert all(verdict.ok for verdict in check(problem_of(program), compile_problem(GRAPH, problem_of(program)).plan))


def test_a_program_without_products_or_tables_is_left_alone() -> None:
    program = chain(4, 64, 128)
    plan, before = ordered(program), solved(program)
    assert (plan.layouts, plan.edits, plan.reasons) == (before.layouts, before.edits, before.reasons)
    claim = plan.claims["order-dims"]
    assert (claim.method, claim.objective, claim.bound) == ("exact", 0, 0)


def test_an_order_that_its_group_has_given_needs_no_copy() -> None:
    """What is contracted over 70 rows needs a copy with zeros, which may have any order for nothing; worked on in
    place it has that order itself, and the zeros are all that remains to be written."""
    sketch = Sketch()
    a, b, z = (
        sketch.apply("neg", sketch.input(name, 64, *shape))
        for name, shape in (("a", (70, 5)), ("b", (5, 64)), ("z", (128, 70)))
    )
    sketch.output(sketch.matmul(z, sketch.apply("relu", sketch.matmul(a, b))))
    found = compile_problem(GRAPH, problem_of(sketch.program()))
    assert found.ok
    assert kinds(found.plan) == {EditKind.PAD: 2}
    assert found.plan.layouts["relu"].dim_order == found.plan.layouts["relu@pad1x128"].dim_order == (1, 0, 2)
