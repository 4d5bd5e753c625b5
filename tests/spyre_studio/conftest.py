"""Fixtures for the window's tests: the application in a known theme, and a stage, a window or a session to test on.

Owns what more than one file stands on. A file that needs it otherwise has a fixture of the same name.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from spyre_studio.jobs import Jobs
from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import apply_theme, dress
from spyre_studio.session import Session
from spyre_studio.theme import DARK, Theme
from spyre_studio.views.scratchpad import ScratchpadView
from spyre_studio.views.timeline import TimelineView
from tests.programs import attention
from tests.spyre_studio import scratchpads, timelines
from tests.spyre_studio.door import Door, opened
from tests.spyre_studio.moves import moved
from tests.spyre_studio.plans import compiled, write_model
from tests.spyre_studio.stage import Stage, quiet_settings, staged


@pytest.fixture
def dark(qapp: QApplication) -> Iterator[Theme]:
    """The application in the dark theme; back to it afterwards, whatever the test did."""
    apply_theme(qapp, DARK)
    yield DARK
    apply_theme(qapp, DARK)


@pytest.fixture(scope="module", autouse=True)
def nothing_in_the_way(qapp: QApplication) -> None:
    """No file finds windows, menus or dialogs of the files before it: without a screen the mouse goes to the first
    window that is at its place, whichever is in front.  Nor keys or buttons that are held: those of the last click are,
    until something else is pressed, and change what selecting a row means."""
    for left in QApplication.topLevelWidgets():
        left.hide()
    nobody = QWidget()
    for button in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton):
        QTest.mouseRelease(nobody, button)
    QTest.keyClick(nobody, Qt.Key.Key_F35)


@pytest.fixture
def qtbot(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> QtBot:
    """What a test adds is dressed as the window is."""
    add = qtbot.addWidget

    def added(widget: QWidget) -> None:
        if widget.parentWidget() is None:
            dress(widget)
        add(widget)

    monkeypatch.setattr(qtbot, "addWidget", added)
    return qtbot


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """A session without a worker, for a view."""
    return Stage(quiet_settings(str(tmp_path)))


@pytest.fixture
def door(tmp_path: Path) -> Door:
    """A session without a worker, for the window."""
    return Door(quiet_settings(str(tmp_path)))


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, door: Door, dark: Theme) -> Iterator[MainWindow]:
    """The window on the `door`, with nothing open."""
    made = opened(qtbot, qapp, door, None)
    yield made
    made.close()


@pytest.fixture(scope="module")
def jobs(qapp: object) -> Iterator[Jobs]:
    """One warm worker for all tests of a file."""
    shared = Jobs()
    yield shared
    shared.shutdown()


@pytest.fixture
def session(qtbot: QtBot, jobs: Jobs, tmp_path: Path) -> Iterator[Session]:
    """A session with a worker that has made its first plan and makes the next by itself."""
    jobs.keep([])
    settings = quiet_settings(str(tmp_path))
    settings.set("resolve_automatically", True)
    made = Session(jobs, settings)
    made.open(str(write_model(tmp_path)))
    qtbot.waitUntil(lambda: not made.busy, timeout=60_000)
    yield made
    made.cancel()


@pytest.fixture
def scratchpad(qtbot: QtBot, stage: Stage, dark: Theme) -> scratchpads.Opened:
    stage.put(compiled(program=attention(2, 64, 64)))
    return staged(qtbot, stage, ScratchpadView, 900, 520)


@pytest.fixture
def travelled(qtbot: QtBot, stage: Stage, dark: Theme) -> scratchpads.Opened:
    """The scratchpad view of a plan with every kind of move within the chip."""
    stage.put(moved())
    return staged(qtbot, stage, ScratchpadView, 900, 520)


@pytest.fixture
def timeline(qtbot: QtBot, stage: Stage, dark: Theme) -> timelines.Opened:
    stage.put(compiled(program=attention(2, 128, 64), cores=4))
    return staged(qtbot, stage, TimelineView, 1000, 480)
