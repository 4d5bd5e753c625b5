"""Playing a simulated run: the moment goes on with the clock, and others hear of it a few times a second.

Owns: the timers.  Refuses: what follows the moment, and the arithmetic, which is the Player's.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from spyre_studio.timeline_play import Player

_FRAME_MS: Final = 33
_PACE_MS: Final = 200  # other views follow: not at every frame


class Playback(QObject):
    """`moved` carries another moment in ps, at every frame; `due` says that other views should follow it now; `changed`
    that it plays or stands."""

    moved = Signal(float)
    due = Signal()
    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.player = Player()
        self._clock = QElapsedTimer()
        self._frames = QTimer(self, interval=_FRAME_MS)
        self._pace = QTimer(self, singleShot=True, interval=_PACE_MS)
        self._frames.timeout.connect(lambda: self.advance(self._clock.restart() / 1000))
        self._pace.timeout.connect(self.due)

    def show_run(self, total_ps: int) -> None:
        """Another run, without a moment."""
        self.pause()
        self._pace.stop()
        self.player = Player(float(total_ps))

    def play(self, lo: float, hi: float) -> None:
        """Go on from the moment, or from the begin of what is in view (ps)."""
        self.player.play(lo, hi)
        self._clock.start()
        self._frames.start()
        self.changed.emit()
        self.go_to(self.player.time_ps)

    def pause(self) -> None:
        """Stand still."""
        self.player.pause()
        if self._frames.isActive():
            self._frames.stop()
            self.due.emit()
            self.changed.emit()

    def go_to(self, time_ps: float) -> None:
        """Another moment."""
        self.player.time_ps = time_ps
        self.moved.emit(time_ps)
        if not self._pace.isActive():
            self._pace.start()
            self.due.emit()

    def advance(self, seconds: float) -> None:
        """So much later."""
        self.player.advance(seconds)
        self.go_to(self.player.time_ps)
        if not self.player.playing:
            self.pause()
