"""What one can point at on a timeline, and dragging the moment along its ruler.

Owns: the value `Spot` and the gesture.  Refuses: finding and drawing them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter


@dataclass(frozen=True, slots=True)
class Spot:
    """What is under the pointer: a box (of a track), a lane's name, or a moment on the ruler (`place`, in ps)."""

    kind: Literal["box", "name", "moment"]
    track: int
    place: int


class ScrubGesture:
    """The moment follows the pointer along the ruler."""

    cursor = Qt.CursorShape.SizeHorCursor

    def __init__(self, start: float, before: float, move_to: Callable[[float], None]) -> None:
        self._before, self._move_to = before, move_to
        move_to(start)

    def move(self, pos: QPointF) -> None:
        """To the time under the pointer."""
        self._move_to(pos.x())

    def finish(self, pos: QPointF) -> None:
        """It stays there."""
        self._move_to(pos.x())

    def cancel(self) -> None:
        """Back to where it was."""
        self._move_to(self._before)

    def paint(self, painter: QPainter) -> None:
        """Nothing to draw."""
