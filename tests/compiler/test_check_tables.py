"""Tables: the dims that data choose lie outside of all others on the device, and never on the stick."""

from dataclasses import replace

import pytest

from compiler.check import check, check_partial
from compiler.checks.case import FIELDS
from compiler.dtypes import DType
from compiler.layout import UNIT
from compiler.loops import (
    Access,
    Buffer,
    BufferKind,
    Gather,
    Instruction,
    Load,
)
from compiler.plan import Edit, EditKind, Plan
from compiler.problem import Problem
from tests.compiler.legality_oracle import plan_faults
from tests.compiler.tiny import buffer, failed, graph_input, laid_out, layout_of, naive_plan, op, program, spyre, walk

PARAMETER = BufferKind.PARAMETER


def table(*shape: int, kind: BufferKind = PARAMETER) -> Buffer:
    return buffer("t", *shape, kind=kind)


def lookup(t: Buffer, *gathered: int) -> Problem:
    """y[i, rest] = t with the row numbers of the gathered dims read from one vector each, its other dims walked."""
    size = 3
    letters = "".join("." if dim in gathered else "abcd"[dim] for dim in range(len(t.shape)))
    rest = {letter: t.shape[dim] for dim, letter in enumerate(letters) if letter != "." and t.shape[dim] > 1}
    letters = "".join(letter if letter in rest else "." for letter in letters)
    numbers = [graph_input(f"n{dim}", size, dtype=DType.I32) for dim in gathered]
    y = buffer("y", size, *rest.values())
    look = op("look", "i" + "".join(rest), {"i": size, **rest}, [], (y, "i" + "".join(rest)))
    inner = walk(t, letters)
    found = tuple(Gather(t.strides[dim], place, t.shape[dim]) for place, dim in enumerate(gathered))
    reads = (*(walk(number, "i") for number in numbers), Access("t", replace(inner.index, gathers=found)))
    body: tuple[Instruction, ...] = tuple(Load(place, DType.I32) for place in range(len(numbers)))
    look = replace(look, reads=reads, body=(*body, Load(len(numbers), t.dtype)), results=(len(numbers),))
    return Problem(program([*numbers, t, y], [look], y), spyre(4))


def judged(problem: Problem, plan: Plan) -> dict[str, str]:
    """The checker's opinion, which must be that of the oracle."""
    found = failed(check(problem, plan))
    assert bool(found) == bool(plan_faults(problem, plan, finished=True))
    return found


@pytest.mark.parametrize(
    ("shape", "order", "other"),
    [
        ((10, 128), (UNIT, 0, 1), None),
        ((10, 128), (0, 1), 1),
        ((10, 64), (0, 1), None),  # one stick per row: nothing but the rows is longer than 1
        ((10, 4, 128), (1, 0, 2), None),
        ((10, 4, 128), (0, 1, 2), 1),
        ((10, 4, 128), (UNIT, 1, 0, 2), 1),
        ((10, 1, 128), (UNIT, 1, 0, 2), None),
    ],
)
def test_the_gathered_dim_is_the_outermost(shape: tuple[int, ...], order: tuple[int, ...], other: int | None) -> None:
    t = table(*shape)
    problem = lookup(t, 0)
    plan = laid_out(naive_plan(problem), t=layout_of(t, order))
    words = f"look: t is indexed by data along dim 0, but dim {other} lies outside of it on the device"
    assert judged(problem, plan) == ({} if other is None else {"sticks": words})
    assert failed(check_partial(problem, plan, FIELDS)) == {}


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ((UNIT, 0, 1, 2), ""),
        ((UNIT, 1, 0, 2), ""),
        ((2, 0, 1), "t is indexed by data along dim 1, which is on its stick"),
        ((0, 1, 2), "t is indexed by data along dim 0, but dim 2 lies outside of it on the device"),
        ((1, 0, 2), "t is indexed by data along dim 1, but dim 2 lies outside of it on the device"),
    ],
)
def test_gathered_dims_in_any_order(order: tuple[int, ...], words: str) -> None:
    t = table(5, 7, 128)
    problem = lookup(t, 0, 1)
    found = judged(problem, laid_out(naive_plan(problem), t=layout_of(t, order)))
    if order[-1] == 1:
        words = "t is indexed by data along its stick"
    assert found == ({"sticks": f"look: {words}"} if words else {})


def test_whole_sticks_that_data_choose_are_still_on_the_stick() -> None:
    """Blocks of 64 columns: the lane does not move, but the dim is the stick's."""
    t = table(2, 256)
    problem = lookup(t, 0)
    (look,) = problem.program.ops
    read = look.reads[1]
    y = buffer("y", 3, 2, 64)
    blocks = op("look", "iac", {"i": 3, "a": 2, "c": 64}, [], (y, "iac"))
    index = replace(walk(t, "ac").index, gathers=(Gather(64, 0, 4),))
    blocks = replace(blocks, reads=(look.reads[0], replace(read, index=index)), body=look.body, results=look.results)
    problem = Problem(program([problem.program.buffers[0], t, y], [blocks], y), spyre(4))
    found = judged(problem, naive_plan(problem))
    assert found == {"sticks": "look: t is indexed by data along dim 1, which is on its stick"}


def test_an_input_is_reordered_first() -> None:
    t = table(10, 128, kind=BufferKind.INPUT)
    problem = lookup(t, 0)
    edit = Edit("order", EditKind.REORDER, "t", "t2", "look", ("look",))
    assert judged(problem, naive_plan(problem, layouts={"t2": layout_of(t, (UNIT, 0, 1))}, edits=(edit,))) == {}
