"""A bar that explains a pin which the plan could not keep: who is in the way, by how much, and what to do about it.

Owns: the words with their links, the buttons of the remedies, and going from one conflict to the next. Refuses: doing
anything; it says which remedy was chosen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from compiler.pins import PinState
from spyre_studio.conflict_model import Conflict, Remedy
from spyre_studio.pill import Pill
from spyre_studio.qt_theme import font, px
from spyre_studio.theme import GRID, PAD
from spyre_studio.widgets import button, text_label

_LINKS = ("step", "op", "buffer")  # deeds that only look somewhere else
_LONGEST = 34  # characters on a button
_PLACES = {"lx": "LX", "hbm": "device memory"}


class ConflictBar(QWidget):
    """`chosen` carries a Remedy. Hidden while there is nothing to say, or it was put away."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._conflicts: tuple[Conflict, ...] = ()
        self._at = 0
        self._deeds: list[QPushButton] = []
        self.setAccessibleName("A pin that could not be kept")
        self.pill, self.words = Pill(), text_label("")
        self.next, self.close_button = QToolButton(), QToolButton()
        self._arrange()
        self.hide()

    @property
    def conflict(self) -> Conflict | None:
        """The one that is explained."""
        return self._conflicts[self._at] if self._at < len(self._conflicts) and not self.isHidden() else None

    @property
    def deeds(self) -> tuple[QPushButton, ...]:
        """The buttons."""
        return tuple(self._deeds)

    def show_conflicts(self, conflicts: Sequence[Conflict], first: str) -> None:
        """Explain these, that of the buffer `first` before the others."""
        self._conflicts = tuple(sorted(conflicts, key=lambda one: one.buffer != first))
        self._at = 0
        self.setVisible(bool(conflicts))
        if conflicts:
            self._show()

    def _show(self) -> None:
        one = self._conflicts[self._at]
        adjusted = one.state is PinState.ADJUSTED
        self.pill.set_pill(str(one.state), "warn" if adjusted else "bad", "What became of the pin in this plan")
        links = [remedy for remedy in one.remedies if remedy.deed in _LINKS]
        shown = " · ".join(f'<a href="{place}">{escape(_short(link.words))}</a>' for place, link in enumerate(links))
        head = f"<b>{escape(one.buffer)}</b> pinned to {_PLACES.get(one.where, one.where)}: {_linked(one)}"
        self.words.setText(f"{head.rstrip('.')}. {shown}")
        self.next.setVisible(len(self._conflicts) > 1)
        self.next.setText(f"{self._at + 1} of {len(self._conflicts)} ›")
        self._show_deeds([remedy for remedy in one.remedies if remedy.deed not in _LINKS])
        self.setAccessibleDescription(f"{one.buffer} {one.state}: {one.sentence}")

    def _show_deeds(self, remedies: Sequence[Remedy]) -> None:
        for old in self._deeds:
            old.hide()
            old.deleteLater()
        self._deeds = []
        for remedy in remedies:
            made = button(_short(remedy.words), "secondary", f"{remedy.words}. {remedy.hint}".removesuffix(". "))
            made.clicked.connect(lambda _checked=False, remedy=remedy: self.chosen.emit(remedy))
            self._row.insertWidget(len(self._deeds), made)
            self._deeds.append(made)

    def _linked_to(self, link: str) -> None:
        one = self.conflict
        if one is None:
            return
        if link.isdigit():
            self.chosen.emit([remedy for remedy in one.remedies if remedy.deed in _LINKS][int(link)])
        else:
            self.chosen.emit(Remedy("buffer", link.removeprefix("buffer:"), ""))

    def _turn(self) -> None:
        self._at = (self._at + 1) % len(self._conflicts)
        self._show()

    def _arrange(self) -> None:
        self.words.setFont(font("label"))
        self.words.setTextFormat(Qt.TextFormat.RichText)
        self.words.setTextInteractionFlags(
            self.words.textInteractionFlags() | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.words.setAccessibleName("Why, and who is in the way")
        self.words.linkActivated.connect(self._linked_to)
        self.next.setToolTip("The next pin that could not be kept")
        self.next.clicked.connect(self._turn)
        self.close_button.setText("✕")
        self.close_button.setToolTip("Put this away until the next plan")
        self.close_button.setAccessibleName("Put the explanation away")
        self.close_button.clicked.connect(self.hide)
        head = QHBoxLayout()
        head.setSpacing(px(GRID))
        head.addWidget(self.pill, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.words, 1)
        head.addWidget(self.next, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        self._row = QHBoxLayout()
        self._row.setSpacing(px(GRID))
        self._row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(PAD), px(GRID), px(GRID), px(GRID / 2))
        column.setSpacing(px(GRID / 2))
        column.addLayout(head)
        column.addLayout(self._row)


def _linked(one: Conflict) -> str:
    """The sentence with a link on every buffer that is in the way."""
    found = escape(one.sentence)
    for name in one.blockers:
        shown = escape(name)
        place = re.search(rf"(?<![\w.]){re.escape(shown)}(?= \()", found)
        if place is not None:
            found = f'{found[: place.start()]}<a href="buffer:{shown}">{shown}</a>{found[place.end() :]}'
    return found


def _short(words: str) -> str:
    half = _LONGEST // 2
    return words if len(words) <= _LONGEST else f"{words[:half]}…{words[-half:]}"
