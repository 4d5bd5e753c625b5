"""Draws the window, or one view of it, into a PNG, as soon as what it shows is complete.

Owns: waiting for the plan in the event loop, verifying it where that is to be seen, and writing the picture. Refuses:
opening a window that a person uses.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEventLoop, QMessageLogContext, QSettings, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication, QWidget

from compiler.errors import InputError
from spyre_studio.background import Background
from spyre_studio.jobs import Jobs
from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import ThemeFollower, dress
from spyre_studio.session import Session
from spyre_studio.session_state import CANDIDATES, HANDOVER, LAYOUTS, PASSES, VERIFY
from spyre_studio.settings import Settings
from spyre_studio.views import VIEWS, view_row

BAD_INPUT = 2
_TICK_MS = 10
_REMARK = "This plugin does not support propagateSizeHints"
_IDLE_TURNS = 3  # layouts ask for another turn of the event loop, and what they show for one more


@dataclass(frozen=True, slots=True)
class Shot:
    """What is drawn: the window in `size` pixels, with `view` in front if one is named, or, `alone`, that view only."""

    view: str | None = None
    alone: bool = False
    size: tuple[int, int] = (1440, 900)


def take(app: QApplication, spec: str | None, picture: Path, theme: str, shot: Shot) -> int:
    """Draw `spec` (or the start page) into `picture`; 0, or 2 with a sentence on stderr.  Notes go to stderr, too."""
    with _quiet_offscreen(), tempfile.TemporaryDirectory() as folder:
        store = QSettings(f"{folder}/settings.ini", QSettings.Format.IniFormat)  # nobody's layout or recent files
        session = Session(Jobs(), Settings(store))
        window = MainWindow(session, ThemeFollower(app, "light" if theme == "light" else "dark"))
        session.noted.connect(lambda note: sys.stderr.write(f"{note}\n"))
        window.resize(*shot.size)
        window.show()
        try:
            _open(session, window, spec, shot)
            _write(_alone(window, shot) if shot.alone else window, picture)
        except InputError as error:
            sys.stderr.write(error.sentence + "\n")
            return BAD_INPUT
        finally:
            window.close()
    return 0


@contextmanager
def _quiet_offscreen() -> Iterator[None]:
    """Without Qt's remark that a window nobody sees cannot be told its sizes; everything else is passed on."""

    def told(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if text.startswith(_REMARK):
            return
        if before is None:
            sys.stderr.write(f"{text}\n")
        else:
            before(kind, context, text)

    before = qInstallMessageHandler(told)
    try:
        yield
    finally:
        qInstallMessageHandler(before)


def _open(session: Session, window: MainWindow, spec: str | None, shot: Shot) -> None:
    """Open and wait until what is to be drawn is on screen and nothing runs."""
    view = shot.view
    if view is None and shot.alone:
        raise InputError("--only-view", "it draws a single view, and none is named", "add --view NAME")
    if view is not None and view_row(view) is None:
        known = ", ".join(row.key for row in VIEWS)
        raise InputError(f"view {view}", "there is no such view", f"use one of {known}")
    if spec is None:
        if view is not None:
            raise InputError(f"view {view}", "it shows a model, and none is named", "name a model or an example")
        _settle(window)
        return
    window.open(spec)
    _wait(session, lambda: session.compilation is not None and not session.opening)
    if view is not None:
        window.workbench.show_view(view)
        window.workbench.give_room()
    if view == VERIFY:
        session.verify()
        _wait(session, lambda: session.verify_report is not None)
    _settle(window)


def _wait(session: Session, there: Callable[[], bool]) -> None:
    """Until something is there and nothing runs; InputError for what the session failed at."""
    loop = QEventLoop()

    def look(*_: object) -> None:
        if session.failure is not None or (there() and not session.busy):
            loop.quit()

    session.changed.connect(look)
    session.failed.connect(look)
    if not (there() and not session.busy):
        loop.exec()
    session.changed.disconnect(look)
    session.failed.disconnect(look)
    failure = session.failure
    if failure is not None:
        raise InputError(failure.what, failure.why, failure.remedy)


def _alone(window: MainWindow, shot: Shot) -> QWidget:
    """The view taken out of the window, which is not used after that, in the whole size."""
    assert shot.view is not None
    widget = window.workbench.views[shot.view]
    widget.setParent(None)
    dress(widget)
    widget.resize(*shot.size)
    widget.show()
    _settle(window, widget)
    return widget


def _settle(window: MainWindow, *alone: QWidget) -> None:
    """Let layouts and what views asked the worker for arrive: until nothing is awaited and the event loop is idle."""
    loop, session = QEventLoop(), window.session
    idle = QTimer(window, interval=_TICK_MS)
    turns = iter(range(_IDLE_TURNS))

    def look() -> None:
        waited = bool(session.busy) or any(map(session.jobs.busy, (CANDIDATES, LAYOUTS, HANDOVER, PASSES)))
        # Listings, comparisons and the like; a view that stands alone is no child of the window any more.
        waited |= any(one.busy for each in (window, *alone) for one in each.findChildren(Background))
        if not waited and next(turns, None) is None:
            loop.quit()

    idle.timeout.connect(look)
    idle.start()
    loop.exec()
    idle.stop()


def _write(widget: QWidget, picture: Path) -> None:
    if not widget.grab().save(str(picture)):
        raise InputError(str(picture), "it cannot be written as a picture", "choose another place and end it in .png")
