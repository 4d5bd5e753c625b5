"""Hands and eyes of those who use the window in stories: what they press, type into and read.

Owns: clicks on widgets and rows, answers to dialogs that hold up their caller, and the texts that can be seen.  Refuses
to know what they are pressed for.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QDialogButtonBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QTableView,
    QWidget,
)

from tests.spyre_studio.window_story import LEFT, NONE

_TICK_MS: Final = 20
_MOST_ROWS: Final = 200
W = TypeVar("W", bound=QWidget)


class Answer:
    """Waits for a dialog of a kind that holds up its caller, and does something with it once."""

    def __init__(self, kind: type[W], act: Callable[[W], object]) -> None:
        self._kind, self._act = kind, act
        self._timer = QTimer(QApplication.instance())
        self._timer.timeout.connect(lambda: self._look())  # noqa: PLW0108  a method alone would not keep this alive
        self._timer.start(_TICK_MS)

    def _look(self) -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, self._kind) and dialog.isVisible():
            self._timer.stop()
            self._act(dialog)


def found(widget: QWidget, kind: type[W]) -> W:
    """The visible child of a kind, or the only one."""
    children = widget.findChildren(kind)
    return next((child for child in children if child.isVisible()), children[0])


def press(widget: QWidget) -> None:
    QTest.mouseClick(widget, LEFT, NONE, widget.rect().center())


def centre(table: QTableView, row: int) -> QPoint:
    shown = next(at for at in range(table.model().columnCount()) if not table.isColumnHidden(at))
    index = table.model().index(row, shown)
    table.scrollTo(index)
    return table.visualRect(index).center()


def click_row(table: QTableView, row: int) -> None:
    QTest.mouseClick(table.viewport(), LEFT, NONE, centre(table, row))


def type_over(line: QLineEdit, text: str) -> None:
    """In place of what stands there, and Enter."""
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, text)
    QTest.keyClick(line, Qt.Key.Key_Return)


def name_file(dialog: QFileDialog, path: Path) -> None:
    """Put the path in and press Save; typed it would open a list of what else begins so, which takes the click."""
    found(dialog, QLineEdit).setText(str(path))
    press(found(dialog, QDialogButtonBox).buttons()[0])


def texts_of(widget: QWidget) -> str:
    """What its labels and tables say to a person."""
    labels = [label.text() for label in widget.findChildren(QLabel) if label.isVisible()]
    cells = [
        str(view.model().index(row, column).data())
        for view in widget.findChildren(QAbstractItemView)
        if isinstance(view, QTableView) and view.isVisible()
        for row in range(min(view.model().rowCount(), _MOST_ROWS))
        for column in range(view.model().columnCount())
    ]
    return "\n".join(labels + cells)
