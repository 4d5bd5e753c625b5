"""A list of two-line rows: a title with a note under it, a bar in the middle, a number at the right.

Owns: how such a row looks, its height, which may be that of the whole note, and choosing rows by mouse and keyboard.
Refuses: what the rows mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final, Literal

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from spyre_studio.candidate_model import Lanes
from spyre_studio.lights import draw_mark
from spyre_studio.number_text import draw_number
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID, RADIUS_SMALL, Fate, Theme, Tone
from spyre_studio.time_bar import draw_lanes
from spyre_studio.views.paint import hatch

Index = QModelIndex | QPersistentModelIndex

ROW_HEIGHT: Final = 40  # px
_TITLE: Final = 64  # px; a title has at least this much room before a bar may take any
_BAR: Final = 48  # px; a shorter bar shows nothing
_LINE_ROLE: Final = Qt.ItemDataRole.UserRole + 1
_WIDEST_ROLE: Final = Qt.ItemDataRole.UserRole + 2
_NO_PARENT = QModelIndex()


@dataclass(frozen=True, slots=True)
class Line:
    """`lanes` make a bar; `fate` and `mark` (a verdict) stand at the left edge; `tone` colours the note.

    `short` stands for a title that does not fit. `faded` rows cannot be used. A `wrapped` title takes both lines, in
    the colour of its tone.
    """

    key: str
    title: str
    note: str = ""
    value: str = ""
    lanes: Lanes | None = None
    fate: Fate | Literal[""] = ""
    mark: Tone | Literal[""] = ""
    tone: Tone = "mute"
    strong: bool = False
    faded: bool = False
    wrapped: bool = False
    hint: str = ""
    short: str = ""

    @property
    def spoken(self) -> str:
        """The row as one sentence."""
        return ", ".join(part for part in (self.title, self.value, self.note) if part)


class _Model(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self.lines: tuple[Line, ...] = ()
        self._widest = 0.0

    def show(self, lines: Sequence[Line]) -> None:
        self.beginResetModel()
        self.lines = tuple(lines)
        metrics = QFontMetricsF(font("body", bold=True))
        self._widest = max((metrics.horizontalAdvance(line.title) for line in lines if line.lanes), default=0.0)
        self.endResetModel()

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self.lines[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return line.title
            case Qt.ItemDataRole.ToolTipRole:
                return line.hint or None
            case Qt.ItemDataRole.AccessibleTextRole:
                return line.spoken
            case _:
                return {_LINE_ROLE: line, _WIDEST_ROLE: self._widest}.get(role)


class _Delegate(QStyledItemDelegate):
    def __init__(self, parent: QListView, readable: bool) -> None:
        super().__init__(parent)
        self._view, self._readable = parent, readable

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        line = index.data(_LINE_ROLE)
        assert isinstance(line, Line)
        theme, area = active_theme(), QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, option, area, theme)
        inner = area.adjusted(px(GRID), 0, -px(GRID), 0)
        below = inner.height() - px(ROW_HEIGHT)  # the rest of a note that is told in full
        inner.setHeight(px(ROW_HEIGHT))
        if line.fate:
            self._paint_fate(painter, theme, line.fate, inner)
            inner.setLeft(inner.left() + px(1.5 * GRID))
        if line.mark:
            draw_mark(
                painter, QPointF(inner.left() + px(4), inner.top() + inner.height() / 4 + px(2)), line.mark, px(8)
            )
            inner.setLeft(inner.left() + px(2 * GRID))
        if line.wrapped:
            self._paint_wrapped(painter, theme, line, inner.adjusted(0, 0, 0, below))
            painter.restore()
            return
        value = self._paint_value(painter, theme, line, inner)
        left = bar_start(inner.left(), value, index.data(_WIDEST_ROLE)) if line.lanes else value
        self._paint_words(painter, theme, line, QRectF(inner.left(), inner.top(), left - inner.left(), inner.height()))
        self._paint_note(painter, theme, line, inner, below)
        if line.lanes and value - px(GRID) > left:
            half = QRectF(left, inner.top() + px(2), value - px(GRID) - left, inner.height() / 2)
            draw_lanes(painter, half, line.lanes)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        line = index.data(_LINE_ROLE)
        assert isinstance(line, Line)
        return QSize(px(8 * GRID), self._height(line) if self._readable else px(ROW_HEIGHT))

    def _height(self, line: Line) -> int:
        """Of a row whose note, or wrapped title, is told in full."""
        marks = 1.5 * GRID * bool(line.fate) + 2 * GRID * (bool(line.mark) + line.wrapped)
        width = self._view.viewport().width() - px(2 * GRID) - px(marks)
        room, flags = QRectF(0, 0, max(width, px(8 * GRID)), 1e5), Qt.TextFlag.TextWordWrap
        words = line.title if line.wrapped else line.note
        needed = QFontMetricsF(font("label")).boundingRect(room, flags, words).height()
        above = px(4) if line.wrapped else px(ROW_HEIGHT) / 2
        return max(ceil(above + needed) + px(4), px(ROW_HEIGHT))

    @staticmethod
    def _paint_ground(painter: QPainter, option: QStyleOptionViewItem, area: QRectF, theme: Theme) -> None:
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
        painter.setPen(QPen(qcolor(theme.accent), 1) if focused and selected else Qt.PenStyle.NoPen)
        if selected or hovered:
            painter.setBrush(qcolor(theme.selection if selected else theme.hover))
            painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS_SMALL, RADIUS_SMALL)

    @staticmethod
    def _paint_fate(painter: QPainter, theme: Theme, fate: Fate, inner: QRectF) -> None:
        mark = QRectF(inner.left(), inner.top() + px(7), px(4), inner.height() - px(14))
        painter.setPen(Qt.PenStyle.NoPen)
        if fate == "lx":
            painter.setBrush(qcolor(theme.lx))
            painter.drawRoundedRect(mark, 2, 2)
            return
        painter.fillRect(mark, hatch(theme.fate(fate), None, painter.device().devicePixelRatioF()))
        painter.setPen(QPen(qcolor(theme.fate(fate)), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(mark.adjusted(0.5, 0.5, -0.5, -0.5))

    @staticmethod
    def _paint_wrapped(painter: QPainter, theme: Theme, line: Line, inner: QRectF) -> None:
        painter.setFont(font("label"))
        painter.setPen(qcolor(theme.tone_text(line.tone)))
        room = inner.adjusted(px(2 * GRID), px(4), 0, -px(2))
        painter.setClipRect(room)
        painter.drawText(room, Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop, line.title)

    @staticmethod
    def _paint_value(painter: QPainter, theme: Theme, line: Line, inner: QRectF) -> float:
        """The number at the right; returns where it begins."""
        face = font("label", mono=True)
        width = QFontMetricsF(face).horizontalAdvance(line.value)
        painter.setFont(face)
        painter.setPen(qcolor(theme.mute if line.faded else theme.text))
        upper = QRectF(inner.left(), inner.top() + px(2), inner.width(), inner.height() / 2)
        draw_number(painter, upper, line.value)
        return inner.right() - width - (px(GRID) if width else 0)

    @staticmethod
    def _paint_words(painter: QPainter, theme: Theme, line: Line, room: QRectF) -> None:
        face, middle = font("body", bold=line.strong), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        half = room.height() / 2
        painter.setFont(face)
        painter.setPen(qcolor(theme.mute if line.faded else theme.text))
        title = shown_title(line, QFontMetricsF(face), room.width() - px(4))
        painter.drawText(
            QRectF(QPointF(room.left(), room.top() + px(2)), QPointF(room.right(), room.top() + half + px(2))),
            middle,
            title,
        )

    def _paint_note(self, painter: QPainter, theme: Theme, line: Line, inner: QRectF, below: float) -> None:
        """The note under the title: in one line that is cut, or in full."""
        half, face = inner.height() / 2, font("label")
        painter.setFont(face)
        painter.setPen(qcolor(theme.tone_text(line.tone)))
        if self._readable:
            room = QRectF(inner.left(), inner.top() + half, inner.width(), half + below)
            painter.drawText(room, Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop, line.note)
            return
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        note = QFontMetricsF(face).elidedText(line.note, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(QRectF(inner.left(), inner.top() + half - px(2), inner.width(), half), middle, note)


def shown_title(line: Line, metrics: QFontMetricsF, room: float) -> str:
    """As much of the title as can be read in `room` px; the short one before anything is left out."""
    fits = not line.short or metrics.horizontalAdvance(line.title) <= room
    return metrics.elidedText(line.title if fits else line.short, Qt.TextElideMode.ElideMiddle, room)


def bar_start(left: float, right: float, widest: float) -> float:
    """Where bars begin between `left` and `right`: behind the widest title if a bar fits there, else as late as one
    fits; `right` where there is room for titles alone."""
    latest = right - px(_BAR) - px(GRID)
    return min(left + widest + px(GRID), latest) if latest >= left + px(_TITLE) else right


class LineList(QListView):
    """`chosen` carries the key of the row the user went to, `committed` that of a double click or Enter."""

    chosen = Signal(str)
    committed = Signal(str)

    def __init__(self, name: str, whole: bool = False, parent: QWidget | None = None, readable: bool = False) -> None:
        """`whole`: as tall as its rows, for panels that scroll themselves; `readable`: rows as tall as their notes
        need, with no word cut."""
        assert not (whole and readable)  # the height of such rows is known once the width is
        super().__init__(parent)
        self._model = _Model()
        self._whole, self._quiet, self._readable = whole, False, readable
        self.setModel(self._model)
        self.setItemDelegate(_Delegate(self, readable))
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(not readable)
        if readable:
            self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        if whole:
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(self._tell)
        self.doubleClicked.connect(lambda index: self.committed.emit(self._model.lines[index.row()].key))
        self.show_lines(())

    @property
    def lines(self) -> tuple[Line, ...]:
        """What is shown."""
        return self._model.lines

    @property
    def key(self) -> str:
        """The key of the current row, '' for none."""
        index = self.currentIndex()
        return self._model.lines[index.row()].key if index.isValid() else ""

    def show_lines(self, lines: Sequence[Line]) -> None:
        """Show these; the current row stays if its key does. The same rows again are left alone: a reset between the
        two clicks of a double click would lose it."""
        if tuple(lines) == self._model.lines and lines:
            return
        key = self.key
        self._quiet = True
        self._model.show(lines)
        self._quiet = False
        if self._whole:
            self.setFixedHeight(px(ROW_HEIGHT) * len(lines) + px(4))
        self.select(key)

    def select(self, key: str) -> None:
        """Make this the current row, none if there is no such key; tells nobody."""
        self._quiet = True
        row = next((row for row, line in enumerate(self._model.lines) if line.key == key), -1)
        self.setCurrentIndex(self._model.index(row, 0) if row >= 0 else QModelIndex())
        self._quiet = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Rows that tell their notes in full are as tall as the width makes them."""
        super().resizeEvent(event)
        if self._readable:
            self.scheduleDelayedItemsLayout()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter commits, Ctrl+C copies all rows as text."""
        if event.matches(QKeySequence.StandardKey.Copy):
            rows = ("\t".join((line.title, line.value, line.note)) for line in self._model.lines)
            QGuiApplication.clipboard().setText("\n".join(rows))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.key:
            self.committed.emit(self.key)
        else:
            super().keyPressEvent(event)

    def _tell(self, current: QModelIndex) -> None:
        if not self._quiet and current.isValid():
            self.chosen.emit(self._model.lines[current.row()].key)
