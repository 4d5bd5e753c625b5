"""Why an op takes the time it takes, in words: division, terms with their constants, the next best divisions."""

import pytest
from frozendict import frozendict

from compiler.errors import InputError
from compiler.explain_op import explain_op
from compiler.graph import ModelGraph
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.pipelines import PIPELINES
from compiler.plan import EditKind
from tests.programs import attention, problem_of, softmax

ATTENTION = compile_problem(ModelGraph("m", (), (), ()), problem_of(attention()))
SOFTMAX = compile_problem(ModelGraph("m", (), (), ()), problem_of(softmax()))


def product() -> str:
    return next(op.name for op in ATTENTION.problem.program.ops if op.kind == "matmul")


def test_terms_add_up_and_name_formula_inputs_and_constants() -> None:
    name = product()
    text = explain_op(ATTENTION, name)
    cost = next(cost for cost in ATTENTION.cost.steps if cost.step == name)
    for term in cost.terms:
        assert f"{term.name}: {term.microseconds:,.3f} µs = {term.formula}" in text
        assert term.inputs in text
        for key in term.constants:
            number = ATTENTION.problem.device.numbers[key]
            unit = number.unit.replace("/us", "/µs")
            assert f"{key} = {number.value:g} {unit} ({number.kind}: {number.source}" in text
    assert "RMS 26.5 to 40 % of batched matmuls" in text


def test_the_chosen_division_stands_among_the_next_best() -> None:
    text = explain_op(ATTENTION, product())
    rows = text[text.index("could be") :].splitlines()[1:]
    assert sum("chosen" in row for row in rows) == 1
    assert all("µs (" in row for row in rows)
    assert "points of preference" in text
    assert ATTENTION.plan.reasons[f"division:{product()}"] in text


def test_a_division_that_drives_a_buffer_out_says_so() -> None:
    found = compile_problem(ModelGraph("m", (), (), ()), problem_of(attention()), pipeline="searched")
    rows = explain_op(found, product())
    rows = rows[rows.index("could be") :]
    assert "would leave LX, which is not in this time" in rows
    assert not any("leave LX" in row for row in rows.splitlines() if "chosen" in row)


def test_a_move_is_not_compared_with_divisions_that_take_its_purpose() -> None:
    """As if it were quicker: a clone that is divided in another way serves nobody in LX."""
    pins, spec = Pins(placement=frozendict({"x": "lx"})), PIPELINES["co-optimized"].replace("cp-sat", "greedy")
    found = compile_problem(ModelGraph("m", (), (), ()), problem_of(softmax(), pins), pipeline=spec)
    clone = next(edit for edit in found.plan.edits if edit.kind is EditKind.CLONE_IN)
    text = explain_op(found, clone.name)
    assert "would leave LX" not in text
    assert f"could be   nothing else: it is divided as {' and '.join(clone.readers[:2])} read" in text


def test_an_op_in_lx_takes_no_memory_time() -> None:
    text = explain_op(SOFTMAX, "exp")
    assert "takes      0.00 µs of its kernel" in text
    assert "divided    i 32 x 16, 32 of 32 cores" in text


def test_an_unknown_op_is_named() -> None:
    with pytest.raises(InputError, match="no such op; the nearest name is"):
        explain_op(SOFTMAX, "expp")
