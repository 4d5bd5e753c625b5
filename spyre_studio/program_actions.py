"""What can be done with the program view from menus: one method per row of `program_menu`.

Owns: which of the selected op and buffer is meant: the one that was selected last. Refuses: what is shown there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spyre_studio.action import Action
from spyre_studio.lx_actions import ScratchpadHandlers
from spyre_studio.program_entry import program_view

if TYPE_CHECKING:
    from spyre_studio.main_window import MainWindow


class ProgramHandlers(ScratchpadHandlers):
    """The methods of the rows."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._seen, self._buffer_last = self._selection.place, False
        self._selection.changed.connect(self._selected)

    def show_in_program(self, _row: Action) -> None:
        """Go to the line about what is selected."""
        op, buffer = self._selection.op, self._selection.buffer
        by_buffer = buffer is not None and (self._buffer_last or op is None)
        program_view(self._window).show_place(None if by_buffer else op, buffer if by_buffer else None)

    def show_passes(self, _row: Action) -> None:
        """The listing of the passes."""
        from spyre_studio.listing_kinds import PASSES  # knows all texts: not needed for the first paint

        program_view(self._window).show_kind(PASSES)

    def _selected(self) -> None:
        seen, self._seen = self._seen, self._selection.place
        if seen.op != self._seen.op:
            # Where no op was selected, a view may select one that has to do with the buffer: that is no choice.
            self._buffer_last = self._buffer_last and seen.op is None
        elif seen.buffer != self._seen.buffer:
            self._buffer_last = True
