"""Sticks, padding and spans: the checker must see every layout that the hardware could not follow."""

from dataclasses import replace

import pytest

from compiler.check import check
from compiler.dtypes import DType
from compiler.layout import Arrangement, StickLayout, stick_layout
from compiler.loops import OpKind
from compiler.problem import Problem
from tests.compiler.tiny import (
    buffer,
    copy,
    divided,
    failed,
    graph_input,
    laid_out,
    layout_of,
    naive_plan,
    op,
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
    turned,
    turned_plan,
)


def test_missing_restickify() -> None:
    problem = turned()
    assert "has sticks in two directions: x along j, w along i, y along j" in only(
        problem, naive_plan(problem), "sticks"
    )


def test_reader_not_repointed() -> None:
    problem = turned()
    plan = turned_plan(problem)
    kept = replace(plan, edits=(replace(plan.edits[0], readers=()),))
    assert "has no reader" in among(problem, kept, "edits")
    assert "two directions" in among(problem, kept, "sticks")


def test_wrong_stick_dim() -> None:
    problem = chain()
    a = problem.program.buffer_map["a"]
    wrong = laid_out(naive_plan(problem), a=layout_of(a, (1, 0)))
    assert "to_a: has sticks in two directions: x along j, a along i" in only(problem, wrong, "sticks")


def test_slots_are_whole_sticks() -> None:
    problem = chain()
    assert "2 sticks of 64; 4 slots of 32" in only(problem, naive_plan(problem, split(j=(4, 32))), "sticks")
    x, y = graph_input("x", 33, 64), buffer("y", 33, 64)
    ragged = op("copy", "ij", {"i": 33, "j": 64}, [(x, "ij")], (y, "ij"))
    problem = Problem(program([x, y], [ragged], y), spyre(4))
    assert "i of 33 is not cut into 4 equal slots of 9" in only(problem, naive_plan(problem, split(i=(4, 9))), "sticks")
    assert failed(check(problem, naive_plan(problem, split(i=(3, 11))))) == {}


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (StickLayout((2, 64, 32), (64, 128, 1), (0, 1)), "32 lanes per stick"),
        (StickLayout((2, 63, 64), (64, 128, 1), (0, 1)), "63 places in device dim 1, its elements need 64"),
        (StickLayout((1, 64, 64), (64, 128, 1), (0, 1)), "1 stick along dim 1"),
        (StickLayout((2, 64, 64), (64, 64, 1), (0, 1)), "device dim"),
        (StickLayout((2, 64, 64), (64, -1, 1), (0, 1)), "2 places in device dim 0, its elements need 128"),
        (StickLayout((2, 64), (64, 1), (0, 1)), "its elements need"),
        (StickLayout((64,), (1,), (0, 1)), "1 device sizes"),
        (StickLayout((2, 64, 64), (64, 1), (0, 1)), "3 device sizes and 2 host strides"),
        (StickLayout((2, 0, 64), (64, 128, 1), (0, 1)), "not all counts"),
        (StickLayout((2, 64, 64), (64, 128, 1), (0, 2)), "does not name each of its 2 dims once"),
        (StickLayout((2, 64, 64), (64, 128, 1), (1, 0)), "its stick dim 0 moves 128"),
        (StickLayout((2, 64, 64), (64, 128, 1), (0, 1), Arrangement.F16_TO_F32), "only known for 32"),
    ],
)
def test_malformed_layout(layout: StickLayout, words: str) -> None:
    problem = chain()
    assert words in among(problem, laid_out(naive_plan(problem), a=layout), "sticks")


def test_input_has_the_default_layout() -> None:
    problem = turned()
    wrong = laid_out(naive_plan(problem), w=layout_of(problem.program.buffer_map["w"], (1, 0)))
    assert "w is filled by the host" in among(problem, wrong, "sticks")


def test_widths_pair_with_arrangements() -> None:
    x, y = graph_input("x", 64, 128), buffer("y", 64, 128, dtype=DType.F32)
    z = buffer("z", 64, 128)
    ops = [op("up", "ij", ROWS, [(x, "ij")], (y, "ij")), op("down", "ij", ROWS, [(y, "ij")], (z, "ij"))]
    problem = Problem(program([x, y, z], ops, z), spyre(4))
    staggered = stick_layout(y.shape, y.strides, 32, None, Arrangement.F16_TO_F32)
    good = naive_plan(problem, split(j=(2, 64)), {"y": staggered})
    assert failed(check(problem, good)) == {}
    assert "a change of width pairs" in only(problem, naive_plan(problem), "sticks")
    problem = Problem(program([x, y], ops[:1], y), spyre(4))
    assert "leaves the device arranged f16-to-f32" in only(
        problem, naive_plan(problem, layouts={"y": staggered}), "sticks"
    )


def test_staggered_pairs_of_sticks_stay_together() -> None:
    x, y, z = graph_input("x", 64, 128), buffer("y", 64, 128, dtype=DType.F32), buffer("z", 64, 128, dtype=DType.F32)
    w = buffer("w", 64, 128)
    ops = [
        op("up", "ij", ROWS, [(x, "ij")], (y, "ij")),
        op("more", "ij", ROWS, [(y, "ij")], (z, "ij")),
        op("down", "ij", ROWS, [(z, "ij")], (w, "ij")),
    ]
    problem = Problem(program([x, y, z, w], ops, w), spyre(4))
    staggered = stick_layout(y.shape, y.strides, 32, None, Arrangement.F16_TO_F32)
    plan = naive_plan(problem, layouts={"y": staggered, "z": staggered})
    assert failed(check(problem, divided(plan, more=split(j=(2, 64))))) == {}
    assert "2 sticks of 64; 4 slots of 32" in only(problem, divided(plan, more=split(j=(4, 32))), "sticks")


def test_sum_along_the_stick_needs_a_sparse_result() -> None:
    problem = normed()
    m = buffer("m", 64)
    total, spread = problem.program.ops
    total = op("total", "iJ", ROWS, [(problem.program.buffers[0], "ij")], (m, "i"), OpKind.REDUCTION, "sum")
    spread = op(
        "spread", "ij", ROWS, [(problem.program.buffers[0], "ij"), (m, "i")], (problem.program.buffers[2], "ij")
    )
    wrong = Problem(
        program(
            [problem.program.buffers[0], m, problem.program.buffers[2]], [total, spread], problem.program.buffers[2]
        ),
        spyre(4),
    )
    plan = naive_plan(wrong)
    assert "m has a stick along i, but j is reduced along the stick" in only(wrong, plan, "sticks")
    assert failed(check(wrong, laid_out(plan, m=layout_of(m, (0, -1))))) == {}
    product_ = replace(total, combine="prod")
    wrong = replace(wrong, program=replace(wrong.program, ops=(product_, spread)))
    assert "prod along j would run along the stick of x" in only(
        wrong, laid_out(plan, m=layout_of(m, (0, -1))), "sticks"
    )


def test_single_values_spread_over_sticks() -> None:
    """One value per stick can fill a whole stick of the result, but it cannot become one lane among others."""
    m, y, z = buffer("m", 64, 1), buffer("y", 64, 128), buffer("z", 64, 1)
    x = graph_input("x", 64, 128)
    total = op("total", "iJ", ROWS, [(x, "ij")], (m, "i."), OpKind.REDUCTION, "sum")
    spread = op("spread", "ij", ROWS, [(m, "i.")], (y, "ij"))
    problem = Problem(program([x, m, y], [total, spread], y), spyre(4))
    assert failed(check(problem, naive_plan(problem, split(i=(4, 16))))) == {}
    collect = op("collect", "i", ROWS, [(m, "i.")], (z, "i."))
    problem = Problem(program([x, m, z], [total, collect], z), spyre(4))
    assert failed(check(problem, naive_plan(problem))) == {}
    dense = laid_out(naive_plan(problem), z=layout_of(z, (1, 0)))
    assert "m changes along i without having its stick there" in only(problem, dense, "sticks")


def test_matmul_operands_the_wrong_way() -> None:
    problem = product(128, 128, 128)
    names = problem.program.buffer_map
    extents = {"m": 128, "n": 128, "k": 128}
    multiply = op(
        "multiply", "mnK", extents, [(names["a"], "km"), (names["b"], "kn")], (names["y"], "mn"), OpKind.MATMUL, "sum"
    )
    wrong = replace(problem, program=replace(problem.program, ops=(multiply, problem.program.ops[1])))
    assert "a has its stick along m, which is not reduced" in only(wrong, naive_plan(wrong), "sticks")
    multiply = op(
        "multiply", "mnK", extents, [(names["a"], "mk"), (names["b"], "nk")], (names["y"], "mn"), OpKind.MATMUL, "sum"
    )
    wrong = replace(problem, program=replace(problem.program, ops=(multiply, problem.program.ops[1])))
    assert "b has its stick along k, not along n" in only(wrong, naive_plan(wrong), "sticks")


def test_slice_off_the_stick() -> None:
    x, w, y = graph_input("x", 64, 129), graph_input("w", 64, 128), buffer("y", 64, 128)
    add = op("add", "ij", ROWS, [(x, "ij"), (w, "ij")], (y, "ij"))
    off = replace(add, reads=(replace(add.reads[0], index=replace(add.reads[0].index, offset=1)), add.reads[1]))
    problem = Problem(program([x, w, y], [off], y), spyre(4))
    assert "x starts at lane 1 of a stick" in only(problem, naive_plan(problem), "sticks")


def test_copy_cannot_gather_sparse_elements() -> None:
    problem = normed()
    m = problem.program.buffer_map["m"]
    edit = copy("gather", "m", "m2", "spread")
    plan = naive_plan(problem, edits=(edit,), layouts={"m2": layout_of(m, (1, 0))})
    assert "which no copy can gather" in among(problem, plan, "sticks")


def test_masked_loop_is_not_split() -> None:
    x, m = graph_input("x", 64, 100), buffer("m", 64, 1)
    total = op("total", "iJ", {"i": 64, "j": 100}, [(x, "ij")], (m, "i."), OpKind.REDUCTION, "sum")
    problem = Problem(program([x, m], [total], m), spyre(4))
    assert "j of 100 ends within a stick of 64" in only(problem, naive_plan(problem, split(j=(2, 64))), "padding")
    assert failed(check(problem, naive_plan(problem, split(i=(4, 16))))) == {}


def test_read_beyond_the_elements() -> None:
    x, y = graph_input("x", 64, 100), buffer("y", 64, 128)
    wide = op("wide", "ij", ROWS, [(x, "ij")], (y, "ij"))
    problem = Problem(program([x, y], [wide], y), spyre(4))
    assert "x reaches coordinate 64 of device dim 1" in among(problem, naive_plan(problem), "padding")


def test_span_over_the_limit() -> None:
    problem = product(8192, 4096, 32768)
    found = failed(check(problem, naive_plan(problem, split(m=(4, 2048)))))
    assert "multiply: a core walks 536870912 bytes of a, the limit is 268435456" in found["span"]
    assert failed(check(problem, naive_plan(problem, split(k=(2, 16384), m=(2, 4096))))) == {}


@pytest.mark.parametrize(("extent", "good"), [(65535, True), (65536, False)])
def test_loop_trips(extent: int, good: bool) -> None:
    x, y = graph_input("x", extent, 64), buffer("y", extent, 64)
    copy_ = op("copy", "ij", {"i": extent, "j": 64}, [(x, "ij")], (y, "ij"))
    problem = Problem(program([x, y], [copy_], y), spyre(4))
    found = failed(check(problem, naive_plan(problem)))
    assert found == ({} if good else {"span": f"copy: i turns {extent} times on a core, the limit is 65535"})
