"""A panel that lies on a canvas: a quiet ground of its own, a line around it, controls inside.

Owns: how such a panel looks, and choosing one of several words in it. Refuses: what the words mean.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from spyre_studio.qt_theme import active_theme, px, qcolor
from spyre_studio.theme import GRID, RADIUS


class OverlayPanel(QWidget):
    """Add widgets to `row`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(px(GRID / 2), 1, px(GRID / 2), 1)
        self.row.setSpacing(px(GRID / 2))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Ground and line."""
        theme, painter = active_theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(qcolor(theme.line), 1))
        painter.setBrush(qcolor(theme.panel))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        painter.end()


class Chooser(QToolButton):
    """A button that says what is chosen and opens a menu of the alternatives; `chosen` carries the key."""

    chosen = Signal(str)

    def __init__(self, caption: str, choices: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        """`choices`: key and words; the first is chosen."""
        super().__init__(parent)
        self._caption, self._words = caption, dict(choices)
        self._key = choices[0][0]
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        menu, group = QMenu(self), QActionGroup(self)
        self._actions: dict[str, QAction] = {}
        for key, words in choices:
            action = menu.addAction(words)
            action.setCheckable(True)
            group.addAction(action)
            action.triggered.connect(lambda _checked=False, wanted=key: self._pick(wanted))
            self._actions[key] = action
        self.setMenu(menu)
        self.choose(self._key)

    @property
    def key(self) -> str:
        """What is chosen."""
        return self._key

    def choose(self, key: str) -> None:
        """Show this as chosen; tells nobody."""
        self._key = key
        self._actions[key].setChecked(True)
        self.setText(f"{self._caption}  {self._words[key]}" if self._caption else self._words[key])
        self.setAccessibleName(f"{self._caption} {self._words[key]}".strip())

    def _pick(self, key: str) -> None:
        self.choose(key)
        self.chosen.emit(key)
