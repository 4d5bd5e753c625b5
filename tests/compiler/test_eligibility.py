"""Eligibility of what copies make and read: padded layouts, reorders and fills."""

from dataclasses import replace

import pytest

from compiler.eligibility import BEFORE_OWNERSHIP, judge, scene_of
from compiler.layout import UNIT, stick_layout
from compiler.ownership import Holding
from compiler.plan import Edit, EditKind, Plan, ReasonCode, Slot, Spilled
from compiler.problem import Problem
from compiler.reasons import REASONS
from tests.compiler.shapes import divided, placed, spilled
from tests.programs import chain, problem_of
from tests.sketch import Sketch


def filled(*padding: tuple[int, int], kind: EditKind = EditKind.PAD) -> tuple[Problem, Plan]:
    """x times an activation of 784 rows that a copy fills up for the contraction, before addresses are given."""
    sketch = Sketch("filled")
    right = sketch.apply("neg", sketch.input("w", 784, 512))
    sketch.output(sketch.matmul(sketch.input("x", 64, 784), right))
    problem = problem_of(sketch.program())
    layouts = {"neg.p": stick_layout((784, 512), (512, 1), 64, padding=padding)}
    edit = Edit("matmul.neg", kind, "neg", "neg.p", "matmul", ("matmul",))
    return problem, divided(problem, layouts, (edit,))


def test_what_is_filled_up_with_zeros_is_never_resident() -> None:
    problem, plan = filled((0, 832))
    want = Spilled(ReasonCode.ZERO_PADDED, "dim 0 of 784 is filled up to 832 with zeros")
    assert judge(scene_of(problem.program, plan), "neg.p") == want
    assert spilled(placed(problem, plan.layouts, plan.edits), "neg.p") == want
    assert REASONS[want.code].sentence


def test_every_padded_dim_is_told() -> None:
    problem, plan = filled((0, 832))
    both = stick_layout((784, 512), (512, 1), 64, (0, 1, -1), padding=((0, 832), (1, 520)))
    grown = replace(plan, layouts=plan.layouts.set("neg.p", both))
    assert judge(scene_of(problem.program, grown), "neg.p") == Spilled(
        ReasonCode.ZERO_PADDED, "dim 0 of 784 is filled up to 832 and dim 1 of 512 is filled up to 520 with zeros"
    )


def test_without_padding_the_same_buffer_is_judged_by_who_holds_it() -> None:
    problem, plan = filled()
    found = judge(scene_of(problem.program, plan), "neg.p")
    assert isinstance(found, Holding) or found.code is not ReasonCode.ZERO_PADDED


def test_a_weight_that_is_filled_up_is_a_graph_input_first() -> None:
    sketch = Sketch("linear")
    sketch.output(sketch.matmul(sketch.input("x", 64, 100), sketch.parameter("w", 100, 64)))
    problem = problem_of(sketch.program())
    plan = divided(problem, {"w": stick_layout((100, 64), (64, 1), 64, padding=((0, 128),))})
    found = judge(scene_of(problem.program, plan), "w")
    assert found == Spilled(ReasonCode.GRAPH_INPUT, "16,384 B: a parameter, it arrives in device memory")


def test_what_a_buffer_is_comes_before_who_uses_it() -> None:
    codes = [code for code, _ in BEFORE_OWNERSHIP]
    assert codes.index(ReasonCode.EMPTY) < codes.index(ReasonCode.ZERO_PADDED)
    assert codes.index(ReasonCode.ZERO_PADDED) < codes.index(ReasonCode.RESTICKIFY_READER)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (EditKind.RESTICKIFY, "copies it to other sticks"),
        (EditKind.REORDER, "copies it to another order of dims"),
        (EditKind.PAD, "copies it to fill it up with zeros"),
    ],
)
def test_what_a_copy_reads_stays_out_in_words_of_its_kind(kind: EditKind, words: str) -> None:
    problem, plan = filled((0, 832), kind=kind)
    want = Spilled(ReasonCode.RESTICKIFY_READER, f"matmul.neg at step 1 {words}")
    assert judge(scene_of(problem.program, plan), "neg") == want


def test_a_layout_with_all_dims_outside_of_the_sticks_is_no_padding() -> None:
    problem = problem_of(chain(64, 128, primitives=("neg", "abs")))
    order = (UNIT, 0, 1)
    layouts = {name: stick_layout((64, 128), (128, 1), 64, order) for name in ("neg", "abs")}
    plan = placed(problem, layouts)
    assert isinstance(plan.placement["neg"], Slot)
