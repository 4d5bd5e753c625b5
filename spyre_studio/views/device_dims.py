"""The device dims of a layout as columns: size, the host dim each comes from, its host stride, and where a lane is.

Owns: the drawing, and a second line of columns where one is not wide enough.  Refuses: the facts (stick_words).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.stick_words import DeviceDim
from spyre_studio.theme import GRID, RADIUS_SMALL

_HEADS: Final = ("device size", "from", "host stride", "lane at")


class DeviceDims(QWidget):
    """Columns from the outermost device dim to the lane; those that the stick dim makes are tinted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.installEventFilter(self)
        self._dims: tuple[DeviceDim, ...] = ()
        self._at: tuple[int, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_dims(self, dims: Sequence[DeviceDim]) -> None:
        """Another layout."""
        self._dims, self._at = tuple(dims), ()
        spoken = "; ".join(f"{dim.size} {dim.holds} {dim.part}, host stride {dim.stride}" for dim in dims)
        self.setAccessibleName(f"Device size: {spoken}")
        self._fit()

    def show_lane(self, coordinates: tuple[int, ...]) -> None:
        """Device coordinates of the lane that is pointed at, () for none."""
        if coordinates != self._at:
            self._at = coordinates
            self.update()

    def sizeHint(self) -> QSize:
        """As high as its columns take."""
        places = self._places()
        bottom = max((place.bottom() for place in places), default=self._column_height())
        return QSize(px(20 * GRID), round(bottom))

    def minimumSizeHint(self) -> QSize:
        """Any width."""
        return QSize(0, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Columns move to the next line where they do not fit."""
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Each column says what it is."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            at = QPointF(event.pos())
            hint = next(
                (dim.hint for dim, place in zip(self._dims, self._places(), strict=True) if place.contains(at)), ""
            )
            QToolTip.showText(event.globalPos(), hint, self)
            return True
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The heads, then every column."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        places = self._places()
        tops = sorted({place.top() for place in places})
        if self._head_width():
            for top in tops:
                self._paint_heads(painter, top)
        for number, (dim, place) in enumerate(zip(self._dims, places, strict=True)):
            self._paint_dim(painter, dim, place, self._at[number] if number < len(self._at) else None)
        painter.end()

    def _paint_heads(self, painter: QPainter, top: float) -> None:
        painter.setFont(font("micro"))
        painter.setPen(qcolor(active_theme().mute))
        for line, words in enumerate(_HEADS):
            if line < 3 or self._at:
                painter.drawText(self._line(0, top, self._head_width(), line), Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_dim(self, painter: QPainter, dim: DeviceDim, place: QRectF, at: int | None) -> None:
        theme = active_theme()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(qcolor(theme.tint(theme.matmul, 0.2) if dim.kind == "stick" else theme.raised))
        painter.drawRoundedRect(place.adjusted(0, 0, -px(2), 0), RADIUS_SMALL, RADIUS_SMALL)
        holds = f"{dim.holds} {dim.part}".strip()
        lines = (
            (f"{dim.size:,}", font("label", bold=True, mono=True), theme.text),
            (holds, font("micro"), theme.text if dim.kind in ("stick", "dim") else theme.mute),
            (dim.stride, font("micro", mono=True), theme.mute),
            ("" if at is None else f"{at:,}", font("micro", bold=True, mono=True), theme.warn_text),
        )
        for line, (words, face, ink) in enumerate(lines):
            painter.setFont(face)
            painter.setPen(qcolor(ink))
            inner = self._line(place.left() + px(6), place.top(), place.width(), line)
            painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, words)

    def _line(self, left: float, top: float, width: float, line: int) -> QRectF:
        height = QFontMetricsF(font("micro")).height() + 1
        return QRectF(left, top + px(3) + line * height, width, height)

    def _column_height(self) -> float:
        return 4 * (QFontMetricsF(font("micro")).height() + 1) + px(6)

    def _widths(self) -> list[float]:
        bold, plain = QFontMetricsF(font("label", bold=True, mono=True)), QFontMetricsF(font("micro"))
        mono = QFontMetricsF(font("micro", mono=True))
        return [
            max(
                bold.horizontalAdvance(f"{dim.size:,}"),
                plain.horizontalAdvance(f"{dim.holds} {dim.part}".strip()),
                mono.horizontalAdvance(dim.stride),
            )
            + px(14)
            for dim in self._dims
        ]

    def _head_width(self) -> float:
        """Room for the heads, 0 where columns need it all."""
        metrics = QFontMetricsF(font("micro"))
        width = max(metrics.horizontalAdvance(words) for words in _HEADS) + px(GRID)
        return width if sum(self._widths()) + width <= self.width() else 0.0

    def _places(self) -> list[QRectF]:
        left = start = self._head_width()
        top, height, found = 0.0, self._column_height(), list[QRectF]()
        for width in self._widths():
            if left > start and left + width > self.width() > 0:
                left, top = start, top + height + px(2)
            found.append(QRectF(left, top, width, height))
            left += width
        return found

    def _fit(self) -> None:
        height = self.sizeHint().height()
        if height != self.minimumHeight() or height != self.maximumHeight():
            self.setFixedHeight(height)
        self.update()
