"""One insight in full: its sentence, where it shows, and every remedy with what it saves and a button that does it.

Owns: the panel. Refuses: doing anything; `taken` carries the remedy that is wanted, `pointed` what somebody looks for.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from spyre_studio.insight import Insight, Remedy
from spyre_studio.insight_words import cost_text, saving_text, saving_tone
from spyre_studio.insights import KINDS
from spyre_studio.qt_theme import font, px
from spyre_studio.theme import GRID, PAD
from spyre_studio.units import format_count
from spyre_studio.views import view_row
from spyre_studio.widgets import Card, Heading, button, text_label

NAMED: Final = 3
"""So many steps and buffers are named; the rest is counted."""
_LINK: Final = (
    "QPushButton { text-align: left; padding: 1px 0; margin: 0; min-height: 0; border: none; }"
    "QPushButton:focus, QPushButton:hover { text-decoration: underline; }"
)
"""A text among texts; the keyboard shows in it as in a page."""
_STEP, _BUFFER = "step", "buffer"


class NameLink(QPushButton):
    """A name that can be clicked, in the width that there is."""

    def __init__(self, name: str, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self.setProperty("quiet", True)
        self.setToolTip(f"{name}\n{hint}")
        self.setAccessibleName(f"{hint}: {name}")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(1)
        self.setStyleSheet(_LINK)
        self.setText(name)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shortened in the middle, where names of one module are alike."""
        super().resizeEvent(event)
        room = self.width() - px(GRID)
        self.setText(self.fontMetrics().elidedText(self.name, Qt.TextElideMode.ElideMiddle, room))


class InsightDetail(QScrollArea):
    """`taken` carries a Remedy; `pointed` a kind (step or buffer) and a name."""

    taken = Signal(object)
    pointed = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._insight: Insight | None = None
        self.buttons: list[QPushButton] = []
        self.links: list[NameLink] = []
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Insight")

    @property
    def insight(self) -> Insight | None:
        """The one that is shown."""
        return self._insight

    def show_insight(self, insight: Insight | None, total_us: float, awake: bool) -> None:
        """Another one; `awake`: remedies can be taken now."""
        self._insight, self.buttons, self.links = insight, [], []
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(px(PAD), px(GRID), px(PAD), px(GRID))
        column.setSpacing(px(GRID))
        if insight is not None:
            self._fill(column, insight, total_us, awake)
        column.addStretch(1)
        at = self.verticalScrollBar().value()
        old = self.takeWidget()
        if old is not None:
            old.hide()
            old.deleteLater()  # one of its buttons may be what asked for this
        self.setWidget(page)
        stops: list[QWidget] = [self, *self.links, *self.buttons]
        for first, second in pairwise(stops):  # what is made anew would come last of the window
            self.setTabOrder(first, second)
        self.verticalScrollBar().setValue(at)

    def _fill(self, column: QVBoxLayout, insight: Insight, total_us: float, awake: bool) -> None:
        kind = KINDS[insight.kind]
        heading = Heading(kind.title)
        heading.set_heading(kind.title[:1].upper() + kind.title[1:], cost_text(insight, total_us))
        heading.setToolTip(kind.hint)
        column.addWidget(heading)
        column.addWidget(_narrow(text_label(insight.sentence)))
        where = insight.evidence
        steps = () if set(where.steps) == set(where.buffers) else where.steps  # a buffer is named after its step
        for words, names, what in (("Steps", steps, _STEP), ("Buffers", where.buffers, _BUFFER)):
            if names:
                column.addWidget(self._links(words, names, what))
        nearest = insight.nearest
        for remedy in insight.remedies:
            column.addWidget(self._card(remedy, remedy is nearest, awake))

    def _links(self, words: str, names: tuple[str, ...], what: str) -> QWidget:
        """A line for each name."""
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        more = f", {format_count(len(names) - NAMED, 'more', 'more')} not named" if len(names) > NAMED else ""
        column.addWidget(_narrow(text_label(f"{words}{more}", "mute")))
        for name in names[:NAMED]:
            link = NameLink(name, f"Select this {what}")
            link.clicked.connect(lambda _checked=False, name=name: self.pointed.emit(what, name))
            self.links.append(link)
            column.addWidget(link)
        return holder

    def _card(self, remedy: Remedy, nearest: bool, awake: bool) -> QWidget:
        card = Card()
        row = QHBoxLayout()
        row.setSpacing(px(GRID))
        texts = QVBoxLayout()
        texts.setSpacing(px(GRID / 2))
        texts.addWidget(_narrow(text_label(remedy.words)))
        said = saving_text(remedy)
        if said:
            texts.addWidget(_narrow(text_label(said[:1].upper() + said[1:], saving_tone(remedy))))
        row.addLayout(texts, 1)
        if remedy.changes or remedy.view:
            row.addWidget(self._button(remedy, nearest, awake), 0, Qt.AlignmentFlag.AlignTop)
        card.column.addLayout(row)
        return card

    def _button(self, remedy: Remedy, nearest: bool, awake: bool) -> QPushButton:
        if not remedy.changes:
            view = view_row(remedy.view)
            made = button("Show", "secondary", f"Go to {view.title if view else remedy.view}")
        else:
            made = button("Do it", "primary" if nearest and remedy.saving.helps else "secondary")
            tried = "It was tried, and the plan does not keep it"
            usual = "Pins and pipeline change as one step, which Undo takes back"
            made.setToolTip(tried if remedy.saving.refused else usual)
            made.setEnabled(awake and not remedy.saving.refused)
        made.setAccessibleName(f"{made.text()}: {remedy.words}")
        made.clicked.connect(lambda: self.taken.emit(remedy))
        self.buttons.append(made)
        return made


def _narrow(label: QLabel) -> QLabel:
    """Wraps at any width instead of making the panel wider."""
    label.setFont(font("body"))
    label.setMinimumWidth(1)
    return label
