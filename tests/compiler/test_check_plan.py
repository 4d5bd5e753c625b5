"""Pins, edits and kernels: what a plan claims must be what it holds."""

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.check import check
from compiler.pins import Pins, PinState, PinStatus
from compiler.plan import Kernel
from compiler.problem import Problem
from tests.compiler.tiny import (
    HBM,
    buffer,
    copy,
    divided,
    failed,
    graph_input,
    layout_of,
    naive_plan,
    op,
    opaque,
    placed,
    program,
    split,
    spyre,
)
from tests.compiler.tiny_problems import (
    ROWS,
    among,
    chain,
    only,
    resident_chain,
    turned,
    turned_plan,
)


def test_pins_come_back_and_hold() -> None:
    problem = chain()
    pins = Pins(
        division=frozendict(to_a=frozendict(i=4)),
        layout=frozendict(a=1),
        placement=frozendict(b="lx"),
        tiles=frozendict(to_y=frozendict(i=2)),
    )
    problem = replace(problem, pins=pins)
    plan = naive_plan(problem, split(i=(4, 16)))
    assert "pin division:to_a has no status" in only(problem, plan, "pins")
    honoured = PinStatus(PinState.HONOURED)
    refused = PinStatus(PinState.REFUSED, "no room")
    states = {"division:to_a": honoured, "layout:a": honoured, "placement:b": refused, "tiles:to_y": refused}
    good = replace(plan, pins=frozendict(states))
    assert failed(check(problem, good)) == {}
    for key, words in (("placement:b", "it is in hbm"), ("tiles:to_y", "a plan has no tiles")):
        assert words in only(problem, replace(good, pins=good.pins.set(key, honoured)), "pins")
    other = divided(good, to_a=split(i=(2, 32)))
    assert "pin division:to_a is called honoured, but i has the factor 2" in only(problem, other, "pins")
    silent = replace(good, pins=good.pins.set("placement:b", PinStatus(PinState.ADJUSTED)))
    assert "adjusted without saying why" in only(problem, silent, "pins")
    stray = replace(good, pins=good.pins.set("layout:q", honoured))
    assert "layout:q, which is not pinned" in only(problem, stray, "pins")


def test_edit_dropped() -> None:
    problem = turned()
    found = failed(check(problem, replace(turned_plan(problem), edits=())))
    assert "two directions" in found["sticks"]
    assert "a kernel lists turn, which is no step" in found["edits"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"source": "ghost"}, "there is no such buffer"),
        ({"before": "ghost"}, "which is no op"),
        ({"target": "y"}, "would be written twice"),
        ({"target": "w"}, "would be written twice"),
        ({"name": "add"}, "another step has its name"),
        ({"readers": ("ghost",)}, "its reader ghost is no op"),
        ({"source": "y"}, "does not read the source"),
        ({"kind": "teleport"}, "unknown kind teleport"),
    ],
)
def test_malformed_edit(change: dict[str, object], words: str) -> None:
    problem = turned()
    plan = turned_plan(problem)
    wrong = replace(plan, edits=(replace(plan.edits[0], **change),))  # type: ignore[arg-type]
    assert words in among(problem, wrong, "edits")


def test_one_of_two_reads_is_sent_to_the_copy() -> None:
    x, y = graph_input("x", 128, 128), buffer("y", 128, 128)
    add = op("add", "ij", {"i": 128, "j": 128}, [(x, "ij"), (x, "ji")], (y, "ij"))
    problem = Problem(program([x, y], [add], y), spyre(4))
    turn = copy("turn", "x", "x2", "add", "add#1")
    plan = naive_plan(problem, layouts={"x2": layout_of(x, (1, 0))}, edits=(turn,))
    assert failed(check(problem, plan)) == {}
    for reader, words in (("add#2", "does not read the source"), ("add", "two directions"), ("ad#1", "is no op")):
        wrong = replace(plan, edits=(replace(turn, readers=(reader,)),))
        assert words in str(failed(check(problem, wrong)))
    both = (turn, copy("again", "x", "x3", "add", "add"))
    wrong = naive_plan(problem, layouts={"x2": layout_of(x, (1, 0))}, edits=both)
    assert "already sent to another copy" in among(problem, wrong, "edits")


def test_same_edit_twice() -> None:
    problem = turned()
    plan = turned_plan(problem)
    twice = replace(plan, edits=(*plan.edits, replace(plan.edits[0], name="again")))
    assert "its target w2 exists already" in among(problem, twice, "edits")


def test_reader_before_the_edit() -> None:
    problem = chain()
    plan = naive_plan(problem, edits=(copy("again", "x", "x2", "to_b", "to_a"),))
    assert "its reader to_a runs before it" in among(problem, plan, "edits")


def test_kernels() -> None:
    problem, plan = resident_chain()
    one = plan.kernels[0]
    assert "step to_b is in 0 kernels" in only(
        problem, replace(plan, kernels=(replace(one, steps=("to_a", "to_y")),)), "edits"
    )
    turned_round = replace(one, steps=("to_b", "to_a", "to_y"))
    assert "the kernels run to_b where to_a is due" in only(problem, replace(plan, kernels=(turned_round,)), "edits")
    assert "step to_a is in 2 kernels" in only(problem, replace(plan, kernels=(one, one)), "edits")
    assert "step to_a is in 0 kernels" in only(problem, replace(plan, kernels=()), "edits")
    empty = replace(plan, kernels=(one, Kernel("idle", ())))
    assert "kernel idle has no steps" in only(problem, empty, "edits")


def test_opaque_op_shares_no_kernel() -> None:
    x, a, y = graph_input("x", 64, 128), buffer("a", 64, 128), buffer("y", 64, 128)
    ops = [opaque("scan", x, a), op("to_y", "ij", ROWS, [(a, "ij")], (y, "ij"))]
    problem = Problem(program([x, a, y], ops, y), spyre(4))
    plan = naive_plan(problem)
    assert failed(check(problem, plan)) == {}
    fused = replace(plan, kernels=(Kernel("k", ("scan", "to_y")),))
    assert "kernel k holds the opaque scan" in only(problem, fused, "edits")


def test_sentences_are_capped() -> None:
    problem, plan = resident_chain()
    ghosts = {f"ghost{number}": HBM for number in range(30)}
    verdict = check(problem, placed(plan, **ghosts))[0]
    assert len(verdict.violations) == 21
    assert verdict.violations[-1] == "and 10 more"
