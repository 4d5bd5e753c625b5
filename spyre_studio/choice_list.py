"""A list to pick one thing from: its name at the left, what it is at the right, both shortened to the width.

Owns: the rows and how they look. Refuses: searching; whoever shows it says which rows there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import CELL_PAD, GRID, ROW

Index = QModelIndex | QPersistentModelIndex
_NOTE_ROLE = Qt.ItemDataRole.UserRole + 1
_NO_PARENT = QModelIndex()


@dataclass(frozen=True, slots=True)
class Choice:
    """`note` stands at the right: a key, or what kind of thing it is. One that is not `enabled` cannot be picked."""

    key: str
    text: str
    note: str = ""
    enabled: bool = True


class _Choices(QAbstractListModel):
    """The rows."""

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
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return choice.text
            case Qt.ItemDataRole.ToolTipRole:
                return choice.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{choice.text}, {choice.note}" if choice.note else choice.text
            case _:
                return choice.note if role == _NOTE_ROLE else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        enabled = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return enabled if self.rows[index.row()].enabled else Qt.ItemFlag.NoItemFlags


class _TwoSided(QStyledItemDelegate):
    """Text at the left, note at the right; the note never takes more than half."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        view = QStyleOptionViewItem(option)
        self.initStyleOption(view, index)
        text, view.text = view.text, ""
        view.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, view, painter, view.widget)
        theme, small = active_theme(), QFontMetricsF(font("label"))
        area = QRectF(view.rect).adjusted(px(CELL_PAD), 0, -px(CELL_PAD), 0)
        note = small.elidedText(str(index.data(_NOTE_ROLE)), Qt.TextElideMode.ElideRight, area.width() / 2)
        painter.setFont(font("label"))
        painter.setPen(qcolor(theme.mute))
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, note)
        room = area.width() - small.horizontalAdvance(note) - px(2 * GRID)
        enabled = bool(index.flags() & Qt.ItemFlag.ItemIsEnabled)
        painter.setFont(font("body"))
        painter.setPen(qcolor(theme.text if enabled else theme.mute))
        shown = QFontMetricsF(font("body")).elidedText(text, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(super().sizeHint(option, index).width(), px(ROW))


class ChoiceList(QListView):
    """As high as its rows, up to `most`. `picked` carries the number of the row that was clicked."""

    picked = Signal(int)

    def __init__(self, name: str, most: int, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls the list; the keyboard stays with the line above it."""
        super().__init__(parent)
        self._rows, self._most = _Choices(self), most
        self.setModel(self._rows)
        self.setItemDelegate(_TwoSided(self))
        self.setUniformItemSizes(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)
        self.clicked.connect(lambda index: self.picked.emit(index.row()))

    @property
    def choices(self) -> Sequence[Choice]:
        """What is listed."""
        return self._rows.rows

    @property
    def row(self) -> int:
        """The current row, -1 for none."""
        return self.currentIndex().row()

    def set_choices(self, choices: Sequence[Choice], row: int = -1) -> None:
        """List these, with this one current."""
        self._rows.show(choices)
        self.setFixedHeight(max(min(len(choices), self._most), 1) * px(ROW) + 4)
        self.set_row(row)

    def set_row(self, row: int) -> None:
        """Make a row current and show it; -1 for none."""
        index = self._rows.index(row) if 0 <= row < len(self.choices) else QModelIndex()
        self.setCurrentIndex(index)
        if index.isValid():
            self.scrollTo(index)
