"""Room for what does not fit: a widget that is scrolled where it is given less room than it needs.

Owns: the scroll bars, and that the widget asks for little. Refuses: what is in it.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from spyre_studio.qt_theme import px
from spyre_studio.theme import GRID

_LEAST = 18 * GRID  # px; a row of tabs and a little below it
_NARROW = 52 * GRID  # px; what is wider is scrolled sideways before it takes room from its neighbours


class LowRoom(QScrollArea):
    """Around one widget, which fills it as long as it fits."""

    def __init__(self, widget: QWidget, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what has the keyboard is scrolled to
        self.setWidgetResizable(True)
        self._held = widget
        self.setWidget(widget)
        self.viewport().setAutoFillBackground(False)

    def minimumSizeHint(self) -> QSize:
        """Neither much wider than is useful, nor high."""
        needed = self._held.minimumSizeHint()
        return QSize(min(needed.width(), px(_NARROW)), min(needed.height(), px(_LEAST)))

    def sizeHint(self) -> QSize:
        """What the widget would like."""
        return self._held.sizeHint()
