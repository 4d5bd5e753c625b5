"""A hand for canvases: wheel, drag and exposure, as Qt would deliver them."""

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

NONE = Qt.KeyboardModifier.NoModifier
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton
MIDDLE = Qt.MouseButton.MiddleButton


def show(qtbot: QtBot, widget: QWidget, width: int = 400, height: int = 300) -> None:
    """Put a widget on screen and wait until it is there."""
    qtbot.addWidget(widget)
    widget.resize(width, height)
    with qtbot.waitExposed(widget):
        widget.show()


def turn_wheel(canvas: QWidget, at: QPoint, notches: int, held: Qt.KeyboardModifier = NONE) -> None:
    """Turn the wheel by notches, away from the user if positive."""
    where = QPointF(at)
    event = QWheelEvent(
        where,
        QPointF(canvas.mapToGlobal(at)),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        held,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas, event)


def drag(
    canvas: QWidget,
    start: QPoint,
    end: QPoint,
    held: Qt.KeyboardModifier = NONE,
    button: Qt.MouseButton = LEFT,
    release: bool = True,
) -> None:
    """Press, move in two steps, and release unless told not to."""
    QTest.mousePress(canvas, button, held, start)
    for share in (0.5, 1.0):
        # QTest forgets the keyboard on moves: a real move carries the modifiers that are held.
        at = start + (end - start) * share
        _move(canvas, at, held, button)
    if release:
        QTest.mouseRelease(canvas, button, held, end)


def _move(canvas: QWidget, at: QPoint, held: Qt.KeyboardModifier, button: Qt.MouseButton) -> None:
    event = QMouseEvent(
        QEvent.Type.MouseMove, QPointF(at), QPointF(canvas.mapToGlobal(at)), Qt.MouseButton.NoButton, button, held
    )
    QApplication.sendEvent(canvas, event)
