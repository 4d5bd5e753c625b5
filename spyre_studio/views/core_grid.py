"""The cores of one op as a grid of cells, shaded by slice: which core owns what is seen at once.

Owns: drawing the cells, the core under the pointer, and moving by keys. Refuses: ranges and factors; it is told a Grid
and the words for a core.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from spyre_studio.colour import mix
from spyre_studio.division_model import Cell, Grid
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import RADIUS_SMALL

_CELL = 20  # px high
_GAP = 4
_COLUMNS = 8  # of the usual grid; it sets the height
_ARROWS = {
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
        self._grid = Grid(1, 1, (Cell(0, 0, 0, 0.0),))
        self._core, self._under, self._cores = 0, -1, 1
        self._kind = "matmul"
        self._words: Callable[[int], str] = str
        self.setAccessibleName("Cores of the selected op")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def grid(self) -> Grid:
        """What is shown."""
        return self._grid

    def show_grid(self, grid: Grid, cores: int, kind: str, words: Callable[[int], str]) -> None:
        """Another split of a device of `cores`; `kind` colours it, `words` says what a core owns."""
        self._grid, self._cores, self._kind, self._words = grid, cores, kind, words
        self.setAccessibleDescription(words(self._core))
        self.updateGeometry()
        self.update()

    def show_core(self, core: int) -> None:
        """Outline this core."""
        self._core = core
        self.setAccessibleDescription(self._words(core))
        self.update()

    def cell_rect(self, cell: Cell) -> QRectF:
        """Where a cell is drawn."""
        columns, rows, gap = self._grid.columns, self._grid.rows, px(_GAP)
        width = (self.width() - gap * (columns - 1) - 2) / columns
        height = min((self.height() - gap * (rows - 1) - 2) / rows, 2 * px(_CELL))
        return QRectF(1 + cell.column * (width + gap), 1 + cell.row * (height + gap), width, height)

    def core_at(self, pos: QPointF) -> int:
        """The core under a point, -1 for none."""
        return next((cell.core for cell in self._grid.cells if self.cell_rect(cell).contains(pos)), -1)

    def sizeHint(self) -> QSize:
        """The same height for every split of a device, so that nothing below moves while one tries them."""
        return QSize(px(160), -(-self._cores // _COLUMNS) * (px(_CELL) + px(_GAP)) - px(_GAP) + 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Cells, numbers where they fit, the outline of the selected core."""
        theme, painter = active_theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font("micro", mono=True))
        for cell in self._grid.cells:
            rect = self.cell_rect(cell)
            ground = mix(theme.panel, theme.kind(self._kind), 0.3 + 0.6 * cell.shade)
            painter.setBrush(qcolor(ground))
            painter.setPen(Qt.PenStyle.NoPen)
            if cell.core in (self._core, self._under):
                loud = cell.core == self._core
                painter.setPen(QPen(qcolor(theme.text if loud else theme.mute), 2 if loud else 1))
            painter.drawRoundedRect(rect, RADIUS_SMALL, RADIUS_SMALL)
            if rect.width() >= px(16):
                painter.setPen(qcolor(theme.text_on(ground)))
                painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, str(cell.core))
        if self.hasFocus():
            painter.setPen(QPen(qcolor(theme.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()

    def event(self, event: QEvent) -> bool:
        """A tooltip per core."""
        if isinstance(event, QHelpEvent):
            core = self.core_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), self._words(core) if core >= 0 else "", self)
            return True
        return super().event(event)

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
        """The ring."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """No ring."""
        super().focusOutEvent(event)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows walk over the grid."""
        move = _ARROWS.get(Qt.Key(event.key()))
        if move is None:
            super().keyPressEvent(event)
            return
        here = next((cell for cell in self._grid.cells if cell.core == self._core), self._grid.cells[0])
        wanted = (here.column + move[0], here.row + move[1])
        found = next((cell.core for cell in self._grid.cells if (cell.column, cell.row) == wanted), -1)
        if found >= 0:
            self.chosen.emit(found)

    def _hover(self, core: int) -> None:
        if core != self._under:
            self._under = core
            self.hovered.emit(core)
            self.update()
