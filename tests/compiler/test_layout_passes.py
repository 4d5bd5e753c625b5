"""The layout passes where widths, parts, windows and the host come in, and how copies are shared."""

import pytest

from compiler.dtypes import DType
from compiler.layout import Arrangement, stick_layout
from compiler.schedule import expand
from tests.compiler.layout_cases import legal, names, refusal, solved, total
from tests.programs import selected, transposed, unsqueezed
from tests.sketch import Sketch

F16_TO_F32, F32_TO_F16, STANDARD = Arrangement.F16_TO_F32, Arrangement.F32_TO_F16, Arrangement.STANDARD


# Widths


def test_a_norm_in_f32_needs_no_copy() -> None:
    """The casts leave f32 data staggered; everything up to the cast back agrees with that."""
    sketch = Sketch()
    h, w = sketch.input("h", 1, 4, 128), sketch.parameter("w", 128)
    wide = sketch.cast(h, DType.F32)
    mean = sketch.reduce("sum", sketch.apply("square", wide), -1)
    scaled = sketch.apply("mul", wide, sketch.apply("rsqrt", mean))
    sketch.output(sketch.apply("mul", sketch.cast(scaled, DType.F16), w))
    plan = legal(sketch)
    assert plan.edits == ()
    arrangements = {name: plan.layouts[name].arrangement for name in ("cast", "square", "mul", "cast_1", "mul_1")}
    assert arrangements == {
        "cast": F16_TO_F32,
        "square": F16_TO_F32,
        "mul": F16_TO_F32,
        "cast_1": STANDARD,
        "mul_1": STANDARD,
    }
    assert plan.layouts["sum"].sparse
    assert "arranged f16-to-f32 by the change of width" in plan.reasons["layout:cast"]


def test_an_output_leaves_in_natural_order() -> None:
    sketch = Sketch()
    sketch.output(sketch.cast(sketch.input("x", 4, 128), DType.F32))
    plan = legal(sketch)
    assert names(plan) == ["x@d1-f32-to-f16"]
    assert plan.layouts["cast"].arrangement is STANDARD
    assert "the order of elements f32-to-f16 in place of standard" in plan.reasons["edit:x@d1-f32-to-f16"]


def test_half_a_stick_of_f32_becomes_f16() -> None:
    sketch = Sketch()
    sketch.output(sketch.apply("neg", sketch.cast(sketch.input("x", 4, 32, dtype=DType.F32), DType.F16)))
    plan = legal(sketch)
    assert names(plan) == ["x@d1-f16-to-f32"]  # 128 lanes of x instead of 256 of its wider cast
    assert plan.layouts["cast"].arrangement is STANDARD


def test_staggered_and_natural_operands_are_brought_together() -> None:
    sketch = Sketch()
    x, y = sketch.input("x", 4, 128), sketch.input("y", 4, 128, dtype=DType.F32)
    sketch.output(total(sketch, sketch.cast(x, DType.F32), y))
    plan = legal(sketch)
    assert len(plan.edits) == 1
    assert plan.edits[0].source in ("x", "cast", "y")


def test_a_contraction_takes_its_first_operand_in_natural_order() -> None:
    sketch = Sketch()
    x, w = sketch.input("x", 4, 64), sketch.parameter("w", 64, 96, dtype=DType.F32)
    sketch.output(sketch.matmul(sketch.cast(x, DType.F32), w))
    assert len(legal(sketch).edits) == 1


def test_a_wide_product_is_staggered_and_straightened_before_the_result() -> None:
    sketch = Sketch()
    x, w = sketch.input("x", 4, 64), sketch.parameter("w", 64, 128)
    sketch.output(sketch.apply("neg", sketch.matmul(x, w, dtype=DType.F32)))
    plan = legal(sketch)
    assert plan.layouts["matmul"].arrangement is F16_TO_F32
    assert names(plan) == ["matmul@standard"]


def test_a_type_without_a_conversion_is_refused() -> None:
    sketch = Sketch()
    sketch.output(sketch.cast(sketch.input("x", 4, 128, dtype=DType.I8), DType.F16))
    sentence = refusal(sketch)
    assert "no step converts 128-lane i8 x to 64-lane f16 cast" in sentence
    assert "convert x to float16 before it enters the model" in sentence


def test_a_result_without_a_conversion_is_refused() -> None:
    sketch = Sketch()
    sketch.output(sketch.cast(sketch.apply("neg", sketch.input("x", 4, 128)), DType.I8))
    sentence = refusal(sketch)
    assert "no step converts 64-lane f16 neg to 128-lane i8 cast" in sentence
    assert "convert it after it leaves the model" in sentence


def test_single_values_convert_between_any_widths() -> None:
    sketch = Sketch()
    sketch.output(sketch.cast(sketch.input("x", 4, 1, dtype=DType.I8), DType.F16))
    assert legal(sketch).edits == ()


def test_a_bool_has_the_lanes_of_what_it_came_from() -> None:
    sketch = Sketch()
    x, y = sketch.input("x", 4, 128), sketch.input("y", 4, 128, dtype=DType.F32)
    narrow, wide = sketch.apply("gt", x, x), sketch.apply("lt", y, y)
    sketch.output(narrow, wide)
    plan = legal(sketch)
    assert (plan.layouts["gt"].elements_per_stick, plan.layouts["lt"].elements_per_stick) == (64, 32)


def test_a_bool_changes_its_lanes_to_meet_others() -> None:
    sketch = Sketch()
    x, y = sketch.input("x", 4, 128), sketch.input("y", 4, 128, dtype=DType.F32)
    sketch.output(sketch.apply("where", sketch.apply("gt", x, x), y, y))
    plan = legal(sketch)
    assert names(plan) == ["gt@d1x32"]
    assert plan.layouts["gt@d1x32"].elements_per_stick == 32
    assert "with 32 lanes in place of 64" in plan.reasons["edit:gt@d1x32"]


def test_a_bool_input_arrives_with_the_lanes_of_its_first_use() -> None:
    sketch = Sketch()
    mask, y = sketch.input("mask", 4, 128, dtype=DType.BOOL), sketch.input("y", 4, 128, dtype=DType.F32)
    sketch.output(sketch.apply("where", mask, y, y))
    plan = legal(sketch)
    assert plan.edits == ()
    assert plan.layouts["mask"] == stick_layout((4, 128), (128, 1), 32)


def test_a_mask_of_two_counters() -> None:
    """One counter, broadcast both ways: one value per stick along one dim, in sticks along the other."""
    sketch = Sketch()
    count = sketch.iota(64)
    mask = sketch.apply("ge", unsqueezed(count, -1), count)
    x = sketch.input("x", 64, 64)
    sketch.output(sketch.apply("where", mask, x, x))
    plan = legal(sketch)
    assert [(edit.name, edit.readers) for edit in plan.edits] == [("iota@sparse", ("ge#1",)), ("ge@d1x64", ("where",))]


# Reductions


def test_a_mean_over_a_short_last_dim_leaves_one_value_per_stick() -> None:
    sketch = Sketch()
    sketch.output(sketch.reduce("sum", sketch.input("x", 3, 7, 9), -1))
    plan = legal(sketch)
    assert plan.edits == ()
    assert plan.layouts["sum"].device_size == (7, 1, 1, 3, 64)
    assert "j is reduced" not in plan.reasons["layout:sum"]
    assert "l is reduced along the stick" in plan.reasons["layout:sum"]


@pytest.mark.parametrize("combine", ["prod", "argmax", "argmin"])
def test_some_reductions_do_not_run_along_the_stick(combine: str) -> None:
    sketch = Sketch()
    sketch.output(sketch.reduce(combine, sketch.input("x", 64, 128), -1, dtype=DType.F16))
    assert names(legal(sketch)) == ["x@d0"]
    sketch = Sketch()
    sketch.output(sketch.reduce(combine, sketch.input("x", 2, 128), 0, dtype=DType.F16))
    assert legal(sketch).edits == ()


def test_a_product_over_all_dims_of_a_matrix_is_refused() -> None:
    sketch = Sketch()
    sketch.output(sketch.reduce("prod", sketch.input("x", 64, 128), 0, 1))
    sentence = refusal(sketch)
    assert "prod cannot run along a stick" in sentence
    assert "prod (model.py:1)" in sentence


def test_a_product_over_a_vector_takes_one_value_per_stick() -> None:
    sketch = Sketch()
    sketch.output(sketch.reduce("prod", sketch.input("x", 128), 0))
    assert names(legal(sketch)) == ["x@sparse"]


def test_a_reduction_that_a_product_reads_is_not_run_along_the_stick() -> None:
    sketch = Sketch()
    x, w = sketch.input("x", 4, 64, 32), sketch.parameter("w", 64, 16)
    pooled = sketch.reduce("sum", x, -1, keep=False)
    sketch.output(sketch.matmul(sketch.apply("relu", pooled), w))
    plan = legal(sketch)
    assert names(plan) == ["x@d1"]
    assert not plan.layouts["sum"].sparse


def test_an_expanded_mean_spreads_along_the_stick_for_nothing() -> None:
    sketch = Sketch()
    x, y = sketch.input("x", 1, 2, 128), sketch.input("y", 1, 2, 128)
    mean = sketch.reduce("sum", x, -1)
    sketch.output(total(sketch, sketch.apply("neg", mean.expanded((1, 2, 128))), y))
    plan = legal(sketch)
    assert names(plan) == []
    assert plan.layouts["sum"].sparse


def test_a_sum_of_one_spread_value_has_sticks() -> None:
    sketch = Sketch()
    one = sketch.input("x", 1, 1)
    sketch.output(sketch.reduce("sum", one.expanded((128, 64)), 1, keep=False))
    plan = legal(sketch)
    assert not plan.layouts["sum"].sparse


def test_a_weight_is_not_laid_out_along_dims_of_size_one() -> None:
    sketch = Sketch()
    x, w = sketch.input("x", 4, 64), sketch.parameter("w", 64, 1)
    sketch.output(total(sketch, x, sketch.apply("neg", transposed(w))))
    plan = legal(sketch)
    assert plan.layouts["w"].stick_dim == 0
    assert names(plan) == []


# Slices, parts, windows, the host


def test_strided_rows_are_free_and_strided_columns_are_not() -> None:
    sketch = Sketch()
    sketch.output(sketch.apply("neg", sketch.input("x", 9, 128).sliced(0, 1, 9, 2)))
    assert legal(sketch).edits == ()
    sketch = Sketch()
    sketch.output(sketch.apply("neg", sketch.input("x", 9, 128).sliced(1, 0, 128, 2)))
    assert names(legal(sketch)) == ["x@d0"]


@pytest.mark.parametrize(("start", "copies"), [(64, []), (32, ["x@d0"]), (1, ["x@d0"])])
def test_a_slice_starts_at_a_whole_stick_or_is_restickified(start: int, copies: list[str]) -> None:
    sketch = Sketch()
    sketch.output(sketch.apply("neg", sketch.input("x", 9, 192).sliced(1, start, start + 64, 1)))
    assert names(legal(sketch)) == copies


def test_an_offset_inside_a_stick_is_refused_by_name() -> None:
    sketch = Sketch()
    x = sketch.input("x", 96, 128).sliced(1, 32, 96, 1)
    sketch.output(sketch.matmul(x, sketch.parameter("w", 64, 64)))
    sentence = refusal(sketch)
    assert "x starts at offset 32 inside a 64-lane stick" in sentence
    assert "start the slice at a multiple of 64 along k" in sentence
    assert "64 values of one stick of the first tensor must be 64 neighbours of k" in sentence


def test_one_column_is_read_from_the_first_lane_or_restickified() -> None:
    sketch = Sketch()
    x = sketch.input("x", 9, 128)
    sketch.output(sketch.apply("mul", x, unsqueezed(selected(x, 1, 0), 1)))
    assert legal(sketch).edits == ()
    sketch = Sketch()
    x = sketch.input("x", 9, 128)
    sketch.output(sketch.apply("mul", x, unsqueezed(selected(x, 1, 3), 1)))
    assert len(legal(sketch).edits) == 1


@pytest.mark.parametrize(("widths", "stick"), [((64, 128), 1), ((128, 32), 1), ((96, 32), 0)])
def test_parts_of_a_cat_agree_on_one_layout(widths: tuple[int, int], stick: int) -> None:
    sketch = Sketch()
    sketch.output(sketch.cat(1, *(sketch.input(f"x{width}", 4, width) for width in widths)))
    plan = legal(sketch)
    assert plan.layouts["cat"].stick_dim == stick
    assert plan.edits == (), "a part that has its sticks elsewhere turns them on its own"


def test_padding_before_or_after_a_row() -> None:
    for before, after, stick in ((0, 32, 1), (64, 3, 1), (32, 0, 0)):
        sketch = Sketch()
        sketch.output(sketch.pad(sketch.input("x", 4, 96), before, after))
        assert legal(sketch).layouts["pad"].stick_dim == stick


def test_half_heads_swapped() -> None:
    """rotate_half of 64-lane heads: the second half starts inside a stick, so heads go to another dim for the cat."""
    sketch = Sketch()
    q = sketch.input("q", 4, 8, 64)
    sketch.output(sketch.cat(2, q.sliced(2, 32, 64, 1), q.sliced(2, 0, 32, 1)))
    plan = legal(sketch)
    assert names(plan) == ["q@d1"]
    assert len(plan.edits[0].readers) == 2


def test_convolutions_have_channels_on_their_sticks() -> None:
    sketch = Sketch()
    image, weight = sketch.input("image", 1, 3, 6, 6), sketch.parameter("weight", 8, 3, 3, 3)
    first = sketch.apply("relu", sketch.conv2d(image, weight))
    sketch.output(sketch.conv2d(first, sketch.parameter("deep", 4, 8, 3, 3)))
    plan = legal(sketch)
    assert names(plan) == ["image@d1"]
    assert plan.layouts["weight"].stick_dim == plan.layouts["deep"].stick_dim == 0
    assert plan.layouts["conv"].stick_dim == plan.layouts["relu"].stick_dim == 1


def test_a_padded_convolution_reads_its_channels_under_a_mask() -> None:
    sketch = Sketch()
    sketch.output(sketch.conv2d(sketch.input("x", 1, 3, 4, 4), sketch.parameter("w", 2, 3, 3, 3), padding=1))
    assert names(solved(sketch.program())) == ["x@d1"]


def test_a_grey_picture_has_one_value_per_stick() -> None:
    sketch = Sketch()
    sketch.output(sketch.conv2d(sketch.input("x", 1, 1, 6, 6), sketch.parameter("w", 8, 1, 3, 3)))
    plan = legal(sketch)
    assert names(plan) == ["x@d0"]
    assert plan.layouts["x@d0"].sticks == 36


def test_rows_of_a_table_keep_its_sticks() -> None:
    sketch = Sketch()
    table, chosen = sketch.parameter("table", 10, 128), sketch.input("chosen", 7, dtype=DType.I64)
    sketch.output(sketch.rows_of(table, chosen))
    assert legal(sketch).edits == ()


def test_a_gathered_dim_is_never_the_stick() -> None:
    sketch = Sketch()
    table, chosen = sketch.parameter("table", 128), sketch.input("chosen", 7, dtype=DType.I64)
    sketch.output(sketch.rows_of(table, chosen))
    plan = legal(sketch)
    assert plan.edits == ()
    assert plan.layouts["table"].sparse
    sketch = Sketch()
    table, chosen = sketch.parameter("table", 16, 128), sketch.input("chosen", 7, dtype=DType.I64)
    sketch.output(sketch.rows_of(transposed(table), chosen))
    plan = legal(sketch)
    assert plan.edits == ()
    assert plan.layouts["table"].stick_dim == 0


def test_the_host_gets_natural_order() -> None:
    sketch = Sketch()
    x = sketch.cast(sketch.input("x", 4, 128), DType.F32)
    sketch.output(sketch.opaque("cumsum", x))
    plan = legal(sketch)
    assert names(plan) == ["cast@standard"]
    assert plan.reasons["layout:cumsum"].startswith("sticks of dim 1; the host writes the default layout")


def test_seven_dims_are_refused() -> None:
    sketch = Sketch()
    sketch.output(sketch.apply("neg", sketch.input("x", *[2] * 7)))
    assert "tensor x: it has 7 dims, a stick layout has at most 6" in refusal(sketch)


# Copies


def test_a_copy_is_shared_by_later_readers() -> None:
    sketch = Sketch()
    a, b, c = (sketch.input(name, 64, 64) for name in "abc")
    sketch.output(sketch.matmul(b, transposed(a)), sketch.matmul(c, transposed(a)))
    plan = legal(sketch)
    assert [(edit.name, edit.before, edit.readers) for edit in plan.edits] == [
        ("a@d0", "matmul", ("matmul", "matmul_1"))
    ]


def test_a_copy_is_made_again_after_its_source_was_written() -> None:
    sketch = Sketch()
    a, b = sketch.input("a", 64, 64), sketch.input("b", 64, 64)
    total_ = total(sketch, a, b)
    first = sketch.matmul(b, transposed(total_))
    sketch.write(a, total_)
    sketch.output(first, sketch.matmul(b, transposed(total_)))
    plan = legal(sketch)
    assert [(edit.name, edit.before) for edit in plan.edits] == [("add@d0", "matmul"), ("add@d0~2", "matmul_1")]


def test_one_op_may_read_a_buffer_and_its_copy() -> None:
    sketch = Sketch()
    x = sketch.input("x", 64, 64)
    sketch.output(sketch.matmul(x, transposed(x)))
    plan = legal(sketch)
    assert [(edit.name, edit.readers) for edit in plan.edits] == [("x@d0", ("matmul#1",))]
    step = expand(sketch.program(), plan).step_map["matmul"]
    assert [read.buffer for read in step.op.reads] == ["x", "x@d0"]
