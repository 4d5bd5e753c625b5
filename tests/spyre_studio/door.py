"""A window without a worker behind it, for tests of what the window does of itself.

Owns the stage that opens nothing, and putting the window on screen.  Refuses to open and to solve.
"""

from collections.abc import Mapping

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from compiler.compilation import Compilation
from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import ThemeFollower
from tests.spyre_studio.stage import Stage


class Door(Stage):
    """A stage that notes what was opened instead of starting a worker."""

    def open(self, spec: str) -> None:
        self.asked.append(f"open {spec}")

    def export(self, name: str, path: str, chosen: Mapping[str, str] | None = None, *, partial: bool = False) -> None:
        """Only noted."""
        self.asked.append(f"export {name} {path} {dict(chosen or {})}{' partial' if partial else ''}")

    def put_model(self, compilation: Compilation) -> None:
        """A plan of a model that was not open before."""
        self.put(compilation)
        self.changed.emit("model")


class LinkedDoor(Door):
    """Knows what it opened, as a session does."""

    def open(self, spec: str) -> None:
        super().open(spec)
        self._source = spec


def opened(qtbot: QtBot, qapp: QApplication, door: Door, store: QSettings | None) -> MainWindow:
    window = MainWindow(door, ThemeFollower(qapp, "dark"), store)
    qtbot.addWidget(window)
    window.resize(1400, 900)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    return window
