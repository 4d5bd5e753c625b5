"""The two sides of a comparison: each the plan before, the plan on screen, or a variant.

Owns: the two choices, and which plan each means. Refuses: comparing.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSizePolicy, QWidget

from compiler.compilation import Compilation
from spyre_studio.qt_theme import font, px
from spyre_studio.session import Session
from spyre_studio.theme import GRID

BEFORE: Final = "plan before"
NOW: Final = "on screen"
_LETTERS: Final = 14
_LEAST: Final = 14 * GRID  # px; where it is narrow, names are cut


class Sides(QWidget):
    """`changed`: another pair was chosen by the user."""

    changed = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.left, self.right = _combo("Compare"), _combo("With")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(px(GRID / 2))
        arrow = QLabel("→")
        arrow.setProperty("tone", "mute")
        for widget in (self.left, arrow, self.right):
            row.addWidget(widget)
        for combo in (self.left, self.right):
            combo.currentIndexChanged.connect(lambda _at: self.changed.emit())
        self.refresh()

    def refresh(self) -> None:
        """Offer the variants there are now; a choice that is gone becomes the usual one."""
        names = [one.name for _, one in self._session.variants.walk()]
        for combo, usual in ((self.left, BEFORE), (self.right, NOW)):
            wanted = [("", usual), *((name, name) for name in names)]
            if wanted == [(combo.itemData(at), combo.itemText(at)) for at in range(combo.count())]:
                continue
            kept = combo.currentData()
            with QSignalBlocker(combo):
                combo.clear()
                for name, words in wanted:
                    combo.addItem(words, name)
                combo.setCurrentIndex(max(combo.findData(kept), 0))

    def choose(self, before: str, after: str) -> None:
        """Compare these; '' is the usual one of each side."""
        self.refresh()
        for combo, name in ((self.left, before), (self.right, after)):
            with QSignalBlocker(combo):
                combo.setCurrentIndex(max(combo.findData(name), 0))
        self.changed.emit()

    @property
    def names(self) -> tuple[str, str]:
        """The variants that are chosen, '' for the usual one of each side."""
        return str(self.left.currentData() or ""), str(self.right.currentData() or "")

    def plans(self) -> tuple[Compilation | None, Compilation | None]:
        """The plans of both sides; None where there is none."""
        session, (before, after) = self._session, self.names
        return (
            session.plan_of(before) if before else session.before,
            session.plan_of(after) if after else session.compilation,
        )


def _combo(name: str) -> QComboBox:
    made = QComboBox()
    made.setAccessibleName(name)
    made.setToolTip(f"{name}: a variant, or the plan")
    made.setFont(font("label"))
    made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    made.setMinimumContentsLength(_LETTERS)
    made.setMinimumWidth(px(_LEAST))
    made.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    return made
