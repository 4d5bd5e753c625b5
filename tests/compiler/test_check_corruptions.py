"""Damages to layouts and moves that always do harm: each is rejected, whatever the dice say."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from compiler.check import check
from compiler.dtypes import DType
from compiler.layout import UNIT, stick_layout
from compiler.loops import Access, BufferKind, Gather, Load, OpKind
from compiler.plan import Edit, EditKind, Plan
from compiler.problem import Problem
from tests import corruptions
from tests.compiler.legality_oracle import plan_faults
from tests.compiler.tiny import buffer, failed, graph_input, naive_plan, op, program, spyre, walk
from tests.corruptions import Damage

PARAMETER = BufferKind.PARAMETER


def everything() -> tuple[Problem, Plan]:
    """r = rows of a table t; y = a r, with r padded by a copy; z = a v, with v padded by the host."""
    t, v = buffer("t", 9, 5, 3, kind=PARAMETER), buffer("v", 100, 2, kind=PARAMETER)
    numbers, a = graph_input("numbers", 100, dtype=DType.I32), graph_input("a", 2, 100)
    r, y, z = buffer("r", 100, 3), buffer("y", 2, 3), buffer("z", 2, 2)
    look = op("look", "kn", {"k": 100, "n": 3}, [], (r, "kn"))
    index = replace(walk(t, "..n").index, gathers=(Gather(15, 0, 9),))
    look = replace(look, reads=(walk(numbers, "k"), Access("t", index)), results=(1,))
    look = replace(look, body=(Load(0, DType.I32), Load(1, DType.F16)))
    first = op("first", "mnK", {"m": 2, "n": 3, "k": 100}, [(a, "mk"), (r, "kn")], (y, "mn"), OpKind.MATMUL, "sum")
    second = op("second", "mnK", {"m": 2, "n": 2, "k": 100}, [(a, "mk"), (v, "kn")], (z, "mn"), OpKind.MATMUL, "sum")
    problem = Problem(program([t, v, numbers, a, r, y, z], [look, first, second], y, z), spyre(4))
    fill = Edit("fill", EditKind.PAD, "r", "r2", "first", ("first",))
    layouts = {
        "t": stick_layout(t.shape, t.strides, 64, (UNIT, 0, 1, 2)),
        "v": stick_layout(v.shape, v.strides, 64, padding=((0, 128),)),
        "r2": stick_layout(r.shape, r.strides, 64, padding=((0, 128),)),
    }
    return problem, naive_plan(problem, layouts=layouts, edits=(fill,))


def test_nothing_is_wrong_before() -> None:
    problem, plan = everything()
    assert failed(check(problem, plan)) == {}
    assert plan_faults(problem, plan, finished=True) == []


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        (corruptions.remove_padding, "padding", "100 rows in dim 0 where 128 are read: zeros are missing"),
        (corruptions.shorten_padding, "padding", "127 rows in dim 0 where 128 are read: zeros are missing"),
        (corruptions.promote_padded, "ownership", "is in LX, but it is"),
        (corruptions.stagger_weight, "sticks", "is filled by the host, which cannot write it arranged f32-to-f16"),
        (corruptions.reorder_table, "sticks", "t is indexed by data along dim 0, but dim "),
        (corruptions.reorder_input, "sticks", "is filled by the host and must have the default layout"),
        (corruptions.rename_edit, "sticks", "fill: is a "),
    ],
)
def test_every_damage_is_seen(kind: Callable[[Damage], Plan | None], name: str, words: str) -> None:
    problem, plan = everything()
    seen = 0
    for seed in range(6):
        damaged = kind(Damage(random.Random(seed), problem, plan))
        if damaged is None or damaged == plan:
            continue
        seen += 1
        assert words in failed(check(problem, damaged))[name], seed
        assert plan_faults(problem, damaged, finished=True), seed
    assert seen >= 4
