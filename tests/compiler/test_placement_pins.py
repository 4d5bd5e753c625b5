"""Placement pins: kept, or refused with the reason or the bytes that are lacking."""

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.errors import InputError
from compiler.loops import LoopProgram
from compiler.passes.place_scratchpad import PlaceScratchpad
from compiler.pins import Pins, PinState, PinStatus
from compiler.plan import ReasonCode, Spilled
from compiler.problem import Problem
from compiler.solvers.table import SOLVERS
from tests.compiler.shapes import placed, slot, spilled
from tests.programs import problem_of, softmax
from tests.sketch import Sketch

ALL = pytest.mark.parametrize("solver", SOLVERS)


def pinned(program: LoopProgram, places: dict[str, str], cores: int = 32) -> Problem:
    problem = problem_of(program, Pins(placement=frozendict(places)))
    return replace(problem, device=problem.device.with_cores(cores))


def test_pinned_out_and_pinned_in() -> None:
    plan = placed(pinned(softmax(), {"sub": "hbm", "exp": "lx"}))
    assert spilled(plan, "sub").code is ReasonCode.PINNED
    assert slot(plan, "exp").in_place_of == ""
    assert plan.pins == {
        "placement:sub": PinStatus(PinState.HONOURED),
        "placement:exp": PinStatus(PinState.HONOURED),
    }


def test_pinned_out_of_what_is_out_anyway_says_so() -> None:
    plan = placed(pinned(softmax(), {"x": "hbm"}))
    assert spilled(plan, "x") == Spilled(
        ReasonCode.PINNED,
        "a pin keeps it in device memory; without the pin it would be there too: "
        "1,048,576 B: an input, it arrives in device memory",
    )


@pytest.mark.parametrize(
    ("buffer", "place", "sentence"),
    [
        ("x", "lx", "1,048,576 B: an input, it arrives in device memory. A clone of it can live in LX where"),
        ("truediv", "lx", "1,048,576 B: the host fetches it from device memory"),
        ("q", "lx", "there is no buffer q; there are x, max, sub, exp, sum, truediv"),
        ("trudiv", "lx", "there is no buffer trudiv; the nearest name is truediv"),
        ("exp", "ssd", "'ssd' is no place; use 'lx' or 'hbm'"),
    ],
)
def test_a_placement_that_cannot_be_kept_is_refused(buffer: str, place: str, sentence: str) -> None:
    plan = placed(pinned(softmax(), {buffer: place}))
    status = plan.pins[f"placement:{buffer}"]
    assert status.state is PinState.REFUSED
    assert status.detail.startswith(sentence)
    assert status.detail.count("device memory") <= 1, "the reason is stated once"


def two_large_ones() -> LoopProgram:
    sketch = Sketch("two")
    x = sketch.input("x", 512, 1024)
    first, second = sketch.apply("neg", x), sketch.apply("abs", x)
    sketch.output(sketch.apply("sub", first, second))
    return sketch.program()


@ALL
def test_a_pin_goes_before_all_others(solver: str) -> None:
    plan = placed(pinned(two_large_ones(), {"neg": "lx"}, 1), solver=solver)
    assert slot(plan, "neg").size_bytes == 2**20
    assert spilled(plan, "abs").code is ReasonCode.CAPACITY
    plan = placed(pinned(two_large_ones(), {"abs": "lx"}, 1), solver=solver)
    assert slot(plan, "abs").size_bytes == 2**20
    assert spilled(plan, "neg").code is ReasonCode.CAPACITY


def test_pins_that_do_not_fit_together_name_the_bytes_lacking() -> None:
    plan = placed(pinned(two_large_ones(), {"neg": "lx", "abs": "lx"}, 1))
    states = {key: status.state for key, status in plan.pins.items()}
    assert sorted(states.values()) == [PinState.HONOURED, PinState.REFUSED]
    refused = next(status for status in plan.pins.values() if status.state is PinState.REFUSED)
    assert "471,808 B are lacking; in the way: " in refused.detail


def test_an_unknown_solver_is_refused() -> None:
    with pytest.raises(InputError, match="use one of best-fit, first-fit, greedy"):
        PlaceScratchpad("worst-fit")
