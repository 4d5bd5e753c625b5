"""Work division: core grids, span floors, the matmul ranking, largest loop first, and what is never divided."""

from dataclasses import replace

import pytest

from compiler.cost.matmul import Contraction, Cut, ranking
from compiler.device import load_device
from compiler.division import Division, Split
from compiler.dtypes import DType
from compiler.errors import InputError, LimitError
from compiler.layout import Arrangement, stick_layout
from compiler.loops import LoopOp, LoopProgram, OpKind, Origin, Role
from compiler.passes.divide_matmul import DivideMatmul
from compiler.passes.divide_rest import DivideRest
from compiler.passes.reduce_span import ReduceSpan
from compiler.plan import Edit, EditKind, Plan
from compiler.problem import Problem
from compiler.schedule import expand
from compiler.spaces import Axis, Space, space_of
from compiler.splits import largest_first
from tests.compiler.shapes import divided, factors, plain_layouts, run, unplanned
from tests.programs import chain, problem_of, product
from tests.random_draft import View
from tests.sketch import Sketch

SPYRE = load_device("spyre")
MIB = 2**20


def on(program: LoopProgram, cores: int = 32, **numbers: float) -> Problem:
    """The program on the spyre device with some cores and other numbers changed."""
    device = SPYRE.with_cores(cores)
    for key, value in numbers.items():
        device = device.with_number(key, value)
    return replace(problem_of(program), device=device)


def reduced(view: View, sketch: Sketch, *dims: int) -> LoopProgram:
    sketch.output(sketch.reduce("sum", view, *dims))
    return sketch.program()


def sum_over(dim: int, *shape: int) -> LoopProgram:
    sketch = Sketch("sum")
    return reduced(sketch.input("x", *shape), sketch, dim)


def space(program: LoopProgram, op: str) -> Space:
    problem = problem_of(program)
    plan = unplanned(problem)
    schedule = expand(program, plan)
    return space_of(schedule.step_map[op].op, schedule, plan.layouts)


def generic(**sizes: int) -> Space:
    """A space without tensors; names that start with r are reduced."""
    axes = tuple(Axis(name, size, Role.REDUCTION if name[0] == "r" else Role.OUTPUT) for name, size in sizes.items())
    return Space(LoopOp("op", OpKind.REDUCTION, "sum", (), (), (), (), (), Origin()), axes)


# Which core gets which slice


def test_loops_without_a_split_are_left_out_and_steps_are_whole_sticks() -> None:
    division = space(chain(8, 200), "neg").division({"i": 1, "j": 2})
    assert division == Division((Split("j", 2, 128),))


# Span floors


def test_a_floor_is_named_in_the_reason() -> None:
    problem = on(product(8192, 32768, 4096))
    reason = divided(problem).reasons["division:matmul"]
    assert reason.startswith("k 2 for the limits of one core, then largest loop first: ")


def test_spans_within_the_limit_get_no_floor() -> None:
    problem = on(product(512, 512, 512))
    assert not ReduceSpan()(problem, unplanned(problem)).divisions


def test_fewest_cores_then_largest_span() -> None:
    problem = on(chain(4, 16, 64, 64), span_limit_bytes=200_000)
    floored = ReduceSpan()(problem, unplanned(problem))
    assert factors(floored, "neg") == {"j": 4}, "j is the outermost device dim: 16 rows of 32,768 B, in fours"


def test_what_no_division_brings_under_the_limit_is_refused_with_figures() -> None:
    problem = on(chain(64, 2**20), cores=2, span_limit_bytes=4096)
    with pytest.raises(LimitError) as caught:
        divided(problem)
    sentence = caught.value.sentence
    assert sentence.startswith("neg (model.py:1): x needs a span of 67,108,864 B on one core, the limit is 4,096 B;")
    assert "the best division found is j 2 (2 of 2 cores)" in sentence


def test_a_buffer_without_layout_is_named() -> None:
    problem = on(chain(8, 64))
    with pytest.raises(InputError, match="buffer x: it has no layout yet"):
        DivideRest()(problem, Plan("chain", "spyre", 32, "test"))


# The matmul ranking


def test_the_reason_names_the_winner_and_the_runner_up() -> None:
    problem = on(product(8, 1024, 1024))
    reason = DivideMatmul()(problem, unplanned(problem)).reasons["division:matmul"]
    assert reason == "k 4 j 8: 64.0 µs by the matmul ranking; next best k 2 j 16: 68.5 µs"


def test_one_core_has_one_split() -> None:
    problem = on(product(64, 64, 64), cores=1)
    plan = DivideMatmul()(problem, unplanned(problem))
    assert plan.divisions["matmul"] == Division()
    assert "next best" not in plan.reasons["division:matmul"]


def declined(program: LoopProgram) -> bool:
    problem = on(program)
    return "matmul" not in DivideMatmul()(problem, unplanned(problem)).divisions


def test_ranking_declines_without_rows() -> None:
    assert declined(product(1, 4096, 3200))
    assert factors(divided(on(product(1, 4096, 3200))), "matmul") == {"j": 25}


def test_ranking_declines_without_columns_along_the_stick() -> None:
    assert declined(product(64, 64, 1))


def test_ranking_declines_without_a_reduced_loop() -> None:
    assert declined(product(64, 1, 64))


def test_ranking_declines_where_it_would_leave_more_cores_idle() -> None:
    """8,209 rows are prime and the columns are one stick: the ranking keeps K whole, the general rule splits it."""
    assert declined(product(8209, 4096, 64))
    assert factors(divided(on(product(8209, 4096, 64))), "matmul") == {"k": 32}


def test_a_weight_for_all_batches_counts_as_shared() -> None:
    sketch = Sketch("linear")
    sketch.output(sketch.matmul(sketch.input("x", 4, 256, 256), sketch.parameter("w", 256, 512)))
    problem = on(sketch.program())
    plan = DivideMatmul()(problem, unplanned(problem))
    work = Contraction(4, 256, 512, 256, True, 2, 2)
    values = {name: plan.divisions["matmul"].factor(name) for name in "ijlk"}
    points = ranking(SPYRE, work, Cut(values["i"], values["j"], values["l"], values["k"]))
    assert f": {points:,.1f} µs by the matmul ranking" in plan.reasons["division:matmul"]


# Largest loop first


@pytest.mark.parametrize(
    ("sizes", "cores", "wanted"),
    [
        ({"o0": 5, "o1": 100, "o2": 3}, 32, {"o0": 1, "o1": 25, "o2": 1}),
        ({"o0": 50, "r": 64}, 32, {"o0": 25, "r": 1}),
        ({"r0": 3, "r1": 8}, 32, {"r0": 1, "r1": 8}),
        ({"r0": 8, "r1": 8}, 32, {"r0": 8, "r1": 1}),
        ({"o0": 8, "o1": 8, "o2": 9}, 8, {"o0": 2, "o1": 1, "o2": 3}),
        ({"o0": 7}, 4, {"o0": 1}),
    ],
)
def test_largest_loop_first(sizes: dict[str, int], cores: int, wanted: dict[str, int]) -> None:
    """Of equals the first one grows first."""
    assert dict(largest_first(generic(**sizes), cores)) == wanted


def test_a_floor_may_grow_and_only_the_split_reduction_may() -> None:
    assert dict(largest_first(generic(o0=4, r0=8, r1=8), 32, {"r0": 2})) == {"o0": 4, "r0": 8, "r1": 1}
    assert dict(largest_first(generic(o0=64, o1=3), 32, {"o1": 3})) == {"o0": 8, "o1": 3}


def test_reasons_say_what_was_cut_or_why_nothing_was() -> None:
    assert divided(on(chain(64, 768))).reasons["division:neg"] == "largest loop first: i (64 iterations) by 32"
    assert "i is not divided: it is reduced along sticks" in divided(on(sum_over(0, 100))).reasons["division:sum"]
    assert divided(on(chain(64))).reasons["division:neg"].endswith("no loop has more than one part to give")
    assert divided(on(chain(64, 64), 1)).reasons["division:neg"].endswith("there is only 1 core to use")


# What is never divided, or only in one way


@pytest.mark.parametrize("combine", ["argmax", "argmin"])
def test_positions_of_extremes_are_not_put_together(combine: str) -> None:
    sketch = Sketch("arg")
    sketch.output(sketch.reduce(combine, sketch.input("x", 64, 64), 0))
    assert combine in space(sketch.program(), combine).axis_map["i"].blocked


def convolution(stride: int) -> LoopProgram:
    sketch = Sketch("conv")
    image = sketch.input("x", 2, 64, 18, 18, order=(0, 2, 3, 1))
    sketch.output(sketch.conv2d(image, sketch.input("w", 32, 64, 3, 3, order=(2, 3, 1, 0)), stride))
    return sketch.program()


def test_taps_of_a_convolution_are_not_divided() -> None:
    axes = space(convolution(1), "conv").axis_map
    assert all(axes[name].blocked for name in "rs"), "windows are walked, not divided"
    assert not axes["c"].blocked


def pooled(kernel: int, stride: int, target: str) -> LoopProgram:
    """The maximum over windows of an image, as a call of `target`."""
    sketch = Sketch("pool")
    image = sketch.input("x", 4, 32, 32, 64)
    size = (32 - kernel) // stride + 1
    windows = replace(
        image,
        shape=(4, size, size, kernel, kernel, 64),
        strides=(65536, 2048 * stride, 64 * stride, 2048, 64, 1),
    )
    sketch.output(sketch.reduce("max", windows, 3, 4, keep=False))
    program = sketch.program()
    origin = replace(program.ops[0].origin, target=target)
    return replace(program, ops=(replace(program.ops[0], origin=origin),))


@pytest.mark.parametrize(
    ("kernel", "stride", "target", "walked"),
    [
        (3, 2, "aten.max_pool2d.default", True),
        (2, 2, "aten.max_pool2d.default", True),
        (2, 3, "aten.max_pool2d.default", True),
        (3, 2, "aten.amax.default", True),
        (2, 2, "aten.amax.default", False),
    ],
    ids=["overlapping", "touching", "apart", "overlapping views", "a view in blocks"],
)
def test_windows_are_walked_and_not_divided(kernel: int, stride: int, target: str, walked: bool) -> None:
    """Blocks of a view are folded like any loop, but where a pooling makes them they are its windows."""
    axes = space(pooled(kernel, stride, target), "max").axis_map
    assert [bool(axes[name].blocked) for name in "ijlmnp" if name in axes] == [False] * 3 + [walked] * 2


def test_patches_of_a_convolution_are_windows() -> None:
    sketch = Sketch("patches")
    image, weight = sketch.input("x", 2, 64, 64, 64), sketch.input("w", 128, 64, 16, 16)
    sketch.output(sketch.conv2d(image, weight, 16))
    axes = space(sketch.program(), "conv").axes
    assert {axis.name for axis in axes if axis.blocked} == {"y", "x", "r", "s"}


@pytest.mark.parametrize(("strides", "batch"), [((2, 1), 2), ((1, 2), 2), ((2, 1), 1)])
def test_one_stride_keeps_the_whole_image_together_but_not_the_batch(strides: tuple[int, int], batch: int) -> None:
    sketch = Sketch("conv")
    image = sketch.input("x", batch, 64, 32, 32)
    sketch.output(sketch.conv2d(image, sketch.input("w", 64, 64, 1, 1), strides))
    axes = space(sketch.program(), "conv").axes
    assert {axis.name for axis in axes if axis.blocked} == {"y", "x"}
    assert all(axis.floor_wins for axis in axes if axis.blocked)


def test_a_span_floor_wins_over_the_block_of_a_strided_convolution() -> None:
    blocked = space(convolution(2), "conv").axis_map["y"]
    assert blocked.factors(32) == (1,)
    assert blocked.factors(32, for_span=True) == (1, 2, 4, 8)


def test_loops_inside_a_gathered_table_are_not_divided() -> None:
    sketch = Sketch("gather")
    table, chosen = sketch.input("x", 128, 16, 128), sketch.input("at", 256, dtype=DType.I32)
    sketch.output(sketch.rows_of(table, chosen))
    axes = space(sketch.program(), "gather").axis_map
    assert [axes[name].blocked for name in "ijl"] == ["", *["it runs inside the gathered table x"] * 2]


def test_host_ops_are_not_divided() -> None:
    sketch = Sketch("host")
    sketch.output(sketch.opaque("sort", sketch.input("x", 8, 64)))
    plan = divided(on(sketch.program()))
    assert plan.divisions["sort"] == Division()
    assert plan.reasons["division:sort"] == "runs on the host"


def test_a_copy_counts_both_its_sticks() -> None:
    problem = on(chain(1024, 256))
    edit = Edit("neg.x", EditKind.RESTICKIFY, "x", "x.i", "neg", ("neg",))
    layouts = {name: stick_layout((1024, 256), (256, 1), 64, (1, 0)) for name in ("x.i", "neg", "relu")} | {
        "x": plain_layouts(problem)["x"]
    }
    plan = divided(problem, layouts, (edit,))
    assert factors(plan, "neg.x") == {"d0": 16, "d1": 2}
    assert plan.reasons["division:neg.x"] == "largest loop first: d0 (16 sticks) by 16, d1 (4 sticks) by 2"


def test_lanes_are_the_largest_of_the_tensors_along_the_loop() -> None:
    sketch = Sketch("cast")
    sketch.output(sketch.cast(sketch.input("x", 320), DType.F32))
    axis = space(sketch.program(), "cast").axis_map["i"]
    assert (axis.lanes, axis.size, axis.factors(32)) == (64, 5, (1, 5))


def test_staggered_pairs_of_sticks_stay_together() -> None:
    problem = on(chain(96))
    staggered = stick_layout((96,), (1,), 32, None, Arrangement.F16_TO_F32)
    plan = run((DivideRest(),), problem, unplanned(problem, {"x": staggered, "neg": staggered, "relu": staggered}))
    assert plan.divisions["neg"] == Division(), "3 sticks of 32 cannot be cut into whole pairs"


@pytest.mark.parametrize("cores", [1, 3, 4, 32])
def test_every_step_has_a_division_and_a_reason(cores: int) -> None:
    sketch = Sketch("block")
    hidden = sketch.matmul(sketch.input("x", 128, 256), sketch.parameter("w", 256, 512))
    sketch.output(sketch.apply("gelu", hidden))
    problem = on(sketch.program(), cores)
    plan = divided(problem)
    assert set(plan.divisions) == {op.name for op in problem.program.ops}
    assert set(plan.reasons) == {f"division:{name}" for name in plan.divisions}
    assert all(division.cores <= cores for division in plan.divisions.values())


# Turns of a loop


@pytest.mark.parametrize(("extent", "wanted"), [(65_535, {}), (65_536, {"i": 2})])
def test_a_loop_that_turns_too_often_gets_a_floor(extent: int, wanted: dict[str, int]) -> None:
    problem = on(chain(extent, 64))
    floored = ReduceSpan()(problem, unplanned(problem))
    assert {name: dict(one.factors) for name, one in floored.divisions.items()} == (
        {"neg": wanted, "relu": wanted} if wanted else {}
    )


def test_a_loop_that_no_division_shortens_enough_is_refused() -> None:
    """65,537 is prime, so that no core count divides it."""
    with pytest.raises(LimitError) as caught:
        divided(on(chain(65_537, 64)))
    assert "loop i needs 65,537 iterations on one core, the limit is 65,535;" in caught.value.sentence
    with pytest.raises(LimitError, match="loop i needs 65,537 sticks"):
        divided(on(chain(65_537 * 64)))
