"""Pills: a word on a quiet tint of its verdict's colour, as a widget and as a mark inside a painting.

Owns: how a pill looks and measures. Refuses: what a verdict means.
"""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID, Tone


def pill_size(text: str) -> tuple[float, float]:
    """Width and height in pixels of a pill with this text."""
    metrics = QFontMetricsF(font("label"))
    return metrics.horizontalAdvance(text) + 2 * px(GRID), metrics.height() + px(GRID / 2)


def draw_pill(painter: QPainter, at: QPointF, text: str, tone: Tone) -> QRectF:
    """Draw a pill with its top left corner at `at`; returns its rectangle."""
    theme = active_theme()
    rect = QRectF(at.x(), at.y(), *pill_size(text))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(qcolor(theme.tint(theme.tone(tone))))
    painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
    painter.setPen(qcolor(theme.pill_text(tone)))
    painter.setFont(font("label"))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
    painter.restore()
    return rect


class Pill(QWidget):
    """One word with its verdict's colour: honoured (ok), adjusted (warn), refused (bad), pinned (accent)."""

    def __init__(self, text: str = "", tone: Tone = "mute", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._tone: Tone = tone
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(text)

    @property
    def text(self) -> str:
        """The word on it."""
        return self._text

    @property
    def tone(self) -> Tone:
        """The verdict that colours it."""
        return self._tone

    def set_pill(self, text: str, tone: Tone, hint: str = "") -> None:
        """Change word and tone; `hint` becomes the tooltip."""
        self._text, self._tone = text, tone
        self.setAccessibleName(text)
        self.setToolTip(hint)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """As large as the word needs."""
        width, height = pill_size(self._text)
        return QSize(round(width + 0.5), round(height + 0.5))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the pill at the top left."""
        painter = QPainter(self)
        draw_pill(painter, QPointF(0, 0), self._text, self._tone)
        painter.end()
