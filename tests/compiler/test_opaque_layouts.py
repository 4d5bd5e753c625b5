"""Layouts around host ops: what is searched is never on a stick, everything else is in standard order."""

from dataclasses import replace

import pytest

from compiler.dtypes import DType
from compiler.layout import Arrangement, StickLayout, stick_layout
from compiler.layout_rules import candidates, refusal
from compiler.loops import Access, Buffer, BufferKind, Index, LoopOp, LoopProgram, OpaqueCall, OpKind, Origin
from compiler.opaque_rules import SEARCHES, Search, search_of
from compiler.scene import Candidate, scene_of
from tests.compiler.layout_cases import legal, names
from tests.programs import problem_of
from tests.random_draft import View, dense, view_of
from tests.sketch import Sketch


def search(
    sketch: Sketch, target: str, view: View, shape: tuple[int, ...], arguments: tuple[str, ...] = (), **keywords: str
) -> tuple[View, View]:
    """A call that searches a buffer and leaves values and their places."""
    results = [
        Buffer("found.values", view.dtype, shape, dense(shape), BufferKind.COMPUTED),
        Buffer("found.indices", DType.I64, shape, dense(shape), BufferKind.COMPUTED),
    ]
    call = OpaqueCall(target, ('{"read": 0}', *arguments), tuple(sorted(keywords.items())))
    reads, writes = (Access(view.buffer, Index(0)),), tuple(Access(buffer.name, Index(0)) for buffer in results)
    sketch.computed += results
    origin = Origin(("n1",), "m", "model.py:7", target)
    sketch.ops.append(LoopOp("found", OpKind.OPAQUE, "", (), reads, writes, (), (), origin, call))
    values, places = map(view_of, results)
    return values, places


def program(
    shape: tuple[int, ...], result: tuple[int, ...], target: str = "aten.topk.default", dim: str = "-1"
) -> LoopProgram:
    sketch = Sketch()
    values, places = search(sketch, target, sketch.input("x", *shape), result, dim=dim)
    sketch.output(values, places)
    return sketch.program()


def ways(given: LoopProgram, layout: StickLayout | None) -> tuple[Candidate, ...]:
    scene = scene_of(given, problem_of(given).device)
    return candidates(scene, given.ops[0], {} if layout is None else {"x": layout})


def laid_out(shape: tuple[int, ...], *order: int) -> StickLayout:
    return stick_layout(shape, dense(shape), 64, order)


@pytest.mark.parametrize(
    ("target", "arguments", "keywords", "dim"),
    [
        ("aten.topk.default", ("4",), {}, 2),
        ("aten.topk.default", ("4", "1"), {}, 1),
        ("aten.topk.default", ("4", "-3", "true"), {}, 0),
        ("aten.sort.default", ("0", "true"), {}, 0),
        ("aten.sort.stable", (), {"dim": "1", "stable": "true"}, 1),
        ("aten.argsort.default", (), {}, 2),
        ("aten.kthvalue.default", ("3",), {}, 2),
        ("aten.median.dim", ("1",), {}, 1),
        ("aten.nanmedian.dim", ("-2",), {}, 1),
        ("aten.mode.default", (), {}, 2),
        ("aten.mode.default", ("null",), {}, 2),
        ("aten.mode.default", ("no number",), {}, 2),
    ],
)
def test_the_dim_that_a_call_searches(
    target: str, arguments: tuple[str, ...], keywords: dict[str, str], dim: int
) -> None:
    sketch = Sketch()
    search(sketch, target, sketch.input("x", 2, 3, 5), (2, 3, 5), arguments, **keywords)
    given = sketch.program()
    assert search_of(given.ops[0], scene_of(given, problem_of(given).device)) == Search(0, dim)


@pytest.mark.parametrize("target", ["aten.cumsum.default", "aten.median.default", "casebook.opaque.default"])
def test_other_calls_search_nothing(target: str) -> None:
    assert target not in SEARCHES
    given = program((4, 128), (4, 128), target)
    default = laid_out((4, 128), 0, 1)
    assert ways(given, default) == (Candidate(None, (default, stick_layout((4, 128), (128, 1), 32)), (default,)),)


def test_a_single_value_is_searched_along_nothing() -> None:
    assert len(ways(program((), ()), laid_out(()))) == 1


def test_the_searched_dim_moves_off_the_stick() -> None:
    found = ways(program((8, 64, 128), (8, 64, 4)), laid_out((8, 64, 128), 0, 1, 2))
    needs = {way.needs for way in found}
    assert needs == {(laid_out((8, 64, 128), 0, 2, 1),), (laid_out((8, 64, 128), 1, 2, 0),)}
    assert {tuple(layout.stick_dim for layout in way.outputs) for way in found} == {(1, 1), (1, 0), (0, 1), (0, 0)}
    assert [layout.elements_per_stick for layout in found[0].outputs] == [64, 32]


def test_another_dim_on_the_stick_stays() -> None:
    present = laid_out((64, 128), 1, 0)
    found = ways(program((64, 128), (64, 4)), present)
    assert {way.needs for way in found} == {(present,)}
    assert [layout.stick_dim for layout in found[0].outputs] == [0, 0]


def test_results_without_the_searched_dim_may_have_any_other() -> None:
    found = ways(program((8, 64, 128), (8, 64), "aten.kthvalue.default"), laid_out((8, 64, 128), 0, 2, 1))
    assert {way.outputs[0].stick_dim for way in found} == {0, 1}
    assert found[0].outputs[0] == laid_out((8, 64), 0, 1), "the default comes first"


@pytest.mark.parametrize(("shape", "result"), [((128,), (4,)), ((1, 128), (1, 4))])
def test_one_dim_has_one_value_per_stick(shape: tuple[int, ...], result: tuple[int, ...]) -> None:
    rank = len(shape)
    for way in ways(program(shape, result), laid_out(shape, *range(rank))):
        for layout in (*way.needs, *way.outputs):
            assert layout is not None
            assert layout.stick_dim != rank - 1
            assert layout.sticks >= 4


def test_one_value_per_stick_suits_as_it_is() -> None:
    sparse = laid_out((64, 128), 0, 1, -1)
    assert {way.needs for way in ways(program((64, 128), (64, 4)), sparse)} == {(sparse,)}
    single = laid_out((64, 1), 0, 1)
    assert {way.needs for way in ways(program((64, 1), (64, 1)), single)} == {(single,)}


def test_what_is_not_decided_needs_nothing() -> None:
    assert {way.needs for way in ways(program((64, 128), (64, 4)), None)} == {(None,)}


def test_the_host_searches_in_standard_order() -> None:
    given = program((64, 128), (64, 4))
    given = replace(given, buffers=(replace(given.buffers[0], dtype=DType.F32), *given.buffers[1:]))
    staggered = stick_layout((64, 128), (128, 1), 32, (1, 0), Arrangement.F16_TO_F32)
    assert {way.needs for way in ways(given, staggered)} == {(stick_layout((64, 128), (128, 1), 32, (1, 0)),)}


def test_a_result_that_has_a_layout_keeps_it_or_is_refused() -> None:
    given = program((64, 128), (64, 4))
    scene, op = scene_of(given, problem_of(given).device), given.ops[0]
    present = {"x": laid_out((64, 128), 1, 0), "found.values": laid_out((64, 4), 1, 0)}
    assert {way.outputs[0] for way in candidates(scene, op, present)} == {present["found.values"]}
    wrong = present | {"found.values": laid_out((64, 4), 0, 1)}
    assert candidates(scene, op, wrong) == ()
    assert refusal(scene, op, wrong).sentence.startswith(
        "found (model.py:7): given x [64, 128], a dim that is searched cannot be on a stick "
        "(the result: found.values has the searched dim on its stick); "
    )


@pytest.mark.parametrize(
    ("shape", "result", "dim", "copies"),
    [
        ((64, 128), (64, 4), "-1", ["x@d0"]),
        ((64, 128), (4, 128), "0", []),
        ((128,), (4,), "0", ["x@sparse"]),
        ((8, 64, 128), (8, 64, 4), "2", ["x@d1"]),
    ],
)
def test_plans_of_searches(shape: tuple[int, ...], result: tuple[int, ...], dim: str, copies: list[str]) -> None:
    sketch = Sketch()
    values, places = search(sketch, "aten.topk.default", sketch.input("x", *shape), result, dim=dim)
    sketch.output(sketch.apply("relu", values), places)
    plan = legal(sketch)
    searched = int(dim) % len(shape)
    assert names(plan) == copies
    assert all(plan.layouts[name].stick_dim != searched for name in ("found.values", "found.indices"))
    assert "the host searches never along a stick" in plan.reasons["layout:found.values"]
    assert plan.layouts["relu"].stick_dim == plan.layouts["found.values"].stick_dim


def test_a_result_is_laid_out_as_its_reader_likes_it() -> None:
    sketch = Sketch()
    x, w = sketch.input("x", 8, 64, 128), sketch.input("w", 8, 64, 16)
    values, _ = search(sketch, "aten.topk.default", x, (8, 64, 4))
    sketch.output(sketch.matmul(values.permuted((0, 2, 1)), w))
    plan = legal(sketch)
    assert plan.layouts["found.values"].stick_dim == 1, "the contracted dim"
    assert len(names(plan)) == 1
