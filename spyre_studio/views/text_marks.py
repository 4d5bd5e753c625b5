"""The strip beside the scroll bar of a text: where in all of it the marks are.

Owns: the picture of the strip, made anew only when a mark moves. Refuses: what the marks mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPixmap

from spyre_studio.listing import NOWHERE
from spyre_studio.listing_folds import Folding
from spyre_studio.listing_text import Numbers
from spyre_studio.qt_theme import active_theme, px, qcolor

WIDTH: Final = 12  # px
_TALL: Final = 3  # px of a mark


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Lines: `owned` speak of what is selected, `named` name it, `cores` are of its core, `hits` have what is
    searched."""

    owned: Numbers = field(default_factory=lambda: NOWHERE)
    named: Numbers = field(default_factory=lambda: NOWHERE)
    cores: Numbers = field(default_factory=lambda: NOWHERE)
    hits: Numbers = field(default_factory=lambda: NOWHERE)


class MarkStrip:
    """Draws the strip; call `forget` when marks or folds changed."""

    def __init__(self) -> None:
        self._picture: QPixmap | None = None
        self._key: tuple[int, int, float] = (0, 0, 0.0)

    def forget(self) -> None:
        """Draw it anew the next time."""
        self._picture = None

    def paint(self, painter: QPainter, area: QRectF, marks: Marks, folding: Folding) -> None:
        """Put the strip into `area`."""
        ratio = painter.device().devicePixelRatioF()
        key = (round(area.width()), round(area.height()), ratio)
        if self._picture is None or key != self._key:
            self._picture, self._key = _picture(key, marks, folding), key
        painter.drawPixmap(area.topLeft(), self._picture)


def _picture(key: tuple[int, int, float], marks: Marks, folding: Folding) -> QPixmap:
    width, height, ratio = key
    theme, tall = active_theme(), px(_TALL)
    picture = QPixmap(max(1, round(width * ratio)), max(1, round(height * ratio)))
    picture.setDevicePixelRatio(ratio)
    picture.fill(qcolor(theme.bg))
    painter = QPainter(picture)
    rows = max(len(folding.visible), 1)
    half = width / 2
    columns = (
        (marks.owned, theme.tint(theme.accent, 0.5), 0.0, half),
        (marks.named, theme.accent, 0.0, half),
        (marks.cores, theme.move, 0.0, half),
        (marks.hits, theme.warn, half, half),
    )
    for lines, colour, left, wide in columns:
        if not len(lines):
            continue
        places = np.unique((folding.rows_of(lines) * (height - tall) / rows).astype(np.int64))
        for top in places.tolist():
            painter.fillRect(QRectF(left + 1, top, wide - 2, tall), qcolor(colour))
    painter.end()
    return picture
