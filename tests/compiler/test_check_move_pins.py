"""Pins of equal divisions, of relayouts and of places: what is called honoured must be in the plan."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.check import check, check_partial
from compiler.division import Division
from compiler.loops import Index, OpKind, Term
from compiler.pins import Pins, PinState, PinStatus
from compiler.plan import Plan
from compiler.problem import Problem
from tests.compiler.moved_plans import BY_ROWS, SQUARE, Built, evicted, living, loaded, moved, ring, turned, turned_back
from tests.compiler.tiny import (
    HBM,
    buffer,
    divided,
    failed,
    graph_input,
    naive_plan,
    op,
    opaque,
    placed,
    program,
    split,
    spyre,
)
from tests.compiler.tiny_problems import ROW_BYTES, ROWS, among, chain, only, product

HONOURED = PinStatus(PinState.HONOURED)


def pinned(built: Built, pins: Pins, status: PinStatus = HONOURED) -> Built:
    """All of the pins with this status."""
    problem, plan = built
    return replace(problem, pins=pins), replace(plan, pins=frozendict(dict.fromkeys(pins.keys, status)))


def same(built: Built, **others: str) -> Built:
    return pinned(built, Pins(same=frozendict(others)))


def on_chain(**divisions: Division) -> Built:
    problem = chain()
    return problem, divided(naive_plan(problem, BY_ROWS), **divisions)


@pytest.mark.parametrize("division", [Division(), BY_ROWS, SQUARE, split(j=(2, 64), i=(2, 32))])
def test_equal_divisions(division: Division) -> None:
    built = on_chain(to_a=division, to_b=division)
    assert failed(check(*same(built, to_a="to_b"))) == {}


def test_the_order_of_cores_does_not_count() -> None:
    built = on_chain(to_a=split(j=(2, 64), i=(2, 32)), to_b=SQUARE)
    assert failed(check(*same(built, to_a="to_b"))) == {}


@pytest.mark.parametrize(
    ("divisions", "words"),
    [
        ({"to_b": split(i=(2, 32))}, "to_a runs on 4 cores, to_b on 2"),
        ({"to_b": SQUARE}, "dim 0 of the result of to_a is cut into 4, that of to_b into 2"),
        ({"to_a": split(i=(2, 32)), "to_b": split(j=(2, 64))}, "dim 0 of the result of to_a is cut into 2"),
    ],
)
def test_divisions_that_are_called_equal(divisions: dict[str, Division], words: str) -> None:
    found = only(*same(on_chain(**divisions), to_a="to_b"), "pins")
    assert found.startswith(f"pin same:to_a is called honoured, but {words}")


def test_a_product_and_what_follows_it() -> None:
    """Loops have other names, and the product may split what it sums up."""
    problem = product(k=256)
    plan = naive_plan(problem)
    good = divided(plan, multiply=split(m=(2, 64), n=(2, 128)), negate=split(n=(2, 128), m=(2, 64)))
    assert failed(check(*same((problem, good), negate="multiply"))) == {}
    summed = divided(plan, multiply=split(k=(2, 128), m=(2, 64)), negate=split(m=(2, 64)))
    words = only(*same((problem, summed), negate="multiply"), "pins")
    assert words == "pin same:negate is called honoured, but negate runs on 2 cores, multiply on 4"


def test_ops_that_do_not_exist_or_have_other_results() -> None:
    assert "there is no division of ghost" in only(*same(on_chain(), to_a="ghost"), "pins")
    assert "there is no division of ghost" in only(*same(on_chain(), ghost="to_a"), "pins")
    x, m, y = graph_input("x", 64, 128), buffer("m", 64), buffer("y", 64, 128)
    total = op("total", "iJ", ROWS, [(x, "ij")], (m, "i"), OpKind.REDUCTION, "sum")
    ops = [total, op("to_y", "ij", ROWS, [(x, "ij")], (y, "ij"))]
    problem = Problem(program([x, m, y], ops, y, m), spyre(4))
    words = among(*same((problem, naive_plan(problem, split(i=(4, 16)))), total="to_y"), "pins")
    assert words.endswith("the results have 1 and 2 dims, of which none can be told to be the same")


def test_a_loop_that_runs_along_no_dim_proves_nothing() -> None:
    x, y, z = graph_input("x", 64, 128), buffer("y", 64, 128), buffer("z", 64, 128)
    plain = op("to_z", "ij", ROWS, [(x, "ij")], (z, "ij"))
    index = Index(0, (Term(1024, (("o", 1),)), Term(128, (("i", 1),)), Term(1, (("j", 1),))))
    cut = op("to_y", "oij", {"o": 8, "i": 8, "j": 128}, [(x, ".j")], (y, ".j"))
    cut = replace(cut, reads=(replace(cut.reads[0], index=index),), writes=(replace(cut.writes[0], index=index),))
    problem = Problem(program([x, y, z], [cut, plain], y, z), spyre(4))
    plan = divided(naive_plan(problem), to_y=split(o=(4, 2)), to_z=split(i=(4, 16)))
    words = only(*same((problem, plan), to_y="to_z"), "pins")
    assert words.endswith("to_y cuts o, which does not run along a dim of y")
    inner = divided(plan, to_y=split(i=(4, 2)))
    assert failed(check(*same((problem, inner), to_y="to_z"))) == {}


def test_a_pin_that_was_refused_needs_no_equal_division() -> None:
    built = on_chain(to_b=SQUARE)
    pins = Pins(same=frozendict(to_a="to_b"))
    assert failed(check(*pinned(built, pins, PinStatus(PinState.REFUSED, "other cores")))) == {}
    assert "refused without saying why" in only(*pinned(built, pins, PinStatus(PinState.REFUSED)), "pins")
    problem, plan = built
    assert "pin same:to_a has no status" in only(replace(problem, pins=pins), plan, "pins")


# Relayouts


def relaid(built: Built, **ways: str) -> Built:
    return pinned(built, Pins(relayout=frozendict(ways)))


def test_a_pinned_relayout_is_in_the_plan() -> None:
    assert failed(check(*relaid(turned(), a="ring", b="none", x="none"))) == {}
    assert failed(check(*relaid(turned_back(), a="ring", there="ring"))) == {}
    words = only(*relaid(turned(), b="ring"), "pins")
    assert words == "pin relayout:b is called honoured, but nothing moves it over the ring"
    assert "nothing moves it over the ring" in only(*relaid(evicted(), a="ring"), "pins")
    words = only(*relaid(turned(), a="none"), "pins")
    assert words == "pin relayout:a is called honoured, but ring (step 1) moves it over the ring"
    assert "there is no such buffer" in only(*relaid(turned(), ghost="none"), "pins")
    assert "'bus' is no way to other cores" in only(*relaid(turned(), a="bus"), "pins")


def test_a_clone_that_goes_over_the_ring_counts_as_its_source() -> None:
    problem, plan = loaded()
    back = ring("x@in", "x@ring", "to_a")
    edits = (plan.edits[0], back, plan.edits[1])
    divisions = {**plan.divisions, "x@ring": split(d0=(2, 32), d1=(2, 64)), **dict.fromkeys(("to_a", "to_b"), SQUARE)}
    lx = {"x@in": (0, ROW_BYTES), "x@ring": (ROW_BYTES, ROW_BYTES), "y": (0, ROW_BYTES)}
    both = (problem, moved(problem, edits, divisions, lx))
    assert failed(check(*relaid(both, x="ring"))) == {}
    assert "x@ring (step 1) moves it over the ring" in only(*relaid(both, x="none"), "pins")


# Places


@pytest.mark.parametrize(
    ("build", "name", "place", "words"),
    [
        (loaded, "x", "lx", ""),
        (loaded, "x", "hbm", "x@in loads it into lx"),
        (loaded, "y", "lx", ""),
        (loaded, "y", "hbm", "it is in lx"),
        (turned, "x", "lx", "it is in hbm"),
        (turned, "x", "hbm", ""),
        (evicted, "a", "lx", ""),
        (evicted, "a@out", "lx", ""),
    ],
)
def test_pinned_places(build: Callable[[], Built], name: str, place: str, words: str) -> None:
    built = pinned(build(), Pins(placement=frozendict({name: place})))
    wanted = {"pins": f"pin placement:{name} is called honoured, but {words}"} if words else {}
    assert failed(check(*built)) == wanted


def test_a_clone_in_device_memory_is_no_place_in_lx() -> None:
    problem, plan = pinned(loaded(), Pins(placement=frozendict(x="lx")))
    wrong = placed(plan, a=living(problem, plan, "a", 0, ROW_BYTES), **{"x@in": HBM})
    assert failed(check(problem, wrong))["pins"] == "pin placement:x is called honoured, but it is in hbm"


def test_pins_are_judged_as_far_as_the_plan_goes() -> None:
    problem, plan = relaid(turned(), a="ring")
    assert failed(check_partial(problem, plan, frozenset({"layouts", "edits", "divisions", "pins"}))) == {}
    bare = replace(plan, pins=frozendict[str, PinStatus]())
    assert failed(check_partial(problem, bare, frozenset({"layouts", "pins"}))) == {}


def test_a_call_on_the_host_is_divided_like_another() -> None:
    x, a, y = graph_input("x", 64, 128), buffer("a", 64, 128), buffer("y", 64, 128)
    ops = [opaque("scan", x, a), op("to_y", "ij", ROWS, [(a, "ij")], (y, "ij"))]
    problem = Problem(program([x, a, y], ops, y), spyre(4))
    plan: Plan = naive_plan(problem)
    assert failed(check(*same((problem, plan), to_y="scan"))) == {}
    words = only(*same((problem, divided(plan, to_y=BY_ROWS)), to_y="scan"), "pins")
    assert words.endswith("to_y runs on 4 cores, scan on 1")
