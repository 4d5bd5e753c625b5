"""The line of facts about a simulated run: the most important first, as many as there is room for.

Owns: how it looks; all facts are the tooltip and what a screen reader says.  Refuses: the facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID
from spyre_studio.timeline_words import Fact

_BETWEEN = " · "


class FactsLine(QWidget):
    """Takes the width it is given."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._facts: tuple[Fact, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_facts(self, facts: Sequence[Fact]) -> None:
        """Other facts."""
        self._facts = tuple(facts)
        self.setAccessibleName(_BETWEEN.join(fact.text for fact in facts))
        self.setToolTip("<br>".join(f"<b>{escape(fact.text)}</b>: {escape(fact.hint)}" for fact in facts))
        self.update()

    @property
    def shown(self) -> tuple[str, ...]:
        """The facts that there is room for."""
        kept, left = [], float(self.width())
        for place, fact in enumerate(self._facts):
            left -= QFontMetricsF(_face(place)).horizontalAdvance(fact.text if place == 0 else _BETWEEN + fact.text)
            if left < 0 and place:
                break
            kept.append(fact.text)
        return tuple(kept)

    def sizeHint(self) -> QSize:
        """One line."""
        return QSize(px(20 * GRID), px(3 * GRID))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The first strong, the rest quiet."""
        painter, theme, left = QPainter(self), active_theme(), 0.0
        for place, text in enumerate(self.shown):
            words, metrics = (_BETWEEN + text if place else text), QFontMetricsF(_face(place))
            painter.setFont(_face(place))
            painter.setPen(qcolor(theme.mute if place else theme.text))
            painter.drawText(QPointF(left, (self.height() + metrics.ascent() - metrics.descent()) / 2), words)
            left += metrics.horizontalAdvance(words)
        painter.end()


def _face(place: int) -> QFont:
    return font("label") if place else font("body", bold=True)
