"""Facts 8.2, row by row: how many elements a graph has to restickify, by the exact method and by the beam."""

from __future__ import annotations

import pytest
from frozendict import frozendict

from compiler.check import check_partial
from compiler.errors import UnsupportedError
from compiler.loops import LoopProgram
from compiler.passes.assign_layouts import AssignLayouts
from compiler.passes.insert_restickify import InsertRestickify
from compiler.pins import Pins, PinState
from compiler.plan import EditKind, Plan
from compiler.schedule import expand
from tests.compiler.layout_cases import moved
from tests.compiler.legality_oracle import plan_faults
from tests.compiler.restickify_rows import CUBE, NUMEL, ROWS, SQUARE, Build, Row, S, add, column, smallest, squares
from tests.programs import attention, problem_of, softmax, unsqueezed
from tests.programs import transposed as t
from tests.random_draft import View
from tests.sketch import Sketch

METHODS = ("beam", "exact")
IDS = frozenset(f"R{number}" for number in range(1, 40)) - {"R14", "R18", "R19", "R26", "R33", "R35"}


def planned(program: LoopProgram, assign: AssignLayouts, pins: Pins | None = None) -> Plan:
    """Layouts and edits, which the checker has proved."""
    problem = problem_of(program, pins)
    empty = Plan(program.name, problem.device.name, problem.device.cores, "")
    plan = InsertRestickify()(problem, assign(problem, empty))
    verdicts = check_partial(problem, plan, frozenset({"layouts", "edits", "reasons", "pins"}))
    assert verdicts
    assert [sentence for verdict in verdicts for sentence in verdict.violations] == []
    return plan


def cost(row: Row, assign: AssignLayouts) -> int:
    """Elements of the restickifies of a row."""
    program = row.program()
    return moved(program, planned(program, assign))


def test_no_row_of_the_table_is_left_out() -> None:
    assert {row.name.split()[0] for row in ROWS} == IDS
    assert len({row.name for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_least_cost_is_found_and_claimed(row: Row, method: str) -> None:
    program = row.program()
    plan = planned(program, AssignLayouts(method=method))
    assert moved(program, plan) == row.elements
    assert {edit.kind for edit in plan.edits} <= {EditKind.RESTICKIFY}
    claim = plan.claims["assign-layouts"]
    assert (claim.method, claim.unit, claim.objective) == (method, "elements", row.elements)
    assert claim.bound <= claim.objective
    assert claim.states > 0
    if method == "exact":
        assert claim.bound == claim.objective


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_layout_and_every_copy_has_its_reason(row: Row, method: str) -> None:
    program = row.program()
    plan = planned(program, AssignLayouts(method=method))
    assert set(plan.layouts) == set(expand(program, plan).buffers)
    for name in plan.layouts:
        assert plan.reasons[f"layout:{name}"]
    for edit in plan.edits:
        assert f"{program.buffer_map[edit.source].elements:,}" in plan.reasons[f"edit:{edit.name}"]


# R33: single values are not gathered out of many sticks


def _reduced_cube(s: Sketch, a: View, b: View) -> View:
    return add(s, smallest(s, a), b)


def _reduced_cube_turned(s: Sketch, a: View, b: View) -> View:
    return add(s, smallest(s, a), t(b))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("build", [_reduced_cube, _reduced_cube_turned], ids=["R33", "R33 stick on dim 0"])
def test_single_values_are_not_gathered_out_of_many_sticks(build: Build, method: str) -> None:
    program = Row("R33", build, (CUBE, SQUARE), 0).program()
    with pytest.raises(UnsupportedError) as caught:
        planned(program, AssignLayouts(method=method))
    sentence = caught.value.sentence
    assert "add (model.py:2)" in sentence
    assert "min has one value per stick" in sentence
    assert "pin the layout of the reduced tensor to one of its dims" in sentence


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("build", "dim", "matrices"),
    [(_reduced_cube, 1, 0), (_reduced_cube, 0, 1), (_reduced_cube_turned, 0, 0), (_reduced_cube_turned, 1, 1)],
)
def test_the_pin_that_the_refusal_names_makes_it_legal(build: Build, dim: int, matrices: int, method: str) -> None:
    """The cube is copied, so that it is not reduced along its stick; the matrix too if its sticks run the other way."""
    program = Row("R33", build, (CUBE, SQUARE), 0).program()
    plan = planned(program, AssignLayouts(method=method), Pins(layout=frozendict({"min": dim})))
    assert plan.pins["layout:min"].state is PinState.HONOURED
    assert plan.layouts["min"].stick_dim == dim
    assert moved(program, plan) == S**3 + matrices * NUMEL
    assert plan.claims["assign-layouts"].objective == S**3 + matrices * NUMEL


# What is shared, free, narrow


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("row", [row for row in ROWS if row.name.startswith("R38")], ids=lambda row: row.name)
def test_r38_counts_per_reader_where_copies_are_not_shared(row: Row, method: str) -> None:
    plan = planned(row.program(), AssignLayouts(method=method, copies="each"))
    assert plan.claims["assign-layouts"].objective == 2 * row.elements


@pytest.mark.parametrize("width", [1, 2])
def test_r39_a_narrow_beam_is_still_right(width: int) -> None:
    row = next(row for row in ROWS if row.name == "R39")
    program = row.program()
    plan = planned(program, AssignLayouts(method="beam", width=width))
    assert plan_faults(problem_of(program), plan) == []
    claim = plan.claims["assign-layouts"]
    assert claim.objective == moved(program, plan) >= row.elements >= claim.bound


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "build",
    [
        lambda s, a, b: add(s, smallest(s, a), b),
        lambda s, a, b: add(s, column(s.reduce("sum", a, 0, keep=False)), b),
        lambda s, a, b: add(s, t(a), b),
        lambda s, a, b: s.matmul(a, t(b)),
    ],
    ids=["R34", "R37", "R1", "R9"],
)
def test_a_weight_is_stored_as_its_readers_like_it(build: Build, method: str) -> None:
    def stored(kind: str) -> LoopProgram:
        sketch = Sketch(kind)
        weight = sketch.parameter("b", *SQUARE) if kind == "weight" else sketch.input("b", *SQUARE)
        sketch.output(build(sketch, sketch.input("a", *SQUARE), weight))
        return sketch.program()

    for kind, weights, elements in (("weight", "free", 0), ("weight", "default", NUMEL), ("input", "free", NUMEL)):
        program = stored(kind)
        assert moved(program, planned(program, AssignLayouts(method=method, weights=weights))) == elements, kind


# Beyond the table


@pytest.mark.parametrize("method", METHODS)
def test_a_vector_is_spread_where_it_meets_one_value_per_stick(method: str) -> None:
    assign = AssignLayouts(method=method)
    sums = Row("sums", lambda s, x, c: add(s, s.reduce("sum", x, -1, keep=False), c), (SQUARE, (S,)), S)
    grid = Row("grid", lambda s, x, y: s.apply("mul", column(x), y), ((S,), (S,)), S)
    assert [cost(row, assign) for row in (sums, grid)] == [S, S]


@pytest.mark.parametrize("method", METHODS)
def test_softmax_moves_nothing(method: str) -> None:
    plan = planned(softmax(), AssignLayouts(method=method))
    assert plan.edits == ()
    assert {name: layout.sparse for name, layout in plan.layouts.items()} == {
        "x": False,
        "max": True,
        "sub": False,
        "exp": False,
        "sum": True,
        "truediv": False,
    }
    assert plan.layouts["max"].device_size == (1, 1, 512, 64)


@pytest.mark.parametrize("method", METHODS)
def test_attention_moves_the_keys_only(method: str) -> None:
    program = attention()
    plan = planned(program, AssignLayouts(method=method))
    assert [edit.name for edit in plan.edits] == ["k@d1"]
    assert moved(program, plan) == 4 * 512 * 64


@pytest.mark.parametrize("method", METHODS)
def test_grouped_heads_move_each_key_once(method: str) -> None:
    """q [2 groups, 4 heads, 128, 64] with one key per group."""
    row = Row(
        "grouped",
        lambda s, q, k: s.matmul(q, t(unsqueezed(k, 1), 2, 3)),
        ((2, 4, 128, 64), (2, 128, 64)),
        2 * 128 * 64,
    )
    assert cost(row, AssignLayouts(method=method)) == row.elements


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("copies", "count"), [("shared", 1), ("each", 3)])
def test_a_copy_for_three_readers_is_made_and_counted_once(copies: str, count: int, method: str) -> None:
    row = squares(
        "three readers",
        lambda s, a, b, c, d: add(s, add(s, t(a), b), s.apply("mul", t(a), c), s.apply("sub", t(a), d)),
        4,
        count,
    )
    plan = planned(row.program(), AssignLayouts(method=method, copies=copies))
    assert plan.claims["assign-layouts"].objective == row.elements
