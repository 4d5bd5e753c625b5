"""An area of monospaced lines of any number: where lines and letters are, folding, scrolling.

Owns: geometry, which rows are in view, the two scroll bars, and the reading of a listing into rows. Refuses: painting
(`text_paint`), and what keys and clicks do (`text_lines`).
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from spyre_studio.listing import Listing, nothing
from spyre_studio.listing_folds import Folding
from spyre_studio.qt_theme import font, px, scale
from spyre_studio.theme import GRID
from spyre_studio.views.text_marks import WIDTH, Marks, MarkStrip
from spyre_studio.views.text_paint import Looks, paint_rows
from spyre_studio.views.text_pieces import CutLine, Pieces

_LOOKS = (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange)


@dataclass(frozen=True, slots=True)
class Grid:
    """Sizes in pixels, looked up once: of a letter and a row, of the margin with numbers and folds, where the base line
    is, how wide the strip of marks is, and one pixel of the reference screen."""

    letter: float
    row: int
    numbers: float
    margin: float
    base: float
    strip: int
    unit: float

    @classmethod
    def of(cls, lines: int) -> Grid:
        """For so many lines, in the size of text that is worn now."""
        metrics = QFontMetricsF(font("label", mono=True))
        letter, row = metrics.horizontalAdvance("0"), round(metrics.lineSpacing()) + px(3)
        numbers = max(len(f"{lines:,}"), 3) * letter + px(GRID)
        base = (row + metrics.ascent() - metrics.descent()) / 2
        return cls(letter, row, numbers, numbers + px(2.5 * GRID), base, px(WIDTH), scale())


class TextArea(QAbstractScrollArea):
    """Shows a listing; what is marked and searched is in `marks` and `looks`."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.listing: Listing = nothing()
        self.folding = Folding(self.listing.folds, 0)
        self.pieces = Pieces(self.listing)
        self.marks, self.strip, self.looks = Marks(), MarkStrip(), Looks()
        self.grid_ = Grid.of(0)
        self._longest = 0

    # What is shown

    def show_listing(self, listing: Listing, folding: Folding | None = None) -> None:
        """Another text, folded as it was before or as at first; scrolled to where the one before was."""
        self.listing = listing
        self.folding = folding or Folding(listing.folds, len(listing))
        self.pieces = Pieces(listing)
        self.marks, self._longest = Marks(), listing.text.longest
        self.looks.clear()
        self.reshape()

    def reshape(self) -> None:
        """Lines, folds or sizes changed."""
        self.grid_ = Grid.of(len(self.listing))
        self.looks.folded.clear()
        self.strip.forget()
        self._fit_bars()
        self.viewport().update()

    def show_marks(self, marks: Marks) -> None:
        """Mark other lines."""
        self.marks = marks
        self.looks.marked(marks)
        self.strip.forget()
        self.viewport().update()

    # Where things are

    @property
    def rows(self) -> int:
        """How many lines are visible."""
        return len(self.folding.visible)

    def line_in(self, row: int) -> int:
        """The line of a row."""
        return int(self.folding.visible[row])

    def row_at(self, y: float) -> int:
        """The row at a height of the viewport, -1 below the last one."""
        row = int((y + self.verticalScrollBar().value()) // self.grid_.row)
        return row if 0 <= row < self.rows else -1

    def top_of(self, row: int) -> float:
        """The height at which a row begins."""
        return row * self.grid_.row - self.verticalScrollBar().value()

    def left_of(self, cut: CutLine, column: int) -> float:
        """Where a letter of a line begins."""
        start = self.grid_.margin - self.horizontalScrollBar().value()
        if cut.narrow:
            return start + column * self.grid_.letter
        return start + QFontMetricsF(font("label", mono=True)).horizontalAdvance(cut.text[:column])

    def column_at(self, cut: CutLine, x: float) -> int:
        """The letter of a line at a place; it may be beyond the last one, or -1 in the margin."""
        if x < self.grid_.margin:
            return -1
        column = int((x - self.grid_.margin + self.horizontalScrollBar().value()) / self.grid_.letter)
        if cut.narrow:
            return column
        while column > 0 and self.left_of(cut, column) > x:
            column -= 1
        return column

    def text_width(self) -> float:
        """How far lines may be drawn before the strip of marks begins."""
        return self.viewport().width() - self.grid_.strip

    def strip_area(self) -> QRectF:
        """Where the strip of marks is."""
        left = self.text_width()
        return QRectF(left, 0, self.viewport().width() - left, self.viewport().height())

    def bring_into_view(self, line: int, centre: bool = False) -> None:
        """Scroll as little as needed, or to the middle where the line was out of view."""
        bar, height, row = self.verticalScrollBar(), self.viewport().height(), self.folding.row_of(line)
        top = row * self.grid_.row
        above, below = top < bar.value(), top + self.grid_.row > bar.value() + height
        if not above and not below:
            return
        if centre:
            bar.setValue(top - (height - self.grid_.row) // 2)
        else:
            bar.setValue(top if above else top + self.grid_.row - height)

    def bring_column_into_view(self, cut: CutLine, start: int, end: int) -> None:
        """Scroll sideways until letters of a line are in view."""
        bar, wide = self.horizontalScrollBar(), self.text_width()
        left, right = self.left_of(cut, start), self.left_of(cut, end)
        if right > wide:
            bar.setValue(bar.value() + round(right - wide) + px(GRID))
        elif left < self.grid_.margin:
            bar.setValue(bar.value() - round(self.grid_.margin - left) - px(GRID))

    # Events

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The rows in view, and the strip of marks."""
        painter = QPainter(self.viewport())
        paint_rows(painter, self)
        self.strip.paint(painter, self.strip_area(), self.marks, self.folding)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """More or fewer rows in view."""
        super().resizeEvent(event)
        self._fit_bars()

    def changeEvent(self, event: QEvent) -> None:
        """Another theme or size of text."""
        super().changeEvent(event)
        if event.type() in _LOOKS:
            self.reshape()

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        """Everything in view is drawn again: it is quick."""
        self.viewport().update()

    def _fit_bars(self) -> None:
        size, grid = self.viewport().size(), self.grid_
        down, across = self.verticalScrollBar(), self.horizontalScrollBar()
        down.setRange(0, max(self.rows * grid.row - size.height(), 0))
        down.setSingleStep(grid.row)
        down.setPageStep(max(size.height() - grid.row, grid.row))
        wide = grid.margin + (self._longest + 2) * grid.letter
        across.setRange(0, max(round(wide - self.text_width()), 0))
        across.setSingleStep(round(4 * grid.letter))
        across.setPageStep(round(self.text_width() / 2))
