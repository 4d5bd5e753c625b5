"""A chip: a few words in a rounded outline that can be clicked, in the header beside the model's name.

Owns: its look, quiet or in the accent colour. Refuses: what a click does.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolButton, QWidget

from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import CHIP_LIT, GRID


class Chip(QToolButton):
    """Set the words with `set_words`; `accent` tints it. With a menu, a click opens that."""

    def __init__(self, words: str = "", accent: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._accent = accent
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.set_words(words)

    def set_words(self, words: str, hint: str = "") -> None:
        """Change the words and the tooltip."""
        self.setText(words)
        self.setToolTip(hint)
        self.setAccessibleName(words)
        self.updateGeometry()

    def take_menu(self, menu: QMenu) -> None:
        """A click opens this menu."""
        self.setMenu(menu)

    def sizeHint(self) -> QSize:
        """As wide as the words."""
        metrics = QFontMetricsF(font("label"))
        width = metrics.horizontalAdvance(self.text()) + 2.5 * px(GRID)
        return QSize(round(width + 0.5), round(metrics.height()) + px(GRID * 0.75))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Outline or tint, and the words."""
        theme, painter = active_theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        lit = self.underMouse() or self.hasFocus()
        painter.setPen(QPen(qcolor(theme.accent if self.hasFocus() else theme.mute if lit else theme.line), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._accent:
            painter.setPen(Qt.PenStyle.NoPen if not self.hasFocus() else QPen(qcolor(theme.accent), 1))
            painter.setBrush(qcolor(theme.tint(theme.accent, CHIP_LIT if lit else 0.18)))
        painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
        painter.setPen(qcolor(theme.pill_text("accent") if self._accent else theme.text))
        painter.setFont(font("label"))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()
