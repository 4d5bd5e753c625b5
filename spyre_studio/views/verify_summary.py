"""What a verification found, in words: how it was run, on which numbers, and a card that says where it went wrong.

Owns: the sentences and the buttons of the card.  Refuses: the selection; `located` tells what was asked for.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from simulator.report import VerifyReport
from spyre_studio.qt_theme import font, px
from spyre_studio.theme import GRID, Tone
from spyre_studio.verify_places import Spoken, spoken_of
from spyre_studio.verify_rows import Divergence, divergence, headline, how_words, run_words
from spyre_studio.widgets import Card, button, text_label

_WIDTH: Final = 320  # px
_LEAST: Final = 48  # px
_NO_LIMIT: Final = 16_777_215  # QWIDGETSIZE_MAX


class VerifySummary(QScrollArea):
    """`located` carries a Spoken; `map_asked` the key of a result whose map is wanted."""

    located = Signal(object)
    map_asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._spoken, self._key = Spoken(), ""
        self._whole = False
        self.lead, self.how = _label(), _label()
        self.card, self.title, self.where = Card(), QLabel(), text_label("")
        self.figures = _label()
        self.select = button("Select in all views", "secondary", "Select its step, buffer and core everywhere")
        self.map = button("Show the error map", "quiet", "Show where its result is wrong")
        self._arrange()

    def show_report(self, report: VerifyReport, compilation: Compilation) -> None:
        """Another report."""
        found = divergence(report)
        carded = found is not None or bool(report.fault)
        self.lead.setText(run_words(report) if carded else headline(report)[2])
        self.how.setText(" ".join(how_words(report)))
        self.how.setVisible(bool(self.how.text()))
        self.card.setVisible(carded)
        if report.fault:
            self._show_fault(report.fault, spoken_of(report.fault, compilation))
        elif found is not None:
            self._show_divergence(found)
        self._fit()

    def set_whole(self, whole: bool) -> None:
        """As tall as its words, for a place where other things stand below; else it scrolls."""
        self._whole = whole
        self._fit()

    def _show_divergence(self, found: Divergence) -> None:
        self.title.setText(found.title)
        source = f" · {found.source}" if found.source else ""
        self.where.setText(f"step {found.step} writes {found.buffer}{source}")
        self.figures.setText("\n".join(found.figures))
        self._offer(Spoken(found.step, found.buffer, found.core), f"step:{found.step}:{found.buffer}")

    def _show_fault(self, fault: str, spoken: Spoken) -> None:
        self.title.setText("Where it stopped")
        self.where.setText(spoken.words or "No step is named")
        self.figures.setText(fault)
        self._offer(spoken, "")

    def _offer(self, spoken: Spoken, key: str) -> None:
        self._spoken, self._key = spoken, key
        self.select.setVisible(spoken != Spoken())
        self.select.setToolTip(f"Select {spoken.words} everywhere")
        self.map.setVisible(bool(key))
        self.figures.setVisible(bool(self.figures.text()))

    def sizeHint(self) -> QSize:
        """As high as its words, at this width."""
        wrapped = self._column.totalHeightForWidth(max(self.width(), 1))
        return QSize(px(_WIDTH), max(wrapped, self._column.totalMinimumSize().height()))

    def minimumSizeHint(self) -> QSize:
        """A few lines; the rest scrolls."""
        return QSize(px(_WIDTH) // 2, px(_LEAST))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The words have another height."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        self.setMaximumHeight(self.sizeHint().height() if self._whole else _NO_LIMIT)
        self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Other lines."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def _arrange(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Summary of the verification")
        self.title.setFont(font("body", bold=True))
        self.title.setProperty("tone", "bad")
        inner = QWidget()
        self._column = column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(GRID / 2))
        for widget in (self.lead, self.how):
            column.addWidget(widget)
        buttons = QHBoxLayout()
        buttons.setSpacing(px(GRID))
        buttons.addWidget(self.select)
        buttons.addWidget(self.map)
        buttons.addStretch(1)
        self.where.setMinimumSize(1, 1)
        for label in (self.title, self.where, self.figures):
            self.card.column.addWidget(label)
        self.card.column.addLayout(buttons)
        column.addWidget(self.card)
        column.addStretch(1)
        self.setWidget(inner)
        inner.installEventFilter(self)
        self.card.hide()
        self.select.clicked.connect(lambda: self.located.emit(self._spoken))
        self.map.clicked.connect(lambda: self.map_asked.emit(self._key))


def _label(tone: Tone = "mute") -> QLabel:
    made = text_label("", tone)
    made.setFont(font("label"))
    made.setMinimumSize(1, 1)  # its height is that of its lines at the width it gets
    return made
