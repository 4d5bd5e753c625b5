"""Copies: those that turn sticks on their own, kinds of inserted ones that must tell the truth, and pinned orders."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.check import check, check_partial
from compiler.dtypes import DType
from compiler.layout import SPARSE, UNIT, Arrangement, StickLayout, stick_layout
from compiler.loops import Apply, Buffer, BufferKind, Const, IndexValue, Instruction, Load, LoopOp
from compiler.pins import Pins, PinState, PinStatus
from compiler.plan import HOMEWARD, Edit, EditKind, Plan
from compiler.problem import Problem
from tests.compiler.tiny import (
    buffer,
    divided,
    failed,
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
from tests.compiler.tiny_problems import among, chain, only
from tests.oracle import judge

SQUARE = {"i": 128, "j": 192}


def moved(op_: LoopOp) -> LoopOp:
    """The op of one operand without its arithmetic."""
    load = op_.body[0]
    assert isinstance(load, Load)
    return replace(op_, body=(load,), results=(0,))


def clone(source: Buffer, target: Buffer, letters: str = "ij", offset: int = 0) -> Problem:
    """target[i, j] = source read by `letters`, `offset` elements further; no arithmetic."""
    copy_ = moved(op("clone", "ij", SQUARE, [(source, letters)], (target, "ij")))
    read = replace(copy_.reads[0], index=replace(copy_.reads[0].index, offset=offset))
    return Problem(program([source, target], [replace(copy_, reads=(read,))], target), spyre(4))


def squares(dtype: DType = DType.F16) -> tuple[Buffer, Buffer]:
    return graph_input("x", 128, 192, dtype=dtype), buffer("y", 128, 192, dtype=dtype)


@pytest.mark.parametrize("order", [(1, 0), (UNIT, 1, 0), (0, 1)])
@pytest.mark.parametrize("dtype", [DType.F16, DType.F32, DType.I8])
def test_a_copy_turns_sticks(order: tuple[int, ...], dtype: DType) -> None:
    x, y = squares(dtype)
    problem = clone(x, y)
    assert failed(check(problem, laid_out(naive_plan(problem), y=layout_of(y, order)))) == {}


def test_a_transpose_keeps_or_turns_sticks() -> None:
    x, y = graph_input("x", 192, 128), buffer("y", 128, 192)
    problem = clone(x, y, "ji")
    assert failed(check(problem, naive_plan(problem))) == {}
    assert failed(check(problem, laid_out(naive_plan(problem), y=layout_of(y, (1, 0))))) == {}


def test_each_side_stands_where_its_own_loop_does() -> None:
    x, y = graph_input("x", 128, 200), buffer("y", 128, 192)
    turned = layout_of(y, (1, 0))
    for offset, good in ((0, True), (8, False)):
        problem = clone(x, y, offset=offset)
        found = failed(check(problem, laid_out(naive_plan(problem), y=turned)))
        assert found == ({} if good else {"sticks": "clone: x starts at lane 8 of a stick"})


def test_both_loops_are_cut_between_sticks() -> None:
    x, y = squares()
    problem = clone(x, y)
    plan = laid_out(naive_plan(problem), y=layout_of(y, (1, 0)))
    assert failed(check(problem, divided(plan, clone=split(i=(2, 64))))) == {}
    assert failed(check(problem, divided(plan, clone=split(j=(3, 64))))) == {}
    words = only(problem, divided(plan, clone=split(i=(4, 32))), "sticks")
    assert words == "clone: i has 2 sticks of 64; 4 slots of 32 elements are not equal numbers of whole sticks"
    words = only(problem, divided(plan, clone=split(j=(2, 96))), "sticks")
    assert words == "clone: j has 3 sticks of 64; 2 slots of 96 elements are not equal numbers of whole sticks"


def test_a_copy_turns_what_its_core_holds() -> None:
    """The same rows on every core, out of LX and into LX."""
    x, y = squares()
    a, b = buffer("a", 128, 192), buffer("b", 128, 192)
    ops = [
        op("first", "ij", SQUARE, [(x, "ij")], (a, "ij")),
        moved(op("turn", "ij", SQUARE, [(a, "ij")], (b, "ij"))),
        op("last", "ij", SQUARE, [(b, "ij")], (y, "ij")),
    ]
    problem = Problem(program([x, a, b, y], ops, y), spyre(4))
    turned = {"b": layout_of(b, (1, 0)), "y": layout_of(y, (1, 0))}
    plan = naive_plan(problem, split(i=(2, 64)), turned)
    size = 64 * 192 * 2
    plan = placed(plan, a=slot(0, size, 0, 1), b=slot(size, size, 1, 2))
    assert failed(check(problem, plan)) == {}
    assert judge(problem, plan) == []
    words = among(problem, divided(plan, turn=split(j=(3, 64)), last=split(j=(3, 64))), "ownership")
    assert "a is in LX, but in turn (step 1) core 0 reads 8192 elements it does not all hold" in words


def added(op_: LoopOp) -> tuple[Instruction, ...]:
    return (*op_.body, Apply("neg", (0,), DType.F16))


def masked(op_: LoopOp) -> tuple[Instruction, ...]:
    mask = (IndexValue(op_.reads[0].index, DType.I64), Const(5, DType.I64), Apply("ge", (0, 1), DType.BOOL))
    return (*mask, Load(0, DType.F16, mask=2))


@pytest.mark.parametrize("body", [added, masked])
def test_what_is_more_than_a_copy_turns_nothing(body: Callable[[LoopOp], tuple[Instruction, ...]]) -> None:
    x, y = squares()
    problem = clone(x, y)
    (copy_,) = problem.program.ops
    steps = body(copy_)
    other = replace(copy_, body=steps, results=(len(steps) - 1,))
    problem = replace(problem, program=replace(problem.program, ops=(other,)))
    words = only(problem, laid_out(naive_plan(problem), y=layout_of(y, (1, 0))), "sticks")
    assert words == "clone: has sticks in two directions: x along j, y along i"


def test_a_cast_turns_nothing() -> None:
    x, y = graph_input("x", 128, 192), buffer("y", 128, 192, dtype=DType.BF16)
    problem = clone(x, y)
    words = only(problem, laid_out(naive_plan(problem), y=layout_of(y, (1, 0))), "sticks")
    assert words == "clone: has sticks in two directions: x along j, y along i"


def test_no_copy_collects_single_values() -> None:
    m, y = buffer("m", 128, 192), buffer("y", 128, 192)
    x = graph_input("x", 128, 192)
    first = op("first", "ij", SQUARE, [(x, "ij")], (m, "ij"))
    second = moved(op("second", "ij", SQUARE, [(m, "ij")], (y, "ij")))
    problem = Problem(program([x, m, y], [first, second], y), spyre(4))
    spread = laid_out(naive_plan(problem), m=layout_of(m, (0, 1, SPARSE)))
    assert "second: m changes along j without having its stick there" in among(problem, spread, "sticks")


# Kinds of inserted copies

PLAIN = stick_layout((64, 128), (128, 1), 64)


def inserted(kind: EditKind, target: StickLayout, source: StickLayout = PLAIN) -> tuple[Problem, Plan]:
    """The chain where to_b reads a copy of a with the given layouts."""
    problem = chain()
    edit = Edit("move", kind, "a", "a2", "to_b", ("to_b",))
    return problem, naive_plan(problem, layouts={"a": source, "a2": target}, edits=(edit,))


def rows(order: tuple[int, ...], padding: tuple[tuple[int, int], ...] = ()) -> StickLayout:
    return stick_layout((64, 128), (128, 1), 64, order, padding=padding)


@pytest.mark.parametrize(
    ("kind", "source", "target"),
    [
        (EditKind.REORDER, PLAIN, rows((UNIT, 0, 1))),
        (EditKind.REORDER, rows((UNIT, 0, 1)), PLAIN),
        (EditKind.REORDER, PLAIN, rows((UNIT, 0, 1), ((0, 96),))),
        (EditKind.PAD, PLAIN, rows((0, 1), ((0, 96),))),
    ],
)
def test_moves_that_are_what_they_are_called(kind: EditKind, source: StickLayout, target: StickLayout) -> None:
    assert failed(check(*inserted(kind, target, source))) == {}


@pytest.mark.parametrize("padding", [(), ((1, 192),)])
@pytest.mark.parametrize("order", [(1, 0), (UNIT, 1, 0)])
def test_a_restickify_may_reorder_and_pad_as_well(order: tuple[int, ...], padding: tuple[tuple[int, int], ...]) -> None:
    x, w, y = graph_input("x", 128, 64), graph_input("w", 64, 128), buffer("y", 128, 64)
    add = op("add", "ij", {"i": 128, "j": 64}, [(x, "ij"), (w, "ji")], (y, "ij"))
    problem = Problem(program([x, w, y], [add], y), spyre(4))
    edit = Edit("turn", EditKind.RESTICKIFY, "w", "w2", "add", ("add",))
    target = stick_layout((64, 128), (128, 1), 64, order, padding=padding)
    assert failed(check(problem, naive_plan(problem, layouts={"w2": target}, edits=(edit,)))) == {}


@pytest.mark.parametrize(
    ("kind", "target", "words"),
    [
        (
            EditKind.RESTICKIFY,
            PLAIN,
            "is a restickify, but both sides have sticks of 64 along dim 1, arranged standard",
        ),
        (EditKind.RESTICKIFY, rows((UNIT, 0, 1)), "is a restickify, but both sides have sticks of 64 along dim 1"),
        (EditKind.RESTICKIFY, rows((0, 1), ((0, 96),)), "is a restickify, but both sides"),
        (EditKind.REORDER, PLAIN, "is a reorder, but both sides have the dim order (0, 1)"),
        (EditKind.REORDER, rows((0, 1), ((0, 96),)), "is a reorder, but both sides have the dim order (0, 1)"),
        (EditKind.REORDER, rows((1, 0)), "is a reorder, but turns sticks of 64 along dim 1, arranged standard into"),
        (EditKind.PAD, PLAIN, "is a pad, but adds no zeros"),
        (EditKind.PAD, rows((UNIT, 0, 1), ((0, 96),)), "is a pad, but changes the dim order (0, 1) into (-2, 0, 1)"),
        (EditKind.PAD, rows((1, 0)), "is a pad, but turns sticks of 64 along dim 1"),
        (
            EditKind.PAD,
            rows((0, 1, SPARSE)),
            "is a pad, but turns sticks of 64 along dim 1, arranged standard into one",
        ),
    ],
)
def test_moves_that_are_something_else(kind: EditKind, target: StickLayout, words: str) -> None:
    assert f"move: {words}" in among(*inserted(kind, target), "sticks")


@pytest.mark.parametrize(("size", "good"), [(80, False), (96, False), (97, True)])
def test_a_pad_takes_nothing_away(size: int, good: bool) -> None:
    w, x, y = buffer("w", 64, 128, kind=BufferKind.PARAMETER), graph_input("x", 64, 128), buffer("y", 64, 128)
    add = op("add", "ij", {"i": 64, "j": 128}, [(w, "ij"), (x, "ij")], (y, "ij"))
    problem = Problem(program([w, x, y], [add], y), spyre(4))
    edit = Edit("fill", EditKind.PAD, "w", "w2", "add", ("add",))
    layouts = {"w": rows((0, 1), ((0, 96),)), "w2": rows((0, 1), ((0, size),))}
    found = failed(check(problem, naive_plan(problem, layouts=layouts, edits=(edit,))))
    clause = "adds no zeros" if size == 96 else "takes away zeros along dim 0, which is padded to 96"
    assert found == ({} if good else {"sticks": f"fill: is a pad, but {clause}"})


def test_changes_of_arrangement_are_restickifies() -> None:
    x, y, z = graph_input("x", 64, 128), buffer("y", 64, 128, dtype=DType.F32), buffer("z", 64, 128, dtype=DType.F32)
    extents = {"i": 64, "j": 128}
    ops = [op("up", "ij", extents, [(x, "ij")], (y, "ij")), op("neg", "ij", extents, [(y, "ij")], (z, "ij"))]
    problem = Problem(program([x, y, z], ops, z), spyre(4))
    staggered = stick_layout(y.shape, y.strides, 32, None, Arrangement.F16_TO_F32)
    for kind in EditKind:
        edit = Edit("plain", kind, "y", "y2", "neg", ("neg",))
        found = failed(check(problem, naive_plan(problem, layouts={"y": staggered}, edits=(edit,))))
        wanted = {"sticks"} if kind not in HOMEWARD else {"sticks", "ownership"}
        assert set(found) == (set() if kind is EditKind.RESTICKIFY else wanted), kind


# Pins


@pytest.mark.parametrize(("order", "good"), [((UNIT, 0, 1), True), ((0, 1), False)])
def test_a_pinned_order_that_is_called_honoured_is_in_the_plan(order: tuple[int, ...], good: bool) -> None:
    problem = replace(chain(), pins=Pins(order=frozendict({"a": (UNIT, 0, 1)})))
    status = frozendict({"order:a": PinStatus(PinState.HONOURED)})
    plan = replace(laid_out(naive_plan(problem), a=rows(order)), pins=status)
    words = "pin order:a is called honoured, but its dim order is (0, 1)"
    assert failed(check(problem, plan)) == ({} if good else {"pins": words})


def test_pinned_orders_have_a_status() -> None:
    problem = replace(chain(), pins=Pins(order=frozendict({"a": (UNIT, 0, 1)})))
    assert only(problem, naive_plan(problem), "pins") == "pin order:a has no status"
    refused = replace(naive_plan(problem), pins=frozendict({"order:a": PinStatus(PinState.REFUSED, "too long")}))
    assert failed(check(problem, refused)) == {}
    assert failed(check_partial(problem, naive_plan(problem), frozenset({"layouts", "pins"}))) == {}
    honoured = frozendict({"order:a": PinStatus(PinState.HONOURED)})
    plan = replace(naive_plan(problem), pins=honoured, layouts=naive_plan(problem).layouts.delete("a"))
    assert "honoured, but there is no such layout" in among(problem, plan, "pins")
