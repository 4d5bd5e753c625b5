"""Time bars: compute above memory, which run at the same time, then what hides behind nothing.

Owns: drawing such a bar, and a table cell that holds one with its number.  Refuses: shares; they come as `Lanes`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from spyre_studio.candidate_model import Lanes, Piece
from spyre_studio.number_text import draw_number, number_width
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import CELL_PAD, GRID, ROW

Index = QModelIndex | QPersistentModelIndex

_LANE: Final = 4  # px
_GAP: Final = 1
_ONE: Final = 6  # px; a lane on its own
_LEAST: Final = 1.5  # px; a time that is not zero is visible


def draw_lanes(painter: QPainter, area: QRectF, lanes: Lanes) -> None:
    """The bar, vertically centred in `area`."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    both = bool(lanes.compute and lanes.memory)
    high = 2 * px(_LANE) + px(_GAP) if both else px(_ONE)
    top = area.center().y() - high / 2
    lane = px(_LANE) if both else high
    ends = [area.left()]
    if lanes.compute:
        ends.append(_draw(painter, area, top, lane, lanes.compute, area.left()))
    if lanes.memory:
        ends.append(_draw(painter, area, top + high - lane, lane, lanes.memory, area.left()))
    _draw(painter, area, top, high, lanes.alone, max(ends))
    painter.restore()


def _draw(painter: QPainter, area: QRectF, top: float, high: float, pieces: Sequence[Piece], left: float) -> float:
    """Pieces side by side with a hair between them; returns where they end."""
    theme = active_theme()
    for group, share in pieces:
        width = max(share * area.width(), px(_LEAST))
        painter.setBrush(qcolor(getattr(theme, group.token)))
        piece = QRectF(left, top, max(width - 1, 1.0), high)
        painter.drawRoundedRect(piece, min(1.5, piece.width() / 2), 1.5)
        left += width
    return left


class TimeCell(QStyledItemDelegate):
    """Draws a cell as a bar with its number, monospaced, at the right edge; the numbers line up over the rows."""

    def __init__(
        self, lanes: Callable[[Index], Lanes | None], number_width: int = 7, parent: QWidget | None = None
    ) -> None:
        """`lanes` says what the bar of an index is."""
        super().__init__(parent)
        self._lanes, self._characters = lanes, number_width

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Background as any cell, then bar and number."""
        # Not initStyleOption: it asks the model for everything that a cell could have, which takes longer than drawing.
        widget = option.widget
        widget.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, widget)
        face = font("label", mono=True)
        text = str(index.data(Qt.ItemDataRole.DisplayRole))
        room = number_width(max(self._characters, len(text)))
        area = QRectF(option.rect).adjusted(px(CELL_PAD), 0, -px(CELL_PAD), 0)
        lanes = self._lanes(index)
        if lanes is not None:
            draw_lanes(painter, QRectF(area.left(), area.top(), area.width() - room - px(GRID), area.height()), lanes)
        painter.setFont(face)
        painter.setPen(qcolor(active_theme().text))
        draw_number(painter, area, text)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """One row high, wide enough for the number and a bar."""
        hint = super().sizeHint(option, index)
        width = number_width(max(self._characters, len(str(index.data()))))
        return QSize(round(width) + px(14 * GRID), max(hint.height(), px(ROW)))
