"""Lines of text of any number, monospaced, with marks: what was searched for and what is selected elsewhere.

Owns: drawing only the lines in view, searching, copying. Refuses: editing and the meaning of a line.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID

Index = QModelIndex | QPersistentModelIndex
_NO_PARENT = QModelIndex()


class _Model(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self.lines: tuple[str, ...] = ()

    def show(self, lines: Sequence[str]) -> None:
        self.beginResetModel()
        self.lines = tuple(lines)
        self.endResetModel()

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return self.lines[index.row()] if role == Qt.ItemDataRole.DisplayRole else None


class _Delegate(QStyledItemDelegate):
    def __init__(self, view: TextLines) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        metrics = QFontMetricsF(font("label", mono=True))
        longest = metrics.horizontalAdvance("0") * self._view.longest
        return QSize(round(longest) + px(8 * GRID), round(metrics.lineSpacing()) + px(2))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, face, row = active_theme(), font("label", mono=True), index.row()
        area, metrics, text = QRectF(option.rect), QFontMetricsF(face), self._view.lines[row]
        if row in self._view.marked:
            painter.fillRect(area, qcolor(theme.tint(theme.accent, 0.12)))
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, qcolor(theme.selection))
        if row in self._view.marked:
            painter.fillRect(QRectF(area.left(), area.top(), px(3), area.height()), qcolor(theme.accent))
        left, found = area.left() + px(2 * GRID), self._view.searched
        letter = metrics.horizontalAdvance("0")
        place = text.lower().find(found) if found else -1
        if place >= 0:
            where = QRectF(left + place * letter, area.top(), len(found) * letter, area.height())
            painter.fillRect(where, qcolor(theme.tint(theme.warn, 0.35)))
        painter.setFont(face)
        base = area.top() + (area.height() + metrics.ascent() - metrics.descent()) / 2
        head = len(text) - len(text.lstrip())
        word = text[head:].partition(" ")[0]
        painter.setPen(qcolor(theme.mute))
        painter.drawText(QPointF(left + head * letter, base), word)
        painter.setPen(qcolor(theme.text))
        painter.drawText(QPointF(left + (head + len(word)) * letter, base), text[head + len(word) :])


class TextLines(QListView):
    """`went_to` carries the number of the line the user went to."""

    went_to = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = _Model()
        self._quiet = False
        self.longest = 0
        self.marked: frozenset[int] = frozenset()
        self.searched = ""
        self._hits: tuple[int, ...] = ()
        self.setModel(self._model)
        self.setItemDelegate(_Delegate(self))
        self.setAccessibleName(name)
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAutoScroll(False)  # a click on a long line must not scroll it sideways
        self.selectionModel().currentChanged.connect(self._tell)

    @property
    def lines(self) -> tuple[str, ...]:
        """What is shown."""
        return self._model.lines

    @property
    def hits(self) -> tuple[int, ...]:
        """Numbers of the lines that hold what was searched."""
        return self._hits

    def show_lines(self, lines: Sequence[str]) -> None:
        """Another text."""
        self._quiet = True
        self.longest = max(map(len, lines), default=0)
        self._model.show(lines)
        self._quiet = False
        self.marked = frozenset()
        self.search(self.searched)

    def mark(self, numbers: Sequence[int], reveal: bool) -> None:
        """Mark these lines, and bring the first into view if none of them is."""
        self.marked = frozenset(numbers)
        if reveal and numbers and not any(self._in_view(number) for number in numbers):
            self.scrollTo(self._model.index(numbers[0], 0), QAbstractItemView.ScrollHint.PositionAtCenter)
        self.viewport().update()

    def search(self, text: str) -> int:
        """Find lines that hold a text, in any case; returns how many."""
        self.searched = text.lower()
        wanted = self.searched
        self._hits = tuple(n for n, line in enumerate(self.lines) if wanted in line.lower()) if wanted else ()
        self.viewport().update()
        return len(self._hits)

    def next_hit(self, forwards: bool = True) -> int:
        """Go to the next line found; returns its place among all of them, -1 if there is none."""
        if not self._hits:
            return -1
        here = self.currentIndex().row()
        if forwards:
            place = next((place for place, line in enumerate(self._hits) if line > here), 0)
        else:
            place = next((p for p in reversed(range(len(self._hits))) if self._hits[p] < here), len(self._hits) - 1)
        index = self._model.index(self._hits[place], 0)
        self.setCurrentIndex(index)
        self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
        return place

    def copied(self) -> str:
        """The selected lines as text, all of them without a selection."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return "\n".join(self.lines[row] for row in rows) if rows else "\n".join(self.lines)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy as text; everything else as usual, the line one went to is brought into view."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.copied())
            return
        super().keyPressEvent(event)
        if self.currentIndex().isValid() and not self._in_view(self.currentIndex().row()):
            self.scrollTo(self.currentIndex())

    def _in_view(self, number: int) -> bool:
        rect = self.visualRect(self._model.index(number, 0))
        return rect.top() >= 0 and rect.bottom() <= self.viewport().height()

    def _tell(self, current: QModelIndex) -> None:
        if not self._quiet and current.isValid():
            self.went_to.emit(current.row())
