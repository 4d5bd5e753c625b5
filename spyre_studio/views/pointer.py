"""What the mouse does on a canvas: wheel, press, drag, release, hover. One table of habits for all pictures.

Owns: turning events into the canvas's navigation methods, gestures and signals. Refuses: coordinates of the data.
Wheel scrolls, Shift+wheel scrolls sideways, Ctrl+wheel zooms at the pointer (`wheel_zooms` swaps plain and Ctrl).
Drag on the background, middle button or Space+drag pans; Ctrl+drag zooms to a box; Shift+drag selects with a box.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip

from spyre_studio.views.gestures import BandGesture, Gesture, PanGesture

if TYPE_CHECKING:
    from spyre_studio.views.canvas import Canvas

TOOLTIP_MS: Final = 300
_WHEEL_ZOOM: Final = 1.0015  # to the power of eighths of a degree: one notch of 120 is a factor of 1.2
_CONTROL: Final = Qt.KeyboardModifier.ControlModifier
_SHIFT: Final = Qt.KeyboardModifier.ShiftModifier
_PRESSABLE: Final = (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton)


class Pointer:
    """The state of the mouse over one canvas: what is pressed, what is under it, which gesture runs."""

    def __init__(self, canvas: "Canvas") -> None:
        self.wheel_zooms = False
        self.space = False  # held down: a drag pans wherever it begins
        self.item: Hashable | None = None  # under the pointer
        self.gesture: Gesture | None = None
        self._canvas = canvas
        self._pos = QPointF()
        self._press: QPointF | None = None
        self._press_item: Hashable | None = None
        self._button = Qt.MouseButton.NoButton
        self._tip = QTimer(canvas, singleShot=True, interval=TOOLTIP_MS)
        self._tip.timeout.connect(self._show_tip)

    def wheel(self, event: QWheelEvent) -> None:
        """Scroll, scroll sideways or zoom."""
        canvas, angle, pixels = self._canvas, event.angleDelta(), event.pixelDelta()
        held = event.modifiers()
        # Some platforms turn the wheel sideways themselves while Shift or Alt is held.
        turn = angle.y() or angle.x()
        plain = not held & (_CONTROL | _SHIFT)
        if bool(held & _CONTROL) != self.wheel_zooms or (plain and canvas.wheel_zooms_at(event.position())):
            canvas.zoom_by(_WHEEL_ZOOM**turn, event.position())
        elif held & _SHIFT:
            canvas.pan_by(turn / 2, 0)
        elif not pixels.isNull():
            canvas.pan_by(pixels.x(), pixels.y())
        else:
            canvas.pan_by(angle.x() / 2, angle.y() / 2)
        self.hover(event.position())
        event.accept()

    def press(self, event: QMouseEvent) -> None:
        """Remember where and on what; the first move decides whether it is a click or a drag."""
        self._hide_tip()
        if event.button() not in _PRESSABLE or self._press is not None:
            return
        self._press, self._button = event.position(), event.button()
        self._press_item = self._canvas.item_at(event.position())

    def move(self, event: QMouseEvent) -> None:
        """Hover, or begin or continue a drag."""
        pos = event.position()
        if self._press is None:
            self.hover(pos)
            return
        if self.gesture is None:
            if (pos - self._press).manhattanLength() < QApplication.startDragDistance():
                return
            self.gesture = self._begin(event.modifiers())
            self._canvas.setCursor(self.gesture.cursor)
        self.gesture.move(pos)
        self._canvas.update()

    def release(self, event: QMouseEvent) -> None:
        """Finish the drag, or it was a click."""
        if self._press is None or event.button() != self._button:
            return
        gesture, item, button = self.gesture, self._press_item, self._button
        self._reset()
        if gesture is not None:
            gesture.finish(event.position())
        elif button == Qt.MouseButton.LeftButton:
            self._canvas.clicked.emit(item, event.modifiers())
        self.hover(event.position())

    def cancel(self) -> bool:
        """Take the running gesture back; False if none runs."""
        gesture = self.gesture
        if gesture is None:
            return False
        self._reset()
        gesture.cancel()
        return True

    def hover(self, pos: QPointF) -> None:
        """The pointer rests at `pos`: find the item there, tell who listens, start the wait for the tooltip."""
        self._pos = pos
        item = self._canvas.item_at(pos)
        if item == self.item:
            return
        self._set_item(item)
        if item is not None:
            self._tip.start()

    def forget(self) -> None:
        """Something else is shown: items are no more, and a press or a drag that began on one is over."""
        if self._press is not None and not self.cancel():
            self._reset()
        self._set_item(None)

    def leave(self) -> None:
        """The pointer went elsewhere."""
        self._set_item(None)

    def _set_item(self, item: Hashable | None) -> None:
        self._hide_tip()
        if item == self.item:
            return
        self.item = item
        self._canvas.hovered.emit(item)
        self._canvas.update()

    def _begin(self, held: Qt.KeyboardModifier) -> Gesture:
        canvas, start = self._canvas, self._press or QPointF()
        if self.space or self._button == Qt.MouseButton.MiddleButton:
            return PanGesture(start, canvas.pan_by)
        if held & _CONTROL:
            return BandGesture(start, canvas.zoom_to)
        if held & _SHIFT:
            return BandGesture(start, canvas.selected.emit)
        own = None if self._press_item is None else canvas.begin_drag(self._press_item, start)
        return own or PanGesture(start, canvas.pan_by)

    def _reset(self) -> None:
        self._press, self._press_item, self.gesture = None, None, None
        self._button = Qt.MouseButton.NoButton
        self._canvas.unsetCursor()
        self._canvas.update()

    def _show_tip(self) -> None:
        if self.item is None or self._press is not None:
            return
        text = self._canvas.tooltip_for(self.item)
        if text:
            QToolTip.showText(self._canvas.mapToGlobal(self._pos).toPoint(), text, self._canvas)

    def _hide_tip(self) -> None:
        self._tip.stop()
        if QToolTip.isVisible():
            QToolTip.hideText()
