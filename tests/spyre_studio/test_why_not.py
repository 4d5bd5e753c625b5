"""What is not in LX: the traffic of every buffer against the price of the plan, and what LX would save."""

import pytest

from compiler.compilation import Compilation
from compiler.loops import LoopProgram
from compiler.pins import Pins
from compiler.plan import Slot, Spilled
from spyre_studio.pin_change import with_placement
from spyre_studio.why_not import why_not_of
from tests.programs import attention, chain, product, softmax
from tests.spyre_studio.plans import compiled


def out(program: LoopProgram, *buffers: str) -> Compilation:
    """The plan with these buffers pinned to device memory."""
    pins = Pins()
    for buffer in buffers:
        pins = with_placement(pins, buffer, "hbm")
    return compiled(program=program, pins=pins)


@pytest.mark.parametrize(
    ("program", "buffers"),
    [
        (softmax(128, 256), ("exp",)),
        (softmax(128, 256), ("max", "sub", "sum")),
        (chain(64, 128), ("neg",)),
        (attention(4, 512, 64), ("scores", "truediv")),
        (attention(2, 64, 64), ("exp",)),
    ],
)
def test_what_is_saved_is_what_the_price_falls_by(program: LoopProgram, buffers: tuple[str, ...]) -> None:
    """Each of the buffers taken into LX alone, against a plan in which all are outside."""
    whole = out(program, *buffers)
    saves = {one.buffer: one.saves for one in why_not_of(whole)}
    compared = 0
    for buffer in buffers:
        others = out(program, *(name for name in buffers if name != buffer))
        if isinstance(others.plan.placement[buffer], Slot):
            assert whole.cost.hbm_bytes - others.cost.hbm_bytes == saves[buffer] > 0
            compared += 1
    assert compared


def test_everything_outside_is_listed_once_most_first() -> None:
    whole = compiled(program=attention(4, 512, 64))
    found = why_not_of(whole)
    outside = {name for name, place in whole.plan.placement.items() if isinstance(place, Spilled)}
    assert {one.buffer for one in found} == outside
    assert len(found) == len(outside)
    assert [one.saves for one in found] == sorted((one.saves for one in found), reverse=True)
    scores = next(one for one in found if one.buffer == "scores")
    assert (scores.code, scores.title, scores.producer) == ("division-mismatch", "divided differently", "scores")
    assert scores.detail
    assert scores.sentence
    assert scores.remedy


def test_inputs_are_loaded_once_and_outputs_written_all_the_same() -> None:
    saves = {one.buffer: one.saves for one in why_not_of(compiled(program=chain(64, 128)))}
    assert saves == {"x": 0, "relu": 0}
    saves = {one.buffer: one.saves for one in why_not_of(compiled(program=product(64, 128, 256)))}
    assert saves["matmul"] == 0


def test_an_operand_that_several_cores_load_would_save_all_loads_but_one() -> None:
    whole = compiled(program=attention(4, 512, 64))
    (v,) = (one for one in why_not_of(whole) if one.buffer == "v")
    (step,) = (cost for cost in whole.cost.steps if cost.step == "context")
    assert v.saves == step.read_bytes - v.size > 0
