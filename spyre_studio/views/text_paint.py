"""Painting the rows of a text that are in view: numbers, folds, letters, marks, and what is searched.

Owns: how a row looks. Refuses: any line that is not in view.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from spyre_studio.listing_search import spans_in
from spyre_studio.qt_theme import active_theme, font, qcolor
from spyre_studio.theme import RADIUS_SMALL, Theme
from spyre_studio.typed_pattern import TypedPattern
from spyre_studio.views.text_folded import folded_words
from spyre_studio.views.text_marks import Marks
from spyre_studio.views.text_pieces import CutLine, Role

if TYPE_CHECKING:
    from spyre_studio.views.text_area import TextArea

_BAR: Final = 3  # px; at the left of a marked row


@dataclass(slots=True)
class Looks:
    """What lies over the text: the current line and link, chosen lines (first and end), the link under the pointer, the
    core looked at and the one under the pointer, and what is searched."""

    line: int = -1
    link: int = -1
    chosen: tuple[int, int] = (0, 0)
    hovered: tuple[int, int] = (-1, -1)
    core: int = -1
    hovered_core: int = -1
    pattern: TypedPattern | None = None
    owned: frozenset[int] = frozenset()
    named: frozenset[int] = frozenset()
    folded: dict[int, str] = field(default_factory=dict)

    def clear(self) -> None:
        """For another text; what is searched, and the cores, stay."""
        self.line, self.link, self.chosen, self.hovered = -1, -1, (0, 0), (-1, -1)
        self.owned = self.named = frozenset()
        self.folded.clear()

    def marked(self, marks: Marks) -> None:
        """Lines about what is selected."""
        self.owned, self.named = frozenset(marks.owned.tolist()), frozenset(marks.named.tolist())


def paint_rows(painter: QPainter, area: TextArea) -> None:
    """All rows in view."""
    theme, grid, size = active_theme(), area.grid_, area.viewport().size()
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), qcolor(theme.panel))
    painter.fillRect(QRectF(0, 0, grid.margin - 4 * grid.unit, size.height()), qcolor(theme.bg))
    first = area.verticalScrollBar().value() // grid.row
    last = min(first + size.height() // grid.row + 2, area.rows)
    painter.setFont(font("label", mono=True))
    for row in range(first, last):
        _paint_row(painter, area, theme, area.line_in(row), area.top_of(row))


def _paint_row(painter: QPainter, area: TextArea, theme: Theme, line: int, top: float) -> None:
    grid, looks, cut = area.grid_, area.looks, area.pieces[line]
    room = QRectF(0, top, area.text_width(), grid.row)
    painter.save()
    painter.setClipRect(QRectF(grid.margin - 2 * grid.unit, top, room.width() - grid.margin + 2 * grid.unit, grid.row))
    _paint_ground(painter, area, theme, line, room)
    _paint_found(painter, area, theme, cut, top)
    _paint_letters(painter, area, theme, cut, top)
    _paint_links(painter, area, theme, cut, line, top)
    fold = area.listing.folds.headed_by(line)
    if fold >= 0 and area.folding.closed[fold]:
        _paint_note(painter, area, theme, cut, fold, top)
    painter.restore()
    _paint_margin(painter, area, theme, line, fold, top)
    if line == looks.line and area.hasFocus():
        painter.fillRect(QRectF(grid.margin, top + grid.row - 1, room.width() - grid.margin, 1), qcolor(theme.accent))


def _paint_ground(painter: QPainter, area: TextArea, theme: Theme, line: int, room: QRectF) -> None:
    looks = area.looks
    if line in looks.owned or line in looks.named:
        painter.fillRect(room, qcolor(theme.tint(theme.accent, 0.14 if line in looks.named else 0.08)))
    core = area.listing.core_of(line)
    if core is not None and core == looks.hovered_core:
        painter.fillRect(room, qcolor(theme.tint(theme.move, 0.25)))
    if looks.chosen[0] <= line < looks.chosen[1]:
        painter.fillRect(room, qcolor(theme.selection))
    elif line == looks.line and line not in looks.owned and line not in looks.named:
        painter.fillRect(room, qcolor(theme.hover))


def _paint_found(painter: QPainter, area: TextArea, theme: Theme, cut: CutLine, top: float) -> None:
    if area.looks.pattern is None:
        return
    for start, end in spans_in(area.looks.pattern, cut.text):
        left, right = area.left_of(cut, start), area.left_of(cut, end)
        if left > area.text_width():
            return
        painter.fillRect(QRectF(left, top, right - left, area.grid_.row), qcolor(theme.tint(theme.warn, 0.4)))


def _paint_letters(painter: QPainter, area: TextArea, theme: Theme, cut: CutLine, top: float) -> None:
    grid, scrolled = area.grid_, area.horizontalScrollBar().value()
    first = int(scrolled / grid.letter) if cut.narrow else 0
    end = first + int(area.text_width() / grid.letter) + 2
    base = top + grid.base
    for piece in cut.between(first, end if cut.narrow else len(cut.text)):
        start, stop = max(piece.start, first), min(piece.end, end) if cut.narrow else piece.end
        painter.setPen(qcolor(_colour(theme, piece.role)))
        if piece.role == "strong":
            painter.setFont(font("label", bold=True, mono=True))
        painter.drawText(QPointF(area.left_of(cut, start), base), cut.text[start:stop])
        if piece.role == "strong":
            painter.setFont(font("label", mono=True))


def _colour(theme: Theme, role: Role) -> str:
    match role:
        case "name":
            return theme.accent_text
        case "word":
            return theme.mute
        case "added":
            return theme.ok_text
        case "removed":
            return theme.bad_text
        case _:
            return theme.text


def _paint_links(painter: QPainter, area: TextArea, theme: Theme, cut: CutLine, line: int, top: float) -> None:
    """A line under the name that the pointer is at, a box around the one that the keyboard is at."""
    looks, below = area.looks, top + area.grid_.base + 2 * area.grid_.unit
    if looks.hovered[0] == line and 0 <= looks.hovered[1] < len(cut.links):
        link = cut.links[looks.hovered[1]]
        painter.setPen(QPen(qcolor(theme.accent_text), 1))
        painter.drawLine(QPointF(area.left_of(cut, link.start), below), QPointF(area.left_of(cut, link.end), below))
    if looks.line == line and 0 <= looks.link < len(cut.links):
        link = cut.links[looks.link]
        left, right = area.left_of(cut, link.start), area.left_of(cut, link.end)
        painter.setPen(QPen(qcolor(theme.accent), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(left - 2, top + 0.5, right - left + 4, area.grid_.row - 2))


def note_words(area: TextArea, fold: int) -> str:
    """What a folded block holds, and how much of what is searched is in it."""
    words = area.looks.folded.get(fold)
    if words is None:
        words = area.looks.folded[fold] = folded_words(area.listing, fold)
    folds, hits = area.listing.folds, area.marks.hits
    first, end = np.searchsorted(hits, (int(folds.starts[fold]) + 1, int(folds.ends[fold])))
    return f"{words} · {int(end - first):,} found" if end > first else words


def note_area(area: TextArea, cut: CutLine, fold: int, top: float) -> QRectF:
    """Where the words about a folded block are."""
    words = note_words(area, fold)
    left = area.left_of(cut, len(cut.text)) + 2 * area.grid_.letter
    width = len(words) * area.grid_.letter + 8 * area.grid_.unit
    # A note on a line that is longer than the view stands at its right edge, where it can be seen.
    left = max(min(left, area.text_width() - width - 4 * area.grid_.unit), area.grid_.margin)
    return QRectF(left, top + 1, width, area.grid_.row - 2)


def _paint_note(painter: QPainter, area: TextArea, theme: Theme, cut: CutLine, fold: int, top: float) -> None:
    where = note_area(area, cut, fold, top)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(qcolor(theme.raised))
    painter.drawRoundedRect(where, RADIUS_SMALL, RADIUS_SMALL)
    painter.setPen(qcolor(theme.mute))
    painter.drawText(QPointF(where.left() + 4 * area.grid_.unit, top + area.grid_.base), note_words(area, fold))


def _paint_margin(painter: QPainter, area: TextArea, theme: Theme, line: int, fold: int, top: float) -> None:
    """The number, a sign for a block, a bar for what is selected, a dot for the core looked at."""
    grid, looks = area.grid_, area.looks
    if line in looks.owned or line in looks.named:
        painter.fillRect(QRectF(0, top, _BAR * grid.unit, grid.row), qcolor(theme.accent))
    painter.setPen(qcolor(theme.text if line == looks.line else theme.mute))
    room = QRectF(0, top, grid.numbers - 4 * grid.unit, grid.row)
    painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{line + 1:,}")
    middle = QPointF(grid.numbers + 4 * grid.unit, top + grid.row / 2)
    if fold >= 0:
        _paint_sign(painter, theme, middle, bool(area.folding.closed[fold]), grid.unit)
    elif area.listing.core_of(line) == looks.core and looks.core >= 0:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(qcolor(theme.move))
        painter.drawEllipse(middle, 2 * grid.unit, 2 * grid.unit)


def _paint_sign(painter: QPainter, theme: Theme, middle: QPointF, closed: bool, unit: float) -> None:
    """A triangle: to the right for what is folded, down for what is open."""
    reach = 3.5 * unit
    ends = ((-0.6, -1.0), (0.8, 0.0), (-0.6, 1.0)) if closed else ((-1.0, -0.6), (1.0, -0.6), (0.0, 0.8))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(qcolor(theme.text if closed else theme.mute))
    painter.drawPolygon(QPolygonF([QPointF(middle.x() + x * reach, middle.y() + y * reach) for x, y in ends]))
    painter.restore()
