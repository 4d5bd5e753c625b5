"""Sticks that cores touch, against counting them one by one; forms of access that are hard to take apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from compiler.dtypes import DType
from compiler.layout import UNIT, Arrangement, StickLayout, stick_layout
from compiler.loops import Apply, Const, Index, IndexValue, Instruction, Load, Loop, OpKind, Term
from compiler.program import DeviceOp, Program
from simulator.timing.conditions import Condition, conditions_of
from simulator.timing.pieces import MOST_PLACES, AccessForm, Ranges, pieces_of
from simulator.timing.reach import NOTHING, Reach, stick_strides
from tests.simulator.sketch import at, loops, pointwise
from tests.simulator.test_compiled_moves import compiled as moved
from tests.simulator.test_compiled_programs import compiled

I64 = DType.I64
MOST_COUNTED = 50_000


def counted(form: AccessForm, ranges: Ranges) -> tuple[int, float]:
    """Sticks and their mean run, found by looking at every iteration."""
    shape = [high - low for low, high in ranges]
    grid = dict(zip((loop.name for loop in form.loops), np.ix_(*(np.arange(*ends) for ends in ranges)), strict=True))
    offsets = np.broadcast_to(form.index.evaluate(grid), shape)
    happens = np.ones(shape, dtype=bool)
    for condition in form.conditions:
        happens &= condition.holds(grid)
    coordinates = form.layout.coordinates(offsets[happens])
    sticks = np.unique((coordinates * stick_strides(form.layout)[:, None]).sum(axis=0))
    return len(sticks), len(sticks) / (1 + int((np.diff(sticks) > 1).sum())) if len(sticks) else 0.0


def forms(program: Program) -> Iterator[tuple[AccessForm, DeviceOp]]:
    """All accesses of a program whose places follow from its loops."""
    tensors = program.tensor_map
    for step in (step for kernel in program.kernels for step in kernel.ops if step.op.kind is not OpKind.OPAQUE):
        for place, access in enumerate(step.op.accesses):
            conditions = conditions_of(step.op, place) if place < len(step.op.reads) else ()
            if not access.index.gathers:
                yield AccessForm(access.index, step.op.loops, tensors[access.buffer].layout, conditions), step


def agree(program: Program) -> int:
    """How many parts were looked at."""
    looked_at = 0
    for form, step in forms(program):
        reach = Reach(form)
        for ranges in dict.fromkeys(part.ranges for part in step.slices):
            if np.prod([high - low for low, high in ranges], dtype=np.float64) <= MOST_COUNTED:
                part = reach.part(ranges)
                assert (part.sticks, part.run) == pytest.approx(counted(form, ranges)), (step.name, form, ranges)
                looked_at += 1
    return looked_at


def test_random_programs_touch_what_counting_finds() -> None:
    programs = [compiled(seed)[1] for seed in range(16)] + [each.program for seed in range(12) if (each := moved(seed))]
    assert sum(agree(program) for program in programs if program) >= 700


def part(index: Index, nest: tuple[Loop, ...], layout: StickLayout, *ranges: tuple[int, int]) -> tuple[int, float]:
    """Sticks and run, after counting says the same."""
    form = AccessForm(index, nest, layout)
    found = Reach(form).part(ranges)
    assert (found.sticks, found.run) == pytest.approx(counted(form, ranges))
    return found.sticks, found.run


def test_runs_go_through_whole_dims() -> None:
    default, outer = stick_layout((512, 1024), (1024, 1), 64), stick_layout((512, 1024), (1024, 1), 64, (UNIT, 0, 1))
    index, nest = at("", i=1024, j=1).index, loops(i=512, j=1024)
    assert part(index, nest, default, (0, 16), (0, 1024)) == (256, 16.0)
    assert part(index, nest, default, (0, 512), (64, 256)) == (1536, 1536.0)
    assert part(index, nest, outer, (0, 16), (0, 1024)) == (256, 256.0)
    assert part(index, nest, outer, (0, 512), (0, 64)) == (512, 1.0)
    assert part(at("", i=2048, j=1).index, loops(i=256, j=1024), outer, (0, 256), (0, 1024)) == (4096, 16.0)


def test_a_slice_that_begins_within_a_stick_carries() -> None:
    layout = stick_layout((8, 256), (256, 1), 64)
    assert part(at("", offset=32, i=256, j=1).index, loops(i=8, j=128), layout, (0, 8), (0, 128)) == (24, 24.0)
    assert part(at("", offset=32, i=256, j=1).index, loops(i=8, j=128), layout, (0, 4), (64, 128)) == (8, 4.0)


def test_windows_overlap_and_loops_fold_into_one_dim() -> None:
    layout = stick_layout((32, 64), (64, 1), 64)
    windows = at("", y=128, k=64, c=1).index
    assert part(windows, loops(y=15, k=3, c=64), layout, (0, 5), (0, 3), (0, 64)) == (11, 11.0)
    flat = Index(0, (Term(64, (("t", 1),), 0, 4), Term(1, (("t", 1),), 0, 1, 4), Term(4, (("c", 1),))))
    assert part(flat, loops(t=128, c=16), layout, (3, 9), (0, 16)) == (3, 3.0)
    mixed = Index(0, (Term(64, (("t", 1), ("u", 3)), 0, 2, 16), Term(1, (("c", 1),))))
    part(mixed, loops(t=8, u=9, c=64), layout, (2, 7), (1, 5), (0, 64))


def test_sticks_that_a_cast_interleaves() -> None:
    wide = stick_layout((4, 128), (128, 1), 32, None, Arrangement.F16_TO_F32)
    part(at("", i=128, j=1).index, loops(i=4, j=128), wide, (0, 2), (0, 64))
    narrow = stick_layout((4, 128), (128, 1), 64, None, Arrangement.F32_TO_F16)
    part(at("", i=128, a=16, b=1).index, loops(i=4, a=8, b=16), narrow, (0, 2), (3, 6), (0, 16))
    part(at("", offset=64, i=128, a=8, b=1).index, loops(i=4, a=8, b=8), wide, (0, 4), (2, 5), (0, 8))


def test_sparse_tensors_have_one_element_per_stick() -> None:
    sparse = stick_layout((512,), (1,), 64, (0, -1))
    assert part(at("", i=1).index, loops(i=512), sparse, (16, 48)) == (32, 32.0)


def test_equal_parts_have_equal_numbers() -> None:
    reach = Reach(AccessForm(at("", j=1).index, loops(i=8, j=256), stick_layout((256,), (1,), 64)))
    one, same, other = (reach.part(ranges) for ranges in (((0, 4), (0, 128)), ((4, 8), (0, 128)), ((0, 4), (128, 256))))
    assert one.number == same.number != other.number
    within = reach.part(((0, 4), (0, 100)))
    assert within.number == one.number, "the same sticks, though fewer elements"
    assert reach.part(((0, 0), (0, 128))) == NOTHING


def test_padding_goes_with_the_last_row() -> None:
    layout = stick_layout((100, 64), (64, 1), 64, padding=((0, 128),))
    form = AccessForm(at("", i=64, j=1).index, loops(i=100, j=64), layout)
    assert Reach(form, filled=True).part(((0, 50), (0, 64))).sticks == 50
    last = Reach(form, filled=True).part(((50, 100), (0, 64)))
    assert (last.sticks, last.run) == (78, 78.0)
    assert Reach(form).part(((50, 100), (0, 64))).sticks == 50
    single = stick_layout((1, 64), (64, 1), 64, padding=((0, 64),))
    assert Reach(AccessForm(at("", j=1).index, loops(j=64), single), filled=True).part(((0, 64),)).sticks == 64


def where(*, low: int, pad: int) -> Condition:
    """low <= y + k - pad and y + k - pad < 16."""
    window = IndexValue(Index(-pad, (Term(1, (("y", 1),)), Term(1, (("k", 1),)))), I64)
    body: tuple[Instruction, ...] = (
        window,
        Const(low, I64),
        Apply("ge", (0, 1), DType.BOOL),
        Const(16, I64),
        Apply("lt", (0, 3), DType.BOOL),
        Apply("logical_and", (2, 4), DType.BOOL),
    )
    return Condition(body, 5, frozenset({"y", "k"}))


def test_windows_that_begin_before_the_tensor() -> None:
    layout = stick_layout((16, 64), (64, 1), 64)
    index = Index(-64, (Term(64, (("y", 1),)), Term(64, (("k", 1),)), Term(1, (("c", 1),))))
    form = AccessForm(index, loops(y=16, k=3, c=64), layout, (where(low=0, pad=1),))
    for rows, sticks in (((0, 4), 5), ((4, 8), 6), ((12, 16), 5)):
        ranges = (rows, (0, 3), (0, 64))
        assert Reach(form).part(ranges).sticks == sticks == counted(form, ranges)[0]
    never = AccessForm(index, loops(y=16, k=3, c=64), layout, (where(low=99, pad=1),))
    assert Reach(never).part(((0, 16), (0, 3), (0, 64))) == NOTHING
    assert pieces_of(never) is None


def test_a_mask_in_memory_restricts_nothing() -> None:
    body = (Load(0, DType.BOOL), Load(1, DType.F16, 0))
    op = pointwise("m", loops(i=8), (at("b", i=1), at("x", i=1)), at("y", i=1), body)
    assert conditions_of(op, 1) == ()
    twice = (*body, Load(1, DType.F16))
    assert conditions_of(pointwise("m", loops(i=8), op.reads, at("y", i=1), twice), 1) == ()


def test_what_is_too_large_to_spell_out_is_seen_from_afar() -> None:
    side = 2 * int(MOST_PLACES**0.5)
    layout = stick_layout((side, side), (side, 1), 64)
    folded = Index(0, (Term(1, (("i", side), ("j", 1)), 0, 1, side * side),))
    form = AccessForm(folded, loops(i=side, j=side), layout)
    whole = Reach(form).part(((0, side), (0, side)))
    assert whole.sticks == layout.sticks
    some = Reach(form).part(((0, side // 4), (0, side)))
    assert layout.sticks // 4 <= some.sticks <= layout.sticks // 4 * 1.01
