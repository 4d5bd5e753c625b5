"""The checker's lights: one mark and one word per check, green and quiet, amber and red and loud.

Owns: shape and colour of a verdict (circle good, triangle warning, square bad: never colour alone), clicks on it.
Refuses: running checks, and what each check means.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QWidget

from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID, Tone

_DOT = 8  # px


@dataclass(frozen=True, slots=True)
class Light:
    """`name` is the word beside the mark; `hint` one sentence with figures, shown as a tooltip."""

    name: str
    tone: Tone
    hint: str = ""


def draw_mark(painter: QPainter, centre: QPointF, tone: Tone, size: float) -> None:
    """The mark of a verdict: circle (ok), triangle (warn), square (bad), ring (not known)."""
    colour, half = qcolor(active_theme().tone(tone)), size / 2
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    around = QRectF(centre.x() - half, centre.y() - half, size, size)
    match tone:
        case "bad":
            painter.drawRect(around)
        case "warn":
            corners = [around.bottomLeft(), around.bottomRight(), QPointF(centre.x(), around.top())]
            painter.drawPolygon(QPolygonF(corners))
        case "mute":
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(colour, 1.5))
            painter.drawEllipse(around.adjusted(1, 1, -1, -1))
        case _:
            painter.drawEllipse(around)


class VerdictLight(QAbstractButton):
    """One light; a click asks for the details."""

    def __init__(self, light: Light, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._light, self._wordy = light, True
        self.setText(light.name)
        self.setToolTip(light.hint)
        self.setAccessibleName(f"{light.name}: {_SPOKEN[light.tone]}")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    @property
    def light(self) -> Light:
        """What it shows."""
        return self._light

    @property
    def wordy(self) -> bool:
        """True if its word stands beside it: that of a loud one always does."""
        return self._wordy or self._light.tone in {"warn", "bad"}

    def set_wordy(self, wordy: bool) -> None:
        """Leave the word to the tooltip, where there is little room."""
        self._wordy = wordy
        self.setToolTip(self._light.hint if self.wordy else f"{self._light.name}: {self._light.hint}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Mark, gap and word."""
        metrics = QFontMetricsF(font("label", bold=self._light.tone == "bad"))
        if not self.wordy:
            return QSize(round(px(_DOT) + px(GRID)), px(GRID * 2.5))
        width = px(_DOT) + px(GRID * 0.75) + metrics.horizontalAdvance(self._light.name) + px(GRID)
        return QSize(round(width + 0.5), px(GRID * 2.5))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Mark and word; a good verdict stays in the quiet colour of labels."""
        theme, tone = active_theme(), self._light.tone
        painter = QPainter(self)
        middle = self.height() / 2
        draw_mark(painter, QPointF(px(_DOT) / 2 + 1, middle), tone, px(_DOT))
        left = px(_DOT) + px(GRID * 0.75)
        painter.setFont(font("label", bold=tone == "bad"))
        loud = tone in {"warn", "bad"}
        painter.setPen(qcolor(theme.tone_text(tone) if loud else theme.text if self.underMouse() else theme.mute))
        words = QRectF(left, 0, self.width() - left, self.height())
        if self.wordy:
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._light.name)
        if self.hasFocus():
            painter.setPen(QPen(qcolor(theme.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        painter.end()


_SPOKEN: dict[Tone, str] = {"ok": "good", "warn": "warning", "bad": "failed", "accent": "running", "mute": "not known"}


class VerdictLights(QWidget):
    """A row of lights. `chosen` carries the name of the one that was clicked."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(px(GRID / 2))
        self._buttons: list[VerdictLight] = []
        self._wordy = True
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    @property
    def lights(self) -> tuple[Light, ...]:
        """What is shown, from left to right."""
        return tuple(button.light for button in self._buttons)

    @property
    def buttons(self) -> tuple[VerdictLight, ...]:
        """The single lights."""
        return tuple(self._buttons)

    def set_lights(self, lights: Sequence[Light]) -> None:
        """Show these instead; nothing happens if they are the same."""
        if tuple(lights) == self.lights:
            return
        for button in self._buttons:
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._buttons = [self._button(light) for light in lights]

    def set_wordy(self, wordy: bool) -> None:
        """With the words of quiet lights, or without."""
        self._wordy = wordy
        for button in self._buttons:
            button.set_wordy(wordy)

    def _button(self, light: Light) -> VerdictLight:
        button = VerdictLight(light, self)
        button.set_wordy(self._wordy)
        button.clicked.connect(lambda: self.chosen.emit(light.name))
        self._row.addWidget(button)
        return button
