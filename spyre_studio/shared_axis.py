"""Shared axis: one view's part in the axis of steps that views have in view together.

Owns: telling what a view shows, following what another one shows, the switch for both, and that neither answers the
other for ever.  Refuses: what a view does with the steps; it gives two functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from spyre_studio.selection import Selection
from spyre_studio.settings import Settings

Window = tuple[float, float] | None
"""First step in view and the end, None for all of them."""
LINKED: Final = "linked"


class SharedAxis(QObject):
    """Call `tell` when the view was moved (also where it was moved by `show`: that is not told), and `follow` when it
    has something to show.

    `show` has steps in view and returns False while it cannot; `steps` says which are.  It lives as long as `view`;
    when the switch is turned on, the view that can be seen tells, and the others follow.
    """

    def __init__(
        self,
        selection: Selection,
        settings: Settings,
        show: Callable[[Window], bool],
        steps: Callable[[], Window],
        view: QWidget,
    ) -> None:
        super().__init__(view)
        self._selection, self._settings = selection, settings
        self._show, self._steps = show, steps
        self._busy = False
        self._followed: Window = None
        selection.moved.connect(self.follow)
        settings.changed.connect(lambda key: self.tell() if key == LINKED and view.isVisible() else None)

    def tell(self) -> None:
        """The view was moved by a person: others that are linked follow."""
        if self._busy or not self._settings.on(LINKED):
            return
        self._busy = True
        self._selection.look_at(self._steps())
        self._followed = self._selection.window
        self._busy = False

    def follow(self) -> None:
        """Have in view what others have, unless it is so already."""
        if self._selection.window != self._followed:
            self._take()

    def renew(self) -> None:
        """The view has other data: the steps that were in view are so again."""
        if self._selection.window is not None:
            self._take()

    def _take(self) -> None:
        window = self._selection.window
        if self._busy or not self._settings.on(LINKED):
            return
        self._busy = True
        if self._show(window):
            self._followed = window
        self._busy = False
