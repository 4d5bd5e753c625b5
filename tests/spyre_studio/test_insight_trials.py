"""Trials: a saving is what making the plan again with the remedy saves; nothing is promised that was not made."""

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.errors import StoppedError
from compiler.loops import LoopProgram
from compiler.pins import Pins
from compiler.pipelines import PIPELINES
from spyre_studio.insight import Basis
from spyre_studio.insight_trials import most_trials, weigh, with_remedy
from spyre_studio.insights import best, insights
from spyre_studio.reporter import Silent
from tests.programs import attention, chain, product, softmax
from tests.spyre_studio.plans import compiled, divided


class Heard(Silent):
    """Remembers progress; is cancelled after so many times."""

    def __init__(self, patience: int = 10**9) -> None:
        self.told: list[tuple[float | None, str]] = []
        self.patience = patience

    def progress(self, fraction: float | None, phase: str, detail: str = "") -> None:
        self.told.append((fraction, detail))

    def cancelled(self) -> bool:
        return len(self.told) >= self.patience


PLANS = [
    compiled(program=softmax(128, 256)),
    compiled(program=product(256, 512, 256)),
    compiled(program=chain(256, 512), pins=divided("relu", j=16)),
    compiled(program=chain(256, 512), pins=Pins(placement=frozendict({"neg": "hbm"}))),
]


@pytest.mark.parametrize("compilation", PLANS, ids=lambda one: one.plan.model)
def test_what_was_said_is_what_it_saves(compilation: Compilation) -> None:
    """Every remedy whose saving was worked out by making the plan, and not by a search of limited time."""
    weighed = weigh(compilation, Silent(), searches=False)
    found = insights(compilation, weighed=weighed)
    for one in found:
        for remedy in one.remedies:
            if not remedy.saving.known:
                continue
            assert remedy.saving.basis is Basis.SOLVED
            made = with_remedy(compilation, remedy, Silent())
            assert made.ok
            assert compilation.cost.total_us - made.cost.total_us == remedy.saving.us
            assert remedy.saving.helps == (remedy.saving.us > 0.005 and not remedy.saving.refused)


def test_a_pinned_buffer_is_freed_and_that_saves() -> None:
    compilation = PLANS[3]
    top = best(insights(compilation, weighed=weigh(compilation, Silent(), searches=False)))
    assert top is not None
    assert top.nearest is not None
    assert top.kind == "outside"
    free = compiled(program=chain(256, 512))
    assert top.nearest.saving.us == pytest.approx(compilation.cost.total_us - free.cost.total_us)


def test_a_refused_pin_is_no_remedy() -> None:
    compilation = compiled(program=attention())
    weighed = weigh(compilation, Silent(), searches=False)
    refused = [trial for trial in weighed.trials if trial.saving.refused]
    assert refused
    assert all("refused" in trial.saving.note and not trial.saving.helps for trial in refused)


def test_better_divisions_are_better_and_pinning_them_is_tried() -> None:
    compilation = compiled(program=attention())
    weighed = weigh(compilation, Silent(), searches=False)
    assert weighed.better
    assert all(one.then_us < one.now_us for one in weighed.better)
    tried = {trial.key for trial in weighed.trials}
    assert any(one.op in key for one in weighed.better for key in tried)


def test_searches_are_tried_only_where_they_may_differ() -> None:
    compilation = compiled(program=chain(256, 512))
    without, with_ = (weigh(compilation, Silent(), searches=searches) for searches in (False, True))
    assert {trial.saving.basis for trial in with_.trials} >= {Basis.SEARCHED}
    assert Basis.SEARCHED not in {trial.saving.basis for trial in without.trials}
    assert without.left_out > with_.left_out


def test_the_same_plan_is_weighed_alike() -> None:
    compilation = compiled(program=attention())
    assert weigh(compilation, Silent(), searches=False) == weigh(compilation, Silent(), searches=False)


def test_weighing_tells_how_far_it_is_and_stops_when_nobody_waits() -> None:
    compilation, heard = compiled(program=attention()), Heard()
    weigh(compilation, heard, searches=False)
    shares = [share for share, _ in heard.told if share is not None]
    assert shares == sorted(shares)
    assert heard.told[0] == (0.0, "divisions of the costliest ops")
    with pytest.raises(StoppedError):
        weigh(compilation, Heard(patience=2), searches=False)


def test_large_plans_get_fewer_trials() -> None:
    assert most_trials(1) == 40
    assert most_trials(10_000) == 8


def test_a_search_is_recognised_by_its_spec() -> None:
    program: LoopProgram = chain(64, 128)
    fast = PIPELINES["co-optimized"].replace("seconds=10.0", "seconds=0.2")
    compilation = compiled(program=program, pipeline=fast, pins=Pins(placement=frozendict({"neg": "hbm"})))
    trials = weigh(compilation, Silent()).trials
    assert {trial.saving.basis for trial in trials} == {Basis.SEARCHED}
    assert not weigh(compilation, Silent(), searches=False).trials
