"""Where one kernel ends and the next begins, as lines over an axis of steps.

Owns: their look, and their names where they have room. Refuses: which steps make a kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.scales import LinearScale
from spyre_studio.theme import GRID

_CLOSEST: Final = 4  # px between two lines; where they would be closer there are none


def paint_kernels(
    painter: QPainter, rect: QRectF, axis: LinearScale, starts: Sequence[int], named: bool = True
) -> None:
    """A line in front of each step of `starts` that is in view; kernel 0 begins at the first step without a line."""
    seen = [(axis.to_px(float(step)), number) for number, step in enumerate(starts, 1) if axis.lo <= step <= axis.hi]
    if not seen or any(right - left < px(_CLOSEST) for (left, _), (right, _) in pairwise(seen)):
        return
    pen = QPen(qcolor(active_theme().mute), 1)
    pen.setDashPattern([1, 3])
    painter.setFont(font("micro"))
    metrics = QFontMetricsF(font("micro"))
    painter.setPen(pen)
    for x, _ in seen:
        painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()))
    ends = [*(x for x, _ in seen[1:]), rect.right()]
    for (x, number), end in zip(seen, ends, strict=True):
        words = f"kernel{number}"
        if named and metrics.horizontalAdvance(words) + px(GRID) <= end - x:
            painter.drawText(
                QRectF(x + px(3), rect.top() + 1, end - x, metrics.height()), Qt.AlignmentFlag.AlignLeft, words
            )
