"""What ties a timeline to the other views: the core under the pointer, and the steps that are in view together.

Owns: telling the selection what the timeline is at, following what it says, and what has the keyboard.  Refuses:
painting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from spyre_studio.shared_axis import SharedAxis
from spyre_studio.step_times import StepTimes, step_times
from spyre_studio.timeline_data import TrackKind
from spyre_studio.views.timeline_spots import Spot

if TYPE_CHECKING:
    from spyre_studio.views.timeline import TimelineView

_SAME = 1e-9  # of the axis; less than that is rounding


class TimelineTies(QObject):
    """Of one timeline view, as long as that lives."""

    def __init__(self, view: TimelineView) -> None:
        super().__init__(view)
        self._view = view
        self._times: StepTimes | None = None
        self._axis = SharedAxis(view.selection, view.session.settings, self._show, self._steps, view)
        view.canvas.hovered.connect(self._pointed)
        view.strip.hovered.connect(lambda item: self._hover(item[0] if isinstance(item, tuple) else -1))
        view.selection.hovered.connect(self._show_hover)
        view.canvas.view_changed.connect(self._moved)

    def show_data(self) -> None:
        """Another run: its steps have other times."""
        data, compilation = self._view.data, self._view.compilation
        self._times = step_times(data, compilation) if data is not None and compilation is not None else None
        self._axis.renew()
        QTimer.singleShot(0, self, self._settle)  # first the lanes take their place

    def take_keyboard(self) -> None:
        """Have keys go to the run; while there is none they go to the view, and to the run as soon as it is there."""
        view = self._view
        if view.data is None:
            view.setFocus()
        else:
            (view.table.table if view.table_shown else view.canvas).setFocus()

    def _settle(self) -> None:
        view = self._view
        if view.data is None:
            return
        view.canvas.reveal_core(min(view.selection.core, view.data.trace.cores - 1))
        if view.hasFocus():
            self.take_keyboard()

    # The core under the pointer

    def _pointed(self, item: object) -> None:
        data = self._view.data
        if data is None or not isinstance(item, Spot) or item.track < 0:
            self._hover(-1)
            return
        track = data.tracks[item.track]
        if track.kind is TrackKind.CRITICAL and item.kind == "box":
            self._hover(data.trace.critical[item.place].core)
        else:
            self._hover(track.core)

    def _hover(self, core: int) -> None:
        self._view.selection.hover_core(core if core >= 0 else None)

    def _show_hover(self) -> None:
        if self._view.isVisible():
            core = self._view.selection.hovered_core
            for picture in (self._view.canvas, self._view.strip):
                picture.show_hover(-1 if core is None else core)

    # Steps in view together

    def _moved(self) -> None:
        if self._times is not None and self._view.data is self._times.data:
            self._axis.tell()

    def _steps(self) -> tuple[float, float] | None:
        """The steps that are in view, None for all."""
        data, times, axis = self._view.data, self._times, self._view.canvas.x_axis
        if data is None or times is None or axis.span >= data.total_ps * (1 - _SAME):
            return None
        return times.steps(axis.lo, axis.hi)

    def _show(self, window: tuple[float, float] | None) -> bool:
        """Have these steps in view, None for all; False while there is no run."""
        data, times = self._view.data, self._times
        if data is None or times is None or times.data is not data:
            return False
        ends = times.times(*window) if window is not None else (0.0, float(data.total_ps))
        self._view.canvas.show_x(*ends)
        return True
