"""The trail of the followed buffer as a row of stations: made, moved, read, with places and steps; each can be gone to.

Owns: the buttons and which of them is current. Refuses: the selection; it says which station was chosen.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QToolButton, QWidget

from spyre_studio.lx_trail import Station, Trail
from spyre_studio.qt_theme import font, px
from spyre_studio.theme import GRID
from spyre_studio.units import format_count

MOST: Final = 40  # stations; a mask may have thousands of readers
_LONGEST: Final = 48  # characters of a line


class LxTrailBar(QScrollArea):
    """`chosen` carries a Station."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._trail = Trail((), ())
        self._buttons: list[QToolButton] = []
        self.setAccessibleName("Stations of the followed buffer")
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    @property
    def stations(self) -> tuple[QToolButton, ...]:
        """The buttons from left to right."""
        return tuple(self._buttons)

    def show_trail(self, trail: Trail) -> None:
        """Other stations."""
        if trail == self._trail and self._buttons:
            return
        self._trail, self._buttons = trail, []
        page = QWidget()
        row = QHBoxLayout(page)
        row.setContentsMargins(px(GRID), 0, px(GRID), 0)
        row.setSpacing(px(GRID / 2))
        for place, station in enumerate(trail.stations[:MOST]):
            if place:
                row.addWidget(_quiet("→"))
            row.addWidget(self._button(station))
        if len(trail.stations) > MOST:
            row.addWidget(_quiet(f"and {format_count(len(trail.stations) - MOST)} more"))
        row.addStretch(1)
        self.setWidget(page)
        self.setFixedHeight(page.sizeHint().height() + self.horizontalScrollBar().sizeHint().height())

    def show_step(self, step: int | None) -> None:
        """The station that a step has come to is the current one."""
        at = self._trail.at(step)
        for place, button in enumerate(self._buttons):
            button.setChecked(place == at)
        if at < len(self._buttons):
            self.ensureWidgetVisible(self._buttons[at])

    def _button(self, station: Station) -> QToolButton:
        made = QToolButton()
        at = f"step {station.step}" if station.step >= 0 else ""
        below = " · ".join(part for part in (at, station.place) if part)
        made.setText("\n".join(_short(line) for line in (station.title, below) if line))
        made.setFont(font("label"))
        made.setCheckable(True)
        made.setToolTip(station.words)
        made.setAccessibleName(station.words)
        made.clicked.connect(lambda _checked=False: self.chosen.emit(station))
        self._buttons.append(made)
        return made


def _short(line: str) -> str:
    half = _LONGEST // 2
    return line if len(line) <= _LONGEST else f"{line[:half]}…{line[-half:]}"


def _quiet(text: str) -> QLabel:
    label = QLabel(text)
    label.setFont(font("label"))
    label.setProperty("tone", "mute")
    return label
