"""Bars beside numbers, in table and tree cells and on their own: a share, or the parts of a whole.

Owns: the roles a model answers with, and the drawing. Refuses: computing shares.
A model gives a share in 0..1, or a sequence of `Part`, for BAR_ROLE; DisplayRole is the number as text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from spyre_studio.colour import mix
from spyre_studio.number_text import draw_number, number_width
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import CELL_PAD, GRID, ROW

BAR_ROLE: Final = Qt.ItemDataRole.UserRole + 1

_HEIGHT: Final = 6  # px
_LEAST: Final = 2  # px; a share that is not zero is visible


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a bar: its share of the full width (0..1) and its colour ('#rrggbb')."""

    share: float
    colour: str


def draw_bar(painter: QPainter, area: QRectF, parts: Sequence[Part], right_aligned: bool = False) -> None:
    """Pieces side by side, vertically centred in `area`; a pixel of gap tells them apart."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    widths = [max(min(part.share, 1.0) * area.width(), px(_LEAST)) if part.share > 0 else 0.0 for part in parts]
    left = area.right() - sum(widths) if right_aligned else area.left()
    height = px(_HEIGHT)
    top = area.center().y() - height / 2
    for part, width in zip(parts, widths, strict=True):
        if width:
            painter.setBrush(qcolor(part.colour))
            piece = QRectF(left, top, max(width - (1 if len(parts) > 1 else 0), 1.0), height)
            painter.drawRoundedRect(piece, min(2.0, piece.width() / 2), 2)
        left += width
    painter.restore()


class BarCell(QStyledItemDelegate):
    """Draws a cell as a bar with its number, monospaced, at the right edge.

    `number_width`: room for the number in characters; bars end there, so that they line up over the rows.
    """

    def __init__(self, number_width: int = 8, right_aligned: bool = True, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._characters, self._right_aligned = number_width, right_aligned

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Background as any cell, then bar and number."""
        view = QStyleOptionViewItem(option)
        self.initStyleOption(view, index)
        text, view.text = view.text, ""
        view.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, view, painter, view.widget)
        face = font("label", mono=True)
        room = number_width(max(self._characters, len(text)))
        area = QRectF(view.rect).adjusted(px(CELL_PAD), 0, -px(CELL_PAD), 0)
        bar = QRectF(area.left(), area.top(), area.width() - room - px(GRID), area.height())
        if bar.width() >= px(_LEAST):
            draw_bar(painter, bar, self._parts(index), self._right_aligned)
        painter.setFont(face)
        painter.setPen(qcolor(active_theme().text))
        draw_number(painter, area, text)

    def set_number_width(self, characters: int) -> None:
        """Other numbers: the longest has so many letters."""
        self._characters = characters

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """One row high, wide enough for the number and a short bar."""
        hint = super().sizeHint(option, index)
        width = number_width(max(self._characters, len(str(index.data()))))
        return QSize(round(width) + px(8 * GRID), max(hint.height(), px(ROW)))

    def _parts(self, index: QModelIndex | QPersistentModelIndex) -> Sequence[Part]:
        value = index.data(BAR_ROLE)
        if isinstance(value, int | float):
            theme = active_theme()
            return (Part(float(value), mix(theme.panel, theme.accent, 0.6)),)
        return value if isinstance(value, tuple) else ()


class Bar(QWidget):
    """A bar on its own, as wide as its place."""

    def __init__(self, parts: Sequence[Part] = (), name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts = tuple(parts)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_parts(self, parts: Sequence[Part], name: str) -> None:
        """Show these pieces; `name` says the same in words."""
        self._parts = tuple(parts)
        self.setAccessibleName(name)
        self.update()

    def sizeHint(self) -> QSize:
        """A line of text high."""
        return QSize(px(10 * GRID), px(2 * GRID))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The pieces."""
        painter = QPainter(self)
        draw_bar(painter, QRectF(self.rect()), self._parts)
        painter.end()
