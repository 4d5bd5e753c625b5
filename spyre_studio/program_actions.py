"""What can be done with the program view from menus: one method per row of `program_menu`.

Owns: bringing the view to the front. Refuses: what is shown there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spyre_studio.action import Action
from spyre_studio.listing_kinds import PASSES
from spyre_studio.lx_actions import ScratchpadHandlers

if TYPE_CHECKING:
    from spyre_studio.views.program import ProgramView


class ProgramHandlers(ScratchpadHandlers):
    """The methods of the rows."""

    def show_in_program(self, _row: Action) -> None:
        """Go to the line about what is selected."""
        self._program.show_place(self._selection.op, self._selection.buffer)

    def show_passes(self, _row: Action) -> None:
        """The listing of the passes."""
        self._program.show_kind(PASSES)

    @property
    def _program(self) -> ProgramView:
        """The view, brought to the front."""
        bench = self._window.workbench
        bench.show_view("program")
        view = bench.views["program"]
        if TYPE_CHECKING:
            assert isinstance(view, ProgramView)
        return view
