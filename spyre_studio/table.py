"""The table twin of every picture: rows of values that can be sorted, selected and copied.

Owns: a read-only model made of columns, the table's look, and Ctrl+C. Refuses: the values and how they are named.
"""

import csv
import io
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import isnan

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QWidget

from spyre_studio.bars import BAR_ROLE, BarCell, Part
from spyre_studio.columns import ColumnRoom, shrunk
from spyre_studio.columns_button import ColumnsButton
from spyre_studio.glossary import hinted
from spyre_studio.qt_theme import font, px, qcolor
from spyre_studio.theme import GRID, ROW

Cell = str | float | int
Index = QModelIndex | QPersistentModelIndex

_TO_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_TO_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_NO_PARENT = QModelIndex()
_CUT = 12  # characters; longer ones may be cut, and are told in full
_SHORTEST = 12 * GRID  # px; words are not cut to less than that
_NAMED = 22 * GRID  # px; names in the first column are not cut to less than that
_WIDEST = 34 * GRID  # px; a column is not made wider than this by its values


@dataclass(frozen=True, slots=True)
class Column:
    """`title` with its unit, e.g. 'time, µs'; `write` makes text of a value; numbers stand right, monospaced.

    `bar`: the share (0..1) or the parts of the bar in that cell; `colour`: '#rrggbb' of its text, '' for the usual.
    `gives_way`: 0 for a column that is always shown; where there is no room, the highest number goes first.
    """

    title: str
    write: Callable[[Cell], str] = str
    number: bool = False
    hint: str = ""
    bar: Callable[[Cell], float | tuple[Part, ...]] | None = None
    colour: Callable[[Cell], str] | None = None
    gives_way: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One line: `key` names the item (op, buffer, core) that the selection speaks of; `hint` is its tooltip."""

    key: Hashable
    cells: tuple[Cell, ...]
    hint: str = ""


class TableModel(QAbstractTableModel):
    """Rows under columns, read-only. Raises ValueError for a row with another number of cells."""

    def __init__(self, columns: Sequence[Column], rows: Sequence[Row] = ()) -> None:
        super().__init__()
        self._columns = tuple(columns)
        self._given: tuple[Row, ...] = ()
        self._rows: tuple[Row, ...] = ()
        self._by, self._order = -1, Qt.SortOrder.AscendingOrder
        self.set_rows(rows)

    @property
    def columns(self) -> tuple[Column, ...]:
        """What the columns mean."""
        return self._columns

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows as they are sorted."""
        return self._rows

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Replace all rows."""
        wrong = next((row for row in rows if len(row.cells) != len(self._columns)), None)
        if wrong is not None:
            raise ValueError(f"row {wrong.key!r} has {len(wrong.cells)} cells for {len(self._columns)} columns")
        self.beginResetModel()
        self._given = tuple(rows)
        self._rows = self._in_order()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by the values of a column, -1: as the rows were given.  What is selected stays selected."""
        self.layoutAboutToBeChanged.emit()
        self._by, self._order = column, order
        before, self._rows = self._rows, self._in_order()
        places = {id(row): place for place, row in enumerate(self._rows)}
        kept = self.persistentIndexList()
        moved = [self.index(places[id(before[one.row()])], one.column()) for one in kept]
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def _in_order(self) -> tuple[Row, ...]:
        if not 0 <= self._by < len(self._columns):
            return self._given
        falling = self._order == Qt.SortOrder.DescendingOrder
        return tuple(sorted(self._given, key=lambda row: _rank(row.cells[self._by]), reverse=falling))

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        """Number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        """Number of columns."""
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Text, alignment, font, colour, bar or sort key of a cell."""
        if not index.isValid():
            return None
        column, row = self._columns[index.column()], self._rows[index.row()]
        value = row.cells[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.write(value)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _TO_RIGHT if column.number else _TO_LEFT
            case Qt.ItemDataRole.FontRole:
                return font("label", mono=True) if column.number else None
            case Qt.ItemDataRole.ForegroundRole:
                colour = column.colour(value) if column.colour else ""
                return qcolor(colour) if colour else None
            case Qt.ItemDataRole.ToolTipRole:
                return row.hint or (column.write(value) if len(column.write(value)) > _CUT else None)
            case _:
                return column.bar(value) if role == BAR_ROLE and column.bar else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Titles, aligned as their columns."""
        if orientation == Qt.Orientation.Vertical or not 0 <= section < len(self._columns):
            return None
        column = self._columns[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.title
            case Qt.ItemDataRole.ToolTipRole:
                return hinted(column.title, column.hint) or None
            case Qt.ItemDataRole.TextAlignmentRole:
                return _TO_RIGHT if column.number else _TO_LEFT
            case _:
                return None


def _rank(cell: Cell) -> tuple[int, float, str]:
    """Numbers before words, what is no number behind all numbers."""
    if isinstance(cell, str):
        return 2, 0.0, cell
    return (1, 0.0, "") if isnan(cell) else (0, float(cell), "")


class _Filtered(QSortFilterProxyModel):
    """Rows that hold some words.  Sorting is left to the model, which does it in one go: asked for two cells at a time,
    ten thousand rows take a third of a second."""

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort what is filtered."""
        self.sourceModel().sort(column, order)


class CopyableTable(QTableView):
    """A calm table over a TableModel: 24 px rows, no grid, sortable, whole rows selected, Ctrl+C copies them.

    `chosen` carries the keys of the selected rows when the user changed the selection, not when `select` did.
    """

    chosen = Signal(object)

    def __init__(self, model: TableModel, name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls the table."""
        super().__init__(parent)
        self._model, self._quiet, self._dragged, self._seen, self._fitting = model, False, False, False, False
        self._make: Callable[[], Sequence[Row]] | None = None
        self._wanted: frozenset[Hashable] = frozenset()
        self._wanted_widths: list[int] = []
        ranked = sorted((-one.gives_way, place) for place, one in enumerate(model.columns) if one.gives_way)
        self._room = ColumnRoom(tuple(place for _, place in ranked))
        self._more = ColumnsButton(self.horizontalHeader())
        self._more.clicked.connect(
            lambda: self.columns_menu().popup(self._more.mapToGlobal(self._more.rect().topLeft()))
        )
        self._filtered = _Filtered(self)
        self._filtered.setSourceModel(model)
        self._filtered.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._filtered.setFilterKeyColumn(-1)
        self.setModel(self._filtered)
        self.setAccessibleName(name)
        self._dress()
        self.selectionModel().selectionChanged.connect(self._tell)

    def show_rows(self, make: Callable[[], Sequence[Row]]) -> None:
        """Replace all rows: now, or as soon as the table is seen. A twin at which nobody looks costs nothing."""
        self._make = make
        self._catch_up()

    def showEvent(self, event: QShowEvent) -> None:
        """Now the rows are needed, and the widths of cells are known: before, nothing is dressed."""
        super().showEvent(event)
        seen, self._seen = self._seen, True
        if self._make is not None:
            self._catch_up()  # which fits the columns to the rows
        elif not seen:
            self._fit_columns()

    def keys(self) -> tuple[Hashable, ...]:
        """Keys of the selected rows, from top to bottom as shown."""
        return tuple(self._row(place).key for place in sorted(at.row() for at in self.selectionModel().selectedRows()))

    def select(self, keys: Sequence[Hashable]) -> None:
        """Select the rows with these keys, bring the first into view where it scrolls by itself; `chosen` is silent."""
        self._wanted = frozenset(keys)
        if self._make is not None:
            return
        self._quiet = True
        sources = (place for place, row in enumerate(self._model.rows) if row.key in self._wanted)
        mapped = (self._filtered.mapFromSource(self._model.index(place, 0)) for place in sources)
        rows = sorted(index.row() for index in mapped if index.isValid())
        mode = QItemSelectionModel.SelectionFlag
        self.selectionModel().clearSelection()
        for place in rows:
            self.selectionModel().select(self._filtered.index(place, 0), mode.Select | mode.Rows)
        if rows:
            first = self._filtered.index(rows[0], 0)
            self.selectionModel().setCurrentIndex(first, mode.NoUpdate)
            if self.hasAutoScroll():
                self.scrollTo(first)
        self._quiet = False

    def filter(self, text: str) -> None:
        """Show only rows in which some cell holds `text`, in any case."""
        self._filtered.setFilterFixedString(text)

    def shown(self) -> tuple[Row, ...]:
        """The rows as sorted and filtered."""
        return tuple(self._row(place) for place in range(self._filtered.rowCount()))

    def copied(self) -> str:
        """What Ctrl+C puts on the clipboard: titles and the selected rows (all without a selection), tab-separated."""
        selected = sorted(index.row() for index in self.selectionModel().selectedRows())
        places = selected or range(self._filtered.rowCount())
        lines = ["\t".join(column.title for column in self._model.columns)]
        for place in places:
            cells = (self._filtered.index(place, column).data() for column in range(len(self._model.columns)))
            lines.append("\t".join(str(cell) for cell in cells))
        return "\n".join(lines)

    def as_csv(self) -> str:
        """All rows as shown, with titles; numbers as numbers, empty where nothing is shown."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(column.title for column in self._model.columns)
        for row in self.shown():
            pairs = zip(self._model.columns, row.cells, strict=True)
            writer.writerow(cell if column.write(cell) else "" for column, cell in pairs)
        return text.getvalue()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy as text; everything else as usual."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.copied())
        else:
            super().keyPressEvent(event)

    def _catch_up(self) -> None:
        if self._make is not None and self.isVisible():
            make, self._make = self._make, None
            self._model.set_rows(make())
            self.select(tuple(self._wanted))

    def columns_menu(self) -> QMenu:
        """Every column that may give way, to be shown or hidden."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for place in sorted(self._room.order):
            entry = menu.addAction(self._model.columns[place].title)
            entry.setCheckable(True)
            entry.setChecked(not self.isColumnHidden(place))
            entry.triggered.connect(lambda shown, place=place: self._choose_column(place, shown))
        return menu

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Which columns are shown."""
        if self._room.order:
            self.columns_menu().popup(event.globalPos())
        else:
            super().contextMenuEvent(event)

    def _choose_column(self, place: int, shown: bool) -> None:
        self._room = self._room.choose(place, shown)
        self._fit_columns()

    def _row(self, place: int) -> Row:
        return self._model.rows[self._filtered.mapToSource(self._filtered.index(place, 0)).row()]

    def _tell(self) -> None:
        if not self._quiet:
            self.chosen.emit(self.keys())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The first column takes what is left."""
        super().resizeEvent(event)
        self._fit_widths()

    def _fit_columns(self) -> None:
        """Columns as wide as their values, until the user drags one: then those widths hold."""
        if self._dragged:
            return
        header = self.horizontalHeader()
        columns = range(header.count())
        for place in self._room.order:
            self.setColumnHidden(place, False)  # a hidden one has no width to tell
        self._wanted_widths = [max(self.sizeHintForColumn(place), header.sectionSizeHint(place)) for place in columns]
        self._fit_widths()

    def _fit_widths(self) -> None:
        """Where there is no room for all, columns give way, and long words are cut; only what is still too wide after
        that scrolls."""
        header = self.horizontalHeader()
        if self._dragged or len(self._wanted_widths) != header.count():
            return
        least = [min(wanted, px(_WIDEST)) for wanted in self._wanted_widths]
        widths, room = [max(least[0], header.sectionSizeHint(0)), *least[1:]], self.viewport().width()
        hidden = self._room.hidden(widths, room)
        if hidden:
            room -= self._more.room
            hidden = self._room.hidden(widths, room)
        for place in self._room.order:
            self.setColumnHidden(place, place in hidden)
        self._more.show_hidden([self._model.columns[place].title for place in sorted(hidden)])
        words = {place for place, column in enumerate(self._model.columns) if place and not column.number} - hidden
        held = [0 if place in hidden else width for place, width in enumerate(widths)]
        cut = shrunk(held, words, px(_SHORTEST), room)
        named = set() if self._model.columns[0].number else {0}
        self._take_widths(shrunk(cut, named, px(_NAMED), room), room)

    def _take_widths(self, widths: list[int], room: int) -> None:
        """Columns in these widths; what is left of the room goes to long values, then to the first column. Not by
        stretching it: that would put the last title below the button."""
        header, spare, self._fitting = self.horizontalHeader(), max(room - sum(widths), 0), True
        for place in (place for place in range(1, header.count()) if not self.isColumnHidden(place)):
            grown = min(max(self._wanted_widths[place] - widths[place], 0), spare)
            spare -= grown
            header.resizeSection(place, widths[place] + grown)
        others = sum(header.sectionSize(place) for place in range(1, header.count()))
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        header.resizeSection(0, max(room - others, widths[0]))
        self._fitting = False

    def _resized(self, _column: int, old: int, new: int) -> None:
        pressed = QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton
        if pressed and old and new and not self._fitting and self.horizontalHeader().underMouse():
            self._dragged = True

    def _dress(self) -> None:
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSortingEnabled(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(px(ROW))
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(
            lambda at: self.columns_menu().popup(header.mapToGlobal(at)) if self._room.order else None
        )
        header.setMinimumSectionSize(px(5 * GRID))
        header.setResizeContentsPrecision(64)  # rows to measure: the first ones stand for all
        header.sectionResized.connect(self._resized)
        header.sortIndicatorChanged.connect(lambda _place, _order: self.scrollToTop())
        if self._model.columns:
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for place, column in enumerate(self._model.columns):
            if column.bar is not None:
                self.setItemDelegateForColumn(place, BarCell(right_aligned=False, parent=self))
        self._model.modelReset.connect(self._fit_columns)
        self._fit_columns()
