"""Searches: top-k, sort and their like never run along a stick, and leave no result whose sticks do."""

from dataclasses import replace

import pytest

from compiler.check import check
from compiler.dtypes import DType
from compiler.layout import SPARSE
from compiler.loops import (
    Access,
    Index,
    LoopOp,
    OpaqueCall,
    OpKind,
    Origin,
)
from compiler.plan import Edit, EditKind, Plan
from compiler.problem import Problem
from tests.compiler.legality_oracle import plan_faults
from tests.compiler.tiny import buffer, failed, graph_input, layout_of, naive_plan, program, spyre


def judged(problem: Problem, plan: Plan) -> dict[str, str]:
    """The checker's opinion, which must be that of the oracle."""
    found = failed(check(problem, plan))
    assert bool(found) == bool(plan_faults(problem, plan))
    return found


def search(target: str, *arguments: str, keywords: tuple[tuple[str, str], ...] = (), shape: tuple[int, ...]) -> Problem:
    """values, indices = target(x, ...); both have the shape of x."""
    x, values, indices = graph_input("x", *shape), buffer("v", *shape), buffer("n", *shape, dtype=DType.I64)
    call = OpaqueCall(target, ('{"read": 0}', *arguments), keywords)
    writes = (Access("v", Index(0)), Access("n", Index(0)))
    found = LoopOp("find", OpKind.OPAQUE, "", (), (Access("x", Index(0)),), writes, (), (), Origin(), call)
    return Problem(program([x, values, indices], [found], values, indices), spyre(4))


def turned(problem: Problem, order: tuple[int, ...], results: tuple[int, ...]) -> Plan:
    """The search reads a copy of x with another order; its results have an order of their own."""
    buffers = problem.program.buffer_map
    layouts = {"x2": layout_of(buffers["x"], order)}
    layouts |= {name: layout_of(buffers[name], results) for name in "vn"}
    edit = Edit("turn", EditKind.RESTICKIFY, "x", "x2", "find", ("find",))
    return naive_plan(problem, layouts=layouts, edits=(edit,))


@pytest.mark.parametrize(
    ("target", "arguments", "keywords"),
    [
        ("aten.topk.default", ("2", "-1", "true", "true"), ()),
        ("aten.topk.default", ("2",), ()),
        ("aten.topk.default", ("2",), (("dim", "1"),)),
        ("aten.sort.default", ("1",), ()),
        ("aten.sort.default", (), ()),
        ("aten.sort.stable", (), (("dim", "-1"), ("stable", "true"))),
        ("aten.kthvalue.default", ("2", "1"), ()),
        ("aten.median.dim", ("1",), ()),
    ],
)
def test_nothing_is_searched_along_a_stick(
    target: str, arguments: tuple[str, ...], keywords: tuple[tuple[str, str], ...]
) -> None:
    problem = search(target, *arguments, keywords=keywords, shape=(10, 128))
    words = "find: searches dim 1 of x, which is on its stick"
    assert judged(problem, naive_plan(problem)) == {"sticks": words}
    assert judged(problem, turned(problem, (1, 0), (1, 0))) == {}
    words = "find: finds along dim 1 of v, which is on its stick"
    assert judged(problem, turned(problem, (1, 0), (0, 1))) == {"sticks": words}


@pytest.mark.parametrize(("dim", "good"), [("0", True), ("-2", True), ("1", False)])
def test_other_dims_are_searched_as_they_are(dim: str, good: bool) -> None:
    problem = search("aten.sort.default", dim, shape=(10, 128))
    assert (judged(problem, naive_plan(problem)) == {}) == good


def test_a_vector_is_searched_one_value_per_stick() -> None:
    problem = search("aten.sort.default", shape=(128,))
    assert "searches dim 0 of x" in judged(problem, naive_plan(problem))["sticks"]
    assert judged(problem, turned(problem, (0, SPARSE), (0, SPARSE))) == {}


@pytest.mark.parametrize("shape", [(), (1,), (128, 1)])
def test_a_single_value_is_searched_anyhow(shape: tuple[int, ...]) -> None:
    problem = search("aten.sort.default", shape=shape)
    assert judged(problem, naive_plan(problem)) == {}


def test_other_host_ops_have_no_such_dim() -> None:
    problem = search("aten.cummax.default", "1", shape=(10, 128))
    assert judged(problem, naive_plan(problem)) == {}


def test_a_result_with_a_dim_less_has_any_stick() -> None:
    x, v = graph_input("x", 128, 10), buffer("v", 10)
    call = OpaqueCall("aten.mode.default", ('{"read": 0}', "0"))
    find = LoopOp(
        "f", OpKind.OPAQUE, "", (), (Access("x", Index(0)),), (Access("v", Index(0)),), (), (), Origin(), call
    )
    problem = Problem(program([x, v], [find], v), spyre(4))
    assert judged(problem, naive_plan(problem)) == {}


@pytest.mark.parametrize("arguments", [("7",), ('"last"',), ("{",), ("-3",)])
def test_a_dim_that_cannot_be_told_proves_nothing(arguments: tuple[str, ...]) -> None:
    problem = search("aten.sort.default", *arguments, shape=(10, 128))
    words = "find: searches along a dim that its arguments do not tell"
    assert failed(check(problem, naive_plan(problem))) == {"sticks": words}


def test_what_is_searched_is_told() -> None:
    problem = search("aten.sort.default", shape=(10, 128))
    (find,) = problem.program.ops
    for first in ("3", '{"read": 4}', '[{"read": 0}]'):
        nameless = replace(find, call=OpaqueCall("aten.sort.default", (first,)))
        other = replace(problem, program=replace(problem.program, ops=(nameless,)))
        assert "that its arguments do not tell" in failed(check(other, naive_plan(other)))["sticks"]
    silent = replace(find, call=OpaqueCall("aten.sort.default", ()))
    other = replace(problem, program=replace(problem.program, ops=(silent,)))
    assert "that its arguments do not tell" in failed(check(other, naive_plan(other)))["sticks"]
