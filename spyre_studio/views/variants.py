"""Variants: the tree of plans that were given names, and what each costs beside the one it comes from.

Owns: the tree, its keys and its buttons. Refuses: asking for names; `asked` says which action is wanted.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QModelIndex, QPoint, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QHeaderView, QMenu, QTreeView, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from spyre_studio.columns import ColumnRoom
from spyre_studio.columns_button import ColumnsButton
from spyre_studio.elided import ElidedLabel
from spyre_studio.qt_theme import active_theme, font, px
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.tall_rows import TallRows
from spyre_studio.theme import GRID, PAD
from spyre_studio.units import format_count
from spyre_studio.variant_rows import COLUMNS, GIVE_WAY, NAME, NOTE, VariantRow, variant_rows
from spyre_studio.view_state import empty
from spyre_studio.views.compare import delta_colour
from spyre_studio.views.paged import PagedView
from spyre_studio.views.variants_model import VariantsModel
from spyre_studio.widgets import button, hairline

ONE: Final = "Pin a split or move a buffer, re-solve, and keep the plan as a variant to compare it with this one."
KEYS: Final = "Enter shows, F2 renames, Delete removes"
_SHOWN_ON: Final = frozenset({"variants", "plan", "model", "pins", "options", "state"})


class VariantTree(QTreeView):
    """The tree itself: Enter and double click show, F2 renames, Delete removes."""

    show_asked = Signal(str)
    remove_asked = Signal(str)
    resized = Signal()

    def __init__(self, model: VariantsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.variants = model
        self.setModel(model)
        self.setAccessibleName("Variants")
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setUniformRowHeights(True)
        self.setItemDelegate(TallRows(self))
        self.setIndentation(px(2 * GRID))
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.header().setHighlightSections(False)
        self.doubleClicked.connect(lambda index: self.show_asked.emit(self.variants.name_at(index)))

    @property
    def current(self) -> str:
        """The variant that the keyboard is at, '' for none."""
        return self.variants.name_at(self.currentIndex())

    @property
    def marked(self) -> tuple[str, ...]:
        """The selected variants, from top to bottom."""
        rows = self.selectionModel().selectedRows()
        rows.sort(key=lambda index: self.visualRect(index).top())
        return tuple(self.variants.name_at(index) for index in rows)

    def edit_at(self, column: int) -> None:
        """Edit name or note of the current variant in its place."""
        self.setColumnHidden(column, False)
        index = self.currentIndex().siblingAtColumn(column)
        if index.isValid():
            self.setCurrentIndex(index)
            self.edit(index)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Other room."""
        super().resizeEvent(event)
        self.resized.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Everything that the buttons do."""
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self.state() != QAbstractItemView.State.EditingState:
                self.show_asked.emit(self.current)
            case Qt.Key.Key_F2:
                self.edit_at(NOTE if self.currentIndex().column() == NOTE else NAME)
            case Qt.Key.Key_Delete:
                self.remove_asked.emit(self.current)
            case _:
                super().keyPressEvent(event)


class VariantsView(PagedView):
    """`asked` carries the key of an action; `compared` the names of two variants, '' for the plan on screen."""

    key = "variants"
    title = "Variants"
    nothing = empty("No plan yet", "Open a model; its plan is the first variant, and yours come below it.")
    asked = Signal(str)
    compared = Signal(str, str)

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(session, selection, parent)
        self._rows: tuple[VariantRow, ...] = ()
        self._model = VariantsModel(lambda us: delta_colour(us, active_theme()), self)
        self.tree = VariantTree(self._model)
        self.hint = ElidedLabel("")
        self.keep = button("Keep as variant…", "secondary", "Give the plan on screen a name (Ctrl+D)")
        self.show_it = button("Show", "quiet", "Put the selected variant on screen (Enter)")
        self.compare = button("Compare", "quiet", "Two selected variants, or the selected one with the screen")
        self.rename, self.note = button("Rename", "quiet", "F2"), button("Note", "quiet", "Write a note on it")
        self.remove = button("Remove", "quiet", "Delete; undo brings it back")
        self._room, self.more = ColumnRoom(GIVE_WAY), ColumnsButton(self.tree.header())
        self._arrange()
        self._connect()

    @property
    def rows(self) -> tuple[VariantRow, ...]:
        """What is shown, top down."""
        return self._rows

    @property
    def current(self) -> str:
        """The variant that is meant: the current one of the tree, else the one that was kept or shown last."""
        return self.tree.current or self.session.variants.chosen

    def fill(self, _compilation: Compilation) -> None:
        """Another plan is on screen."""
        self._refresh()

    def noted(self, what: str) -> None:
        """Another tree, or another plan behind one of its names."""
        if what in _SHOWN_ON:
            self._refresh()

    def recolour(self) -> None:
        """Marks and differences hold colours."""
        self._rows = ()
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """What happened meanwhile."""
        super().showEvent(event)
        self._refresh()

    def begin_rename(self) -> None:
        """Edit the name of the variant that is meant."""
        self._at(self.current)
        self.tree.edit_at(NAME)

    # What the user does

    def _show(self, name: str) -> None:
        if name:
            self.session.show_variant(name)

    def _remove(self, name: str) -> None:
        if name:
            self.session.remove_variant(name)

    def _compare(self) -> None:
        marked = self.tree.marked
        if marked:
            self.compared.emit(marked[0], marked[1] if len(marked) > 1 else "")

    def _renamed(self, name: str, new: str) -> None:
        done = self.session.rename_variant(name, new)
        # The editor still stands on the row: rows are made anew when it has gone.
        QTimer.singleShot(0, self, lambda: self._again(new if done else name))

    def _annotated(self, name: str, note: str) -> None:
        self.session.annotate_variant(name, note)
        QTimer.singleShot(0, self, lambda: self._again(name))

    def _again(self, name: str) -> None:
        self._rows = ()
        self._refresh()
        self._at(name)

    def _menu(self, at: QPoint) -> None:
        if not self.tree.indexAt(at).isValid():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for entry in (self.show_it, self.compare, self.rename, self.note, self.remove):
            action = menu.addAction(entry.text(), entry.click)
            action.setEnabled(entry.isEnabled())
        menu.popup(self.tree.viewport().mapToGlobal(at))

    # Showing

    def _refresh(self) -> None:
        if not self.isVisible() or self.tree.state() == QAbstractItemView.State.EditingState:
            return
        session = self.session
        rows = variant_rows(session.variants, session.plan_of, session.shown_variant)
        if rows != self._rows:
            at = self.tree.current or session.variants.chosen
            self._rows = rows
            with QSignalBlocker(self.tree.selectionModel()):
                self._model.show_rows(rows)
            self.tree.expandAll()
            self._at(at if session.variants.get(at) else session.variants.chosen)
            self._fit()
        told = ONE if len(rows) == 1 else f"{format_count(len(rows), 'variant')} · {KEYS}"
        self.hint.say(told if rows else "Every variant was removed; keep the plan on screen to begin again.")
        self._enable()

    def _at(self, name: str) -> None:
        index = self._model.index_of(name)
        if index.isValid():
            self.tree.setCurrentIndex(index)

    def _enable(self) -> None:
        marked = len(self.tree.marked)
        for each in (self.show_it, self.rename, self.note, self.remove):
            each.setEnabled(bool(self.tree.current))
        self.compare.setEnabled(marked in {1, 2})

    def _fit(self) -> None:
        """Columns as wide as what they hold; where there is no room for all, empty ones and then others give way."""
        tree, header, last = self.tree, self.tree.header(), len(COLUMNS) - 1
        for column in range(len(COLUMNS)):
            tree.setColumnHidden(column, False)
        wanted = [max(tree.sizeHintForColumn(each), header.sectionSizeHint(each)) for each in range(len(COLUMNS))]
        widths = [min(width + px(GRID), px(40 * GRID)) for width in wanted]
        cells, room = [row.cells for row in self._rows], tree.viewport().width()
        empty_first = sorted(GIVE_WAY, key=lambda each: any(row[each] for row in cells))
        self._room = ColumnRoom(tuple(empty_first), self._room.chosen)
        hidden = self._room.hidden(widths, room)
        if hidden:
            hidden = self._room.hidden(widths, room - self.more.room)
        for column in range(len(COLUMNS)):
            tree.setColumnHidden(column, column in hidden)
            if column != last:
                tree.setColumnWidth(column, widths[column])
        self.more.show_hidden([COLUMNS[column][0] for column in sorted(hidden)])

    def columns_menu(self) -> QMenu:
        """Every column that may give way, to be shown or hidden."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for column in sorted(GIVE_WAY):
            entry = menu.addAction(COLUMNS[column][0])
            entry.setCheckable(True)
            entry.setChecked(not self.tree.isColumnHidden(column))
            entry.triggered.connect(lambda shown, column=column: self._choose_column(column, shown))
        return menu

    def _choose_column(self, column: int, shown: bool) -> None:
        self._room = self._room.choose(column, shown)
        self._fit()

    def _open_columns(self) -> None:
        self.columns_menu().popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def _connect(self) -> None:
        self.keep.clicked.connect(lambda: self.asked.emit("keep-variant"))
        self.show_it.clicked.connect(lambda: self._show(self.tree.current))
        self.compare.clicked.connect(self._compare)
        self.rename.clicked.connect(self.begin_rename)
        self.note.clicked.connect(lambda: self.tree.edit_at(NOTE))
        self.remove.clicked.connect(lambda: self._remove(self.tree.current))
        self.tree.show_asked.connect(self._show)
        self.tree.resized.connect(self._fit)
        self.more.clicked.connect(self._open_columns)
        header = self.tree.header()
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(lambda at: self.columns_menu().popup(header.mapToGlobal(at)))
        self.tree.remove_asked.connect(self._remove)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._menu)
        self.tree.selectionModel().selectionChanged.connect(lambda _new, _old: self._enable())
        self.tree.selectionModel().currentChanged.connect(self._moved)
        self._model.renamed.connect(self._renamed)
        self._model.annotated.connect(self._annotated)

    def _moved(self, _now: QModelIndex, _before: QModelIndex) -> None:
        self._enable()

    def _arrange(self) -> None:
        self.hint.setFont(font("label"))
        self.hint.setProperty("tone", "mute")
        head = QHBoxLayout()
        head.setContentsMargins(px(PAD), px(GRID / 2), px(GRID), px(GRID / 2))
        head.setSpacing(px(GRID))
        for each in (self.keep, self.show_it, self.compare, self.rename, self.note, self.remove):
            head.addWidget(each)
        head.addStretch(1)
        foot = QHBoxLayout()
        foot.setContentsMargins(px(PAD), px(GRID / 2), px(GRID), px(GRID / 2))
        foot.addWidget(self.hint, 1)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(hairline())
        column.addWidget(self.tree, 1)
        column.addWidget(hairline())
        column.addLayout(foot)
        header = self.tree.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
