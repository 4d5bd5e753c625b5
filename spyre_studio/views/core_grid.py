"""The iteration space of one op as a grid of core slices: which core owns what, who adds up, who idles.

Owns: where cells stand, the core under the pointer, and moving by keys.  Refuses: ranges and factors; it is told a
SpaceGrid and the words for a core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from spyre_studio.qt_theme import font, px
from spyre_studio.space_grid import Cell, Side, SpaceGrid
from spyre_studio.views.canvas import BY_KEYBOARD
from spyre_studio.views.core_paint import CorePainter, Marks, slot_texts

_CELL: Final = 20  # px high
_GAP: Final = 4
_NARROW_GAP: Final = 2
_PANEL_GAP: Final = 10
_TITLE: Final = 14  # px; a line of labels
_IDLE: Final = 10  # px; a cell of an idle core
_COLUMNS: Final = 8  # of the usual grid; it sets the height
_TALLEST: Final = 2.2  # times the usual height of a cell
_ARROWS: Final = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class CoreGrid(QWidget):
    """`chosen` carries the core that was clicked or walked to, `hovered` the one under the pointer (-1 for none)."""

    chosen = Signal(int)
    hovered = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.installEventFilter(self)
        one = Side("", ((0, 1),))
        self._grid = SpaceGrid(one, one, ("",), 1, (Cell(0, 0, 0, 0, 0.0),), (), ())
        self._core, self._under = 0, -1
        self._lit: frozenset[int] = frozenset()
        self._elsewhere = -1
        self._kind = "matmul"
        self._words: Callable[[int], str] = str
        self.setAccessibleName("Cores of the selected op")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def grid(self) -> SpaceGrid:
        """What is shown."""
        return self._grid

    @property
    def lit(self) -> frozenset[int]:
        """Cores that are marked because a slice of theirs is under the pointer."""
        return self._lit

    def show_grid(self, grid: SpaceGrid, kind: str, words: Callable[[int], str]) -> None:
        """Another split; `kind` colours it, `words` says what a core owns."""
        self._grid, self._kind, self._words = grid, kind, words
        self._lit = frozenset()
        self.setAccessibleDescription(words(self._core))
        self.updateGeometry()
        self.update()

    def show_core(self, core: int) -> None:
        """Outline this core."""
        self._core = core
        self.setAccessibleDescription(self._words(core))
        self.update()

    def show_lit(self, cores: Iterable[int]) -> None:
        """Mark these cores."""
        lit = frozenset(cores)
        if lit != self._lit:
            self._lit = lit
            self.update()

    def show_hover(self, core: int) -> None:
        """Mark the core that is pointed at in another view, -1 for none."""
        if core != self._elsewhere:
            self._elsewhere = core
            self.update()

    @property
    def marked(self) -> frozenset[int]:
        """Cores that are outlined because the pointer is at them elsewhere."""
        return self._lit | ({self._elsewhere} if self._elsewhere >= 0 else frozenset())

    # Places

    def cell_rect(self, cell: Cell) -> QRectF:
        """Where a cell is drawn."""
        panel = self._panel_rect(cell.panel)
        columns, rows, gap = self._grid.columns, self._grid.rows, px(_GAP)
        beside = px(_NARROW_GAP) if columns * self._grid.panel_columns > _COLUMNS else gap
        width = (panel.width() - beside * (columns - 1)) / columns
        height = (panel.height() - gap * (rows - 1)) / rows
        high = min(height, _TALLEST * px(_CELL))
        return QRectF(panel.left() + cell.column * (width + beside), panel.top() + cell.row * (high + gap), width, high)

    def idle_rect(self, core: int) -> QRectF:
        """Where the small cell of an idle core is drawn, behind the words for all of them."""
        count, place = len(self._grid.idle), self._grid.idle.index(core)
        left = QFontMetricsF(font("micro")).horizontalAdvance(self.idle_words()) + px(_GAP) * 2
        room = (self.width() - left - 1) / count
        width = min(room - 2, px(_IDLE) * 1.4)
        top = self.height() - px(_IDLE) - 2
        return QRectF(left + place * (width + 2), top, width, px(_IDLE))

    def idle_words(self) -> str:
        """How many idle."""
        return f"{len(self._grid.idle)} idle"

    def core_at(self, pos: QPointF) -> int:
        """The core under a point, -1 for none."""
        for core in self._grid.idle:
            if self.idle_rect(core).contains(pos):
                return core
        return next((cell.core for cell in self._grid.cells if self.cell_rect(cell).contains(pos)), -1)

    def _gutter(self) -> float:
        """Room for the labels of rows."""
        if not (self._grid.down.loop or self._grid.wrapped):
            return 0.0
        metrics = QFontMetricsF(font("micro", mono=True))
        return max(metrics.horizontalAdvance(text) for text in self.row_labels()) + px(_GAP) * 2

    def row_labels(self) -> tuple[str, ...]:
        """What stands beside each row, the name of the loop in the first."""
        loop = self._grid.across.loop if self._grid.wrapped else self._grid.down.loop
        return slot_texts(loop, self._grid.down.slots, whole=False)

    def _panel_rect(self, panel: int) -> QRectF:
        grid, gap, title = self._grid, px(_PANEL_GAP), px(_TITLE)
        above = title if grid.across.loop and not grid.wrapped else 0
        named = title if len(grid.panels) > 1 else 0
        below = px(_IDLE) + px(_GAP) + 2 if grid.idle else 0
        left = self._gutter() + 1
        width = (self.width() - left - 1 - gap * (grid.panel_columns - 1)) / grid.panel_columns
        room = self.height() - above - below - 2 - px(_GAP) * (grid.panel_rows - 1)
        high = room / grid.panel_rows - named
        row, column = divmod(panel, grid.panel_columns)
        top = 1 + above + row * (high + named + px(_GAP)) + named
        return QRectF(left + column * (width + gap), top, width, high)

    def sizeHint(self) -> QSize:
        """The same height for every split of a device, so that nothing below moves while one tries them."""
        cores = len(self._grid.cells) + len(self._grid.idle)
        rows = -(-cores // _COLUMNS)
        return QSize(px(160), rows * (px(_CELL) + px(_GAP)) + px(_TITLE) + px(_IDLE) + px(_GAP))

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Labels, cells, chains, idle cores, the ring."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        hand = CorePainter(painter, self._grid, self._kind, Marks(self._core, self._under, self.marked))
        self._paint_labels(hand)
        for cell in self._grid.cells:
            hand.cell(cell, self.cell_rect(cell))
        hand.links([self.cell_rect(cell) for cell in self._grid.cells])
        if self._grid.idle:
            hand.idle_words(QRectF(1, self.height() - px(_IDLE) - 2, self.width(), px(_IDLE)), self.idle_words())
        for core in self._grid.idle:
            hand.idle(core, self.idle_rect(core))
        if self.hasFocus():
            hand.ring(QRectF(self.rect()))
        painter.end()

    def _paint_labels(self, hand: CorePainter) -> None:
        grid, title = self._grid, px(_TITLE)
        for panel, name in enumerate(grid.panels):
            rect = self._panel_rect(panel)
            if name:
                hand.words(QRectF(rect.left(), rect.top() - title, rect.width(), title), name)
            first_row, first_column = panel < grid.panel_columns, panel % grid.panel_columns == 0
            if first_row and grid.across.loop and not grid.wrapped:
                hand.columns(rect, title, self.height())
            if first_column and self._gutter():
                cells = [self.cell_rect(Cell(0, panel, 0, row, 0.0)) for row in range(grid.rows)]
                hand.rows(cells, self.row_labels(), self._gutter() - px(_GAP))

    # What the user does

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """A tooltip per core."""
        if isinstance(event, QHelpEvent):
            core = self.core_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), self._words(core) if core >= 0 else "", self)
            return True
        return False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the core."""
        core = self.core_at(event.position())
        if core >= 0:
            self.chosen.emit(core)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say which core is under the pointer."""
        self._hover(self.core_at(event.position()))

    def leaveEvent(self, _event: QEvent) -> None:
        """None is."""
        self._hover(-1)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The ring; who comes by keyboard is at the selected core."""
        super().focusInEvent(event)
        if event.reason() in BY_KEYBOARD:
            self._hover(self._core)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """No ring."""
        super().focusOutEvent(event)
        self._hover(-1)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows walk over the grid."""
        move = _ARROWS.get(Qt.Key(event.key()))
        if move is None:
            super().keyPressEvent(event)
            return
        found = self._grid.beside(self._core, *move)
        if found >= 0:
            self.chosen.emit(found)
            self._hover(found)

    def _hover(self, core: int) -> None:
        if core != self._under:
            self._under = core
            self.hovered.emit(core)
            self.update()
