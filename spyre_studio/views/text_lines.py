"""A listing that one reads, folds, searches and follows links in, with the mouse and with the keyboard.

Owns: the current line, chosen lines, keys and clicks, going from mark to mark, copying. Refuses: editing, and what a
link leads to; signals tell which was followed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from spyre_studio.listing import NOWHERE, Listing, merged
from spyre_studio.listing_folds import Folding
from spyre_studio.listing_links import Link
from spyre_studio.listing_text import Numbers
from spyre_studio.views.text_area import TextArea
from spyre_studio.views.text_keys import act_for
from spyre_studio.views.text_paint import note_area


class TextLines(TextArea):
    """`followed` carries the subject of a link, `went_to` the line that was clicked, `hovered` its core or None."""

    followed = Signal(object)
    went_to = Signal(int)
    hovered = Signal(object)
    menu_requested = Signal(int, object)  # line (-1: none), global position

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._anchor = -1
        self._hits: Numbers = NOWHERE
        self.show_listing(self.listing)

    # What is shown

    @property
    def hits(self) -> Numbers:
        """Lines that have what is searched."""
        return self._hits

    @property
    def line(self) -> int:
        """The current line, -1 for none."""
        return self.looks.line

    @property
    def link(self) -> Link | None:
        """The link of the current line that the keyboard is at."""
        links = self.pieces[self.line].links if self.line >= 0 else ()
        return links[self.looks.link] if 0 <= self.looks.link < len(links) else None

    def show_listing(self, listing: Listing, folding: Folding | None = None) -> None:
        """Another text."""
        super().show_listing(listing, folding)
        self._anchor, self._hits = -1, NOWHERE

    def show_hits(self, hits: Numbers) -> None:
        """Lines that have what is searched."""
        self._hits = hits
        self.show_marks(replace(self.marks, hits=hits))

    # Going somewhere

    def go_to(self, line: int, extend: bool = False, centre: bool = False) -> None:
        """Make a line the current one, unfold what hides it, and bring it into view; with `extend`, choose all lines
        from where choosing began."""
        if not 0 <= line < len(self.listing):
            return
        if self.folding.reveal(line):
            self.reshape()
        begun = self._anchor if extend and self._anchor >= 0 else (self.line if extend and self.line >= 0 else line)
        self._anchor = begun
        self.looks.line, self.looks.link = line, -1
        self.looks.chosen = (min(begun, line), self._last_of(max(begun, line)) + 1) if extend else (0, 0)
        self.bring_into_view(line, centre)
        self.setAccessibleDescription(f"line {line + 1:,}: {self.pieces[line].text.strip()}")
        self.viewport().update()

    def go_by(self, rows: int, extend: bool = False) -> None:
        """Some visible lines further down, or up."""
        if self.rows:
            row = self.folding.row_of(self.line) + rows if self.line >= 0 else 0
            self.go_to(self.line_in(min(max(row, 0), self.rows - 1)), extend)

    def next_of(self, lines: Numbers, forwards: bool = True) -> int:
        """Go to the next of some lines, around the end; returns its place among them, -1 if there are none."""
        if not len(lines):
            return -1
        if forwards:
            place = int(np.searchsorted(lines, self.line, "right")) % len(lines)
        else:
            place = (int(np.searchsorted(lines, self.line)) - 1) % len(lines)
        self.go_to(int(lines[place]), centre=True)
        return place

    def next_hit(self, forwards: bool = True) -> int:
        """Go to the next line found."""
        return self.next_of(self._hits, forwards)

    def next_occurrence(self, forwards: bool = True) -> int:
        """Go to the next line that names what is selected."""
        return self.next_of(self.marks.named, forwards)

    def next_link(self, forwards: bool = True) -> None:
        """Go to the next link of the current line."""
        if self.line < 0:
            return
        cut = self.pieces[self.line]
        if cut.links:
            last = len(cut.links) - 1
            now = self.looks.link
            self.looks.link = min(now + 1, last) if forwards else (max(now - 1, 0) if now >= 0 else last)
            link = cut.links[self.looks.link]
            self.bring_column_into_view(cut, link.start, link.end)
            self.setAccessibleDescription(f"{link.subject.kind} {link.subject.name}")
            self.viewport().update()

    def follow(self) -> None:
        """Follow the link that the keyboard is at; without one, what the line speaks of."""
        if self.link is not None:
            self.followed.emit(self.link.subject)
        elif self.line >= 0:
            self.went_to.emit(self.line)

    # Folding

    def fold(self, line: int, closed: bool) -> bool:
        """Fold or unfold the block that a line begins."""
        if not self.folding.turn(line, closed):
            return False
        self._folds_changed()
        return True

    def turn(self, line: int) -> None:
        """Fold what is open, or unfold it."""
        self.fold(line, not self.folding.is_closed(line))

    def fold_here(self) -> None:
        """Fold the block that the current line begins; if it begins none, go to the line that begins the one around."""
        if self.line >= 0 and not self.fold(self.line, closed=True):
            self.go_to(self.folding.head_of(self.line))

    def unfold_here(self) -> None:
        """Unfold the block that the current line begins; if that is open, go into it."""
        if self.line >= 0 and not self.fold(self.line, closed=False) and self.listing.folds.headed_by(self.line) >= 0:
            self.go_by(1)

    def fold_all(self, closed: bool) -> None:
        """Fold or unfold everything."""
        self.folding.turn_all(closed)
        self._folds_changed()

    def fold_as_at_first(self) -> None:
        """Fold what was folded at first: cores that do the same."""
        self.folding.as_at_first()
        self._folds_changed()

    def _folds_changed(self) -> None:
        top = self.line
        if top >= 0 and not self.folding.is_visible(top):
            self.looks.line, self.looks.link = self.line_in(self.folding.row_of(top)), -1
        self.reshape()
        if self.line >= 0:
            self.bring_into_view(self.line)

    # Copying

    def copied(self) -> str:
        """The chosen lines with all that is folded in them; the current line; or everything."""
        first, end = self.looks.chosen
        if first < end:
            return self.listing.text.lines(first, end)
        if self.line >= 0:
            return self.listing.text.lines(self.line, self._last_of(self.line) + 1)
        return self.everything()

    def everything(self) -> str:
        """The whole listing."""
        return self.listing.text.lines(0, len(self.listing))

    def copy(self) -> None:
        """Copy what is chosen."""
        QGuiApplication.clipboard().setText(self.copied())

    def choose_all(self) -> None:
        """All lines."""
        self._anchor, self.looks.chosen = 0, (0, len(self.listing))
        self.viewport().update()

    def choose_none(self) -> bool:
        """No lines and no link; False if there were none."""
        had = self.looks.chosen != (0, 0) or self.looks.link >= 0
        self.looks.chosen, self.looks.link, self._anchor = (0, 0), -1, -1
        self.viewport().update()
        return had

    def _last_of(self, line: int) -> int:
        """The last line that is seen in the row of a line."""
        fold = self.listing.folds.headed_by(line)
        return int(self.listing.folds.ends[fold]) - 1 if fold >= 0 and self.folding.closed[fold] else line

    # Events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What `text_keys` says; the rest goes on to the parent."""
        act = act_for(event)
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif act is not None:
            act(self)
        else:
            event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A link is followed, a block folded in the margin; any other place of a line makes it the current one."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        at = event.position()
        if self.strip_area().contains(at):
            self._jump(at.y())
            return
        line, link = self._under(at)
        if line < 0:
            self.choose_none()
            return
        if at.x() < self.grid_.margin or self._on_note(at, line):
            self.turn(line)
            return
        self.go_to(line, bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        if link >= 0:
            self.followed.emit(self.pieces[line].links[link].subject)
        elif not event.modifiers():
            self.went_to.emit(line)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Choose lines while the button is down; else see what is under the pointer."""
        at = event.position()
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._drag(at)
            return
        line, link = self._under(at)
        if (line, link) == self.looks.hovered:
            return
        if line != self.looks.hovered[0]:
            self.hovered.emit(self.listing.core_of(line) if line >= 0 else None)
        self.looks.hovered = (line, link)
        hand = link >= 0 or (line >= 0 and self._on_note(at, line))
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if hand else Qt.CursorShape.ArrowCursor)
        self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The press did it all; nobody else need hear of it."""
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the pointer."""
        super().leaveEvent(event)
        self.looks.hovered = (-1, -1)
        self.hovered.emit(None)
        self.viewport().update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for a menu on a line: that under the pointer, or the current one."""
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            line, link = self._under(QPointF(self.viewport().mapFromGlobal(event.globalPos())))
            first, end = self.looks.chosen
            if line >= 0 and not first <= line < end:
                self.go_to(line)
                self.looks.link = link
            self.menu_requested.emit(line, event.globalPos())
            return
        top = self.top_of(self.folding.row_of(self.line)) + self.grid_.row if self.line >= 0 else 0
        where = self.viewport().mapToGlobal(QPointF(self.grid_.margin, top).toPoint())
        self.menu_requested.emit(self.line, where)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Those who come by keyboard are somewhere at once."""
        super().focusInEvent(event)
        if self.line < 0 and event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.go_to(self.line_in(max(self.row_at(0), 0)) if self.rows else -1)
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        """Say what a link leads to, and what a folded block is."""
        if isinstance(event, QHelpEvent):
            line, link = self._under(QPointF(event.pos()))
            words = ""
            if link >= 0:
                subject = self.pieces[line].links[link].subject
                words = f"{subject.kind} {subject.name}: a click selects it everywhere"
            elif line >= 0 and self._on_note(QPointF(event.pos()), line):
                words = "Folded; a click unfolds it"
            QToolTip.showText(event.globalPos(), words, self.viewport())
            return True
        return super().viewportEvent(event)

    def _drag(self, at: QPointF) -> None:
        if self._anchor < 0 or self.looks.line < 0 or self.strip_area().contains(at):
            return
        row = self.row_at(min(max(at.y(), 0), self.viewport().height() - 1))
        if row >= 0 and self.line_in(row) != self.line:
            self.go_to(self.line_in(row), extend=True)

    def _under(self, at: QPointF) -> tuple[int, int]:
        """The line at a place, and the number of its link there."""
        row = self.row_at(at.y())
        if row < 0 or self.strip_area().contains(at):
            return -1, -1
        line = self.line_in(row)
        cut = self.pieces[line]
        column = self.column_at(cut, at.x())
        return line, cut.link_at(column) if column >= 0 else -1

    def _on_note(self, at: QPointF, line: int) -> bool:
        fold = self.listing.folds.headed_by(line)
        if fold < 0 or not self.folding.closed[fold]:
            return False
        return note_area(self, self.pieces[line], fold, self.top_of(self.folding.row_of(line))).contains(at)

    def _jump(self, y: float) -> None:
        """To the mark that is nearest to a height of the strip, else to that place of the text."""
        marks, height = self.marks, max(self.viewport().height(), 1)
        lines = merged(marks.named, marks.cores, marks.hits)
        row = y / height * self.rows
        if not len(lines):
            self.verticalScrollBar().setValue(round(row * self.grid_.row - height / 2))
            return
        near = int(np.argmin(np.abs(self.folding.rows_of(lines) - row)))
        self.go_to(int(lines[near]), centre=True)
