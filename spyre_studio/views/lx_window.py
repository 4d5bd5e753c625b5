"""The steps in view: pictures on one axis of steps move together, and with the other views that share it.

Owns: who follows whom, and bringing a step into view. Refuses: what the pictures show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QObject

from spyre_studio.selection import Selection
from spyre_studio.settings import Settings
from spyre_studio.shared_axis import LINKED
from spyre_studio.views.plot_canvas import PlotCanvas


class SharedSteps(QObject):
    """Links pictures on which step n lies between n and n + 1 with one another and, while the setting says so, with
    `Selection.window`."""

    def __init__(
        self, pictures: Sequence[PlotCanvas], selection: Selection, settings: Settings, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._pictures, self._selection = tuple(pictures), selection
        self._steps, self._quiet = 0, False
        for picture in pictures:
            picture.view_changed.connect(lambda picture=picture: self._moved(picture))
        selection.moved.connect(self.look)

    @contextmanager
    def changing(self, steps: int) -> Iterator[None]:
        """The pictures get another plan of so many steps; the window is what it was, as far as that has it."""
        self._quiet = True
        yield
        self._quiet, self._steps = False, steps
        self.look()

    def look(self) -> None:
        """Show the steps that all views look at."""
        if self._settings.on(LINKED) and self._steps and any(picture.isVisible() for picture in self._pictures):
            self._show(*(self._selection.window or (0.0, float(self._steps))))

    def bring(self, step: int) -> None:
        """Have a step in view, without another zoom."""
        axis = self._pictures[0].x_axis
        if not axis.lo <= step <= axis.hi - 1:
            half = axis.span / 2
            self._pictures[0].show_x(step + 0.5 - half, step + 0.5 + half)

    def _moved(self, source: PlotCanvas) -> None:
        if not self._quiet:
            lo, hi = source.x_axis.lo, source.x_axis.hi
            self._show(lo, hi)
            if self._settings.on(LINKED):
                self._selection.look_at((lo, hi))

    def _show(self, lo: float, hi: float) -> None:
        self._quiet = True
        for picture in self._pictures:
            picture.show_x(lo, hi)
        self._quiet = False
