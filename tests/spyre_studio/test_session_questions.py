"""What a session asks of its worker for one view: the newest question wins, a refusal goes to who asked."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from compiler.handover import Handover
from compiler.handovers import handover
from compiler.layout_candidate import LayoutCandidate
from spyre_studio.failure import Failure
from spyre_studio.jobs import Jobs
from spyre_studio.session import Session
from spyre_studio.settings import Settings
from tests.spyre_studio.plans import write_model

PATIENCE_MS = 60_000


@pytest.fixture
def session(qtbot: QtBot, tmp_path: Path) -> Iterator[Session]:
    made = Session(Jobs(), Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)))
    made.open(str(write_model(tmp_path)))
    qtbot.waitUntil(lambda: not made.busy, timeout=PATIENCE_MS)
    yield made
    made.shutdown()


def test_layouts_are_those_of_the_compiler_and_a_refusal_is_told_to_who_asked(qtbot: QtBot, session: Session) -> None:
    found: list[tuple[LayoutCandidate, ...]] = []
    failures: list[Failure] = []
    session.request_layouts("max", False, found.append, failures.append)
    session.request_layouts("exp", True, found.append, failures.append)
    qtbot.waitUntil(lambda: bool(found), timeout=PATIENCE_MS)
    assert len(found) == 1, "the newest question wins"
    assert session.compilation is not None
    assert found[0][0].chosen
    assert found[0][0].layout == session.compilation.plan.layouts["exp"]
    session.request_layouts("nobody", False, found.append, failures.append)
    qtbot.waitUntil(lambda: bool(failures), timeout=PATIENCE_MS)
    assert failures[0].what == "buffer nobody"
    assert session.failure is None, "the list says it, not the window"


def test_handovers_are_those_of_the_compiler_and_drafts_count(qtbot: QtBot, session: Session) -> None:
    found: list[Handover] = []
    failures: list[Failure] = []
    session.request_handover("max", ("max", "sub"), {}, found.append, failures.append)
    session.request_handover("exp", ("exp", "sum"), {"sum": {"i": 2}}, found.append, failures.append)
    qtbot.waitUntil(lambda: bool(found), timeout=PATIENCE_MS)
    compilation = session.compilation
    assert compilation is not None
    drafts = {"sum": {"i": 2}}
    assert found == [handover(compilation.problem, compilation.plan, "exp", ("exp", "sum"), drafts)]
    session.request_handover("exp", ("nobody", "sum"), {}, found.append, failures.append)
    qtbot.waitUntil(lambda: bool(failures), timeout=PATIENCE_MS)
    assert failures[0].what == "op nobody"
    assert session.failure is None
