"""A calm outline around the place that a lesson speaks of.

Owns: following that place while panels move, scroll and hide.  Refuses: mouse and keyboard, and choosing the place.
Only the line itself is a part of the window: what is drawn inside never has to be painted again because of it.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QRegion
from PySide6.QtWidgets import QMainWindow, QWidget
from shiboken6 import isValid

from spyre_studio.qt_theme import active_theme, px, qcolor
from spyre_studio.theme import RADIUS

_LINE: Final = 2  # px
_AIR: Final = 5  # px between the place and the line
_MOVES: Final = frozenset({QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide})


class GuideOutline(QWidget):
    """Above everything in `page`; hidden while its place is."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self._place: QWidget | None = None
        self._watched: list[QWidget] = []
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._follow)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    @property
    def place(self) -> QWidget | None:
        """What it is around, None for nothing."""
        return self._place if self._place is not None and isValid(self._place) else None

    def put_around(self, place: QWidget | None) -> None:
        """Outline this widget from now on, or nothing."""
        if place is not self.place:
            for widget in filter(isValid, self._watched):
                widget.removeEventFilter(self)
            self._place = place
            self._watched = _ancestry(place, self._page)
            for widget in self._watched:
                widget.installEventFilter(self)
        self._follow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Something on the way to the place moved: look again once all have moved."""
        if event.type() in _MOVES:
            self._soon.start()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A line with round corners."""
        painter, line = QPainter(self), px(_LINE)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(qcolor(active_theme().accent, 0.85), line))
        inner = QRectF(self.rect()).adjusted(line / 2, line / 2, -line / 2, -line / 2)
        painter.drawRoundedRect(inner, RADIUS, RADIUS)
        painter.end()

    def _follow(self) -> None:
        place = self.place
        rect = visible_rect(place, self._page) if place is not None and place.isVisible() else QRect()
        self.setVisible(not rect.isEmpty())
        if place is None or rect.isEmpty():
            return
        self.setGeometry(self._around(place, rect))
        self.setMask(_ring(self.rect(), px(_LINE), px(RADIUS)))
        self.raise_()

    def _around(self, place: QWidget, rect: QRect) -> QRect:
        """A little more than the place, where what is around it has room; a whole view has none to give."""
        around = place.parentWidget()
        if around is None or isinstance(around, QMainWindow):
            return rect
        air = px(_AIR)
        return rect.adjusted(-air, -air, air, air).intersected(visible_rect(around, self._page))


def visible_rect(place: QWidget, page: QWidget) -> QRect:
    """What can be seen of a widget, in pixels of `page`, which it is in; empty for nothing."""
    rect, widget = place.rect(), place
    while widget is not page:
        parent = widget.parentWidget()
        if parent is None:
            return QRect()
        rect = QRect(widget.mapToParent(rect.topLeft()), rect.size()).intersected(QRect(QPoint(), parent.size()))
        widget = parent
    return rect


def _ring(whole: QRect, line: int, corner: int) -> QRegion:
    """The line along the edges, with room for round corners."""
    across, down = whole.adjusted(corner, line, -corner, -line), whole.adjusted(line, corner, -line, -corner)
    return QRegion(whole).subtracted(QRegion(across)).subtracted(QRegion(down))


def _ancestry(place: QWidget | None, page: QWidget) -> list[QWidget]:
    """The widget and everything around it within the page."""
    found: list[QWidget] = []
    widget = place
    while widget is not None and widget is not page:
        found.append(widget)
        widget = widget.parentWidget()
    return found
