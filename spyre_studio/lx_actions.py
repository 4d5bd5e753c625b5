"""What can be done with the scratchpad from the menus: one method per row of `lx_menu`.

Owns: bringing the view to the front. Refuses: what it shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from spyre_studio.action import Action
from spyre_studio.guide_actions import GuideHandlers

if TYPE_CHECKING:
    from spyre_studio.views.scratchpad import ScratchpadView


class ScratchpadHandlers(GuideHandlers):
    """The methods of the rows."""

    def follow_buffer(self, _row: Action) -> None:
        """Follow the selected buffer, or stop that where it is seen already."""
        seen = self._window.workbench.current_view == "scratchpad"
        view = self._scratchpad
        view.set_following(not (seen and view.following))

    def show_spilled(self, _row: Action) -> None:
        """The keyboard goes to the chips."""
        view = self._scratchpad
        view.panels.show_page("pictures")
        view.tray.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @property
    def _scratchpad(self) -> ScratchpadView:
        """The view, brought to the front."""
        bench = self._window.workbench
        bench.show_view("scratchpad")
        view = bench.views["scratchpad"]
        if TYPE_CHECKING:
            assert isinstance(view, ScratchpadView)
        return view
