"""The legend of error maps: the scale of deviations from none over what rounding explains to the largest, the outline
of what is beyond rounding, and the frame of the selected core.

Owns: the drawing.  Refuses: the scale itself, which the grid has.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from spyre_studio.error_map_grid import EXPLAINED
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID
from spyre_studio.views.error_map_canvas import frame_colour
from spyre_studio.views.paint import heat_image

_RAMP: Final = 96  # px
_BOX: Final = 8
_MIDDLE: Final = f"{EXPLAINED:g}"
_WORDS: Final = "deviations"
_OUTLINED: Final = "beyond rounding"
HINT: Final = (
    f"A deviation is how far rounding moves an element. Up to {_MIDDLE} are explained by it and fill the first half of "
    "the scale evenly; the second half goes by factors of ten, to a billion and what is no number."
)


class ErrorScale(QWidget):
    """'0 ▒▒▒ 6 ▒▒▒ 1e9 deviations  □ beyond rounding  □ core 3', without its last words where there is no
    room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._core = -1
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setToolTip(HINT)
        self.show_core(-1)

    @property
    def words(self) -> tuple[str, ...]:
        """What is said beside the ramp."""
        return (_WORDS, _OUTLINED, *([f"core {self._core}"] if self._core >= 0 else []))

    def show_core(self, core: int) -> None:
        """The core whose cells are framed, -1 for none."""
        self._core = core
        framed = f"; framed: the cells of core {core}, which is selected" if core >= 0 else ""
        self.setAccessibleName(
            f"Colour scale from 0 over {_MIDDLE} to a billion {_WORDS} of rounding; outlined: {_OUTLINED}{framed}"
        )
        self.update()

    def sizeHint(self) -> QSize:
        """A ramp with its numbers below."""
        return QSize(px(_RAMP) + px(4 * GRID), px(_BOX) + round(QFontMetricsF(font("micro")).height()) + px(2))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Ramp, numbers, words, outline."""
        painter, theme, metrics = QPainter(self), active_theme(), QFontMetricsF(font("micro"))
        painter.setFont(font("micro"))
        ramp = QRectF(1, 1, px(_RAMP), px(_BOX))
        painter.drawImage(ramp, heat_image(np.arange(256, dtype=np.uint8)[None], theme.fill))
        middle = ramp.center().x()
        painter.setPen(QPen(qcolor(theme.mute), 1))
        painter.drawLine(round(middle), round(ramp.bottom()), round(middle), round(ramp.bottom()) + px(3))
        below = QRectF(ramp.left(), ramp.bottom() + px(2), ramp.width(), metrics.height())
        for text, side in (("0", "Left"), (_MIDDLE, "HCenter"), ("1e9", "Right")):
            painter.drawText(below, Qt.AlignmentFlag[f"Align{side}"] | Qt.AlignmentFlag.AlignTop, text)
        self._paint_words(painter, ramp)
        painter.end()

    def _paint_words(self, painter: QPainter, ramp: QRectF) -> None:
        theme, metrics = active_theme(), QFontMetricsF(font("label"))
        painter.setFont(font("label"))
        left = ramp.right() + px(1.5 * GRID)
        for text, colour in zip(self.words, ("", theme.bad, frame_colour(theme)), strict=False):
            mark = px(_BOX) + px(GRID * 0.75) if colour else 0
            if left + mark + metrics.horizontalAdvance(text) > self.width():
                return
            if colour:
                painter.setPen(QPen(qcolor(colour), 2))
                painter.drawRect(QRectF(left + 1, ramp.center().y() - px(_BOX) / 2, px(_BOX), px(_BOX)))
            painter.setPen(qcolor(theme.mute))
            room = QRectF(left + mark, ramp.center().y() - px(GRID), metrics.horizontalAdvance(text) + 2, px(2 * GRID))
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
            left = room.right() + px(2 * GRID)
