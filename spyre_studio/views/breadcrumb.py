"""Where in the model the selected op lies: the path of modules, each of which can be clicked.

Owns: the row of titles. Refuses: what a click shows; its owner does that.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from spyre_studio.qt_theme import active_theme, px, qcolor
from spyre_studio.theme import GRID, RADIUS


class Breadcrumb(QWidget):
    """`chosen` carries the number of the crumb, 0 for the model."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(px(GRID / 2), 1, px(GRID / 2), 1)
        self._row.setSpacing(0)
        self._titles: tuple[str, ...] = ()
        self._parts: list[QWidget] = []  # crumbs and the marks between them, from left to right
        self._room = 0
        self.setAccessibleName("Path of the selected op")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    @property
    def titles(self) -> tuple[str, ...]:
        """What is shown, outermost first."""
        return self._titles

    def set_path(self, titles: Sequence[str]) -> None:
        """Show this path."""
        if tuple(titles) == self._titles:
            return
        self._titles = tuple(titles)
        for old in self._parts:
            self._row.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._parts = []
        for place, title in enumerate(self._titles):
            self._add(self._crumb(place, title))
            if place + 1 < len(self._titles):
                mark = QLabel("›", self)
                mark.setProperty("tone", "mute")
                self._add(mark)
        self.fit(self._room)

    def fit(self, room: int) -> None:
        """Take so many px at most, 0 for any: what is outermost gives way, the last one stays."""
        self._room = room
        for part in self._parts:
            part.show()
        self._row.activate()
        for crumb, mark in zip(self._parts[0:-1:2], self._parts[1::2], strict=False):
            if not room or self._row.sizeHint().width() <= room:
                break
            crumb.hide()
            mark.hide()
            self._row.activate()
        self.adjustSize()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A ground in the colour of the canvas keeps the words readable over the graph."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(qcolor(active_theme().bg))
        painter.drawRoundedRect(QRectF(self.rect()), RADIUS, RADIUS)
        painter.end()

    def _add(self, widget: QWidget) -> None:
        """Append to the row, to be counted in its size at once: Qt shows it in a later turn of the event loop only."""
        self._row.addWidget(widget)
        self._parts.append(widget)
        widget.show()

    def _crumb(self, place: int, title: str) -> QToolButton:
        crumb = QToolButton(self)
        crumb.setText(title)
        crumb.setToolTip("Show this part of the model")
        crumb.clicked.connect(lambda: self.chosen.emit(place))
        return crumb
