"""The button at the end of a table's titles: how many columns are left out, and a menu to show them.

Owns: its place and its words. Refuses: choosing columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QHeaderView, QToolButton

from spyre_studio.qt_theme import font, px
from spyre_studio.theme import GRID
from spyre_studio.units import format_count


class ColumnsButton(QToolButton):
    """Says '+3' over the right end of the titles; hidden while all columns are shown."""

    def __init__(self, header: QHeaderView) -> None:
        super().__init__(header)
        self._header = header
        self.setFont(font("micro", bold=True))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the key for menus opens the same one on the table
        self.hide()
        header.installEventFilter(self)

    @property
    def room(self) -> int:
        """The px that it takes from the titles, where it is shown."""
        return px(4 * GRID)

    def show_hidden(self, titles: Sequence[str]) -> None:
        """These columns are left out."""
        self.setVisible(bool(titles))
        if not titles:
            return
        told = f"{format_count(len(titles), 'column')} left out: {', '.join(titles)}"
        self.setText(f"+{len(titles)}")
        self.setToolTip(f"{told}. A click, or the menu of the table, shows them.")
        self.setAccessibleName(told)
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay at the end."""
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        header = self._header
        self.setGeometry(header.width() - self.room, 1, self.room, max(header.height() - 2, 1))
        self.raise_()
