"""Session: opening, pinning, undo that gives the very plan back, and what stays when something fails."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from frozendict import frozendict
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from compiler.candidates import Candidate
from compiler.codec import from_json, unstructure
from compiler.compilation import Compilation
from compiler.loops import ModelSource
from compiler.pins import Pins
from compiler.text.document import to_text
from simulator.report import VerifyReport
from spyre_studio.jobs import Failed, Found, Job, Jobs, Progress
from spyre_studio.pins_file import print_pins_file
from spyre_studio.reporter import NOTE
from spyre_studio.request import Request
from spyre_studio.session import Session
from spyre_studio.settings import Settings
from tests.programs import attention
from tests.spyre_studio.plans import captured, compiled, divided, write_model, write_plan

T = TypeVar("T")
PATIENCE_MS = 60_000


class Stage:
    """A session that is waited for, and what it told."""

    def __init__(self, qtbot: QtBot, session: Session) -> None:
        self.qtbot = qtbot
        self.session = session
        self.told: list[str] = []
        self.sentences: list[str] = []
        session.changed.connect(self.told.append)
        session.failed.connect(lambda what, why, remedy: self.sentences.append(f"{what}: {why}; {remedy}"))

    def settle(self) -> None:
        """Wait until nothing is under way."""
        self.qtbot.waitUntil(lambda: not self.session.busy, timeout=PATIENCE_MS)

    def open(self, path: object) -> Compilation:
        self.session.open(str(path))
        self.settle()
        assert self.session.compilation is not None, self.sentences
        return self.session.compilation

    @property
    def plan(self) -> Compilation:
        assert self.session.compilation is not None
        return self.session.compilation


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))


@pytest.fixture
def stage(qtbot: QtBot, jobs: Jobs, settings: Settings) -> Iterator[Stage]:
    jobs.keep([])
    session = Session(jobs, settings)
    yield Stage(qtbot, session)
    session.cancel()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path)


def test_nothing_is_open_at_first(stage: Stage) -> None:
    session = stage.session
    assert (session.state, session.compilation, session.run_id, session.busy) == ("empty", None, "", "")
    session.verify()
    session.resolve()
    session.reopen()
    session.export("plan-json", "x")
    assert (session.state, session.busy) == ("empty", "")


def test_open_puts_model_and_plan_on_screen(stage: Stage, model: Path, settings: Settings) -> None:
    stage.session.open(str(model))
    assert (stage.session.state, stage.session.opening) == ("loading", str(model))
    stage.settle()
    session = stage.session
    assert stage.plan.plan == compiled().plan
    assert (session.state, session.run_id, session.source, session.opening) == ("ready", "#1", str(model), "")
    assert session.captured is not None
    assert session.captured.program is stage.plan.problem.program
    assert not session.stale
    assert session.before is None
    assert settings.recent == (str(model),)
    assert stage.told[-5:] == ["model", "plan", "pins", "verify", "state"]


def test_a_pin_is_solved_and_undo_gives_the_same_plan_back(stage: Stage, model: Path) -> None:
    first = stage.open(model)
    session = stage.session
    session.pin_division("sum", {"i": 4})
    assert session.stale
    assert session.compilation is first, "the old plan stays until the new one is there"
    stage.settle()
    second = stage.plan
    assert second.plan.divisions["sum"].factors == frozendict(i=4)
    assert (session.before, session.run_id, session.stale) == (first, "#2", False)
    assert session.undo_stack.undoText() == "Pin division of sum"
    session.undo_stack.undo()
    assert session.compilation is first
    assert to_text(stage.plan) == to_text(first)
    assert (session.pins, session.run_id, session.before, session.stale) == (Pins(), "#1", second, False)
    assert not session.busy
    session.undo_stack.redo()
    assert session.compilation is second
    assert session.pins == divided("sum", i=4)


def test_the_order_of_loops_is_another_pin(stage: Stage, tmp_path: Path) -> None:
    stage.open(write_model(tmp_path, attention(4, 128, 64)))
    session = stage.session
    session.pin_division("scores", {"m": 2, "n": 2})
    stage.settle()
    first = stage.plan
    session.pin_division("scores", {"n": 2, "m": 2})
    assert session.undo_stack.count() == 2
    stage.settle()
    assert stage.plan is not first
    assert next(iter(session.pins.division["scores"])) == "n"


def test_the_same_pins_are_no_change(stage: Stage, model: Path) -> None:
    stage.open(model)
    stage.session.set_pins(Pins())
    stage.session.unpin("division:sum")
    assert stage.session.undo_stack.count() == 0


def test_pins_of_every_kind(stage: Stage, model: Path) -> None:
    stage.open(model)
    session = stage.session
    session.pin_placement("exp", "hbm")
    session.pin_layout("exp", 0)
    stage.settle()
    assert {key: pin.state for key, pin in stage.plan.plan.pins.items()}.keys() == {"placement:exp", "layout:exp"}
    session.unpin("placement:exp")
    session.unpin("layout:exp")
    assert session.undo_stack.undoText() == "Unpin layout of exp"
    stage.settle()
    assert session.pins == Pins()


def test_the_newest_pin_wins(stage: Stage, model: Path) -> None:
    stage.open(model)
    for factor in (2, 4, 8, 16):
        stage.session.pin_division("sum", {"i": factor})
    stage.settle()
    assert stage.plan.plan.divisions["sum"].factors == frozendict(i=16)
    assert stage.session.run_id == "#2", "the ones in between were never shown"


def test_without_automatic_solving_the_plan_is_marked_stale(stage: Stage, model: Path, settings: Settings) -> None:
    settings.set("resolve_automatically", False)
    first = stage.open(model)
    session = stage.session
    session.pin_division("sum", {"i": 4})
    assert (session.stale, session.busy, session.compilation) == (True, "", first)
    assert session.stale_words == "pins changed since this plan"
    session.undo_stack.undo()
    assert not session.stale
    session.undo_stack.redo()
    session.resolve()
    stage.settle()
    assert not session.stale
    assert stage.plan.plan.divisions["sum"].factors == frozendict(i=4)


def test_what_is_open_stays_when_an_open_fails(stage: Stage, model: Path, tmp_path: Path) -> None:
    first = stage.open(model)
    stage.session.pin_division("sum", {"i": 4})
    stage.settle()
    pinned = stage.plan
    for bad in (tmp_path / "nosuch.pt2", write_plan(tmp_path, first).with_name("pins.json")):
        if bad.name == "pins.json":
            bad.write_text(to_text(first.problem.pins), encoding="utf-8")
        stage.session.open(str(bad))
        assert stage.session.state == "ready", "the picture is not taken away while something opens"
        stage.settle()
        assert stage.session.compilation is pinned
        assert stage.session.source == str(model)
        assert stage.session.undo_stack.count() == 1
        assert stage.session.failure is not None
    assert len(stage.sentences) == 2
    assert "there is no such file" in stage.sentences[0]


def test_nothing_open_and_a_failure_is_an_error(stage: Stage, tmp_path: Path, model: Path) -> None:
    stage.session.open(str(tmp_path / "nosuch.pt2"))
    stage.settle()
    failed = stage.session
    assert (failed.state, failed.compilation) == ("error", None)
    stage.open(model)
    assert (stage.session.state, stage.session.failure) == ("ready", None)


def test_a_pin_made_while_something_fails_to_open_is_solved_then(stage: Stage, model: Path, tmp_path: Path) -> None:
    stage.open(model)
    stage.session.open(str(tmp_path / "nosuch.pt2"))
    stage.session.pin_division("sum", {"i": 4})
    assert stage.session.stale
    stage.qtbot.waitUntil(lambda: not stage.session.stale, timeout=PATIENCE_MS)
    assert stage.plan.plan.divisions["sum"].factors == frozendict(i=4)


def test_another_model_starts_without_the_old_pins(stage: Stage, model: Path, tmp_path: Path) -> None:
    stage.open(model)
    stage.session.pin_division("sum", {"i": 4})
    stage.settle()
    other = tmp_path / "other"
    other.mkdir()
    plan = stage.open(write_model(other, attention(4, 128, 64)))
    session = stage.session
    assert plan.plan.model == "attention"
    assert (session.pins, session.undo_stack.count(), session.before, session.run_id) == (Pins(), 0, None, "#3")


def test_a_saved_plan_opens_as_it_was(stage: Stage, tmp_path: Path) -> None:
    saved = compiled(divided("sum", i=4), cores=8)
    path = write_plan(tmp_path, saved)
    whole = stage.open(path)
    session = stage.session
    assert whole.plan == saved.plan
    assert (session.pins, session.device.cores, session.stale) == (saved.problem.pins, 8, False)
    session.unpin("division:sum")
    stage.settle()
    assert stage.plan.plan.cores == 8
    assert stage.plan.plan.pipeline == saved.plan.pipeline
    session.undo_stack.undo()
    assert stage.plan is whole


def test_options_make_another_plan(stage: Stage, model: Path) -> None:
    first = stage.open(model)
    session = stage.session
    session.set_options("spyre", 4, "staged")
    assert session.stale
    stage.settle()
    assert (stage.plan.plan.cores, session.device.cores, session.options.cores) == (4, 4, 4)
    session.set_options("spyre", 99, "staged")
    assert "has 32 cores" in stage.sentences[-1]
    assert session.options.cores == 4
    session.set_options("spyre", None, "staged")
    assert stage.plan is first
    assert session.undo_stack.undoText() == "Plan for 32 cores"
    session.undo_stack.undo()
    assert session.device.cores == 4
    session.undo_stack.undo()
    assert session.device.cores == 32
    assert not session.undo_stack.canUndo()


def test_a_solve_that_fails_leaves_the_plan_stale(stage: Stage, model: Path) -> None:
    first = stage.open(model)
    stage.session.set_options("spyre", None, "no-such-pass")
    stage.settle()
    assert "there is no such pass" in stage.sentences[-1]
    assert stage.session.stale
    assert stage.plan is first


def test_cancel_stops_opening(stage: Stage, tmp_path: Path, model: Path) -> None:
    script = tmp_path / "endless.py"
    script.write_text("while True: pass\n", encoding="utf-8")
    stage.session.open(f"{script}:factory")
    with stage.qtbot.waitSignal(stage.session.progressed, timeout=PATIENCE_MS):
        pass
    stage.session.cancel()
    assert (stage.session.state, stage.session.busy, stage.session.opening) == ("empty", "", "")
    stage.open(model)
    assert stage.sentences == []


def test_saving_gives_a_file_that_opens_again(stage: Stage, model: Path, tmp_path: Path) -> None:
    stage.open(model)
    path = tmp_path / "saved.json"
    with stage.qtbot.waitSignal(stage.session.saved, timeout=PATIENCE_MS) as told:
        stage.session.save_plan(str(path))
    assert told.args == [str(path)]
    assert from_json(Compilation, path.read_text("utf-8")) == stage.plan


def test_saving_never_loses_pins(stage: Stage, model: Path, tmp_path: Path, settings: Settings) -> None:
    settings.set("resolve_automatically", False)
    stage.open(model)
    stage.session.pin_division("sum", {"i": 4})
    stage.session.save_plan(str(tmp_path / "saved.json"))
    assert "re-solve first, or save the pins" in stage.sentences[-1]
    assert not (tmp_path / "saved.json").exists()
    pins = tmp_path / "pins.json"
    stage.session.save_pins(str(pins))
    assert pins.read_text("utf-8") == print_pins_file(divided("sum", i=4))
    stage.session.unpin("division:sum")
    stage.session.load_pins(str(pins))
    assert stage.session.pins == divided("sum", i=4)
    stage.session.load_pins(str(tmp_path / "nosuch.json"))
    assert "there is no such file" in stage.sentences[-1]
    stage.session.save_pins(str(tmp_path / "none" / "pins.json"))
    assert "cannot be written" in stage.sentences[-1]


def test_exports_are_written_or_refused(stage: Stage, model: Path, tmp_path: Path) -> None:
    stage.open(model)
    path = tmp_path / "plan.txt"
    with stage.qtbot.waitSignal(stage.session.saved, timeout=PATIENCE_MS):
        stage.session.export("plan-text", str(path))
    assert path.read_text("utf-8") == to_text(stage.plan.plan)
    with stage.qtbot.waitSignal(stage.session.failed, timeout=PATIENCE_MS):
        stage.session.export("plan-text", str(tmp_path / "none" / "plan.txt"))
    assert stage.session.state == "ready"


def test_candidates_are_those_of_the_compiler(stage: Stage, model: Path) -> None:
    stage.open(model)
    found: list[tuple[Candidate, ...]] = []
    stage.session.request_candidates("max", found.append)
    stage.session.request_candidates("sum", found.append)
    stage.qtbot.waitUntil(lambda: bool(found), timeout=PATIENCE_MS)
    assert len(found) == 1
    assert [one.factors for one in found[0] if one.chosen] == [frozendict(i=32)]


def test_a_verify_that_fails_leaves_everything_else(stage: Stage, tmp_path: Path) -> None:
    gone = replace(captured().program, source=ModelSource(str(tmp_path / "gone.pt2")))
    plan = stage.open(write_model(tmp_path, gone))
    stage.session.verify()
    assert stage.session.busy == "verify"
    stage.settle()
    assert (stage.session.verify_report, stage.session.state, stage.plan) == (None, "ready", plan)
    assert "gone.pt2: there is no such file" in stage.sentences[-1]


class Answering(Jobs):
    """Answers verify itself, with a note first; everything else is left to the worker."""

    def submit(
        self,
        request: Request[T],
        channel: str,
        done: Callable[[T], None],
        failed: Failed,
        progress: Progress | None = None,
        found: Found | None = None,
    ) -> Job:
        if request.task != "verify" or progress is None:
            return super().submit(request, channel, done, failed, progress, found)
        progress(None, NOTE, "mind")
        done(request.read(unstructure(VerifyReport("softmax", "spyre", 32, True, (), (), "", 1.0))))
        return Job(0, channel, "", request.read, lambda _value: None, failed, progress, lambda _finding: None)


def test_a_report_belongs_to_its_plan(qtbot: QtBot, settings: Settings, model: Path) -> None:
    stage = Stage(qtbot, Session(Answering(), settings))
    first = stage.open(model)
    with qtbot.waitSignal(stage.session.noted) as noted:
        stage.session.verify()
    assert noted.args == ["mind"]
    report = stage.session.verify_report
    assert report is not None
    assert stage.told[-1] == "verify"
    stage.session.pin_division("sum", {"i": 4})
    assert (stage.session.compilation, stage.session.verify_report) == (first, report)
    stage.settle()
    assert stage.plan is not first
    reports = [stage.session.verify_report]
    stage.session.undo_stack.undo()
    reports.append(stage.session.verify_report)
    assert reports == [None, report]
    stage.session.shutdown()


def test_what_changed_since_the_plan_is_named(stage: Stage, model: Path, settings: Settings) -> None:
    session = stage.session
    settings.set("resolve_automatically", False)
    stage.open(model)
    session.set_options("spyre", None, "searched")
    assert session.stale_words == "the pipeline changed since this plan"
    session.set_options("spyre", 4, "searched")
    session.pin_division("exp", {"b": 2})
    assert session.stale_words == "pins, the device and the pipeline changed since this plan"
