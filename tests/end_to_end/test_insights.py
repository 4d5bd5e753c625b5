"""Insights of the bundled examples: who does what the best remedy says gets the saving that was said."""

from __future__ import annotations

import pytest

from compiler.plan import Spilled
from resources.examples import examples
from spyre_studio.insight import Remedy
from spyre_studio.insight_trials import weigh, with_remedy
from spyre_studio.insights import best, insights
from spyre_studio.reporter import Silent
from tests.end_to_end.harness import compiled

NAMES = [example.name for example in examples()]
IMPROVED = {"softmax", "mlp", "attention", "decoder", "convnet"}
"""Examples of which the staged pipeline leaves something to be saved by a remedy that is no search."""


@pytest.mark.parametrize("name", NAMES)
def test_the_best_remedy_saves_what_was_said(name: str) -> None:
    compilation = compiled(name, 32)
    weighed = weigh(compilation, Silent(), searches=False)
    found = insights(compilation, weighed=weighed)
    top = best(found)
    assert (top is not None) == (name in IMPROVED), f"{name}: {top.sentence if top else 'nothing'}"
    if top is None or top.nearest is None:
        return
    said = top.nearest.saving.us
    remedy: Remedy = top.nearest
    pins, pipeline = remedy.pins(compilation.problem.pins), remedy.pipeline or compilation.plan.pipeline
    alone = compiled(name, 32, pins, pipeline)  # by itself, without a plan before it
    beside = with_remedy(compilation, remedy, Silent())
    assert compilation.cost.total_us - alone.cost.total_us == pytest.approx(said, abs=1e-9)
    assert beside.cost == alone.cost
    assert alone.ok
    assert said <= compilation.cost.total_us


@pytest.mark.parametrize("name", NAMES)
def test_sentences_are_about_what_is_there(name: str) -> None:
    compilation = compiled(name, 32)
    total = compilation.cost.total_us
    for one in insights(compilation):
        assert one.sentence.endswith(".")
        if one.kind == "outside":
            assert all(isinstance(compilation.plan.placement[buffer], Spilled) for buffer in one.evidence.buffers)
        if not one.rough and one.cost_us:
            costs = {cost.step: cost for cost in compilation.cost.steps}
            assert one.cost_us <= total * (1 + 1e-9)
            assert one.cost_bytes <= sum(costs[step].hbm_bytes for step in one.evidence.steps)
