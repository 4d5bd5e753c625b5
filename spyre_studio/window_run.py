"""Running the window: it is opened and stays until it is closed, or it is drawn into a file.

Owns: the application, where settings are kept, and what happens at the start. Refuses: what the window does.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QSettings, QSize
from PySide6.QtWidgets import QApplication, QStyle, QWidget

from spyre_studio.background import take_short_turns
from spyre_studio.collector import Collector
from spyre_studio.main_window import GEOMETRY, MainWindow
from spyre_studio.project_recovery import Recovery
from spyre_studio.qt_theme import ThemeChoice, ThemeFollower
from spyre_studio.session import Session
from spyre_studio.settings import ORGANISATION
from spyre_studio.user_folder import state_folder


def run(
    spec: str | None,
    screenshot: Path | None,
    view: str | None,
    theme: str,
    size: tuple[int, int],
    alone: bool = False,
) -> int:
    """Open the window and stay until it is closed; with `screenshot`, draw it into a PNG and end.

    `spec` is opened; `view` is a key of VIEWS, brought to front, and, `alone`, all that is drawn; `theme`: system, dark
    or light; `size` in pixels.
    Returns 0, or 2 with one sentence on stderr where a picture cannot be made.
    """
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName(ORGANISATION)
    app.setOrganizationName(ORGANISATION)
    if screenshot is not None:
        from spyre_studio.screenshot import Shot, take

        return take(app, spec, screenshot, theme, Shot(view, alone, size))
    store = QSettings(ORGANISATION, ORGANISATION)
    session = Session()
    chosen = theme if theme != "system" else str(session.settings.value("theme"))
    window = MainWindow(session, ThemeFollower(app, _choice(chosen)), store)
    if not store.contains(GEOMETRY):
        begin_with(window, QSize(*size))
    sys.excepthook = window.mistaken
    Collector(app)
    take_short_turns()
    window.show()
    session.warm_up()
    if spec is not None:
        window.open(spec)
    window.project.guard(Recovery(state_folder() / "unsaved"))
    if view is not None:
        session.changed.connect(lambda what: window.workbench.show_view(view) if what == "model" else None)
    return app.exec()


def begin_with(window: QWidget, wanted: QSize) -> None:
    """Give a window a size with which neither it nor the title above it reaches beyond the screen.

    How high a title is, is known once it is shown; what the style says comes close.
    """
    title = window.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
    window.resize(wanted.boundedTo(window.screen().availableSize() - QSize(0, title)))


def _choice(word: str) -> ThemeChoice:
    return "dark" if word == "dark" else "light" if word == "light" else "system"
