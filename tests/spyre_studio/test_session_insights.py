"""A session that asks what remedies save, takes one, and has a report written; the worker is a list of what it was
asked."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from frozendict import frozendict
from pytestqt.qtbot import QtBot

from compiler.pins import Pins
from spyre_studio.failure import Failure
from spyre_studio.insight import Basis, Remedy, Saving
from spyre_studio.insight_weighed import NOT_WEIGHED, Trial, Weighed
from spyre_studio.request import Request
from spyre_studio.session_insights import Advising
from spyre_studio.session_state import WEIGH
from tests.programs import chain
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage, quiet_settings

ANSWER = Weighed(trials=(Trial("steps:neg", 0, Saving(1.0, Basis.SOLVED)),))
Asked = tuple[Request[object], str, Callable[[object], None], Callable[[Failure], None]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, stage: Stage) -> list[Asked]:
    found: list[Asked] = []
    monkeypatch.setattr(stage.jobs, "submit", lambda *words, **_named: found.append(cast("Asked", words[:4])))
    monkeypatch.setattr(stage.jobs, "cancel", lambda _channel: False)
    return found


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    made = Stage(quiet_settings(str(tmp_path)))
    made.put(compiled(program=chain(64, 64)))
    return made


def test_savings_are_asked_once_and_kept_for_their_plan(stage: Stage, asked: list[Asked]) -> None:
    assert stage.weighed is NOT_WEIGHED
    Advising.weigh(stage)
    Advising.weigh(stage)
    ((request, channel, done, _),) = asked
    assert (request.task, channel) == ("weigh", WEIGH)
    assert stage.busy == WEIGH
    done(ANSWER)
    assert not stage.weighing
    assert stage.weighed == ANSWER
    Advising.weigh(stage)
    assert len(asked) == 1, "it is known"
    stage.put(compiled(program=chain(64, 128)))
    assert stage.weighed is NOT_WEIGHED
    Advising.weigh(stage)
    assert len(asked) == 2


def test_progress_is_told_while_nothing_else_runs(qtbot: QtBot, stage: Stage, asked: list[Asked]) -> None:
    Advising.weigh(stage)
    with qtbot.waitSignals([stage.progressed, stage.advised]):
        stage._weighing_at(0.25, WEIGH, "Pin neg to LX")
    assert stage.weighing_progress == (0.25, "Pin neg to LX")


def test_a_failure_stays_with_its_plan(stage: Stage, asked: list[Asked]) -> None:
    Advising.weigh(stage)
    asked[0][3](Failure("the worker", "it ended", "try again"))
    assert stage.not_weighed is not None
    assert not stage.weighing
    assert stage.failure is None, "nobody may have asked for it: it is told where savings are shown"
    stage.put(compiled(program=chain(64, 128)))
    assert stage.not_weighed is None


def test_another_plan_or_cancel_ends_it(stage: Stage, asked: list[Asked]) -> None:
    Advising.weigh(stage)
    stage.cancel()
    assert not stage.weighing
    Advising.weigh(stage)
    stage.put(compiled(program=chain(64, 128)))
    assert not stage.weighing


def test_a_remedy_without_a_change_does_nothing(stage: Stage, asked: list[Asked]) -> None:
    stage.take(Remedy("look", view="compare"))
    assert stage.undo_stack.count() == 0
    both = Remedy("both", more=Pins(placement=frozendict({"neg": "hbm"})), pipeline="searched")
    stage.take(both)
    assert (stage.options.pipeline, dict(stage.pins.placement)) == ("searched", {"neg": "hbm"})
    assert stage.undo_stack.count() == 1
    stage.undo_stack.undo()
    assert (stage.options.pipeline, stage.pins) == ("staged", Pins())
