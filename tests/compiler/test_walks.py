"""Walks, masks and boxes at their limits: masks, gathers, overflow, divisions, sizes of the largest loops."""

import time

import numpy as np
import pytest

from compiler.coordinates import boxes, core_boxes, core_ranges, depends_on, lane_loops, stick_columns
from compiler.division import Division, Split
from compiler.dtypes import DType
from compiler.layout import Arrangement, stick_layout
from compiler.loops import Access, Buffer, BufferKind, Gather, Index, Load, Loop, LoopOp, LoopProgram, OpKind, Term
from compiler.masks import mask_ranges
from compiler.operands import sparse_layout
from compiler.walks import hull, walk_of
from tests.compiler.test_coordinates import buffer_of, copy_of, plain
from tests.sketch import Sketch


def only(program: LoopProgram) -> tuple[LoopOp, Buffer]:
    """The first op and the buffer it reads first."""
    op = program.ops[0]
    return op, program.buffer_map[op.reads[0].buffer]


def padded(before: int, after: int) -> tuple[LoopOp, Buffer]:
    sketch = Sketch()
    sketch.pad(sketch.input("x", 3, 96), before, after)
    return only(sketch.program())


@pytest.mark.parametrize(("before", "after"), [(0, 32), (32, 0), (64, 7)])
def test_a_mask_limits_its_loop_to_the_elements_there_are(before: int, after: int) -> None:
    op, x = padded(before, after)
    assert mask_ranges(op, 0) == {"j": (before, before + 96)}
    walk = walk_of(op, op.reads[0], x)
    assert walk.known
    assert [hull(walk, dim) for dim in range(2)] == [(0, 2), (0, 95)]


def test_a_masked_core_reads_its_share_and_no_more() -> None:
    op, x = padded(64, 32)
    layout = stick_layout(x.shape, x.strides, 64)
    division = Division((Split("j", 3, 64),))
    box = core_boxes(op, op.reads[0], x, layout, division)
    assert box.start.tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 0]]
    assert box.size.tolist() == [[0, 0, 0], [1, 3, 64], [1, 3, 64]]
    assert not box.exact.any()


def test_windows_that_hang_over_the_edge_are_cut_at_it() -> None:
    sketch = Sketch()
    sketch.conv2d(sketch.input("x", 1, 3, 4, 4), sketch.parameter("w", 2, 3, 3, 3), padding=1)
    op, x = only(sketch.program())
    walk = walk_of(op, op.reads[0], x)
    assert walk.known
    assert walk.clipped
    layout = stick_layout(x.shape, x.strides, 64, (0, 2, 3, 1))
    assert lane_loops(walk, layout) == {"c"}
    box = core_boxes(op, op.reads[0], x, layout, Division((Split("y", 2, 2),)))
    rows = layout.device_size.index(4)
    assert box.start[:, rows].tolist() == [0, 1]
    assert box.size[:, rows].tolist() == [3, 3]


def test_a_window_over_a_single_row_stands_still() -> None:
    """With padding around one row only the middle of the window meets it, so no window loop moves."""
    sketch = Sketch()
    sketch.conv2d(sketch.input("x", 1, 3, 1, 1), sketch.parameter("w", 2, 3, 3, 3), padding=1)
    op, x = only(sketch.program())
    walk = walk_of(op, op.reads[0], x)
    assert walk.known
    assert hull(walk, 1) == (0, 2)
    assert mask_ranges(op, 0) == {"r": (1, 2), "s": (1, 2)}


def test_a_mask_on_data_limits_nothing() -> None:
    op, x = padded(0, 32)
    data = (Load(0, DType.F16), Load(0, DType.F16, mask=0))
    free = LoopOp(op.name, op.kind, "", op.loops, op.reads, op.writes, data, (1,), op.origin)
    assert mask_ranges(free, 0) == {}
    assert not walk_of(op, op.writes[0], Buffer("pad", DType.F16, (3, 128), (128, 1), x.kind)).masked


def test_a_gathered_dim_counts_as_walked_whole() -> None:
    sketch = Sketch()
    table, chosen = sketch.input("table", 10, 128), sketch.input("chosen", 4, dtype=DType.I64)
    sketch.rows_of(table, chosen)
    program = sketch.program()
    op, buffer = program.ops[0], program.buffer_map["table"]
    layout = stick_layout(buffer.shape, buffer.strides, 64)
    box = core_boxes(op, op.reads[1], buffer, layout, Division((Split("i", 4, 1), Split("j", 2, 64))))
    assert box.size.tolist() == [[1, 10, 64]] * 8
    assert box.start[:, 0].tolist() == [0] * 4 + [1] * 4
    assert not box.exact.any()
    walk = walk_of(op, op.reads[1], buffer)
    assert depends_on(walk, "i"), "the loop chooses the row"
    assert lane_loops(walk, layout) == {"j"}
    assert lane_loops(walk, stick_layout(buffer.shape, buffer.strides, 64, (1, 0))) == {""}


def test_flattened_heads_are_taken_apart() -> None:
    """Index k // 64 selects the head, k % 64 the lane: what a reshape of transposed heads reads."""
    x = buffer_of(8, 32, 64)
    terms = (Term(64, (("s", 1),)), Term(2048, (("k", 1),), 0, 64, 0), Term(1, (("k", 1),), 0, 1, 64))
    op = copy_of(Index(0, terms), s=32, k=512)
    walk = walk_of(op, op.reads[0], x)
    assert walk.known
    layout = stick_layout(x.shape, x.strides, 64)
    assert lane_loops(walk, layout) == {"k"}
    box = core_boxes(op, op.reads[0], x, layout, Division((Split("k", 4, 128),)))
    assert box.exact.all()
    assert box.start.tolist() == [[0, 0, 0, 0], [0, 0, 2, 0], [0, 0, 4, 0], [0, 0, 6, 0]]
    assert box.size.tolist() == [[32, 1, 2, 64]] * 4


def test_an_index_beyond_its_buffer_is_not_resolved() -> None:
    op = copy_of(plain(0, i=64, j=1), i=5, j=64)
    walk = walk_of(op, op.reads[0], buffer_of(4, 64))
    assert not walk.known
    layout = stick_layout((4, 64), (64, 1), 64)
    assert lane_loops(walk, layout) == {"i", "j", ""}
    box = boxes(walk, layout, core_ranges(op.loops, Division()))
    assert box.size.tolist() == [[1, 4, 64]]
    assert not box.exact.any()


def test_a_tie_of_huge_loops_is_not_resolved() -> None:
    size = 1 << 13
    term = Term(1, (("i", size), ("j", 1)), 0, 3, size)
    op = copy_of(Index(0, (term,)), i=size, j=size)
    assert not walk_of(op, op.reads[0], buffer_of(size)).known


def test_the_shares_of_a_division() -> None:
    """Two rows by two halves of three sticks: the first split varies fastest, the last stick is partly filled."""
    x = buffer_of(4, 150)
    op = copy_of(plain(0, i=150, j=1), i=4, j=150)
    layout = stick_layout(x.shape, x.strides, 64)
    box = core_boxes(op, op.reads[0], x, layout, Division((Split("i", 2, 2), Split("j", 3, 64))))
    assert box.start.tolist() == [[0, 0, 0], [0, 2, 0], [1, 0, 0], [1, 2, 0], [2, 0, 0], [2, 2, 0]]
    assert box.size.tolist() == [[1, 2, 64]] * 6
    assert box.exact.all()
    assert box.bytes.tolist() == [256] * 6


def test_half_a_stick_is_not_a_whole_share() -> None:
    x = buffer_of(4, 128)
    op = copy_of(plain(0, i=128, j=1), i=4, j=128)
    box = core_boxes(op, op.reads[0], x, stick_layout(x.shape, x.strides, 64), Division((Split("j", 4, 32),)))
    assert box.start[:, 0].tolist() == [0, 0, 1, 1]
    assert not box.exact.any()


def test_every_other_row_is_not_a_whole_share() -> None:
    x = buffer_of(8, 64)
    op = copy_of(plain(0, i=128, j=1), i=4, j=64)
    box = core_boxes(op, op.reads[0], x, stick_layout(x.shape, x.strides, 64), Division())
    assert box.size.tolist() == [[1, 7, 64]]
    assert not box.exact.any()


def test_staggered_sticks_are_shared_in_pairs() -> None:
    x = buffer_of(4, 128, dtype=DType.F32)
    op = copy_of(plain(0, i=128, j=1), i=4, j=128)
    layout = stick_layout(x.shape, x.strides, 32, None, Arrangement.F16_TO_F32)
    assert stick_columns(layout) == 64
    pairs = core_boxes(op, op.reads[0], x, layout, Division((Split("j", 2, 64),)))
    assert pairs.exact.all()
    assert pairs.size[:, 0].tolist() == [2, 2]
    single = core_boxes(op, op.reads[0], x, layout, Division((Split("j", 4, 32),)))
    assert not single.exact.any()
    assert single.size[:, 0].tolist() == [2, 2, 2, 2]


def test_a_sparse_result_has_a_box_of_its_rows() -> None:
    x = buffer_of(512)
    op = copy_of(plain(0, i=1), i=512)
    box = core_boxes(op, op.reads[0], x, sparse_layout(x, 64), Division((Split("i", 32, 16),)))
    assert box.exact.all()
    assert box.size.tolist() == [[1, 16, 64]] * 32
    assert box.bytes.tolist() == [16 * 128] * 32


def test_a_scalar_and_an_empty_tensor() -> None:
    scalar = Buffer("x", DType.F16, (), (), BufferKind.INPUT)
    op = copy_of(Index(0), i=4)
    box = core_boxes(op, op.reads[0], scalar, stick_layout((), (), 64), Division((Split("i", 4, 1),)))
    assert box.size.tolist() == [[1, 64]] * 4
    assert box.exact.all()
    empty = buffer_of(0, 64)
    op = copy_of(plain(0, i=64, j=1), i=0, j=64)
    assert not core_boxes(op, op.reads[0], empty, stick_layout((0, 64), (64, 1), 64), Division()).exact.any()


def test_an_operand_without_a_split_loop_is_whole_on_every_core() -> None:
    x = buffer_of(64)
    op = LoopOp(
        "op", OpKind.POINTWISE, "", (Loop("i", 8), Loop("j", 64)), (Access("x", plain(0, j=1)),),
        (Access("y", plain(0, i=64, j=1)),), (Load(0, DType.F16),), (0,), copy_of(Index(0)).origin,
    )  # fmt: skip
    box = core_boxes(op, op.reads[0], x, stick_layout((64,), (1,), 64), Division((Split("i", 8, 1),)))
    assert box.size.tolist() == [[1, 64]] * 8
    assert box.exact.all()


def test_the_largest_loops_take_no_time() -> None:
    """65,535 rows and a flattened read of a million elements, on 32 cores."""
    x = buffer_of(4, 256, 1024)
    op = copy_of(plain(0, k=1), k=4 * 256 * 1024)
    big = buffer_of(65535, 4096)
    rows = copy_of(plain(0, i=4096, j=1), i=65535, j=4096)
    started = time.perf_counter()
    flat = core_boxes(op, op.reads[0], x, stick_layout(x.shape, x.strides, 64), Division((Split("k", 32, 1 << 15),)))
    wide = core_boxes(
        rows, rows.reads[0], big, stick_layout(big.shape, big.strides, 64), Division((Split("i", 15, 4369),))
    )
    assert time.perf_counter() - started < 5
    assert flat.exact.all()
    assert flat.bytes.tolist() == [1 << 16] * 32
    assert wide.exact.all()
    assert int(wide.size[:, 1].sum()) == 65535


def test_gathers_of_two_values() -> None:
    x = buffer_of(5, 6, 64)
    index = Index(0, (Term(1, (("j", 1),)),), (Gather(384, 0, 5), Gather(64, 1, 6)))
    body = (Load(0, DType.I64), Load(1, DType.I64), Load(2, DType.F16))
    reads = (Access("a", plain(0, i=1)), Access("b", plain(0, i=1)), Access("x", index))
    writes = (Access("y", plain(0, i=64, j=1)),)
    op = LoopOp(
        "op", OpKind.POINTWISE, "", (Loop("i", 3), Loop("j", 64)), reads, writes, body, (2,), copy_of(Index(0)).origin
    )
    walk = walk_of(op, reads[2], x)
    assert walk.chosen_by == {"i"}
    box = boxes(walk, stick_layout(x.shape, x.strides, 64), core_ranges(op.loops, Division()))
    assert box.size.tolist() == [[6, 1, 5, 64]]
    assert np.array_equal(box.exact, [False])
