"""Why a buffer is where it is: facts of buffers in LX and outside, and names that do not exist."""

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.errors import InputError
from compiler.explain import explain, print_explanation
from compiler.graph import ModelGraph
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.plan import ReasonCode, Slot, Spilled
from compiler.problem import Problem
from compiler.reasons import REASONS
from tests.programs import softmax


@pytest.fixture(scope="module")
def plain() -> Compilation:
    return compiled()


def compiled(pins: Pins | None = None) -> Compilation:
    problem = Problem(softmax(128, 256), load_device("spyre"), pins or Pins())
    return compile_problem(ModelGraph("softmax", (), (), ()), problem)


def test_a_resident_buffer(plain: Compilation) -> None:
    facts = explain(plain, "exp")
    assert (facts.code, facts.remedy) == ("", "")
    assert (facts.first_step, facts.last_step) == (2, 4)
    assert [user.name for user in facts.writers] == ["exp"]
    assert [user.name for user in facts.readers] == ["sum", "truediv"]
    slot = plain.plan.placement["exp"]
    assert isinstance(slot, Slot)
    assert facts.bytes_per_core == slot.size_bytes
    assert facts.budget == plain.problem.device.lx_budget_bytes
    assert "place of sub" in facts.reason
    assert "there is room" in explain(plain, "max").reason


def test_an_input_and_a_result(plain: Compilation) -> None:
    source = explain(plain, "x")
    assert (source.code, source.writers, source.bytes_per_core) == ("graph-input", (), 0)
    result = explain(plain, "truediv")
    assert result.outputs == ("out0",)
    assert result.readers == ()
    assert "step 4 only" in print_explanation(result)
    assert "result     out0" in print_explanation(result)


def test_a_pinned_buffer() -> None:
    facts = explain(compiled(Pins(placement=frozendict(exp="hbm"))), "exp")
    assert (facts.code, facts.pin) == ("pinned-out", "honoured")
    assert "pin        honoured" in print_explanation(facts)


@pytest.mark.parametrize("code", ReasonCode)
def test_every_reason_has_words(plain: Compilation, code: ReasonCode) -> None:
    plan = replace(plain.plan, placement=plain.plan.placement.set("exp", Spilled(code, "needs 5 bytes more")))
    text = print_explanation(explain(replace(plain, plan=plan), "exp"))
    for words in (code, REASONS[code].sentence, REASONS[code].remedy, "needs 5 bytes more"):
        assert words in text


def test_a_buffer_that_nobody_touches(plain: Compilation) -> None:
    program = plain.problem.program
    spare = replace(program.buffer_map["x"], name="spare")
    problem = replace(plain.problem, program=replace(program, buffers=(*program.buffers, spare)))
    unplaced = replace(plain, problem=problem)
    with pytest.raises(InputError, match="leaves open where it lies"):
        explain(unplaced, "spare")
    plan = replace(
        plain.plan,
        layouts=plain.plan.layouts.set("spare", plain.plan.layouts["x"]),
        placement=plain.plan.placement.set("spare", Spilled(ReasonCode.NOT_READ, "")),
    )
    assert "no step touches it" in print_explanation(explain(replace(unplaced, plan=plan), "spare"))


@pytest.mark.parametrize(
    ("name", "words"),
    [("truedv", "the nearest name is truediv"), ("su", "the nearest names are sub, sum"), ("", "its name is empty;")],
)
def test_names_that_do_not_exist(plain: Compilation, name: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        explain(plain, name)
    assert words in caught.value.sentence
