"""What ends beside the views is told in a line with its verdict, once, and only of the plan on screen."""

from dataclasses import replace

import pytest
from frozendict import frozendict

from simulator.report import VerifyReport
from spyre_studio.end_teller import EndTeller, weighed_words
from spyre_studio.failure import Failure
from spyre_studio.insight import Basis, Saving
from spyre_studio.insight_weighed import Trial, Weighed
from spyre_studio.session_state import SIMULATE, SWEEP, VERIFY, WEIGH
from spyre_studio.sweep import Setting, Sweep, figures_of
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage
from tests.spyre_studio.verified import clobbered, right


@pytest.fixture
def lines(stage: Stage) -> list[str]:
    told: list[str] = []
    EndTeller(stage, stage).told.connect(told.append)
    return told


def end(stage: Stage, channel: str) -> None:
    stage._leave(channel)


def test_a_verification_tells_its_verdict(stage: Stage, lines: list[str]) -> None:
    for plan, report, verdict in (
        (*right(), "Verified first plan: agrees with PyTorch"),
        (*clobbered(), "Verified plan #2: the numbers are wrong. The first step"),
    ):
        stage.put(plan)
        stage._enter(VERIFY, "verify")
        _found(stage, report)
        end(stage, VERIFY)
        stage.changed.emit("verify")
        assert len(lines) == 1, "once"
        assert lines.pop().startswith(verdict)


def _found(stage: Stage, report: VerifyReport) -> None:
    assert stage._shown is not None
    stage._shown.report = report


def test_a_simulated_run_tells_its_time_or_why_there_is_none(stage: Stage, lines: list[str]) -> None:
    stage.put(compiled())
    stage._phases[SIMULATE] = "timing"
    stage.changed.emit("state")
    stage.simulate()
    assert len(lines) == 1
    assert stage.timeline is not None
    took = f"{stage.timeline.trace.total_us:.1f} µs"
    assert lines.pop().startswith(f"Simulated first plan: {took}, predicted were ")
    assert stage._shown is not None
    stage._shown.timeline = None
    stage._phases[SIMULATE] = "timing"
    stage.changed.emit("state")
    stage._simulated_to(stage._shown, Failure("it", "there is no room", "make some"))
    assert lines == ["Not simulated: there is no room"]


def test_a_sweep_tells_the_best(stage: Stage, lines: list[str]) -> None:
    plan = compiled()
    stage.put(plan)
    base, pins = plan.problem.device, plan.problem.pins
    settings = tuple(Setting(key, f"{key} cores", base.with_cores(int(key)), stage.options, pins) for key in ("4", "8"))
    stage._sweep = Sweep("device", "Device", settings)
    stage._phases[SWEEP] = "sweep"
    stage.swept.emit()
    outcomes = {key: figures_of(compiled(cores=int(key))) for key in ("4", "8")}
    stage._sweep = replace(stage._sweep, outcomes=frozendict(outcomes))
    stage.end_sweep()
    assert len(lines) == 1
    assert lines[0].startswith("Swept 2 plans: the best takes ")
    assert lines[0].endswith(", with device 8 cores")


def test_weighing_tells_what_the_best_remedy_saves(stage: Stage, lines: list[str]) -> None:
    stage.put(compiled())
    found = Weighed(trials=(Trial("a", 0, Saving(19.2, Basis.SOLVED)), Trial("b", 0, Saving(-3.0, Basis.SOLVED))))
    stage._phases[WEIGH] = WEIGH
    stage.advised.emit()
    assert stage._shown is not None
    stage._weighed_to(stage._shown, found)
    assert lines == ["Tried 2 remedies: the best saves 19.2 µs"]
    assert weighed_words(Weighed(trials=found.trials[1:])) == "Tried 1 remedy: none saves time"


def test_nothing_is_told_of_what_was_cancelled_or_is_of_another_plan(stage: Stage, lines: list[str]) -> None:
    stage.put(compiled())
    stage._enter(VERIFY, "verify")
    stage._phases[SIMULATE] = "timing"
    stage.changed.emit("state")
    stage.cancel()
    stage._enter(VERIFY, "verify")
    stage.put(compiled(cores=4))
    end(stage, VERIFY)
    assert lines == []
