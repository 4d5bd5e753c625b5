"""Tails of contractions: behind the last row of the right operand there must be as many rows of zeros as are read."""

from dataclasses import replace

import pytest

from compiler.check import check, check_partial
from compiler.checks.case import FIELDS
from compiler.dtypes import DType
from compiler.layout import UNIT, StickLayout, stick_layout
from compiler.loops import (
    Access,
    Apply,
    Buffer,
    BufferKind,
    Const,
    Gather,
    Index,
    IndexValue,
    Load,
    LoopOp,
    OpKind,
    Term,
)
from compiler.plan import Edit, EditKind, Plan
from compiler.problem import Problem
from tests.compiler.legality_oracle import plan_faults
from tests.compiler.tiny import buffer, failed, graph_input, laid_out, naive_plan, op, program, spyre
from tests.oracle import judge

PARAMETER = BufferKind.PARAMETER


def weight(*shape: int, dtype: DType = DType.F16, kind: BufferKind = PARAMETER) -> Buffer:
    return buffer("w", *shape, dtype=dtype, kind=kind)


def product(w: Buffer, letters: str = "kn", k: int = 100, n: int = 3, offset: int = 0) -> Problem:
    """y[m, n] = sum over k of a[m, k] * w, which is read by `letters`, `offset` elements further."""
    a, y = graph_input("a", 2, k, dtype=w.dtype), buffer("y", 2, n, dtype=w.dtype)
    extents = {"m": 2, "n": n, "k": k}
    multiply = op("multiply", "mnK", extents, [(a, "mk"), (w, letters)], (y, "mn"), OpKind.MATMUL, "sum")
    right = replace(multiply.reads[1], index=replace(multiply.reads[1].index, offset=offset))
    return Problem(program([a, w, y], [replace(multiply, reads=(multiply.reads[0], right))], y), spyre(4))


def padded(w: Buffer, dim: int, size: int, order: tuple[int, ...] | None = None) -> StickLayout:
    return stick_layout(w.shape, w.strides, spyre().lanes(w.dtype), order, padding=((dim, size),))


def opinions(problem: Problem, plan: Plan) -> tuple[dict[str, str], bool, bool]:
    """What the checker says, and whether the two oracles find nothing wrong."""
    return failed(check(problem, plan)), not plan_faults(problem, plan, finished=True), not judge(problem, plan)


GOOD: tuple[dict[str, str], bool, bool] = ({}, True, True)


def bad(words: str) -> tuple[dict[str, str], bool, bool]:
    return {"padding": f"multiply: {words}"}, False, False


@pytest.mark.parametrize(
    ("dtype", "k", "size", "whole"),
    [(DType.F16, 100, 128, 128), (DType.F32, 100, 128, 128), (DType.F32, 33, 64, 64), (DType.I8, 100, 128, 128)],
)
def test_zeros_reach_to_the_end_of_the_stick(dtype: DType, k: int, size: int, whole: int) -> None:
    w = weight(k, 3, dtype=dtype)
    problem = product(w, k=k)
    plain, lanes = naive_plan(problem), spyre().lanes(dtype)
    assert opinions(problem, laid_out(plain, w=padded(w, 0, size))) == GOOD
    assert opinions(problem, laid_out(plain, w=padded(w, 0, size + 5, (UNIT, 0, 1)))) == GOOD
    ends = f"k of {k} ends within a stick of {lanes} of a, and w has"
    missing = f"rows in dim 0 where {whole} are read: zeros are missing"
    assert opinions(problem, plain) == bad(f"{ends} {k} {missing}")
    assert opinions(problem, laid_out(plain, w=padded(w, 0, size - 1))) == bad(f"{ends} {size - 1} {missing}")


def test_whole_sticks_have_no_tail() -> None:
    problem = product(weight(128, 3), k=128)
    assert opinions(problem, naive_plan(problem)) == GOOD


def test_what_does_not_follow_the_reduced_loop_has_no_rows() -> None:
    problem = product(weight(3), "n")
    assert opinions(problem, naive_plan(problem)) == GOOD


def test_unfinished_plans_are_not_judged_yet() -> None:
    problem = product(weight(100, 3))
    assert failed(check_partial(problem, naive_plan(problem), FIELDS)) == {}
    assert plan_faults(problem, naive_plan(problem)) == []


def test_a_copy_of_an_input_is_padded() -> None:
    w = weight(100, 3, kind=BufferKind.INPUT)
    problem = product(w)
    assert list(opinions(problem, naive_plan(problem))[0]) == ["padding"]
    edit = Edit("fill", EditKind.PAD, "w", "w2", "multiply", ("multiply",))
    plan = naive_plan(problem, layouts={"w2": padded(w, 0, 128)}, edits=(edit,))
    assert opinions(problem, plan) == GOOD


def test_other_dims_need_no_zeros() -> None:
    w = weight(3, 100, 3)
    problem = product(w, ".kn", offset=2 * 300)
    assert opinions(problem, laid_out(naive_plan(problem), w=padded(w, 1, 128))) == GOOD
    words = "k of 100 ends within a stick of 64 of a, and w has 100 rows in dim 1 where 128 are read: zeros are missing"
    assert opinions(problem, laid_out(naive_plan(problem), w=padded(w, 0, 128))) == bad(words)


@pytest.mark.parametrize(("first", "good"), [(20, True), (19, False), (0, False)])
def test_the_last_row_is_the_last_of_the_tensor(first: int, good: bool) -> None:
    w = weight(120, 3)
    problem = product(w, offset=first * 3)
    plan = laid_out(naive_plan(problem), w=padded(w, 0, 148))
    end = first + 100
    words = f"is read up to row {end - 1} of dim 0, behind which there is no zero but row {end} of 120"
    assert opinions(problem, plan) == (GOOD if good else bad(f"k of 100 ends within a stick of 64 of a, and w {words}"))
    short = opinions(problem, laid_out(naive_plan(problem), w=padded(w, 0, 147)))
    assert short[0]
    assert not short[1]


def indexed(w: Buffer, index: Index, k: int = 100) -> Problem:
    """The product with any index of w."""
    problem = product(w, "." * len(w.shape), k)
    (multiply,) = problem.program.ops
    reads = (multiply.reads[0], Access("w", index))
    return replace(problem, program=replace(problem.program, ops=(replace(multiply, reads=reads),)))


N = Term(1, (("n", 1),))


@pytest.mark.parametrize(
    ("shape", "index", "words"),
    [
        ((5, 20, 3), Index(0, (Term(3, (("k", 1),)), N)), "follows k along the dims 0 and 1"),
        (
            (199, 3),
            Index(0, (Term(6, (("k", 1),)), N)),
            "moves along dim 0 by other than one row per iteration of k",
        ),
        ((101, 3), Index(0, (Term(3, (("k", 1),)), Term(3, (("m", 1),)), N)), "moves along dim 0 by other than one"),
        ((50, 3), Index(0, (Term(3, (("k", 1),), 0, 2), N)), "moves along dim 0 by other than one row"),
        ((100, 3), Index(297, (Term(-3, (("k", 1),)), N)), "moves along dim 0 by other than one row"),
        ((50, 3), Index(0, (Term(3, (("k", 1),), 0, 1, 50), N)), "moves along dim 0 by other than one row"),
    ],
)
def test_rows_are_walked_one_by_one(shape: tuple[int, ...], index: Index, words: str) -> None:
    w = weight(*shape)
    problem = indexed(w, index)
    long = stick_layout(w.shape, w.strides, 64, padding=tuple((dim, 256) for dim in range(len(shape) - 1)))
    found, legal, _ = opinions(problem, laid_out(naive_plan(problem), w=long))
    assert f"multiply: k of 100 ends within a stick of 64 of a, and w {words}" in found["padding"]
    assert not legal


def test_rows_that_data_choose_have_no_end() -> None:
    w = weight(100, 3)
    problem = product(w)
    (multiply,) = problem.program.ops
    steps = (
        IndexValue(Index(0, (Term(1, (("k", 1),)),)), DType.I64),
        Const(1, DType.I64),
        Apply("mul", (2, 3), DType.I64),
    )
    gathered = Access("w", Index(0, (N,), (Gather(3, 4, 100),)))
    other = replace(multiply, reads=(multiply.reads[0], gathered), body=(*multiply.body, *steps))
    problem = replace(problem, program=replace(problem.program, ops=(other,)))
    found = failed(check(problem, laid_out(naive_plan(problem), w=padded(w, 0, 128, (UNIT, 0, 1)))))
    words = "and w follows k only through what it gathers, where no rows of zeros can be added"
    assert found == {"padding": f"multiply: k of 100 ends within a stick of 64 of a, {words}"}


def test_rows_read_under_a_mask_are_not_all_there() -> None:
    w = weight(100, 3)
    problem = product(w)
    (multiply,) = problem.program.ops
    at = IndexValue(Index(0, (Term(1, (("k", 1),)),)), DType.I64)
    mask = (at, Const(50, DType.I64), Apply("ge", (0, 1), DType.BOOL))
    other = replace(multiply, body=(*mask, Load(0, w.dtype), Load(1, w.dtype, mask=2)), results=(3, 4))
    problem = replace(problem, program=replace(problem.program, ops=(other,)))
    found, legal, _ = opinions(problem, laid_out(naive_plan(problem), w=padded(w, 0, 128)))
    assert "and w is not read in every iteration of k" in found["padding"]
    assert not legal


def convolution(channels: int) -> tuple[Problem, Buffer]:
    """y[o, x] = sum over c and t of a[x + t, c] * w[t, c, o]."""
    a, w, y = graph_input("a", 3, channels), weight(2, channels, 3), buffer("y", 2, 3)
    extents = {"x": 2, "o": 3, "t": 2, "c": channels}
    conv: LoopOp = op("conv", "xoTC", extents, [(a, "xc"), (w, "tco")], (y, "xo"), OpKind.CONV, "sum")
    around = Index(0, (*conv.reads[0].index.terms, Term(channels, (("t", 1),))))
    conv = replace(conv, reads=(replace(conv.reads[0], index=around), conv.reads[1]))
    return Problem(program([a, w, y], [conv], y), spyre(4)), w


@pytest.mark.parametrize("channels", [3, 64, 65])
def test_channels_of_a_convolution(channels: int) -> None:
    problem, w = convolution(channels)
    whole = -(-channels // 64) * 64
    found, legal, harmless = opinions(problem, naive_plan(problem))
    assert (found == {}) == legal == harmless == (channels == whole)
    if channels < whole:
        assert f"w has {channels} rows in dim 1 where {whole} are read" in found["padding"]
        assert opinions(problem, laid_out(naive_plan(problem), w=padded(w, 1, whole))) == GOOD
