"""Widening a side panel: it takes most of its window, and gives the room back."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from spyre_studio.theme import Theme
from spyre_studio.views.widen import NARROW, WIDEN, WidenButton, dock_of
from tests.spyre_studio.hand import show


def test_the_panel_takes_most_of_its_window_and_gives_it_back(qtbot: QtBot, dark: Theme) -> None:
    window = QMainWindow()
    window.setCentralWidget(QWidget())
    docks = {}
    for area in (Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea):
        docks[area] = QDockWidget()
        window.addDockWidget(area, docks[area])
    left, right = docks.values()
    left.setWidget(QWidget())
    panel, button = QWidget(), WidenButton()
    QVBoxLayout(panel).addWidget(button)
    right.setWidget(panel)
    show(qtbot, window, 1200, 700)
    window.resizeDocks([left, right], [200, 300], Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: abs(right.width() - 300) < 20)
    narrow = right.width()
    button.refresh()
    assert button.text() == WIDEN
    button.click()
    assert button.text() == NARROW
    qtbot.waitUntil(lambda: right.width() > 600)
    assert not left.isVisible()
    button.click()
    assert button.text() == WIDEN
    assert left.isVisible()
    qtbot.waitUntil(lambda: abs(right.width() - narrow) < 20)


def test_outside_of_a_dock_nothing_can_be_widened(qtbot: QtBot, dark: Theme) -> None:
    panel = QWidget()
    button = WidenButton()
    QVBoxLayout(panel).addWidget(button)
    show(qtbot, panel)
    button.refresh()
    assert dock_of(button) is None
    assert not button.isVisible()
    button.click()
    assert button.text() == WIDEN


def test_only_the_arrow_where_the_word_has_no_room(qtbot: QtBot, dark: Theme) -> None:
    button = WidenButton()
    qtbot.addWidget(button)
    button.fit(30)
    assert button.text() == WIDEN[0]
    button.fit(200)
    assert button.text() == WIDEN
