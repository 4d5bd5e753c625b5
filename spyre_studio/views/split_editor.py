"""The editor of one op's split: a row per loop with its legal factors and what one core gets of it.

Owns: the rows and the factors chosen in them. Refuses: pinning; it tells that the factors changed.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QWidget

from spyre_studio.division_model import LoopChoice
from spyre_studio.elided import ElidedLabel
from spyre_studio.qt_theme import font, px
from spyre_studio.theme import GRID


class SplitEditor(QWidget):
    """`changed` is emitted when the user chose another factor."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._loops: tuple[LoopChoice, ...] = ()
        self._boxes: dict[str, QComboBox] = {}
        self._words: dict[str, ElidedLabel] = {}
        self._widgets: list[QWidget] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(px(GRID))
        self._grid.setVerticalSpacing(px(GRID / 2))
        self._grid.setColumnStretch(2, 1)

    @property
    def boxes(self) -> Mapping[str, QComboBox]:
        """The chooser of each loop."""
        return self._boxes

    @property
    def factors(self) -> dict[str, int]:
        """Loop -> factor, in loop order, ones included."""
        return {name: int(box.currentData()) for name, box in self._boxes.items()}

    def show_loops(self, loops: tuple[LoopChoice, ...], factors: Mapping[str, int]) -> None:
        """Another op, or other factors; tells nobody."""
        if loops != self._loops:
            self._loops = loops
            self._rebuild()
        for loop in loops:
            box = self._boxes[loop.name]
            place = box.findData(factors.get(loop.name, 1))
            if place < 0:  # a candidate outside the menu, such as one that is not legal
                box.addItem(str(factors[loop.name]), factors[loop.name])
                place = box.count() - 1
            box.blockSignals(True)
            box.setCurrentIndex(place)
            box.blockSignals(False)
        self._say()

    def _rebuild(self) -> None:
        for widget in self._widgets:
            self._grid.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._widgets, self._boxes, self._words = [], {}, {}
        for row, loop in enumerate(self._loops):
            self._add_row(row, loop)

    def _add_row(self, row: int, loop: LoopChoice) -> None:
        name = QLabel(loop.name)
        name.setFont(font("label", bold=True, mono=True))
        name.setMinimumWidth(px(3 * GRID))
        box = QComboBox()
        for factor in loop.factors:
            box.addItem(str(factor), factor)
        box.setEnabled(len(loop.factors) > 1)
        box.setAccessibleName(f"Factor of loop {loop.name}")
        box.setToolTip(f"{loop.name} is not divided: {loop.blocked}" if loop.blocked else "Legal factors of this loop")
        box.setMinimumWidth(px(7 * GRID))
        words = ElidedLabel()
        words.setFont(font("label"))
        words.setProperty("tone", "mute")
        name.setBuddy(box)
        box.currentIndexChanged.connect(self._picked)
        self._boxes[loop.name], self._words[loop.name] = box, words
        for column, widget in enumerate((name, box, words)):
            self._grid.addWidget(widget, row, column)
            self._widgets.append(widget)

    def _picked(self) -> None:
        self._say()
        self.changed.emit()

    def _say(self) -> None:
        for loop in self._loops:
            words = f"{loop.words(self.factors[loop.name])} a core"
            words += " · reduced" if loop.reduced else ""
            self._words[loop.name].say(f"{words} · {loop.blocked}" if loop.blocked else words)
