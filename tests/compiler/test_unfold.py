"""Unfold: copies of views, cuts of loops, and nothing at all where a program can do without."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from compiler.dtypes import DType
from compiler.loops import (
    Access,
    Buffer,
    BufferKind,
    Index,
    Load,
    Loop,
    LoopOp,
    LoopProgram,
    ModelSource,
    OpKind,
    Origin,
    OutputView,
    Role,
    Term,
)
from compiler.unfold import changes, unfold
from compiler.validate_flow import flow_faults
from compiler.validate_ops import op_faults
from tests.compiler.unfold_proofs import SPYRE, copies, read_of, refused, unfolded
from tests.programs import attention, chain, reshaped, softmax, transposed
from tests.random_draft import Options, View, dense
from tests.random_programs import ALL, random_program
from tests.sketch import Sketch

VIEWS = Options(ALL, (2, 3, 8, 20, 32, 40, 64, 80, 96, 100), max_elements=60_000, max_iterations=1_000_000)


# Views


def heads(size: int, rows: int = 20) -> LoopProgram:
    """Scores times values, the heads side by side in one dim."""
    sketch = Sketch()
    scores, values = sketch.input("scores", 4, 8, rows), sketch.input("values", rows, 4 * size)
    by_head = transposed(reshaped(values, rows, 4, size), 0, 1)
    sketch.output(sketch.matmul(scores, by_head))
    return sketch.program()


def flattened(pictures: int, *shape: int) -> LoopProgram:
    """Pictures flattened before a product."""
    sketch = Sketch()
    picture = sketch.input("picture", pictures, *shape)
    flat = reshaped(picture, pictures, math.prod(shape))
    sketch.output(sketch.matmul(flat, sketch.parameter("w", math.prod(shape), 64)))
    return sketch.program()


def cached(length: int) -> LoopProgram:
    """Scores times the first `length` of 128 cached values."""
    sketch = Sketch()
    cache = sketch.input("cache", 4, 128, 64).sliced(1, 0, length, 1)
    sketch.output(sketch.matmul(sketch.input("scores", 4, 8, length), cache))
    return sketch.program()


def grouped(channels: int, positions: int = 20, taps: int = 3) -> LoopProgram:
    """A convolution of 4 groups of channels over one spatial dim, two signals at once."""
    wide = positions + taps - 1
    signals, weights, shape = (2, 4 * channels, wide), (256, channels, taps), (2, 4, 64, positions)
    x = Buffer("x", DType.F16, signals, dense(signals), BufferKind.INPUT)
    w = Buffer("w", DType.F16, weights, dense(weights), BufferKind.PARAMETER)
    y = Buffer("conv", DType.F16, shape, dense(shape), BufferKind.COMPUTED)
    outer = (Loop("n", 2), Loop("g", 4), Loop("o", 64), Loop("x", positions))
    inner = (Loop("c", channels, Role.REDUCTION), Loop("kx", taps, Role.REDUCTION))
    signal = _walked({"n": 4 * channels * wide, "g": channels * wide, "c": wide, "x": 1, "kx": 1})
    weight = _walked({"g": 64 * channels * taps, "o": channels * taps, "c": taps, "kx": 1})
    result = _walked(dict(zip("ngox", y.strides, strict=True)))
    reads, writes = (Access("x", signal), Access("w", weight)), (Access("conv", result),)
    body = (Load(0, DType.F16), Load(1, DType.F16))
    op = LoopOp("conv", OpKind.CONV, "sum", (*outer, *inner), reads, writes, body, (0, 1), Origin())
    outputs = (OutputView("y", "conv", shape, y.strides),)
    return LoopProgram("grouped", ModelSource("grouped"), (x, w, y), (op,), outputs)


def _walked(moves: dict[str, int]) -> Index:
    return Index(0, tuple(Term(step, ((name, 1),)) for name, step in moves.items()))


# Copies


@pytest.mark.parametrize("size", [32, 80, 96])
def test_heads_of_odd_size_are_served_from_a_copy_with_a_dim_per_loop(size: int) -> None:
    program = heads(size)
    made = unfolded(program)
    assert copies(program, made) == {"matmul.values": (4, size, 20)}
    assert [op.name for op in made.ops] == ["matmul.values", "matmul"]
    assert read_of(made, "matmul", 0) == read_of(program, "matmul", 0)
    assert made.op_map["matmul.values"].reads[0] == read_of(program, "matmul", 1)
    assert made.op_map["matmul.values"].origin == program.op_map["matmul"].origin
    assert "would mix" in refused(program)


def test_heads_of_whole_sticks_are_read_in_place() -> None:
    program = heads(64)
    assert unfold(program, SPYRE) is program


def test_pictures_whose_rows_are_no_sticks_are_flattened_by_a_copy() -> None:
    program = flattened(4, 10, 10)
    assert copies(program, unfolded(program)) == {"matmul.picture": (4, 100)}


def test_what_lies_behind_a_part_of_the_cache_does_not_enter_the_product() -> None:
    program = cached(100)
    assert copies(program, unfolded(program)) == {"matmul.cache": (4, 64, 100)}


@pytest.mark.parametrize("length", [64, 128])
def test_whole_sticks_of_the_cache_are_read_in_place(length: int) -> None:
    program = cached(length)
    assert unfold(program, SPYRE) is program


def test_a_window_over_narrow_groups_is_not_spelled_out() -> None:
    """Copying what is read would repeat each value once per tap."""
    program = grouped(8)
    made = unfolded(program)
    assert copies(program, made) == {"conv.x": (2, 4, 8, 22)}
    assert read_of(made, "conv", 0).index == read_of(program, "conv", 0).index


def test_only_the_operand_that_is_in_the_way_is_copied() -> None:
    """x mixes heads and columns, the bias does not."""
    sketch = Sketch()
    x, bias = reshaped(sketch.input("x", 8, 960), 8, 12, 80), sketch.input("bias", 12, 80)
    sketch.output(sketch.apply("add", x, bias))
    program = sketch.program()
    assert copies(program, unfolded(program)) == {"add.x": (8, 12, 80)}


def test_equal_views_share_a_copy_named_after_the_first_reader() -> None:
    sketch = Sketch()
    values = sketch.input("values", 20, 320)
    by_head = transposed(reshaped(values, 20, 4, 80), 0, 1)
    for name in ("one", "two"):
        sketch.output(sketch.matmul(sketch.input(f"scores {name}", 4, 8, 20), by_head, name))
    program = sketch.program()
    made = unfolded(program)
    assert [op.name for op in made.ops] == ["one.values", "one", "two"]
    assert read_of(made, "one", 1) == read_of(made, "two", 1)


def test_different_views_of_a_tensor_have_copies_of_their_own() -> None:
    sketch = Sketch()
    both = sketch.input("both", 20, 2 * 320)
    keys, values = (reshaped_heads(both, place) for place in (0, 1))
    sketch.output(sketch.matmul(sketch.input("scores", 4, 8, 20), values))
    sketch.output(sketch.matmul(sketch.input("more", 4, 8, 20), keys))
    program = sketch.program()
    made = unfolded(program)
    assert copies(program, made) == {"matmul.both": (4, 80, 20), "matmul_1.both": (4, 80, 20)}
    offsets = {op.reads[0].index.offset for op in made.ops if op.reads[0].buffer == "both"}
    assert offsets == {0, 320}


def reshaped_heads(both: View, place: int) -> View:
    """Heads of 80 of the first or second half of the columns."""
    return replace(both, shape=(4, both.shape[0], 80), strides=(80, both.strides[0], 1), offset=320 * place)


def test_names_leave_out_the_shared_module_path() -> None:
    sketch = Sketch()
    doubled = sketch.apply("relu", sketch.input("x", 20, 320), name="layers.0.attn.v.linear/add")
    by_head = transposed(reshaped(doubled, 20, 4, 80), 0, 1)
    scores = sketch.input("scores", 4, 8, 20)
    sketch.output(sketch.matmul(scores, by_head, "layers.0.attn.sdpa/matmul"))
    program = sketch.program()
    assert list(copies(program, unfolded(program))) == ["layers.0.attn.sdpa/matmul.v.linear.add"]


def test_a_name_that_is_taken_is_not_taken_again() -> None:
    sketch = Sketch()
    values = sketch.input("values", 20, 320)
    sketch.output(sketch.apply("relu", values, name="matmul.values"))
    by_head = transposed(reshaped(values, 20, 4, 80), 0, 1)
    sketch.output(sketch.matmul(sketch.input("scores", 4, 8, 20), by_head))
    program = sketch.program()
    assert list(copies(program, unfolded(program))) == ["matmul.values.2"]


# Cuts


def test_one_picture_is_multiplied_dim_by_dim() -> None:
    """There is no loop but that of the product to copy along, so it is cut where the picture's dims are."""
    program = flattened(1, 64, 5, 5)
    made = unfolded(program)
    assert copies(program, made) == {}
    assert [(loop.name, loop.extent) for loop in made.ops[0].reduction_loops] == [("k0", 64), ("k1", 5), ("k2", 5)]


def test_a_weight_that_a_cut_product_would_read_on_is_copied() -> None:
    program = flattened(1, 16, 5, 5)
    assert copies(program, unfolded(program)) == {"matmul.w": (64, 16, 5, 5)}


def test_a_flat_function_is_computed_in_the_dims_of_what_it_reads() -> None:
    sketch = Sketch()
    flat = reshaped(sketch.input("x", 128, 96), 128 * 96)
    sketch.output(sketch.apply("neg", sketch.apply("relu", flat)))
    program = sketch.program()
    made = unfolded(program)
    assert copies(program, made) == {}
    assert [made.buffer_map[name].shape for name in ("relu", "neg")] == [(128, 96), (128, 96)]
    assert made.outputs == program.outputs
    assert {loop.name for loop in made.op_map["neg"].loops} == {"i0", "i1"}


def test_a_cut_follows_the_order_in_which_dims_are_read() -> None:
    """Flattened the other way round: the last dim of the picture changes slowest."""
    sketch = Sketch()
    turned = sketch.input("x", 16, 5).permuted((1, 0))
    flat = sketch.apply("abs", turned)
    across = View(flat.buffer, flat.dtype, (1, 80), (80, 1))
    sketch.output(sketch.matmul(across, sketch.parameter("w", 80, 64)))
    made = unfolded(sketch.program())
    assert [loop.extent for loop in made.op_map["matmul"].reduction_loops] == [5, 16]


# What is not done


@pytest.mark.parametrize(
    "program",
    [softmax(), attention(), attention(depth=128), chain(64, 100), chain(1, 1)],
    ids=["softmax", "attention", "wide", "chain", "single"],
)
def test_what_needs_nothing_stays_the_same_object(program: LoopProgram) -> None:
    assert unfold(program, SPYRE) is program
    assert changes(program, program) == ()


def one_row_of_heads() -> LoopProgram:
    """A single token: its heads of 80 lie in one row, and there is no loop to copy them along."""
    sketch = Sketch()
    by_head = View("q", DType.F16, (4, 1, 80), (80, 320, 1))
    sketch.input("q", 1, 320)
    sketch.output(sketch.matmul(by_head, sketch.input("keys", 4, 80, 64)))
    return sketch.program()


def test_where_no_copy_helps_the_refusal_is_about_the_op_as_it_was() -> None:
    program = one_row_of_heads()
    assert unfold(program, SPYRE) is program
    assert refused(program).startswith("matmul (model.py:1)")


def test_a_product_over_nothing_is_left_to_its_own_refusal() -> None:
    program = heads(80)
    op = program.ops[0]
    loops = tuple(replace(loop, extent=0) if loop.role is Role.REDUCTION else loop for loop in op.loops)
    empty = replace(program, ops=(replace(op, loops=loops, reads=(), body=(), results=()),))
    assert unfold(empty, SPYRE) is empty


def test_what_the_host_reads_keeps_its_dims() -> None:
    sketch = Sketch()
    flat = sketch.apply("relu", reshaped(sketch.input("x", 128, 96), 128 * 96))
    sketch.output(sketch.opaque("sort", flat))
    program = sketch.program()
    assert unfold(program, SPYRE) is program


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_are_changed_once_and_stay_whole(seed: int) -> None:
    program = random_program(seed, 5, VIEWS)
    made = unfold(program, SPYRE)
    assert unfold(program, SPYRE) == made
    assert unfold(made, SPYRE) is made
    assert (made is program) is (changes(program, made) == ())
    copies(program, made)
    assert [fault for op in made.ops for fault in op_faults(op, made.buffer_map)] == []
    assert list(flow_faults(made)) == []
    assert {op.name for op in program.ops} <= {op.name for op in made.ops}
    assert made.outputs == program.outputs


def test_some_random_programs_are_changed() -> None:
    programs = [random_program(seed, 5, VIEWS) for seed in range(40)]
    assert sum(unfold(program, SPYRE) is not program for program in programs) >= 3
