"""What is in LX: the checker must see who holds what, which ranges meet, and where the budget ends."""

import pytest

from compiler.check import check
from compiler.loops import OpKind
from compiler.plan import Slot
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
    opaque,
    placed,
    program,
    slot,
    split,
    spyre,
)
from tests.compiler.tiny_problems import ROW_BYTES, ROWS, among, normed, only, product, resident_chain, turned


def test_swapped_axis_order_with_equal_factors() -> None:
    problem, plan = resident_chain()
    plan = placed(plan, a=HBM, b=HBM)
    quarter = 32 * 128
    square = {name: split(i=(2, 32), j=(2, 64)) for name in ("to_a", "to_b", "to_y")}
    plan = placed(divided(plan, **square), a=slot(0, quarter, 0, 1))
    assert failed(check(problem, plan)) == {}
    swapped = divided(plan, to_b=split(j=(2, 64), i=(2, 32)))
    assert "core 1 reads 2048 elements it does not all hold: core 2 holds them" in only(problem, swapped, "ownership")


def test_one_owner_read_by_four_cores() -> None:
    problem = normed()
    plan = divided(naive_plan(problem), spread=split(i=(4, 16)))
    plan = placed(plan, m=slot(0, 64 * 128, 0, 1))
    assert "core 0 reads only 16 of the 64 elements" in only(problem, plan, "ownership")
    x, m, y = graph_input("x", 1, 4096), buffer("m", 1, 1), buffer("y", 1, 4096)
    extents = {"j": 4096}
    total = op("total", "J", extents, [(x, ".j")], (m, ".."), OpKind.REDUCTION, "sum")
    spread = op("spread", "j", extents, [(x, ".j"), (m, "..")], (y, ".j"))
    problem = Problem(program([x, m, y], [total, spread], y), spyre(4))
    plan = placed(divided(naive_plan(problem), spread=split(j=(4, 1024))), m=slot(0, 128, 0, 1))
    assert "core 1 reads 1 element and holds none: only 1 core wrote it" in only(problem, plan, "ownership")
    assert failed(check(problem, placed(naive_plan(problem), m=slot(0, 128, 0, 1)))) == {}


def test_other_division_of_the_reader() -> None:
    problem, plan = resident_chain()
    wrong = placed(divided(plan, to_y=split(i=(2, 32))), b=slot(0, ROW_BYTES, 1, 2, "a"))
    assert "core 0 reads 4096 elements it does not all hold" in only(problem, wrong, "ownership")


def test_partial_sums_are_not_resident() -> None:
    problem = product()
    plan = divided(naive_plan(problem), multiply=split(k=(3, 64)))
    plan = placed(plan, y=slot(0, 128 * 4 * 128, 0, 1))
    assert "multiply splits k: most cores hold partial sums" in among(problem, plan, "ownership")


def test_partial_sums_end_on_neighbouring_cores() -> None:
    problem = product(k=128)
    wrong = divided(naive_plan(problem), multiply=split(m=(2, 64), k=(2, 64)))
    assert "splits k after m" in only(problem, wrong, "ownership")
    assert failed(check(problem, divided(wrong, multiply=split(k=(2, 64), m=(2, 64))))) == {}


def test_two_reduced_loops_split() -> None:
    x, m = graph_input("x", 64, 128), buffer("m", 1, 1)
    total = op("total", "IJ", ROWS, [(x, "ij")], (m, ".."), OpKind.REDUCTION, "sum")
    problem = Problem(program([x, m], [total], m), spyre(4))
    assert "splits two reduced loops" in only(problem, naive_plan(problem, split(i=(2, 32), j=(2, 64))), "ownership")
    assert failed(check(problem, naive_plan(problem, split(i=(2, 32))))) == {}


def test_inputs_and_outputs_are_not_resident() -> None:
    problem, plan = resident_chain()
    assert "filled by the host" in among(problem, placed(plan, x=slot(8192, ROW_BYTES, 0, 0)), "ownership")
    assert "which the host reads" in among(problem, placed(plan, y=slot(8192, ROW_BYTES, 2, 2)), "ownership")


def test_resident_across_an_opaque_op() -> None:
    x = graph_input("x", 64, 128)
    a, b, y = (buffer(name, 64, 128) for name in "aby")
    ops = [
        op("to_a", "ij", ROWS, [(x, "ij")], (a, "ij")),
        opaque("scan", x, b),
        op("to_y", "ij", ROWS, [(a, "ij"), (b, "ij")], (y, "ij")),
    ]
    problem = Problem(program([x, a, b, y], ops, y), spyre(4))
    plan = naive_plan(problem, split(i=(4, 16)))
    assert failed(check(problem, plan)) == {}
    assert "alive across the opaque scan" in only(problem, placed(plan, a=slot(0, ROW_BYTES, 0, 2)), "ownership")
    assert "the opaque scan writes it" in among(problem, placed(plan, b=slot(0, ROW_BYTES, 1, 2)), "ownership")
    assert "a loop i that it does not have" in among(problem, divided(plan, scan=split(i=(2, 1))), "coverage")


def test_uneven_boxes_are_not_resident() -> None:
    extents = {"i": 64, "j": 192}
    x, a, y = graph_input("x", 64, 192), buffer("a", 64, 192), buffer("y", 64, 192)
    ops = [op(f"to_{out.name}", "ij", extents, [(source, "ij")], (out, "ij")) for source, out in ((x, a), (a, y))]
    problem = Problem(program([x, a, y], ops, y), spyre(4))
    plan = placed(naive_plan(problem, split(j=(2, 128))), a=slot(0, 64 * 256, 0, 1))
    found = failed(check(problem, plan))
    assert "boxes of 2 different sizes" in found["ownership"]
    assert "3 sticks of 64; 2 slots of 128" in found["sticks"]


def test_addresses_overlap() -> None:
    problem, plan = resident_chain()
    apart = placed(plan, b=slot(ROW_BYTES, ROW_BYTES, 1, 2))
    assert failed(check(problem, apart)) == {}
    shared = placed(plan, b=slot(ROW_BYTES - 128, ROW_BYTES, 1, 2))
    assert f"a [0, {ROW_BYTES})" in only(problem, shared, "overlap")
    assert "both alive in steps 1 to 1" in only(problem, placed(plan, b=slot(0, ROW_BYTES, 1, 2)), "overlap")


def test_in_place_conditions() -> None:
    problem, plan = resident_chain()
    moved = placed(plan, b=slot(128, ROW_BYTES, 1, 2, "a"))
    assert f"it has {ROW_BYTES} bytes at 128" in only(problem, moved, "overlap")
    longer = placed(plan, a=slot(0, ROW_BYTES, 0, 2))
    assert "that ends in step 2, it begins in step 1" in only(problem, longer, "overlap")
    ghost = placed(plan, a=HBM)
    assert "that is not in LX" in only(problem, ghost, "overlap")


def test_in_place_with_other_boxes() -> None:
    problem, plan = resident_chain()
    wrong = divided(plan, to_b=split(j=(2, 64), i=(2, 32)), to_y=split(j=(2, 64), i=(2, 32)))
    assert "core 0 holds other elements" in among(problem, wrong, "overlap")


def test_in_place_at_another_index() -> None:
    problem = turned(128, 128)
    x, y = (problem.program.buffer_map[name] for name in "xy")
    a, z = buffer("a", 128, 128), buffer("z", 128, 128)
    extents = {"i": 128, "j": 128}
    ops = [
        op("to_a", "ij", extents, [(x, "ij")], (a, "ij")),
        op("turn", "ij", extents, [(a, "ji")], (y, "ij")),
        op("to_z", "ij", extents, [(y, "ij")], (z, "ij")),
    ]
    problem = Problem(program([x, a, y, z], ops, z), spyre(1))
    plan = naive_plan(problem, layouts={"y": layout_of(y, (1, 0)), "z": layout_of(z, (1, 0))})
    size = layout_of(a).size_bytes
    plan = placed(plan, a=slot(0, size, 0, 1), y=slot(0, size, 1, 2, "a"))
    assert "their layouts differ" in only(problem, plan, "overlap")
    assert failed(check(problem, placed(plan, y=slot(size, size, 1, 2)))) == {}


def test_budget_overflow_by_one_stick() -> None:
    problem, plan = resident_chain()
    top = problem.device.lx_budget_bytes - ROW_BYTES
    assert failed(check(problem, placed(plan, a=slot(top, ROW_BYTES, 0, 1), b=slot(top, ROW_BYTES, 1, 2, "a")))) == {}
    over = placed(plan, a=slot(top + 128, ROW_BYTES, 0, 1), b=slot(0, ROW_BYTES, 1, 2))
    assert f"ends at {problem.device.lx_budget_bytes + 128}" in only(problem, over, "budget")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (slot(64, ROW_BYTES, 0, 1), "address 64"),
        (slot(-128, ROW_BYTES, 0, 1), "address -128"),
        (slot(0, 0, 0, 1), "size of 0 bytes"),
        (slot(0, ROW_BYTES - 128, 0, 1), f"to_a writes {ROW_BYTES}"),
        (slot(0, ROW_BYTES, 0, 0), "to_b uses it in step 1"),
        (slot(0, ROW_BYTES, 1, 1), "to_a uses it in step 0"),
        (slot(0, ROW_BYTES, 1, 0), "from step 1 to 0"),
        (slot(0, ROW_BYTES, 0, 3), "the steps are 0 to 2"),
    ],
)
def test_malformed_slot(wrong: Slot, words: str) -> None:
    problem, plan = resident_chain()
    assert words in among(problem, placed(plan, a=wrong, b=HBM), "budget")
