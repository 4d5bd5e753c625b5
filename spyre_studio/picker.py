"""A small dialog to find one thing by typing a part of its name: the command palette, and Go to op or buffer.

Owns: the line, the list and the keys. Refuses: what the things are and what happens with the one that is picked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import CELL_PAD, GRID, ROW
from spyre_studio.units import format_count

Index = QModelIndex | QPersistentModelIndex
NOTE_ROLE = Qt.ItemDataRole.UserRole + 1
_NO_PARENT = QModelIndex()
_LISTED = 500
_ROWS = 12


@dataclass(frozen=True, slots=True)
class Choice:
    """`note` stands at the right: a key, or what kind of thing it is. One that is not `enabled` cannot be picked."""

    key: str
    text: str
    note: str = ""
    enabled: bool = True


class _Choices(QAbstractListModel):
    """The choices that match."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: Sequence[Choice] = ()

    def show(self, rows: Sequence[Choice]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        choice = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return choice.text
        return choice.note if role == NOTE_ROLE else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        enabled = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return enabled if self.rows[index.row()].enabled else Qt.ItemFlag.NoItemFlags


class _TwoSided(QStyledItemDelegate):
    """Text at the left, note at the right."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        view = QStyleOptionViewItem(option)
        self.initStyleOption(view, index)
        text, view.text = view.text, ""
        view.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, view, painter, view.widget)
        theme, note = active_theme(), str(index.data(NOTE_ROLE))
        area = QRectF(view.rect).adjusted(px(CELL_PAD), 0, -px(CELL_PAD), 0)
        enabled = bool(index.flags() & Qt.ItemFlag.ItemIsEnabled)
        painter.setFont(font("label"))
        painter.setPen(qcolor(theme.mute))
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, note)
        room = area.width() - QFontMetricsF(font("label")).horizontalAdvance(note) - px(2 * GRID)
        painter.setFont(font("body"))
        painter.setPen(qcolor(theme.text if enabled else theme.mute))
        shown = QFontMetricsF(font("body")).elidedText(text, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(super().sizeHint(option, index).width(), px(ROW))


class Picker(QDialog):
    """`picked` carries the key of the choice; the dialog closes itself."""

    picked = Signal(str)

    def __init__(
        self,
        title: str,
        hint: str,
        choices: Callable[[str], Sequence[Choice]],
        parent: QWidget | None = None,
    ) -> None:
        """`choices` gives those that match a text, the best first."""
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self._choices = choices
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.line, self.list, self._count = QLineEdit(), QListView(), QLabel()
        self._model = _Choices(self)
        self._arrange(hint)
        self._search("")

    @property
    def shown(self) -> Sequence[Choice]:
        """What matches."""
        return self._model.rows

    def open_over(self, window: QWidget) -> None:
        """Show it at the top middle of the window."""
        self.setFixedWidth(min(px(72 * GRID), window.width() - px(4 * GRID)))
        self.adjustSize()
        at = window.mapToGlobal(window.rect().topLeft())
        self.move(at.x() + (window.width() - self.width()) // 2, at.y() + px(8 * GRID))
        self.show()
        self.line.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrows and Enter of the line belong to the list."""
        if watched is self.line and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._key(event)
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        match event.key():
            case Qt.Key.Key_Down:
                self._move(1)
            case Qt.Key.Key_Up:
                self._move(-1)
            case Qt.Key.Key_PageDown:
                self._move(_ROWS - 1)
            case Qt.Key.Key_PageUp:
                self._move(1 - _ROWS)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._pick(self.list.currentIndex())
            case _:
                return False
        return True

    def _move(self, by: int) -> None:
        if self.shown:
            row = min(max(self.list.currentIndex().row() + by, 0), len(self.shown) - 1)
            self.list.setCurrentIndex(self._model.index(row))

    def _pick(self, index: QModelIndex) -> None:
        if index.isValid() and self.shown[index.row()].enabled:
            key = self.shown[index.row()].key
            self.close()
            self.picked.emit(key)

    def _search(self, text: str) -> None:
        found = self._choices(text)
        self._model.show(found[:_LISTED])
        first = next((row for row, choice in enumerate(self.shown) if choice.enabled), -1)
        self.list.setCurrentIndex(self._model.index(first) if first >= 0 else QModelIndex())
        self.list.setFixedHeight(max(min(len(self.shown), _ROWS), 1) * px(ROW) + 4)
        self._count.setText(format_count(len(found), "match", "matches") if found else "Nothing has this in its name")
        self.adjustSize()

    def _arrange(self, hint: str) -> None:
        self.line.setPlaceholderText(hint)
        self.line.setAccessibleName(hint)
        self.line.textChanged.connect(self._search)
        self.line.installEventFilter(self)
        self.list.setModel(self._model)
        self.list.setItemDelegate(_TwoSided(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setAccessibleName("Matches")
        self.list.clicked.connect(self._pick)
        self._count.setProperty("tone", "mute")
        self._count.setFont(font("label"))
        column = QVBoxLayout(self)
        column.setContentsMargins(px(GRID), px(GRID), px(GRID), px(GRID))
        column.setSpacing(px(GRID))
        for widget in (self.line, self.list, self._count):
            column.addWidget(widget)
