"""How the cells of a core grid look: shade, number, who hands partial sums to whom, labels at the sides.

Owns: colours, marks and texts of one painting.  Refuses: where things stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF

from spyre_studio.colour import mix
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.scales import thin
from spyre_studio.space_grid import Cell, Range, SpaceGrid, range_text
from spyre_studio.theme import GRID, RADIUS_SMALL

_SUM: Final = 30  # px; a narrower cell has a corner in place of the sign of a sum
_HEAD: Final = 3  # px; half the height of a head of an arrow
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

CELL_SHADES: Final = (0.3, 0.9)  # of its colour in the cell of the first core and of the last


@dataclass(frozen=True, slots=True)
class Marks:
    """The selected core, the one under the pointer (-1: none), and those whose slice is."""

    core: int
    under: int
    lit: frozenset[int]


class CorePainter:
    """Made for one paint event."""

    def __init__(self, painter: QPainter, grid: SpaceGrid, kind: str, marks: Marks) -> None:
        self._painter, self._grid, self._kind, self._marks = painter, grid, kind, marks
        self._theme = active_theme()
        self._finished, self._chain = grid.finished, frozenset(grid.chain_of(marks.core))
        self._face = font("micro", mono=True)
        self._metrics = QFontMetricsF(self._face)
        self._number_width = self._metrics.horizontalAdvance("00") + 1  # a narrower cell has no number in it

    def cell(self, cell: Cell, rect: QRectF) -> None:
        """A core with work; hollow if its loop is too short for it."""
        theme, painter = self._theme, self._painter
        ground = theme.panel if cell.empty else mix(theme.panel, theme.kind(self._kind), _shade(cell.shade))
        painter.setBrush(qcolor(ground))
        painter.setPen(self._pen(cell.core, QPen(qcolor(theme.line), 1) if cell.empty else None))
        painter.drawRoundedRect(rect, RADIUS_SMALL, RADIUS_SMALL)
        ink = qcolor(theme.mute if cell.empty else theme.text_on(ground))
        if rect.width() >= self._number_width:
            self._number(cell.core, rect, ink.name())
        elif cell.core in self._finished:
            painter.setBrush(ink)
            painter.setPen(Qt.PenStyle.NoPen)
            corner = rect.bottomRight() - QPointF(2, 2)
            painter.drawPolygon(QPolygonF([corner, corner - QPointF(px(5), 0), corner - QPointF(0, px(5))]))

    def _number(self, core: int, rect: QRectF, ink: str) -> None:
        self._painter.setFont(self._face)
        self._painter.setPen(qcolor(ink))
        sums = core in self._finished and rect.width() >= px(_SUM)
        self._painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, f"{core} Σ" if sums else str(core))

    def _pen(self, core: int, usual: QPen | None) -> QPen | Qt.PenStyle:
        theme, marks = self._theme, self._marks
        if core == marks.core:
            return QPen(qcolor(theme.text), 2)
        if core in marks.lit:
            return QPen(qcolor(theme.accent), 2)
        if core == marks.under:
            return QPen(qcolor(theme.mute), 1)
        return usual if usual is not None else Qt.PenStyle.NoPen

    def links(self, rects: Sequence[QRectF]) -> None:
        """An arrowhead from each core to the one that it hands its partial sums to; louder in the selected chain."""
        painter, theme, grid = self._painter, self._theme, self._grid
        for core, heir in grid.links.items():
            loud = core in self._chain
            painter.setBrush(qcolor(theme.move))
            painter.setPen(QPen(qcolor(theme.text if loud else theme.panel), 1))
            painter.drawPolygon(_head(rects[core], rects[heir], px(_HEAD) + (1 if loud else 0)))

    def idle(self, core: int, rect: QRectF) -> None:
        """A core without work."""
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        pen = QPen(qcolor(self._theme.mute), 1)
        pen.setDashPattern([2, 2])
        self._painter.setPen(self._pen(core, pen))
        self._painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)

    def idle_words(self, rect: QRectF, text: str) -> None:
        """How many there are, at the left."""
        self._painter.setFont(font("micro"))
        self._painter.setPen(qcolor(self._theme.warn_text))
        self._painter.drawText(rect, _LEFT, text)

    def words(self, rect: QRectF, text: str) -> None:
        """The title of a panel, shortened to its width."""
        self._painter.setFont(self._face)
        self._painter.setPen(qcolor(self._theme.mute))
        shown = self._metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        self._painter.drawText(rect, _LEFT, shown)

    def columns(self, panel: QRectF, title: float, _height: float) -> None:
        """Labels over the columns of a panel: whole ranges if all fit, else where they begin."""
        side = self._grid.across
        gap = (panel.width() + px(4)) / len(side.slots)
        lefts = [panel.left() + place * gap for place in range(len(side.slots))]
        texts = slot_texts(side.loop, side.slots, whole=True)
        if max(self._metrics.horizontalAdvance(text) for text in texts) > gap - px(GRID / 2):
            texts = slot_texts(side.loop, side.slots, whole=False)
        widest = max(self._metrics.horizontalAdvance(text) for text in texts)
        self._painter.setFont(self._face)
        self._painter.setPen(qcolor(self._theme.mute))
        for place in thin(lefts, widest + px(GRID / 2)):
            self._painter.drawText(QRectF(lefts[place], 0, widest + 2, title), _LEFT, texts[place])

    def rows(self, cells: Sequence[QRectF], texts: Sequence[str], right: float) -> None:
        """Labels beside the rows of a panel."""
        self._painter.setFont(self._face)
        self._painter.setPen(qcolor(self._theme.mute))
        tops = [rect.top() for rect in cells]
        for place in thin(tops, self._metrics.height() * 0.9):
            rect = cells[place]
            self._painter.drawText(QRectF(0, rect.top(), right, rect.height()), _RIGHT, texts[place])

    def ring(self, rect: QRectF) -> None:
        """Who has the focus."""
        self._painter.setPen(QPen(qcolor(self._theme.accent), 1))
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))


def slot_texts(loop: str, slots: Sequence[Range], whole: bool) -> tuple[str, ...]:
    """Labels of slots, the name of the loop in front of the first: 'm 0–63', '64–127', or only where they begin."""
    texts = [range_text(*slot) if whole else f"{slot[0]:,}" for slot in slots]
    return (f"{loop} {texts[0]}".strip(), *texts[1:])


def _shade(share: float) -> float:
    """How much of its colour a cell has, by its place in the order of cores (0..1)."""
    low, high = CELL_SHADES
    return low + (high - low) * share


def _head(one: QRectF, other: QRectF, half: float) -> QPolygonF:
    """A triangle in the gap after `one`, pointing to the cell beside or below it; to the right where a row ends."""
    if other.top() > one.bottom() and abs(other.left() - one.left()) < 1:
        middle = QPointF(one.center().x(), (one.bottom() + other.top()) / 2)
        sides = (QPointF(-half, -half + 1), QPointF(half, -half + 1), QPointF(0, half - 1))
    else:
        at = (one.right() + other.left()) / 2 if other.left() > one.right() else one.right() + 1
        middle = QPointF(at, one.center().y())
        sides = (QPointF(-half + 1, -half), QPointF(-half + 1, half), QPointF(half - 1, 0))
    return QPolygonF([middle + side for side in sides])
