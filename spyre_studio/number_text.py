"""Numbers at a right edge: how much room they need, and that none ever loses its first digits in silence.

Owns: measuring and drawing them, monospaced. Refuses: what they say, and where they stand.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from spyre_studio.qt_theme import font

_AT_RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_HALF: Final = 0.5  # px by which advances are rounded


def characters_of(numbers: Iterable[str]) -> int:
    """Letters of the longest one; 0 without any."""
    return max(map(len, numbers), default=0)


def number_width(characters: int) -> float:
    """Px that so many letters of a number take, at the size of texts that is worn."""
    return QFontMetricsF(font("label", mono=True)).horizontalAdvance("0") * characters


def shortened(text: str, face: QFont, width: float) -> str:
    """The number; cut at its end, where '…' says so, if it needs more than `width` px."""
    return QFontMetricsF(face).elidedText(text, Qt.TextElideMode.ElideRight, width + _HALF)


def draw_number(painter: QPainter, area: QRectF, text: str) -> None:
    """At the right edge of `area`, in the font of the painter. Drawn beyond its left edge it would lose its first
    digits, and read as another number."""
    painter.drawText(area, _AT_RIGHT, shortened(text, painter.font(), area.width()))
