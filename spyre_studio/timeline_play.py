"""The moment of a timeline that is played: where it is, how fast it goes, when it ends.

Owns: the arithmetic.  Refuses: Qt and clocks; it is told how many seconds have passed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SECONDS: Final = 10.0  # what is in view when it begins takes so long
_PAGE: Final = 0.1  # of the view that is left before the moment when the view follows


@dataclass(slots=True)
class Player:
    """`time_ps` is -1 until a moment was chosen; `speed` is in ps per second, 0 while it stands."""

    total_ps: float = 1.0
    time_ps: float = -1.0
    speed: float = 0.0

    @property
    def playing(self) -> bool:
        """True while the moment goes on."""
        return self.speed > 0

    def play(self, lo: float, hi: float) -> None:
        """Go on from where it is; from `lo` if it is not in view, or at the end."""
        if not lo <= self.time_ps < min(hi, self.total_ps):
            self.time_ps = max(lo, 0.0)
        self.speed = max(hi - lo, 1.0) / SECONDS

    def pause(self) -> None:
        """Stand still."""
        self.speed = 0.0

    def advance(self, seconds: float) -> None:
        """So many seconds have passed; at the end it stands."""
        self.time_ps = min(self.time_ps + self.speed * seconds, self.total_ps)
        if self.time_ps >= self.total_ps:
            self.pause()

    def follow(self, lo: float, hi: float) -> tuple[float, float] | None:
        """What should be in view so that the moment is, None if it is."""
        if lo <= self.time_ps <= hi:
            return None
        low = self.time_ps - _PAGE * (hi - lo)
        return low, low + hi - lo
