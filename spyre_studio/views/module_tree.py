"""The modules of the model with their ops, and a bar for the time of each: where am I, and where does the time go.

Owns: the tree model and its selection. Refuses: times of its own; they come with the graph's nodes.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QAbstractItemModel, QItemSelection, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeView, QWidget

from compiler.captured import Captured
from compiler.compilation import Compilation
from spyre_studio.bars import BAR_ROLE, BarCell
from spyre_studio.number_text import characters_of, number_width
from spyre_studio.qt_theme import px
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.tall_rows import TallRows
from spyre_studio.theme import CELL_PAD, GRID
from spyre_studio.units import format_us_below
from spyre_studio.views.graph_model import unplanned
from spyre_studio.views.module_rows import Item, Rows, rows_of, tree_of

Index = QModelIndex | QPersistentModelIndex
_NO_PARENT = QModelIndex()
_BARS_FROM: Final = 16 * GRID  # px; what names have at least where there are bars, and where there are numbers
_NUMBERS_FROM: Final = 13 * GRID
_BARS: Final = 6 * GRID  # px; of the column of times, beside the numbers
_OPEN_AT_FIRST: Final = 40  # rows; below this everything is open


class TreeModel(QAbstractItemModel):
    """Two columns: title, and time as a share of the whole with its number."""

    def __init__(self) -> None:
        super().__init__()
        self._rows = tree_of(None, "")
        self._timed, self._characters = False, 0

    @property
    def characters(self) -> int:
        """Letters of the longest number."""
        return self._characters

    @property
    def root(self) -> Item:
        """The whole tree."""
        return self._rows.root

    @property
    def rows(self) -> Rows:
        """The same as lists."""
        return self._rows

    def show(self, rows: Rows, timed: bool) -> None:
        """Another tree; `timed` tells whether there is a plan with times."""
        self.beginResetModel()
        self._rows, self._timed = rows, timed
        self._characters = characters_of(map(self._number, rows.us))
        self.endResetModel()

    def index_of(self, op: str | None) -> QModelIndex:
        """Where an op is."""
        item = self._rows.by_op.get(op) if op is not None else None
        return QModelIndex() if item is None else self.createIndex(item.row, 0, item)

    def item(self, index: Index) -> Item:
        """The row behind an index."""
        found: object = index.internalPointer() if index.isValid() else self._rows.root
        assert isinstance(found, Item)
        return found

    def index(self, row: int, column: int, parent: Index = _NO_PARENT) -> QModelIndex:
        """A cell."""
        holder = self.item(parent)
        inside = 0 <= row < len(holder.children) and 0 <= column < 2
        return self.createIndex(row, column, holder.children[row]) if inside else QModelIndex()

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        """The row around a row."""
        above = self.item(index).parent if index.isValid() else None
        return QModelIndex() if above is None or above is self._rows.root else self.createIndex(above.row, 0, above)

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        """Rows inside a row."""
        return len(self.item(parent).children) if parent.column() <= 0 else 0

    def columnCount(self, _parent: Index = _NO_PARENT) -> int:
        """Title and time."""
        return 2

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Text, bar and tooltip."""
        item = self.item(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return item.title if index.column() == 0 else self._number(item.us)
        if role == BAR_ROLE and index.column() == 1 and self._timed:
            return item.us / self.root.us if self.root.us > 0 else 0.0
        if role == Qt.ItemDataRole.ToolTipRole:
            return item.hint or item.op or item.group or item.title
        return None

    def _number(self, us: float) -> str:
        return format_us_below(us) if self._timed else ""


class ModuleTree(QTreeView):
    """Clicks select ops; `group_chosen` carries the path of a module that was clicked."""

    group_chosen = Signal(str)

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._selection = session, selection
        self._tree, self._shown, self._quiet = TreeModel(), object(), False
        self._program: object = None
        self.setModel(self._tree)
        self.setAccessibleName("Modules and ops")
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setIndentation(px(1.5 * GRID))
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(TallRows(self))
        self._cell = BarCell(parent=self)
        self.setItemDelegateForColumn(1, self._cell)
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(px(6 * GRID))
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
        self.selectionModel().selectionChanged.connect(self._chosen)
        self.show_compilation(session.compilation)

    @property
    def tree(self) -> TreeModel:
        """What is shown."""
        return self._tree

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Names come first: where it is narrow the bars go, then the numbers."""
        super().resizeEvent(event)
        self._share_room()

    def show_compilation(self, compilation: Compilation | None) -> None:
        """Another plan; what was open stays open while it is the same model."""
        captured = self._session.captured
        if self._shown is (compilation or captured):
            return
        self._shown = compilation or captured
        program = compilation.problem.program if compilation else captured.program if captured else None
        same, self._program = program is self._program, program
        opened = self.open_groups if same else frozenset[str]()
        rows = rows_of(compilation) if compilation else _rows_without_plan(captured)
        self._quiet = True
        self._tree.show(rows, compilation is not None)
        self._quiet = False
        self._share_room()
        self._unfold(opened, same)
        self.show_selection()

    def show_selection(self) -> None:
        """Mark the selected op."""
        index = self._tree.index_of(self._selection.op)
        current = self.selectionModel().selectedRows()
        if current and current[0] == index:
            return
        self._quiet = True
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)
        else:
            self.selectionModel().clear()
        self._quiet = False

    def _share_room(self) -> None:
        """Numbers are shown as a whole or not at all."""
        self._cell.set_number_width(self._tree.characters)
        room, numbers = self.viewport().width(), round(number_width(self._tree.characters)) + px(2 * CELL_PAD) + 1
        self.setColumnHidden(1, room - numbers < px(_NUMBERS_FROM))
        with_bars = numbers + px(_BARS + GRID)
        self.setColumnWidth(1, with_bars if room - with_bars >= px(_BARS_FROM) else numbers)

    def _chosen(self, selected: QItemSelection, _gone: QItemSelection) -> None:
        rows = selected.indexes()
        if self._quiet or not rows:
            return
        item = self._tree.item(rows[0])
        if item.op:
            self._selection.select_op(item.op)
        else:
            self.group_chosen.emit(item.group)

    @property
    def open_groups(self) -> frozenset[str]:
        """Paths of the modules that are unfolded."""
        return frozenset(
            item.group for item in self._tree.rows.holders if self.isExpanded(self._tree.createIndex(item.row, 0, item))
        )

    def open_modules(self, opened: frozenset[str]) -> None:
        """Unfold these modules and no others."""
        self.collapseAll()
        self._unfold(opened, same=True)
        self.show_selection()

    def _unfold(self, opened: frozenset[str], same: bool) -> None:
        if not same and len(self._tree.rows.every) <= _OPEN_AT_FIRST:
            self.expandAll()
            return
        for item in self._tree.rows.holders:
            if item.group in opened or not (same or item.group):
                self.expand(self._tree.createIndex(item.row, 0, item))


def _rows_without_plan(captured: Captured | None) -> Rows:
    return tree_of(None, "") if captured is None else tree_of(unplanned(captured.program), captured.graph.name)
