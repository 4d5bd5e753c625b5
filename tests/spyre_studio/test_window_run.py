"""How large the window is at its first start."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from spyre_studio.theme import Theme
from spyre_studio.window_run import begin_with


def test_a_window_does_not_begin_larger_than_the_screen(qtbot: QtBot, dark: Theme) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    screen = window.screen().availableSize()
    begin_with(window, screen + QSize(300, 300))
    assert window.width() == screen.width()
    assert screen.height() - 60 < window.height() < screen.height(), "its title has room too"
    begin_with(window, QSize(320, 200))
    assert window.size() == QSize(320, 200)
