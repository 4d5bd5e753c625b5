"""Legends: what a line, a colour or a hatch in a picture stands for, and the ends of a colour scale.

Owns: the samples and their words, as a strip that lies on a canvas or beside it. Refuses: choosing the colours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from spyre_studio.colour import mix
from spyre_studio.glossary import hints_in
from spyre_studio.legend_token import Token
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID, RADIUS, Fate, Theme
from spyre_studio.views.paint import fate_pen, hatch, heat_image, rings

Sample = Literal["line", "box", "hatch", "rings", "tint"]

_LINE: Final = 24  # px; long enough for two dashes
_BOX: Final = 8
TINT: Final = 0.3  # of a colour in a quiet ground


@dataclass(frozen=True, slots=True)
class Entry:
    """A sample of one colour token of the theme and what it means; `hint` is its tooltip. A 'line' has the dashes of
    its fate."""

    text: str
    token: Token
    sample: Sample = "box"
    hint: str = ""

    @property
    def told(self) -> str:
        """Its tooltip: its own, else what its words mean, '' if they are plain."""
        return f"{self.text}: {self.hint}." if self.hint else hints_in(self.text)


FATES: Final = (
    Entry("stays in LX", "lx", "line"),
    Entry("restickify / relayout", "move", "line"),
    Entry("device memory", "hbm", "line"),
)
KINDS: Final = (
    Entry("matmul", "matmul"),
    Entry("reduction", "reduction"),
    Entry("pointwise", "pointwise"),
    Entry("move", "move"),
)


class Legend(QWidget):
    """A strip of samples. `framed` gives it a ground of its own, to lie on a canvas; clicks go through to that."""

    def __init__(self, entries: Sequence[Entry] = (), framed: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.installEventFilter(self)
        self._entries: tuple[Entry, ...] = ()
        self._framed = framed
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_entries(entries)

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Show these samples instead."""
        self._entries = tuple(entries)
        self.setAccessibleName("Legend: " + ", ".join(entry.text for entry in entries))
        hints = [entry.told for entry in entries if entry.told]
        self.setAccessibleDescription(" ".join(hints))
        hinted = bool(hints)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, not hinted or self._framed)
        self.updateGeometry()
        self.resize(self.sizeHint())
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as the samples with their words."""
        metrics, pad = QFontMetricsF(font("label")), self._pad()
        width = sum(self._sample_width(entry) + metrics.horizontalAdvance(entry.text) for entry in self._entries)
        width += px(GRID * 0.75) * len(self._entries) + px(2 * GRID) * max(len(self._entries) - 1, 0)
        return QSize(round(width + 0.5) + 2 * pad, px(3 * GRID) if self._framed else px(2 * GRID))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Ground, samples, words."""
        painter, theme, metrics = QPainter(self), active_theme(), QFontMetricsF(font("label"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._framed:
            painter.setPen(QPen(qcolor(theme.line), 1))
            painter.setBrush(qcolor(theme.panel))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        painter.setFont(font("label"))
        left, middle = float(self._pad()), self.height() / 2
        for entry in self._entries:
            _draw_sample(painter, theme, entry, left, middle, self.devicePixelRatioF())
            left += self._sample_width(entry) + px(GRID * 0.75)
            width = metrics.horizontalAdvance(entry.text)
            painter.setPen(qcolor(theme.mute))
            where = QRectF(left, 0, width + 2, self.height())
            painter.drawText(where, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, entry.text)
            left += width + px(2 * GRID)
        painter.end()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """The tooltip of the entry under the pointer."""
        if not isinstance(event, QHelpEvent) or event.type() is not QEvent.Type.ToolTip:
            return False
        hint = self.hint_at(event.pos().x())
        if hint:
            QToolTip.showText(event.globalPos(), hint, self)
        else:
            QToolTip.hideText()
        return True

    def hint_at(self, x: float) -> str:
        """The tooltip at so many px from the left."""
        metrics, left = QFontMetricsF(font("label")), float(self._pad())
        for entry in self._entries:
            left += self._sample_width(entry) + px(GRID * 0.75) + metrics.horizontalAdvance(entry.text)
            if x < left + px(GRID):
                return entry.told
            left += px(2 * GRID)
        return ""

    def _pad(self) -> int:
        return px(GRID * 1.25) if self._framed else 0

    @staticmethod
    def _sample_width(entry: Entry) -> int:
        return px(_LINE if entry.sample == "line" else _BOX)


class WrappedLegend(QWidget):
    """Samples beside each other, in as many lines as the width asks for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[Entry, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Show these samples instead."""
        self._entries = tuple(entries)
        self.setAccessibleName("Legend: " + ", ".join(entry.text for entry in entries))
        self.setToolTip("\n".join(dict.fromkeys(entry.told for entry in entries if entry.told)))
        self._fit()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """More or fewer lines."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """As high as its width asks for: a line for every run of samples that fits."""
        self.setFixedHeight(max(1, len(self._lines(self.width()))) * px(2 * GRID))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Samples and words."""
        painter, theme, metrics = QPainter(self), active_theme(), QFontMetricsF(font("label"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font("label"))
        for row, line in enumerate(self._lines(self.width())):
            left, middle = 0.0, px(2 * GRID) * (row + 0.5)
            for entry in line:
                _draw_sample(painter, theme, entry, left, middle, self.devicePixelRatioF())
                left += px(_BOX) + px(GRID * 0.75)
                room = QRectF(left, middle - px(GRID), metrics.horizontalAdvance(entry.text) + 2, px(2 * GRID))
                painter.setPen(qcolor(theme.mute))
                painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, entry.text)
                left = room.right() + px(1.5 * GRID)
        painter.end()

    def _lines(self, width: int) -> list[list[Entry]]:
        metrics, lines, room = QFontMetricsF(font("label")), list[list[Entry]](), -1.0
        for entry in self._entries:
            needed = px(_BOX) + px(GRID * 0.75) + metrics.horizontalAdvance(entry.text) + 2
            if needed > room:
                lines.append([])
                room = float(width)
            lines[-1].append(entry)
            room -= needed + px(1.5 * GRID)
        return lines


class ScaleLegend(QWidget):
    """A colour scale from one end to the other with the words for its ends, e.g. '0 %' and '100 %'."""

    def __init__(self, low: str, high: str, scale: Literal["fill", "difference"] = "fill") -> None:
        super().__init__()
        self._low, self._high, self._scale = low, high, scale
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"Colour scale from {low} to {high}")

    def sizeHint(self) -> QSize:
        """Words, ramp, words."""
        metrics = QFontMetricsF(font("micro"))
        words = metrics.horizontalAdvance(self._low) + metrics.horizontalAdvance(self._high)
        return QSize(round(words + 0.5) + px(8 * GRID), px(2 * GRID))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The ramp between its ends."""
        painter, theme = QPainter(self), active_theme()
        painter.setFont(font("micro"))
        painter.setPen(qcolor(theme.mute))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(self.rect(), middle | Qt.AlignmentFlag.AlignLeft, self._low)
        painter.drawText(self.rect(), middle | Qt.AlignmentFlag.AlignRight, self._high)
        left = QFontMetricsF(font("micro")).horizontalAdvance(self._low) + px(GRID)
        right = self.width() - QFontMetricsF(font("micro")).horizontalAdvance(self._high) - px(GRID)
        colours = theme.fill if self._scale == "fill" else theme.difference
        ramp = heat_image(np.arange(256, dtype=np.uint8)[None], colours)
        painter.drawImage(QRectF(left, self.height() / 2 - px(4), right - left, px(8)), ramp)
        painter.end()


def _draw_sample(painter: QPainter, theme: Theme, entry: Entry, left: float, middle: float, ratio: float) -> None:
    colour: str = getattr(theme, entry.token)
    if entry.sample == "line":
        fates: dict[Token, Fate] = {"lx": "lx", "hbm": "hbm", "move": "move"}
        pen = fate_pen(fates[entry.token]) if entry.token in fates else QPen(qcolor(colour), 1.5)
        pen.setWidthF(2)
        painter.setPen(pen)
        painter.drawLine(QPointF(left, middle), QPointF(left + px(_LINE), middle))
        return
    painter.setPen(Qt.PenStyle.NoPen)
    brush = {"hatch": hatch(colour, None, ratio), "rings": rings(colour, theme.bg, ratio)}.get(entry.sample)
    painter.setBrush(brush or qcolor(mix(theme.panel, colour, TINT) if entry.sample == "tint" else colour))
    painter.setBrushOrigin(QPointF(left, middle - px(_BOX) / 2))
    side = px(_BOX)
    painter.drawRoundedRect(QRectF(left, middle - side / 2, side, side), 2, 2)
