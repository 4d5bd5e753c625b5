"""The room of whichever core is looked at: counted at once where that is quick, else on a thread of its own.

Owns: what was counted of the plan on screen; cores that hold the same buffers share it. Refuses: drawing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject

from spyre_studio.background import Background
from spyre_studio.lx_room import StepRoom, room_of, work_of
from spyre_studio.occupancy import Occupancy

_AT_ONCE: Final = 60_000  # pairs of a buffer and a step; about 15 ms


class LxRooms(QObject):
    """`ask` answers with the room of a core, sooner or later; only the newest question is answered."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.background = Background(self)
        self._data: Occupancy | None = None
        self._known: dict[bytes, StepRoom] = {}

    def show_data(self, data: Occupancy) -> None:
        """Another plan."""
        self.background.cancel()
        self._data = data
        self._known.clear()

    def ask(self, core: int, answer: Callable[[StepRoom], None]) -> None:
        """Call `answer` with the room of a core: now if it is known or quickly counted."""
        data = self._data
        if data is None:
            return
        self.background.cancel()
        key = data.present[:, core].tobytes()
        found = self._known.get(key)
        if found is None and work_of(data, core) <= _AT_ONCE:
            found = self._known[key] = room_of(data, core)
        if found is not None:
            answer(found)
            return

        def done(room: StepRoom) -> None:
            self._known[key] = room
            answer(room)

        self.background.run(lambda: room_of(data, core), done)
