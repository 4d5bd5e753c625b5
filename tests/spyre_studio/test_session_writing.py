"""A session that has files written: told of while it lasts, cancelled, and over by itself; the worker is a list of what
it was asked."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from frozendict import frozendict
from pytestqt.qtbot import QtBot

from compiler.pins import Pins
from spyre_studio.failure import Failure
from spyre_studio.header import Header
from spyre_studio.jobs import Progress
from spyre_studio.request import Request
from spyre_studio.session_state import EXPORT, REPORT, RUN_FILE
from spyre_studio.status_line import StatusLine
from spyre_studio.theme import Theme
from tests.programs import chain
from tests.spyre_studio.hand import show
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage, quiet_settings

Asked = tuple[Request[object], str, Callable[[object], None], Callable[[Failure], None], Progress]


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    made = Stage(quiet_settings(str(tmp_path)))
    made.put(compiled(program=chain(64, 64)))
    return made


@pytest.fixture
def cancelled() -> list[str]:
    return []


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, stage: Stage, cancelled: list[str]) -> list[Asked]:
    found: list[Asked] = []
    monkeypatch.setattr(stage.jobs, "submit", lambda *words, **_named: found.append(cast("Asked", words[:5])))
    monkeypatch.setattr(stage.jobs, "cancel", cancelled.append)
    return found


def test_a_report_compares_with_the_plan_before(stage: Stage, asked: list[Asked], qtbot: QtBot) -> None:
    stage.save_report("first.html")
    stage.put(compiled(program=chain(64, 64), pins=Pins(placement=frozendict({"neg": "hbm"}))))
    stage.save_report("second.txt")
    requests = [request for request, *_ in asked]
    assert [request.task for request in requests] == ["report", "report"]
    assert requests[0].arguments["before"] is None
    assert requests[1].arguments["before"] is requests[0].arguments["plan"]
    assert [request.arguments["simulate"] for request in requests] == [False, False]
    assert [channel for _, channel, *_ in asked] == ["report:first.html", "report:second.txt"]
    with qtbot.waitSignal(stage.saved) as told:
        asked[1][2]("second.txt")
    assert told.args == ["second.txt"]


@pytest.mark.parametrize(
    ("write", "phase", "words"),
    [
        (lambda stage: stage.save_report("a"), REPORT, "Writing the report…"),
        (lambda stage: stage.export("plan-json", "a"), EXPORT, "Writing the plan…"),
        (lambda stage: stage.save_run("a"), RUN_FILE, "Writing the simulated run…"),
    ],
)
def test_what_is_written_is_told_of_with_a_way_to_cancel_until_it_is_there(
    qtbot: QtBot,
    stage: Stage,
    asked: list[Asked],
    dark: Theme,
    write: Callable[[Stage], None],
    phase: str,
    words: str,
) -> None:
    notes: list[str] = []
    stage.noted.connect(notes.append)
    line, header = StatusLine(stage), Header(stage)
    show(qtbot, line, 1200, 32)
    write(stage)
    assert (stage.busy, line.words.text()) == (phase, words)
    assert line.cancel.isVisible()
    assert header.resolve.isEnabled(), "it runs beside the making of plans"
    asked[0][4](0.5, "weigh", "Pin neg to LX")
    assert line.words.text() == f"{words}  Working out what remedies save"
    assert line.bar.value() == 500
    asked[0][2]("/there/a")
    assert (stage.busy, line.words.text()) == ("", "Wrote /there/a")
    assert not line.cancel.isVisible()
    assert notes == [], "nothing stays that has to be closed by hand"


def test_cancel_ends_it(stage: Stage, asked: list[Asked], cancelled: list[str]) -> None:
    stage.save_report("a.html")
    stage.export("plan-json", "b.json")
    assert stage.busy == EXPORT, "the newest"
    stage.cancel()
    assert stage.busy == ""
    assert {"report:a.html", "export:b.json"} <= set(cancelled)


def test_one_of_two_ends_and_a_failure_is_told(qtbot: QtBot, stage: Stage, asked: list[Asked]) -> None:
    stage.save_report("a.html")
    stage.save_report("b.html")
    asked[1][2]("b.html")
    assert stage.busy == REPORT, "the other is still being written"
    with qtbot.waitSignal(stage.failed) as told:
        asked[0][3](Failure("a.html", "the disk is full", "make room"))
    assert told.args == ["a.html", "the disk is full", "make room"]
    assert stage.busy == ""
