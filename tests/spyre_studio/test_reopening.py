"""Opening a model again: its plans are kept while it is the same, and made anew once it is another."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from compiler.compilation import Compilation
from spyre_studio.jobs import Jobs
from spyre_studio.session import Session
from spyre_studio.settings import Settings
from tests.programs import softmax
from tests.spyre_studio.plans import divided, write_model
from tests.spyre_studio.stage import quiet_settings

PATIENCE_MS = 60_000


@pytest.fixture
def session(qapp: object, tmp_path: Path) -> Iterator[Session]:
    settings: Settings = quiet_settings(str(tmp_path))
    settings.set("resolve_automatically", True)
    made = Session(Jobs(), settings)
    yield made
    made.shutdown()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path)


def settle(qtbot: QtBot, session: Session) -> None:
    qtbot.waitUntil(lambda: not session.busy, timeout=PATIENCE_MS)


def plan(session: Session) -> Compilation:
    assert session.compilation is not None
    return session.compilation


def opened(qtbot: QtBot, session: Session, path: Path) -> Compilation:
    session.open(str(path))
    settle(qtbot, session)
    return plan(session)


def test_opening_again_keeps_the_pins(qtbot: QtBot, session: Session, model: Path) -> None:
    first = opened(qtbot, session, model)
    session.pin_division("sum", {"i": 4})
    settle(qtbot, session)
    before = plan(session)
    session.reopen()
    settle(qtbot, session)
    assert plan(session) is before, "the model is as it was, and so is its plan"
    assert session.pins == divided("sum", i=4)
    assert session.before is first


def test_opening_again_makes_plans_anew_for_a_model_that_changed(qtbot: QtBot, session: Session, model: Path) -> None:
    opened(qtbot, session, model)
    session.pin_division("sum", {"i": 4})
    settle(qtbot, session)
    before = plan(session)
    write_model(model.parent, softmax(256, 256))
    session.reopen()
    settle(qtbot, session)
    assert plan(session) is not before
    assert plan(session).problem.program != before.problem.program
    assert session.pins == divided("sum", i=4)
    assert session.before is before
