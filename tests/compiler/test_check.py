"""The checker on plans written by hand: good ones pass, incomplete and malformed ones fail in coverage."""

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.check import CHECKS, check, check_partial
from compiler.division import Division, Split
from compiler.problem import Problem
from tests.compiler.tiny import (
    HBM,
    buffer,
    divided,
    failed,
    graph_input,
    layout_of,
    naive_plan,
    op,
    placed,
    program,
    split,
    spyre,
)
from tests.compiler.tiny_problems import (
    ROWS,
    among,
    chain,
    normed,
    only,
    product,
    resident_chain,
    turned,
    turned_plan,
)


def test_every_check_has_a_verdict() -> None:
    problem, plan = resident_chain()
    verdicts = check(problem, plan)
    assert [verdict.check for verdict in verdicts] == [row.name for row in CHECKS]
    assert failed(verdicts) == {}


@pytest.mark.parametrize("division", [Division(), split(i=(4, 16)), split(j=(2, 64)), split(j=(2, 64), i=(2, 32))])
def test_divided_chain_passes(division: Division) -> None:
    problem = chain()
    assert failed(check(problem, naive_plan(problem, division))) == {}


@pytest.mark.parametrize("division", [Division(), split(k=(3, 64), m=(1, 128)), split(m=(2, 64), n=(2, 128))])
def test_matmul_passes(division: Division) -> None:
    problem = product()
    assert failed(check(problem, naive_plan(problem, division))) == {}


def test_sum_along_the_stick_passes_sparse() -> None:
    problem = normed()
    assert failed(check(problem, naive_plan(problem, split(i=(4, 16))))) == {}
    sparse = layout_of(problem.program.buffer_map["m"], (0, 1, -1))
    assert failed(check(problem, naive_plan(problem, split(i=(4, 16)), {"m": sparse}))) == {}


def test_restickified_operand_passes() -> None:
    problem = turned()
    assert failed(check(problem, turned_plan(problem))) == {}


def test_partial_checks_look_at_what_is_decided() -> None:
    problem, plan = resident_chain()
    assert [verdict.check for verdict in check_partial(problem, plan, frozenset({"layouts"}))] == ["sticks"]
    names = [verdict.check for verdict in check_partial(problem, plan, frozenset({"layouts", "edits", "divisions"}))]
    assert names == ["coverage", "sticks", "padding", "edits"]
    unfinished = replace(plan, divisions=frozendict(to_a=plan.divisions["to_a"]))
    assert failed(check_partial(problem, unfinished, frozenset({"layouts", "edits", "divisions"}))) == {}
    wrong = divided(plan, to_a=split(i=(3, 16)))
    assert "coverage" in failed(check_partial(problem, wrong, frozenset({"layouts", "edits", "divisions"})))


def test_missing_entries() -> None:
    problem = chain()
    plan = naive_plan(problem)
    assert "a has no layout" in among(problem, replace(plan, layouts=plan.layouts.delete("a")), "coverage")
    assert "b has no placement" in only(problem, replace(plan, placement=plan.placement.delete("b")), "coverage")
    assert "to_a has no division" in among(problem, replace(plan, divisions=plan.divisions.delete("to_a")), "coverage")


def test_entries_for_what_does_not_exist() -> None:
    problem = chain()
    plan = naive_plan(problem)
    assert "ghost" in only(problem, placed(plan, ghost=HBM), "coverage")
    assert "ghost" in only(problem, divided(plan, ghost=Division()), "coverage")


@pytest.mark.parametrize(
    ("division", "words"),
    [
        (Division((Split("i", 0, 16),)), "factor 0"),
        (Division((Split("i", 4, 0),)), "step 0"),
        (Division((Split("i", -4, 16),)), "factor -4"),
        (Division((Split("q", 4, 16),)), "a loop q that it does not have"),
        (Division((Split("i", 4, 15),)), "iterations 60 to 63 of i to no core"),
        (Division((Split("i", 4, 32),)), "slot 3 of i empty"),
        (Division((Split("i", 2, 32), Split("i", 2, 32))), "splits a loop twice"),
        (Division((Split("i", 8, 8),)), "uses 8 cores"),
    ],
)
def test_malformed_division(division: Division, words: str) -> None:
    problem = chain()
    assert words in among(problem, divided(naive_plan(problem), to_b=division), "coverage")


def test_plan_for_another_problem() -> None:
    problem = chain()
    plan = naive_plan(problem)
    assert "model other" in only(problem, replace(plan, model="other"), "coverage")
    assert "32 cores" in only(problem, replace(plan, cores=32), "coverage")


def test_read_before_written() -> None:
    problem = chain()
    first, second, third = problem.program.ops
    wrong = replace(problem, program=replace(problem.program, ops=(second, first, third)))
    assert "to_b (step 0) reads a before it is written" in only(wrong, naive_plan(wrong), "coverage")


def test_part_of_a_buffer_left_out_or_written_twice() -> None:
    x, y = graph_input("x", 64, 128), buffer("y", 64, 128)
    short = op("copy", "ij", {"i": 63, "j": 128}, [(x, "ij")], (y, "ij"))
    problem = Problem(program([x, y], [short], y), spyre(4))
    assert "y is not written exactly" in only(problem, naive_plan(problem), "coverage")
    twice = op("copy", "ij", ROWS, [(x, "ij")], (y, "ij"))
    again = replace(twice, name="again")
    problem = Problem(program([x, y], [twice, again], y), spyre(4))
    assert "y is written twice" in only(problem, naive_plan(problem), "coverage")
    repeated = op("copy", "ijk", {**ROWS, "k": 2}, [(x, "ij")], (y, "ij"))
    problem = Problem(program([x, y], [repeated], y), spyre(4))
    assert "written 2 times by copy, once per k" in only(problem, naive_plan(problem), "coverage")


def test_buffer_written_in_two_halves_passes() -> None:
    x, y = graph_input("x", 64, 128), buffer("y", 128, 128)
    upper = op("upper", "ij", ROWS, [(x, "ij")], (y, "ij"))
    lower = replace(upper, name="lower", writes=(replace(upper.write, index=replace(upper.write.index, offset=8192)),))
    problem = Problem(program([x, y], [upper, lower], y), spyre(4))
    assert failed(check(problem, naive_plan(problem, split(i=(4, 16))))) == {}
