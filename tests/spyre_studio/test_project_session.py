"""Projects in a session: opened with their plans as they were, whatever became of the model's file."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from compiler.compilation import Compilation
from spyre_studio.jobs import Jobs
from spyre_studio.project import ModelReference, Project, ProjectView
from spyre_studio.project_check import checked, model_fault, referred
from spyre_studio.project_document import read_project, write_project
from spyre_studio.session import Session
from spyre_studio.variant import FIRST
from tests.spyre_studio.plans import compiled, divided, write_model
from tests.spyre_studio.stage import Stage, quiet_settings


@pytest.fixture
def session(jobs: Jobs, tmp_path: Path) -> Iterator[Session]:
    jobs.keep([])
    made = Session(jobs, quiet_settings(str(tmp_path)))
    yield made
    made.cancel()


@pytest.fixture
def saved(qapp: object, tmp_path: Path) -> Path:
    """A project with two variants, the second one on screen."""
    stage = Stage(quiet_settings(str(tmp_path / "other")))
    stage._source = str(write_model(tmp_path))
    path = tmp_path / "work.spyre"
    write_project(path, referred(project_of(stage)))
    return path


def project_of(stage: Stage, view: ProjectView | None = None) -> Project:
    first = compiled()
    stage.put(first)
    stage._captured = stage._model.value if stage._model else None  # type: ignore[assignment]
    stage._pins = divided("sum", i=4)
    stage.put(replace(compiled(divided("sum", i=4)), problem=replace(first.problem, pins=divided("sum", i=4))))
    stage.keep_variant("sum i 4")
    project = stage.project(view or ProjectView("compare"), "for Monday")
    assert project is not None
    return project


def settle(qtbot: QtBot, session: Session) -> None:
    qtbot.waitUntil(lambda: not session.busy, timeout=60_000)


def opened(qtbot: QtBot, session: Session, path: Path) -> Project:
    with qtbot.waitSignal(session.restored, timeout=60_000) as told:
        session.open_project(str(path))
    assert told.args is not None
    found = told.args[0]
    assert isinstance(found, Project)
    return found


def test_a_project_is_as_it_was_and_its_variants_are_at_hand(qtbot: QtBot, session: Session, saved: Path) -> None:
    notes: list[str] = []
    session.noted.connect(notes.append)
    project = opened(qtbot, session, saved)
    assert (project.note, project.view.front, notes) == ("for Monday", "compare", [])
    assert session.pins == divided("sum", i=4)
    assert (session.state, session.stale, session.busy, session.opening) == ("ready", False, "", "")
    assert session.shown_variant == "sum i 4"
    assert session.before is session.plan_of(FIRST), "Compare shows what it showed"
    assert session.settings.recent == (str(saved),)
    session.show_variant(FIRST)
    assert (session.busy, session.shown_variant) == ("", FIRST)
    found: list[object] = []
    session.request_candidates("sum", found.append)
    qtbot.waitUntil(lambda: bool(found), timeout=60_000)  # the worker knows the plans, too
    session.pin_division("sum", {"i": 2})
    session.resolve()
    settle(qtbot, session)
    assert session.compilation is not None
    assert session.compilation.plan.divisions["sum"].factors == {"i": 2}


def test_a_model_that_is_gone_leaves_the_plans(qtbot: QtBot, session: Session, saved: Path, tmp_path: Path) -> None:
    (tmp_path / "tiny.json").unlink()
    notes: list[str] = []
    session.noted.connect(notes.append)
    opened(qtbot, session, saved)
    assert len(notes) == 1
    assert "tiny.json is gone" in notes[0]
    assert session.plan_of(FIRST) is not None


def test_a_model_that_has_changed_is_told(saved: Path, tmp_path: Path) -> None:
    model = read_project(saved).model
    assert model.digest
    assert model_fault(model) == ""
    path = tmp_path / "tiny.json"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert "has changed since the project was saved" in model_fault(model)
    assert model_fault(ModelReference("no-such-model"))
    assert model_fault(ModelReference("softmax")) == ""
    assert model_fault(ModelReference("\0")).count(".") >= 1


def test_plans_that_fail_a_check_are_left_out(qtbot: QtBot, session: Session, saved: Path) -> None:
    project = read_project(saved)
    bad = _without_a_division(project.plans[project.shown].compilation)
    plans = tuple(
        replace(kept, compilation=bad) if place == project.shown else kept for place, kept in enumerate(project.plans)
    )
    kept, refused = checked(replace(project, plans=plans))
    assert (len(kept.plans), kept.shown, len(refused)) == (1, -1, 1)
    assert "left out" in refused[0]
    write_project(saved, replace(project, plans=plans))
    session.settings.set("resolve_automatically", True)
    opened(qtbot, session, saved)
    assert session.compilation is not None, "what is wanted was made anew"
    assert session.pins == divided("sum", i=4)


def _without_a_division(whole: Compilation) -> Compilation:
    divisions = whole.plan.divisions
    other = compiled(divided("sum", i=2)).plan.divisions["sum"]
    return replace(whole, plan=replace(whole.plan, divisions=divisions.set("sum", other)))


def test_a_file_that_is_none_leaves_what_is_open(qtbot: QtBot, session: Session, saved: Path, tmp_path: Path) -> None:
    opened(qtbot, session, saved)
    before = session.compilation
    wrong = tmp_path / "wrong.spyre"
    wrong.write_text(saved.read_text(encoding="utf-8").replace('"version": 1', '"version": 9', 1), encoding="utf-8")
    with qtbot.waitSignal(session.failed, timeout=60_000) as told:
        session.open_project(str(wrong))
    assert told.args is not None
    assert "format version 9, this one reads up to 2" in str(told.args[1])
    assert session.compilation is before


def test_pins_without_a_plan_are_stale_as_they_were(qtbot: QtBot, session: Session, saved: Path) -> None:
    project = read_project(saved)
    write_project(saved, replace(project, pins=divided("sum", i=8)))
    opened(qtbot, session, saved)
    assert session.stale
    assert session.pins == divided("sum", i=8)


def test_pins_that_are_switched_off_come_back(qtbot: QtBot, session: Session, saved: Path) -> None:
    write_project(saved, replace(read_project(saved), off=divided("exp", i=2)))
    opened(qtbot, session, saved)
    assert session.resting.beside(session.pins) == divided("exp", i=2)
    again = session.project(ProjectView(), "")
    assert again is not None
    assert again.off == divided("exp", i=2)


def test_nothing_open_is_no_project(qapp: object, tmp_path: Path) -> None:
    assert Stage(quiet_settings(str(tmp_path))).project(ProjectView(), "") is None
