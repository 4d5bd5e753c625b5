"""Words around a plot: its heading and caption, tags on an axis, step numbers in the middle of their steps.

Owns: how they look and where they stand. Refuses: axes and data.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.scales import LinearScale, Ticks
from spyre_studio.theme import GRID, RADIUS_SMALL


def shifted(ticks: Ticks, limit: int) -> Ticks:
    """Ticks of whole steps, moved to the middle of each; a step is an interval of its own."""
    kept = [(value, label) for value, label in zip(ticks.values, ticks.labels, strict=True) if value < limit]
    return Ticks(tuple(value + 0.5 for value, _ in kept), tuple(label for _, label in kept), ticks.unit)


def clear_of(ticks: Ticks, axis: LinearScale, value: float, room: float) -> Ticks:
    """Ticks whose labels keep `room` pixels away from a tag at `value`."""
    at = axis.to_px(value)
    kept = [pair for pair in zip(ticks.values, ticks.labels, strict=True) if abs(axis.to_px(pair[0]) - at) >= room]
    return Ticks(tuple(tick for tick, _ in kept), tuple(label for _, label in kept), ticks.unit)


def paint_heading(painter: QPainter, rect: QRectF, title: str, caption: str) -> None:
    """A bold title over a plot, and a caption at its right edge, without its last parts where there is no room."""
    theme = active_theme()
    line = QRectF(rect.left(), px(GRID), rect.width(), px(2.5 * GRID))
    painter.setFont(font("body", bold=True))
    painter.setPen(qcolor(theme.text))
    painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
    left = QFontMetricsF(font("body", bold=True)).horizontalAdvance(title) + px(2 * GRID)
    metrics = QFontMetricsF(font("label"))
    shown = caption
    while shown and metrics.horizontalAdvance(shown) > rect.width() - left:
        shown = shown.rpartition(" · ")[0]
    if not shown:
        return
    painter.setFont(font("label"))
    painter.setPen(qcolor(theme.mute))
    painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, shown)


def paint_tag(painter: QPainter, at: QPointF, text: str, width: float) -> None:
    """A word on the accent colour, hanging from an axis at `at`, kept within `width`."""
    theme, metrics = active_theme(), QFontMetricsF(font("micro"))
    size = metrics.horizontalAdvance(text) + px(GRID * 1.5)
    left = min(max(at.x() - size / 2, 0.0), width - size)
    tag = QRectF(left, at.y() + px(3), size, metrics.height() + px(4))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(qcolor(theme.accent))
    painter.drawRoundedRect(tag, RADIUS_SMALL, RADIUS_SMALL)
    painter.setFont(font("micro"))
    painter.setPen(qcolor(theme.on_accent))
    painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, text)
