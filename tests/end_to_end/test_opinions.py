"""Cost model and simulator on the bundled examples: where their times part, the reason tells most of the difference."""

from __future__ import annotations

from functools import cache

import pytest

from compiler.compilation import Compilation
from compiler.pipelines import PIPELINES
from resources.examples import examples
from simulator.timing.simulate import simulate
from simulator.trace import Trace
from spyre_studio.opinion_accounts import Part
from spyre_studio.opinions import Opinion, Opinions, describe_opinions, opinions
from spyre_studio.units import format_time
from tests.end_to_end.harness import compiled

NAMES = [example.name for example in examples()]
PLANS = [(pipeline, cores) for pipeline in PIPELINES for cores in (4, 32) if pipeline == "staged" or cores == 32]


@cache
def both(name: str, pipeline: str, cores: int) -> tuple[Compilation, Trace, Opinions]:
    compilation = compiled(name, cores, pipeline=PIPELINES[pipeline].replace("seconds=10.0", "seconds=0.5"))
    trace = simulate(compilation.program, compilation.problem.device)
    return compilation, trace, opinions(compilation, trace)


def every(found: Opinions) -> tuple[Opinion, ...]:
    return (found.whole, *found.kernels, *found.steps)


@pytest.mark.parametrize("plan", PLANS, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_a_reason_tells_at_least_half_of_a_difference(name: str, plan: tuple[str, int]) -> None:
    found = both(name, *plan)[2]
    for one in every(found):
        assert one.parts == bool(one.reason) == bool(one.named)
        if not one.parts:
            continue
        along = [each.difference_us for each in one.named if each.difference_us * one.difference_us > 0]
        assert abs(sum(along)) >= abs(one.difference_us) / 2
        assert abs(sum(each.difference_us for each in one.named)) <= 2 * abs(one.difference_us) or len(one.named) > 1
        assert all(each.words in one.reason for each in one.named)
        assert format_time(one.named[0].difference_us, signed=True) in one.reason
    kernels = [one for one in found.kernels if one.parts]
    assert all(each.part is not Part.WAITS for one in kernels for each in one.named), "a rest explains nothing"


@pytest.mark.parametrize("plan", PLANS, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_contributions_add_up_and_are_those_of_price_and_trace(name: str, plan: tuple[str, int]) -> None:
    compilation, trace, found = both(name, *plan)
    for one in every(found):
        assert sum(each.predicted_us for each in one.contributions) == pytest.approx(one.predicted_us, abs=1e-4)
        assert sum(each.simulated_us for each in one.contributions) == pytest.approx(one.simulated_us, abs=1e-4)
    assert found.whole.predicted_us == compilation.cost.total_us
    assert found.whole.simulated_us == trace.total_us
    parts = {each.part: each for each in found.whole.contributions}
    moved = sum(each.moved for each in trace.traffic if each.way in ("own", "shared"))
    assert parts[Part.BYTES].simulated_us == pytest.approx(moved / 150e3)
    terms = [term for cost in compilation.cost.steps for term in cost.terms]
    turned = sum(term.microseconds for term in terms if term.name == "read/write turnaround")
    assert parts[Part.TURNAROUND].predicted_us == pytest.approx(turned)
    hidden = sum(term.microseconds for term in terms) - compilation.cost.total_us
    assert parts[Part.HIDDEN].predicted_us == pytest.approx(-hidden, abs=1e-6)
    assert abs(parts[Part.WAITS].simulated_us) <= 0.05 * trace.total_us, "next to nothing is left open"


@pytest.mark.parametrize("name", NAMES)
def test_every_kernel_is_described(name: str) -> None:
    found = both(name, "staged", 32)[2]
    text = "\n".join(describe_opinions(found, most=2))
    for kernel in found.kernels:
        assert f" {kernel.name}: predicted {format_time(kernel.predicted_us)}" in text
        assert all(one.words in text and one.words in kernel.reason for one in kernel.named)
    assert text.count(": predicted ") <= len(found.kernels) + 1 + 2
