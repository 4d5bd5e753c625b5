"""Making a side panel wide for a while: it takes most of its window, and gives the room back.

Owns: the button for it, finding the dock that a widget is in, and what stood where before.  Refuses: widgets that are
in no dock.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QToolButton, QWidget

from spyre_studio.qt_theme import font, px
from spyre_studio.theme import GRID

SHARE: Final = 0.62  # of the window
WIDEN: Final = "⟷ widen"
NARROW: Final = "⟷ narrow"


def dock_of(widget: QWidget) -> QDockWidget | None:
    """The dock around a widget."""
    parent = widget.parentWidget()
    while parent is not None and not isinstance(parent, QDockWidget):
        parent = parent.parentWidget()
    return parent


class Widener:
    """Remembers how wide the dock was, and which dock at the other side made room."""

    def __init__(self, widget: QWidget) -> None:
        self._widget = widget
        self._before = 0
        self._hidden: list[tuple[QDockWidget, int]] = []

    @property
    def wide(self) -> bool:
        """True while the dock has the room."""
        return self._before > 0

    def toggle(self) -> None:
        """Take the room or give it back."""
        dock = dock_of(self._widget)
        window = dock.parentWidget() if dock is not None else None
        if dock is None or not isinstance(window, QMainWindow):
            return
        across = Qt.Orientation.Horizontal
        if self.wide:
            for other, _ in self._hidden:
                other.show()
            docks, widths = [one for one, _ in self._hidden], [width for _, width in self._hidden]
            window.resizeDocks([*docks, dock], [*widths, self._before], across)
            self._before, self._hidden = 0, []
            return
        self._before = dock.width()
        self._hidden = [(other, other.width()) for other in _opposite(window, dock) if other.isVisible()]
        for other, _ in self._hidden:
            other.hide()
        window.resizeDocks([dock], [round(window.width() * SHARE)], across)


class WidenButton(QToolButton):
    """Widens the dock around itself, and gives the room back; hidden where there is no dock."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._widener = Widener(self)
        self._short = False
        self.setFont(font("label"))
        self.setText(WIDEN)
        self.setToolTip("Give this panel most of the window, or the room back")
        self.setAccessibleName("Widen")
        self.clicked.connect(self._toggle)

    def refresh(self) -> None:
        """What is around it may be another dock, or none."""
        self.setVisible(dock_of(self) is not None)

    def fit(self, room: int) -> None:
        """In so many px only the arrow, where the word has no room."""
        self._short = room < self.fontMetrics().horizontalAdvance(NARROW) + px(2 * GRID)
        self._say()

    def _toggle(self) -> None:
        self._widener.toggle()
        self._say()

    def _say(self) -> None:
        words = NARROW if self._widener.wide else WIDEN
        self.setText(words[0] if self._short else words)


def _opposite(window: QMainWindow, dock: QDockWidget) -> list[QDockWidget]:
    """Docks at the other side."""
    left, right = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
    area = left if window.dockWidgetArea(dock) == right else right
    return [one for one in window.findChildren(QDockWidget) if window.dockWidgetArea(one) == area]
