"""Nothing but the window itself is a window: no widget is shown before it has a parent, not even for a moment."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QMenu, QStackedLayout, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import apply_theme, text_zoom
from spyre_studio.state_page import StatePage
from spyre_studio.text_zoom import NORMAL
from spyre_studio.text_zoom_apply import wear_text_size
from spyre_studio.theme import DARK, LIGHT, Theme
from spyre_studio.view_state import READY, ViewState, empty, loading
from spyre_studio.views import VIEWS
from tests.spyre_studio.door import Door, opened
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.verified import wrong


class Watcher(QObject):
    """Notes what is shown as a window of its own, other than what should be one."""

    def __init__(self, app: QApplication) -> None:
        super().__init__()
        self.seen: list[str] = []
        app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        shown = event.type() == QEvent.Type.Show and not isinstance(watched, (MainWindow, QDialog, QMenu))
        if shown and isinstance(watched, QWidget) and watched.isWindow():
            self.seen.append(f"{type(watched).__name__} {watched.accessibleName()}".strip())
        return super().eventFilter(watched, event)


@pytest.fixture
def watcher(qapp: QApplication) -> Iterator[Watcher]:
    made = Watcher(qapp)
    yield made
    qapp.removeEventFilter(made)


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, door: Door, dark: Theme, watcher: Watcher) -> Iterator[MainWindow]:
    made = opened(qtbot, qapp, door, None)
    yield made
    door.settings.set("text_size", str(NORMAL))
    wear_text_size(door.settings)
    made.close()


def test_what_is_shown_too_early_is_seen(qtbot: QtBot, watcher: Watcher) -> None:
    early, page = QStackedLayout(), QLabel("words")
    page.setAccessibleName("early")
    qtbot.addWidget(page)
    early.addWidget(page)
    assert watcher.seen == ["QLabel early"]


@pytest.mark.parametrize("state", [READY, empty("None", "Nothing is here."), loading("Opening", "")])
def test_a_state_without_a_parent_waits_for_one(qtbot: QtBot, watcher: Watcher, state: ViewState) -> None:
    holder, page = QWidget(), StatePage(state)
    qtbot.addWidget(holder)
    QVBoxLayout(holder).addWidget(page)
    holder.show()
    watcher.seen.remove("QWidget")
    assert watcher.seen == []
    assert page.isVisible() == (state is not READY)
    page.show_state(READY)
    page.show_state(state)
    assert page.isVisible() == (state is not READY)


def test_opening_a_model_and_going_through_its_views(window: MainWindow, door: Door, watcher: Watcher) -> None:
    compilation, report = wrong()
    door.put_model(compiled())
    door.put(compilation)
    door.put_report(report)
    door.put_report(report)
    for row in VIEWS:
        window.workbench.show_view(row.key)
        window.actions_.trigger("table")
        window.actions_.trigger("table")
    assert watcher.seen == []


def test_another_size_of_texts(qtbot: QtBot, window: MainWindow, door: Door, watcher: Watcher) -> None:
    door.put_model(compiled())
    for action in ("text-larger", "text-larger", "text-normal"):
        window.actions_.trigger(action)
        wanted = int(str(door.settings.value("text_size"))) / 100
        qtbot.waitUntil(lambda wanted=wanted: text_zoom() == wanted)  # type: ignore[misc]
        QApplication.processEvents()
    assert watcher.seen == []


def test_another_theme_and_the_start_page(window: MainWindow, door: Door, watcher: Watcher, qapp: QApplication) -> None:
    door.put_model(compiled())
    for theme in (LIGHT, DARK):
        apply_theme(qapp, theme)
        QApplication.processEvents()
    window.actions_.trigger("start")
    window.actions_.trigger("start")
    assert watcher.seen == []
