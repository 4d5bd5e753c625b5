"""What calls become as loop nests: contractions, masks, copies, in-place updates, opaque calls."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import conv2d, linear, one_hot, pad, scaled_dot_product_attention, silu

from compiler.dtypes import DType
from compiler.loops import (
    Access,
    BufferKind,
    Const,
    Gather,
    Index,
    IndexValue,
    Load,
    Loop,
    OpKind,
    OutputView,
    Role,
    Term,
)
from tests.casebook import CASES
from tests.compiler.frontend.lowered import HALF, captured, loops, names, noise, numbers, primitives


def extents(op: object) -> dict[str, int]:
    return {loop.name: loop.extent for loop in op.loops}  # type: ignore[attr-defined]


# ---- contractions


def test_softmax_is_five_steps_over_named_loops() -> None:
    program = loops(lambda x: torch.softmax(x, -1), noise(512, 1024, dtype=HALF))
    assert names(program) == ["softmax/max", "softmax/sub", "softmax/exp", "softmax/sum", "softmax/div"]
    largest, difference = program.ops[:2]
    assert (largest.kind, largest.combine) == (OpKind.REDUCTION, "max")
    assert largest.loops == (Loop("i", 512), Loop("j", 1024, Role.REDUCTION))
    assert largest.write == Access("softmax/max", Index(0, (Term(1, (("i", 1),)),)))
    assert [read.buffer for read in difference.reads] == ["inputs_0", "softmax/max"]
    assert {buffer.dtype for buffer in program.buffers} == {DType.F16}


def test_a_batch_times_a_matrix_reads_the_matrix_by_k_and_n_alone() -> None:
    """C29, and a batch of several: nothing is expanded or cloned."""
    program = loops(torch.matmul, noise(3, 5, 7), noise(7, 9))
    (op,) = program.ops
    assert op.kind is OpKind.MATMUL
    assert extents(op) == {"b": 3, "m": 5, "n": 9, "k": 7}
    left, right = (read.index for read in op.reads)
    assert [left.coefficient(loop) for loop in "bmnk"] == [35, 7, 0, 1]
    assert [right.coefficient(loop) for loop in "bmnk"] == [0, 0, 1, 9]
    assert op.results == (0, 1)
    assert [type(step) for step in op.body] == [Load, Load]


def test_linear_reads_its_weight_through_strides() -> None:
    program = loops(linear, noise(2, 784), noise(512, 784))
    (op,) = program.ops
    assert op.name == "linear/matmul"
    assert op.reads[1].index == Index(0, (Term(784, (("n", 1),)), Term(1, (("k", 1),))))


def test_keys_and_values_are_read_once_per_group() -> None:
    """C30: four query heads share a head of K; no expanded copy exists."""
    module, inputs = CASES["C30"]()
    program = loops(module, *inputs)
    scores, weighted = (op for op in program.ops if op.kind is OpKind.MATMUL)
    assert extents(scores) == {"b0": 2, "b1": 4, "m": 7, "n": 7, "k": 64}
    for op, name in ((scores, "inputs_1"), (weighted, "inputs_2")):
        assert op.reads[1].buffer == name
        assert op.reads[1].index.coefficient("b1") == 0
        assert op.reads[1].index.coefficient("b0") == 7 * 64
    assert max(buffer.elements for buffer in program.buffers) == 8 * 7 * 64


def test_a_contraction_of_length_one_stays_a_contraction() -> None:
    """C28."""
    module, inputs = CASES["C28"]()
    (op,) = loops(module, *inputs).ops
    assert (op.kind, extents(op), len(op.reads)) == (OpKind.MATMUL, {"m": 32, "n": 11}, 2)


def test_both_operands_of_a_contraction_stay_apart() -> None:
    (op,) = loops(lambda x: x @ x, noise(1, 1)).ops
    assert [read.buffer for read in op.reads] == ["inputs_0", "inputs_0"]
    assert op.results == (0, 1)


def test_a_constant_operand_of_a_contraction_is_stored() -> None:
    """C32: ones are made once, and the comparison is a number."""
    module, inputs = CASES["C32"]()
    program = loops(module, *inputs)
    assert names(program) == ["div", "ne", "cast", "ones/full", "matmul"]
    assert program.op_map["ones/full"].reads == ()
    assert [read.buffer for read in program.op_map["matmul"].reads] == ["cast", "ones/full"]


def test_convolution_pads_in_an_op_of_its_own() -> None:
    program = loops(lambda x, w: conv2d(x, w, padding=1, stride=2), noise(1, 3, 8, 8), noise(4, 3, 3, 3))
    padded, op = program.ops
    assert names(program) == ["conv/pad", "conv"]
    assert padded.masked(0)
    assert (op.kind, extents(op)) == (OpKind.CONV, {"o": 4, "y": 4, "x": 4, "c": 3, "ky": 3, "kx": 3})
    assert [op.reads[0].index.coefficient(loop) for loop in ("y", "x", "c", "ky", "kx")] == [20, 2, 100, 10, 1]


def test_depthwise_convolution_is_a_sum_of_products() -> None:
    program = loops(lambda x, w: conv2d(x, w, groups=8), noise(1, 8, 6, 6), noise(8, 1, 3, 3))
    (op,) = program.ops
    assert (op.kind, op.combine, primitives(op)) == (OpKind.REDUCTION, "sum", ["mul"])


# ---- types and functions


def test_half_precision_is_never_widened() -> None:
    def model(x: Tensor) -> tuple[Tensor, ...]:
        return nn.functional.gelu(x), silu(x), nn.functional.gelu(x, approximate="tanh"), x.mean(0), x.var(0)

    program = loops(model, noise(64, 64, dtype=HALF))
    steps = {step.dtype for op in program.ops for step in op.body}
    assert steps == {DType.F16}
    assert names(program)[:3] == ["gelu", "silu", "gelu.2"]
    assert [primitives(op) for op in program.ops[:3]] == [["gelu"], ["silu"], ["gelu_tanh"]]


def test_a_mean_is_a_sum_and_a_division() -> None:
    """C04 and C12: what is divided by is the number of elements, not of lanes."""
    module, inputs = CASES["C12"]()
    total, quotient = loops(module, *inputs).ops
    assert (total.name, quotient.name) == ("mean/sum", "mean/div")
    assert extents(total) == {"i": 3, "j": 7, "k": 9}
    assert Const(9.0, DType.F16) in quotient.body


def test_changes_of_type_are_ops_of_their_own() -> None:
    """C01: only a cast mixes widths."""
    module, inputs = CASES["C01"]()
    program = loops(module, *inputs)
    types = program.buffer_map
    mixed = [op.name for op in program.ops if len({types[access.buffer].dtype for access in (*op.reads, op.write)}) > 1]
    assert mixed == ["cast", "cast.2"]
    summed = loops(lambda x: (x > 0).sum(-1), noise(4, 8))
    assert names(summed) == ["gt", "sum/cast", "sum"]


# ---- values of loop counters


def test_a_causal_mask_is_part_of_the_op_that_uses_it() -> None:
    shape = (1, 2, 16, 8)
    program = loops(
        lambda q, k, v: scaled_dot_product_attention(q, k, v, is_causal=True), *[noise(*shape, dtype=HALF)] * 3
    )
    masked = program.op_map["sdpa/where"]
    assert [read.buffer for read in masked.reads] == ["sdpa/matmul"]
    assert primitives(masked) == ["le", "where"]
    assert Const(-math.inf, DType.F16) in masked.body
    assert all(buffer.dtype is DType.F16 for buffer in program.buffers)


def test_masks_built_from_counters_cost_no_buffers() -> None:
    """The mask that Hugging Face models build: triu of a full, times a comparison of positions, then a fill."""

    def model(x: Tensor, keep: Tensor) -> Tensor:
        size = x.shape[1]
        mask = torch.full((size, size), torch.finfo(HALF).min, dtype=HALF).triu(1)
        mask = mask * (torch.arange(size) > torch.arange(size).reshape(-1, 1))
        mask = mask[None, None].expand(x.shape[0], 1, -1, -1).clone()
        empty = (mask[:, :, :, :size] + keep[:, None, None, :]) == 0
        mask[:, :, :, :size] = mask[:, :, :, :size].masked_fill(empty, torch.finfo(HALF).min)
        return scaled_dot_product_attention(x[:, None], x[:, None], x[:, None], attn_mask=mask)

    program = loops(model, noise(2, 6, 8, dtype=HALF), torch.ones(2, 6, dtype=torch.int64))
    before = names(program)[: names(program).index("sdpa/mul")]
    assert before == ["add", "eq", "masked_fill/where"]
    assert all(op.reads for op in program.ops)
    made = program.op_map["add"].origin.nodes
    assert {"add", "full", "triu", "arange", "gt"} <= set(made)


def test_costly_functions_of_counters_are_stored() -> None:
    """A rotary table is computed once and read by each layer."""

    def model(x: Tensor, y: Tensor) -> Tensor:
        table = torch.cos(torch.arange(16)[:, None] * torch.arange(8) * 0.1).to(HALF)
        return x * table + y * table

    program = loops(model, noise(16, 8, dtype=HALF), noise(16, 8, dtype=HALF))
    assert names(program) == ["cos", "cast", "mul", "mul.2", "add"]
    assert any(isinstance(step, IndexValue) for step in program.ops[0].body)
    assert sum("cos" in primitives(op) for op in program.ops) == 1


# ---- views, copies, joins


def test_slices_are_offsets() -> None:
    """C18: every second row from row 1."""
    module, inputs = CASES["C18"]()
    (op,) = loops(module, *inputs).ops
    assert op.reads[0].index == Index(128, (Term(256, (("i", 1),)), Term(1, (("j", 1),))))


def test_padding_and_joining_have_one_writer_with_masked_reads() -> None:
    """C14."""
    module, inputs = CASES["C14"]()
    program = loops(module, *inputs)
    assert names(program) == ["pad", "add", "cat"]
    joined = program.op_map["cat"]
    assert [read.index.offset for read in joined.reads] == [0, -96]
    assert all(joined.masked(read) for read in range(2))
    assert all(len(op.writes) == 1 for op in program.ops)


def test_reshapes_of_dense_tensors_are_free() -> None:
    """C21."""
    module, inputs = CASES["C21"]()
    program = loops(module, *inputs)
    assert names(program) == ["add", "sum"]
    assert extents(program.op_map["sum"]) == {"i": 64, "j": 12}


def test_repeats_are_remainders() -> None:
    (op,) = loops(lambda x: x.repeat(2, 3), noise(4, 8)).ops
    assert op.reads[0].index == Index(0, (Term(8, (("i", 1),), 0, 1, 4), Term(1, (("j", 1),), 0, 1, 8)))


def test_look_ups_by_loop_counters_are_plain_reads() -> None:
    positions, rolled = loops(lambda x: (x[torch.arange(4)], x.roll(1, 0)), noise(6, 8)).ops
    assert positions.reads[0].index == Index(0, (Term(8, (("i", 1),)), Term(1, (("j", 1),))))
    assert rolled.reads[0].index == Index(0, (Term(1, (("j", 1),)), Term(8, (("i", 1),), 5, 1, 6)))
    assert [type(step) for step in (*positions.body, *rolled.body)] == [Load, Load]
    (outside,) = loops(lambda x: x[torch.arange(4) - 2], noise(6, 8)).ops
    assert [gather.size for gather in outside.reads[0].index.gathers] == [6]


def test_look_ups_gather() -> None:
    (op,) = loops(nn.Embedding(50, 16), numbers(50, 2, 5)).ops
    assert op.reads[1].index.gathers == (Gather(16, 0, 50),)
    assert op.reads[0].buffer == "input"
    assert isinstance(op.body[0], Load)
    assert op.body[0].dtype is DType.I64


def test_results_that_are_inputs_or_parts_of_them_are_views() -> None:
    program = loops(lambda x: (x, x.t(), x[1:]), noise(4, 6))
    assert program.ops == ()
    assert program.outputs == (
        OutputView("output.0", "inputs_0", (4, 6), (6, 1)),
        OutputView("output.1", "inputs_0", (6, 4), (1, 6)),
        OutputView("output.2", "inputs_0", (3, 6), (6, 1), 6),
    )


def test_results_that_read_nothing_are_stored() -> None:
    program = loops(lambda x: (torch.zeros(3), torch.arange(5), x + 1), noise(2))
    assert {op.name for op in program.ops if not op.reads} == {"zeros/full", "arange/iota"}


def test_what_nobody_reads_is_left_out() -> None:
    program = loops(lambda x, y: (x * 2, (x + y).sum())[0], noise(2), noise(2))
    assert names(program) == ["mul"]
    assert [buffer.name for buffer in program.buffers] == ["inputs_0", "mul"]


def test_gaps_and_overlaps_of_inputs_are_closed() -> None:
    program = loops(lambda x, y: x * y, noise(1, 4).expand(3, 4), noise(4, 3).t())
    assert [buffer.strides for buffer in program.buffers] == [(4, 1), (1, 3), (4, 1)]


# ---- state


def test_updates_in_place_are_results() -> None:
    class Counter(nn.Module):
        seen: Tensor

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("seen", torch.zeros(4))

        def forward(self, x: Tensor) -> Tensor:
            self.seen.add_(x.sum(0))
            return x * self.seen

    program = loops(Counter(), noise(3, 4))
    assert [(view.name, view.buffer) for view in program.outputs] == [("seen.updated", "add"), ("output", "mul")]
    assert program.buffer_map["seen"].kind is BufferKind.PARAMETER


def test_a_cache_is_updated_by_one_op() -> None:
    def model(cache: Tensor, row: Tensor) -> Tensor:
        cache[:, 3:4] = row
        return cache.sum(-1)

    program = loops(model, noise(2, 8, 4), noise(2, 1, 4))
    assert names(program) == ["copy/slice_scatter", "sum"]
    assert program.outputs[0].name == "inputs_0.updated"


# ---- opaque calls


def test_a_custom_operator_is_opaque() -> None:
    """C05: whole buffers in and out, and no loops."""
    module, inputs = CASES["C05"]()
    program = loops(module, *inputs)
    op = program.op_map["opaque"]
    assert (op.kind, op.loops, op.body, op.combine) == (OpKind.OPAQUE, (), (), "")
    assert (op.reads, op.writes) == ((Access("matmul", Index(0)),), (Access("opaque", Index(0)),))
    assert op.call is not None
    assert (op.call.target, op.call.arguments) == ("casebook.opaque.default", ('{"read": 0}',))
    assert op.origin.nodes == ("opaque",)


def test_the_indices_of_a_top_k_choose_rows() -> None:
    """C34."""
    module, inputs = CASES["C34"]()
    program = loops(module, *inputs)
    assert names(program) == ["cast", "topk", "index"]
    top = program.op_map["topk"]
    assert [write.buffer for write in top.writes] == ["topk.values", "topk.indices"]
    assert top.call is not None
    assert top.call.arguments == ('{"read": 0}', "16")
    assert program.op_map["index"].reads[1].index.gathers == (Gather(128, 0, 512),)


def test_an_opaque_call_gets_dense_tensors() -> None:
    program = loops(lambda x: x.t().sort(-1).values, noise(4, 6))
    assert names(program) == ["sort/copy", "sort"]
    assert program.op_map["sort/copy"].reads[0].index.coefficient("i") == 1


@pytest.mark.parametrize(
    ("call", "target"),
    [
        (lambda x: x.cumsum(-1), "aten.cumsum.default"),
        (lambda x: x.scatter(1, torch.zeros(4, 1, dtype=torch.int64), 1.0), "aten.scatter.value"),
        (torch.special.i0, "aten.i0.default"),
        (
            lambda x: torch.nn.functional.conv_transpose2d(x[None, None], x[:2, :2][None, None]),
            "aten.convolution.default",
        ),
    ],
)
def test_calls_without_loops_stay_calls(call: object, target: str) -> None:
    assert callable(call)
    program = loops(call, noise(4, 6))
    assert target in [op.call.target for op in program.ops if op.call]


def test_infinities_in_the_arguments_of_a_call_are_written_as_text() -> None:
    program = loops(lambda x: torch.histc(x, 4, -math.inf, 1.0), noise(8))
    (op,) = program.ops
    assert op.call is not None
    assert op.call.arguments[2] == '{"float": "-inf"}'


def test_checks_at_run_time_are_left_out() -> None:
    assert all("assert" not in name for name in names(loops(lambda i: one_hot(i, 7), numbers(7, 5))))


def test_origins_name_line_module_and_call() -> None:
    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.proj = nn.Linear(8, 8)

        def forward(self, x: Tensor) -> Tensor:
            return pad(torch.relu(self.proj(x)), (1, 1))

    found = captured(Block(), noise(4, 8))
    relu = found.program.op_map["relu"]
    assert names(found.program) == ["proj.linear/matmul", "proj.linear/add", "relu", "pad"]
    line = relu.origin.source
    assert line.startswith("test_lowering.py:")
    product = found.program.ops[0].origin
    assert (product.module, product.target, product.nodes) == ("proj", "aten.linear.default", ("linear",))
    assert product.source == line
    node = next(node for node in found.graph.nodes if node.name == "linear")
    assert (node.module, node.source, node.inputs) == ("proj", line, ("x", "p_proj_weight", "p_proj_bias"))
    padded = next(node for node in found.graph.nodes if node.target == "aten.pad.default")
    assert ("pad", "[1, 1]") in padded.attributes
