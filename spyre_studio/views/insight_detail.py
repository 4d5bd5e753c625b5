"""One insight in full: its sentence, where it shows, and every remedy with what it saves and a button that does it.

Owns: the panel. Refuses: doing anything; `taken` carries the remedy that is wanted, `pointed` what somebody looks for.
"""

from __future__ import annotations

from html import escape
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from spyre_studio.insight import Insight, Remedy
from spyre_studio.insight_words import cost_text, saving_text, saving_tone
from spyre_studio.insights import KINDS
from spyre_studio.qt_theme import active_theme, font, px
from spyre_studio.theme import GRID, PAD
from spyre_studio.units import format_count
from spyre_studio.views import view_row
from spyre_studio.widgets import Card, Heading, button, text_label

NAMED: Final = 3
"""So many steps and buffers are named; the rest is counted."""
_STEP, _BUFFER = "step", "buffer"


class InsightDetail(QScrollArea):
    """`taken` carries a Remedy; `pointed` a kind (step or buffer) and a name."""

    taken = Signal(object)
    pointed = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._insight: Insight | None = None
        self.buttons: list[QPushButton] = []
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
        self._insight, self.buttons = insight, []
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

    def _links(self, words: str, names: tuple[str, ...], what: str) -> QLabel:
        colour = active_theme().accent_text
        linked = [
            f"<a style='color:{colour}; text-decoration:none' href='{what}:{place}'>{escape(name)}</a>"
            for place, name in enumerate(names[:NAMED])
        ]
        more = f" and {format_count(len(names) - NAMED, 'more', 'more')}" if len(names) > NAMED else ""
        label = _narrow(text_label(f"{words}: {', '.join(linked)}{more}", "mute"))
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        label.setAccessibleName(f"{words}: {', '.join(names[:NAMED])}{more}")
        label.linkActivated.connect(lambda link: self.pointed.emit(what, names[int(link.partition(":")[2])]))
        return label

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
            made.setToolTip("Pins and pipeline change as one step, which Undo takes back")
            made.setEnabled(awake)
        made.setAccessibleName(f"{made.text()}: {remedy.words}")
        made.clicked.connect(lambda: self.taken.emit(remedy))
        self.buttons.append(made)
        return made


def _narrow(label: QLabel) -> QLabel:
    """Wraps at any width instead of making the panel wider."""
    label.setFont(font("body"))
    label.setMinimumWidth(1)
    return label
