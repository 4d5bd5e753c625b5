"""What a stick is, for those who have nothing selected: two lines and a small drawing.

Owns: the words and the drawing.  Refuses: any tensor of the model.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from compiler.layout import STICK_BYTES
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID, PAD
from spyre_studio.views.paint import hatch
from spyre_studio.widgets import text_label

TITLE: Final = "What is a stick?"
LINES: Final = (
    f"The device moves and computes on sticks: {STICK_BYTES} bytes, 64 neighbours of a 16-bit tensor.",
    "A tensor is cut into sticks along one of its dims; what is left of the last stick is padding.",
)
NEXT: Final = "Choose an op or a buffer to see its elements in sticks."

_ROWS: Final = 4
_STICKS: Final = 3
_FILLED: Final = 0.35  # of the last stick


class StickDrawing(QWidget):
    """A tensor of four rows, cut; one stick below, with its lanes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(
            "A tensor cut into sticks, the last one of each row partly padding; one stick of 64 lanes"
        )
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Rows, a gap, the stick and its words."""
        return QSize(px(30 * GRID), px(17 * GRID))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The tensor, lines to one of its sticks, and that stick large."""
        painter, theme = QPainter(self), active_theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = min(self.width() - 2.0, px(44 * GRID))
        height, gap = px(1.75 * GRID), px(3)
        stick = (width - (_STICKS - 1) * gap) / _STICKS
        for row in range(_ROWS):
            for column in range(_STICKS):
                place = QRectF(column * (stick + gap), row * (height + gap), stick, height)
                self._paint_stick(painter, place, _FILLED if column == _STICKS - 1 else 1.0)
        chosen = QRectF(0, (_ROWS - 1) * (height + gap), stick, height)
        large = QRectF(0, chosen.bottom() + px(3 * GRID), width, px(2.5 * GRID))
        painter.setPen(QPen(qcolor(theme.mute), 1))
        painter.drawLine(chosen.bottomLeft(), large.topLeft())
        painter.drawLine(chosen.bottomRight(), large.topRight())
        painter.setPen(QPen(qcolor(theme.text), 2))
        painter.drawRect(chosen)
        self._paint_stick(painter, large, 1.0)
        self._paint_lanes(painter, large)
        painter.end()

    @staticmethod
    def _paint_stick(painter: QPainter, place: QRectF, share: float) -> None:
        theme = active_theme()
        filled = QRectF(place.left(), place.top(), place.width() * share, place.height())
        if share < 1:
            painter.fillRect(place, hatch(theme.mute, theme.bg, painter.device().devicePixelRatioF()))
        painter.fillRect(filled, qcolor(theme.matmul))

    @staticmethod
    def _paint_lanes(painter: QPainter, place: QRectF) -> None:
        theme = active_theme()
        painter.setPen(QPen(qcolor(theme.panel), 1))
        for lane in range(1, 64):
            x = place.left() + place.width() * lane / 64
            painter.drawLine(QPointF(x, place.top() + place.height() * 0.6), QPointF(x, place.bottom()))
        painter.setFont(font("micro"))
        painter.setPen(qcolor(theme.mute))
        line = QRectF(place.left(), place.bottom() + px(2), place.width(), QFontMetricsF(font("micro")).height())
        for side, words in (
            (Qt.AlignmentFlag.AlignLeft, "lane 0"),
            (Qt.AlignmentFlag.AlignHCenter, f"one stick, {STICK_BYTES} bytes"),
            (Qt.AlignmentFlag.AlignRight, "lane 63"),
        ):
            painter.drawText(line, side, words)


class StickLesson(QWidget):
    """The page."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        title = text_label(TITLE)
        title.setProperty("heading", "title")
        title.setFont(font("title", bold=True))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, px(PAD), 0, px(PAD))
        column.setSpacing(px(GRID))
        column.addWidget(title)
        for words in LINES:
            column.addWidget(text_label(words, "mute"))
        column.addSpacing(px(GRID))
        column.addWidget(StickDrawing())
        column.addSpacing(px(GRID))
        column.addWidget(text_label(NEXT))
        column.addStretch(1)
