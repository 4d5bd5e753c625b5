"""The oracle itself: it lets good plans through, and sees each kind of harm on the smallest example."""

from dataclasses import replace

import pytest

from compiler.division import Division
from compiler.dtypes import DType
from compiler.layout import Arrangement, stick_layout
from compiler.problem import Problem
from tests.compiler.tiny import (
    HBM,
    buffer,
    copy,
    divided,
    graph_input,
    laid_out,
    layout_of,
    naive_plan,
    op,
    placed,
    program,
    slot,
    split,
    spyre,
)
from tests.compiler.tiny_problems import (
    ROW_BYTES,
    ROWS,
    chain,
    normed,
    product,
    resident_chain,
    turned,
    turned_plan,
)
from tests.oracle import judge


def words(problem: Problem, plan: object) -> str:
    return " / ".join(judge(problem, plan))  # type: ignore[arg-type]


def test_good_plans_do_no_harm() -> None:
    assert judge(*resident_chain()) == []
    assert judge(turned(64, 64), turned_plan(turned(64, 64))) == []
    assert judge(normed(), naive_plan(normed(), split(i=(4, 16)))) == []
    small = product(4, 128, 128)
    for division in (Division(), split(k=(2, 64), n=(2, 64)), split(m=(4, 1))):
        assert judge(small, naive_plan(small, division)) == []


def test_overlap_and_ownership_do_harm() -> None:
    problem, plan = resident_chain()
    late = placed(plan, a=slot(0, ROW_BYTES, 0, 2), b=slot(ROW_BYTES - 128, ROW_BYTES, 1, 2))
    assert "finds b instead of a" in words(problem, late)
    assert "holds nothing or other elements of b" in words(problem, divided(plan, to_y=split(i=(2, 32))))
    swapped = divided(plan, to_b=split(j=(2, 64), i=(2, 32)), to_a=split(i=(2, 32), j=(2, 64)))
    assert "holds nothing or other elements of a" in words(problem, swapped)
    small = placed(plan, a=slot(0, ROW_BYTES - 128, 0, 1))
    assert "beyond its slot or the budget" in words(problem, small)
    assert "is not on a stick" in words(problem, placed(plan, a=slot(64, ROW_BYTES, 0, 1), b=HBM))


def test_partial_and_repeated_work_does_harm() -> None:
    problem = chain()
    plan = naive_plan(problem)
    assert "a is not written exactly once" in words(problem, divided(plan, to_a=split(i=(4, 15))))
    assert "output out0 is not in device memory" in words(problem, placed(plan, y=slot(0, 64 * 256, 2, 2)))
    half = divided(plan, to_a=split(j=(4, 32)))
    assert "write one stick of a" in words(problem, half)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_lanes_that_do_not_meet(order: tuple[int, ...]) -> None:
    problem = turned(64, 64)
    plan = laid_out(naive_plan(problem), y=layout_of(problem.program.buffer_map["y"], order))
    assert "add: the lanes of" in words(problem, plan)


def test_width_changes_pair_with_arrangements() -> None:
    x, y, z = graph_input("x", 4, 96), buffer("y", 4, 96, dtype=DType.F32), buffer("z", 4, 96)
    extents = {"i": 4, "j": 96}
    ops = [op("up", "ij", extents, [(x, "ij")], (y, "ij")), op("down", "ij", extents, [(y, "ij")], (z, "ij"))]
    problem = Problem(program([x, y, z], ops, z), spyre(4))
    staggered = stick_layout(y.shape, y.strides, 32, None, Arrangement.F16_TO_F32)
    plan = naive_plan(problem)
    assert judge(problem, laid_out(plan, y=staggered)) == []
    assert "up: the lanes of x are not those of y" in words(problem, plan)
    wrong = stick_layout(z.shape, z.strides, 64, None, Arrangement.F32_TO_F16)
    assert "down: the lanes of y are not those of z" in words(problem, laid_out(plan, y=staggered, z=wrong))


def test_sparse_results_cannot_be_collected() -> None:
    problem = normed()
    m = problem.program.buffer_map["m"]
    plan = naive_plan(problem, edits=(copy("gather", "m", "m2", "spread"),), layouts={"m2": layout_of(m, (1, 0))})
    assert "gather: collects single elements of m" in words(problem, plan)
    dense = buffer("m", 64)
    total = replace(problem.program.ops[0], writes=(op("t", "i", ROWS, [], (dense, "i")).write,))
    x = problem.program.buffer_map["x"]
    alone = Problem(program([x, dense], [total], dense), spyre(4))
    assert "total: the lanes of x are not those of m" in words(alone, naive_plan(alone))


def test_copies_turn_sticks_where_they_stand_on_them() -> None:
    x, y = graph_input("x", 64, 72), buffer("y", 64, 64)
    clone = op("clone", "ij", {"i": 64, "j": 64}, [(x, "ij")], (y, "ij"))
    read = clone.reads[0]
    for offset, good in ((0, True), (8, False)):
        shifted = replace(read, index=replace(read.index, offset=offset))
        moved = replace(clone, reads=(shifted,), body=clone.body[:1], results=(0,))
        problem = Problem(program([x, y], [moved], y), spyre(4))
        found = words(problem, laid_out(naive_plan(problem), y=layout_of(y, (1, 0))))
        assert found == ("" if good else "clone: the lanes of x are not those of y")


def test_nobody_writes_zeros_into_lx() -> None:
    problem, plan = resident_chain()
    padded = stick_layout((64, 128), (128, 1), 64, padding=((0, 96),))
    assert "nobody writes the zeros of a into LX" in words(problem, laid_out(plan, a=padded))
    assert judge(problem, placed(laid_out(naive_plan(problem), a=padded), a=HBM)) == []
