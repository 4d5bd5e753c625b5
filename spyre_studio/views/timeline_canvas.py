"""The canvas of the timeline: simulated time to the right, lanes under each other, a ruler on top.

Owns: scrolling, zooming, opening cores, what is under the pointer, keys, and the moment that is played.  Refuses: the
selection (it tells what was clicked), the trace, and painting of lanes (`timeline_paint`) and of what lies around and
over them (`timeline_frame`).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Final

import numpy as np
from frozendict import frozendict
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from simulator.trace import CARD
from spyre_studio.qt_theme import px
from spyre_studio.scales import Ticks
from spyre_studio.theme import GRID
from spyre_studio.timeline_axis import time_ticks
from spyre_studio.timeline_data import TimelineData, TrackKind
from spyre_studio.timeline_detail import box_at
from spyre_studio.timeline_lanes import Lane, Lanes, lanes_of
from spyre_studio.timeline_words import box_hint
from spyre_studio.views import timeline_frame as frame
from spyre_studio.views.canvas import PAN_STEP, ZOOM_STEP
from spyre_studio.views.gestures import Gesture
from spyre_studio.views.plot_canvas import Limits, PlotCanvas
from spyre_studio.views.timeline_paint import LanePainter
from spyre_studio.views.timeline_palette import Codes
from spyre_studio.views.timeline_spots import ScrubGesture, Spot

_ROW: Final = 18  # px
_TICK: Final = 96  # px between ticks, about
_LEAST_SPAN: Final = 1_000  # ps in view at the closest
_SLACK: Final = 2  # px; a box so near is under the pointer
_ROOM: Final = 0.25  # of its length, left and right of what is brought into view


class TimelineCanvas(PlotCanvas):
    """Items are Spots.  `walked_step` and `walked_core` carry where an arrow key leads, `moment` the time (ps) that was
    dragged or clicked to on the ruler, `opened` that cores were opened or closed."""

    walked_step = Signal(int)
    walked_core = Signal(int)
    moment_chosen = Signal(float)
    opened_changed = Signal()
    zoom_axes = "x"
    y_up = False
    margins = frame.MARGINS

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Timeline of the simulated run, units of cores by time", parent)
        self._data: TimelineData | None = None
        self._titles: Sequence[str] = ()
        self._units: Mapping[str, str] = frozendict()
        self._opened: frozenset[int] = frozenset({0})
        self._lanes = Lanes((), np.zeros(0), 0.0, 0.0)
        self._scroll = 0.0
        self._seen: tuple[tuple[float, float, float], tuple[Lane, ...]] = ((-1.0, 0.0, 0.0), ())
        self._step, self._core, self._hovered_core = -1, 0, -1
        self._critical = True
        self._moment = -1.0
        self._pointer_x = -1.0
        self.lanes_painter = LanePainter()
        self.setMinimumSize(px(240), px(96))

    # Data

    def show_data(self, data: TimelineData, kinds: Codes, titles: Sequence[str], units: Mapping[str, str]) -> None:
        """Another run; `kinds` and `titles` are by step, `units` the long names of units."""
        self.forget_pointer()
        self._data, self._titles, self._units = data, titles, units
        self._opened = frozenset(core for core in self._opened if core < data.trace.cores)
        self._step = -1
        self._moment = -1.0
        self.lanes_painter.show_data(data, kinds, titles)
        self.set_limits(Limits(0, data.total_ps, min(_LEAST_SPAN, data.total_ps)), Limits(0, 1, 1))
        self._lay_out()

    def show_marks(self, step: int, core: int) -> None:
        """Highlight a step (-1 for none) and the name of a core."""
        if (step, core) != (self._step, self._core):
            self._step, self._core = step, core
            self.lanes_painter.show_step(step)
            self.invalidate()

    def show_hover(self, core: int) -> None:
        """Outline the lanes of the core that is pointed at in any view, -1 for none."""
        if core != self._hovered_core:
            self._hovered_core = core
            self.update()

    def show_critical(self, shown: bool) -> None:
        """The critical path over the lanes, or not."""
        self._critical = shown
        self.invalidate()

    def show_moment(self, time_ps: float) -> None:
        """The moment that is played, -1 for none."""
        self._moment = time_ps
        self.update()

    @property
    def moment(self) -> float:
        """The moment that is played in ps, -1 if none is."""
        return self._moment

    @property
    def critical_shown(self) -> bool:
        """True while the critical path is drawn over the lanes."""
        return self._critical

    @property
    def opened(self) -> frozenset[int]:
        """The cores whose units and waits are shown."""
        return self._opened

    def open_cores(self, cores: frozenset[int]) -> None:
        """Show units and waits of these cores; what is at the top of the view stays there."""
        at = self._lanes.at(self._lanes.card_height, self._scroll)
        held = self._lanes.lanes[at] if at >= 0 else None
        self._opened = cores
        self._lay_out()
        if held is not None and held.inner:
            self._scroll_to_core(held.core)
        self.opened_changed.emit()

    def toggle_core(self, core: int) -> None:
        """Open or close a core."""
        self.open_cores(self._opened ^ {core})

    def _lay_out(self) -> None:
        if self._data is not None:
            self._lanes = lanes_of(self._data, self._opened, px(_ROW), px(GRID))
            self._seen = (-1.0, 0.0, 0.0), ()
        self.scroll_to(self._scroll)
        self.invalidate()

    # Where things are

    @property
    def lanes(self) -> Lanes:
        """All lanes, in pixels from the top of the first."""
        return self._lanes

    def lanes_in_view(self) -> tuple[Lane, ...]:
        """Those that can be seen, in pixels of the widget; those of the card first, which cover what scrolls by."""
        inside = self.plot_rect()
        where = (self._scroll, inside.top(), inside.height())
        if where != self._seen[0]:
            seen = self._lanes.in_view(self._scroll, inside.height())
            self._seen = where, tuple(lane.moved(inside.top()) for lane in seen)
        return self._seen[1]

    def cores_rect(self) -> QRectF:
        """Where the lanes of cores scroll: below those of the card."""
        return self.plot_rect().adjusted(0, self._lanes.card_height, 0, 0)

    @property
    def scrolled(self) -> tuple[float, float]:
        """Begin and end of what is in view, in parts of all lanes."""
        whole = max(self._lanes.height - self._lanes.card_height, 1.0)
        return self._scroll / whole, min((self._scroll + self.cores_rect().height()) / whole, 1.0)

    def item_at(self, pos: QPointF) -> Hashable | None:
        """A box, a lane's name, or a moment on the ruler."""
        data, inside = self._data, self.plot_rect()
        if data is None or pos.x() > inside.right() + 1 or pos.y() > inside.bottom():
            return None
        if pos.y() < inside.top():
            return Spot("moment", -1, round(self._time_at(pos.x()))) if pos.x() >= inside.left() else None
        place = self._lanes.at(pos.y() - inside.top(), self._scroll)
        if place < 0:
            return None
        lane = self._lanes.lanes[place]
        if pos.x() < inside.left():
            return Spot("name", lane.track, place)
        found = box_at(data.tracks[lane.track], self._time_at(pos.x()), _SLACK / self.x_axis.pixels_per_value)
        return Spot("box", lane.track, found) if found >= 0 else None

    def box_rect(self, spot: Spot) -> QRectF | None:
        """Where a box is, in pixels; None if its lane is not in view."""
        lane = next((lane for lane in self.lanes_in_view() if lane.track == spot.track), None)
        if lane is None or self._data is None:
            return None
        _, start, end = self._data.tracks[spot.track].box(spot.place)
        left, right = self.x_axis.to_px(float(start)), self.x_axis.to_px(float(end))
        return QRectF(left, lane.top, max(right - left, 1.0), lane.height)

    def _time_at(self, x: float) -> float:
        return min(max(self.x_axis.to_value(x), 0.0), float(self._data.total_ps if self._data else 1))

    def tooltip_for(self, item: Hashable) -> str:
        """What a box is, in a few lines."""
        if self._data is None or not isinstance(item, Spot):
            return ""
        track = self._data.tracks[item.track]
        match item.kind:
            case "box":
                return box_hint(self._data, track, item.place, self._units)
            case "name" if track.kind is TrackKind.UNIT:
                return self._units.get(self._data.trace.units[track.unit], "")
            case _:
                return ""

    def current_item(self) -> Hashable | None:
        """The selected core, which Enter opens and closes."""
        if self._data is None or self._core >= len(self._data.cores):
            return None
        return Spot("name", self._data.cores[self._core].steps, -1)

    # Navigation

    def scroll_to(self, top: float) -> None:
        """Let this height be at the top, as far as there are lanes below."""
        most = max(self._lanes.height - self.plot_rect().height(), 0.0)
        kept = min(max(top, 0.0), most)
        if kept != self._scroll:
            self._scroll = kept
            self.invalidate()

    def pan_by(self, dx: float, dy: float) -> None:
        """Sideways in time, up and down over the lanes."""
        self.scroll_to(self._scroll - dy)
        super().pan_by(dx, 0)

    def wheel_zooms_at(self, pos: QPointF) -> bool:
        """Over what does not scroll: the ruler, the lanes of the card, and everywhere while all lanes are in view."""
        return pos.y() < self.cores_rect().top() or self.scrolled == (0.0, 1.0)

    def zoom_by(self, factor: float, at: QPointF) -> None:
        """Time alone, wherever the pointer is."""
        inside = self.plot_rect()
        across = min(max(at.x(), inside.left()), inside.right())
        super().zoom_by(factor, QPointF(across, inside.center().y()))

    def fit_all(self) -> None:
        """The whole run, from the first lane on."""
        super().fit_all()
        self.scroll_to(0.0)

    def focus_selection(self, fit: bool) -> None:
        """The selected step on all cores; a second time its run on the selected core, or its critical piece."""
        data, step = self._data, self._step
        if data is None or step < 0 or data.step_end[step] < 0:
            return
        start, end = int(data.step_start[step]), int(data.step_end[step])
        own = int(data.trace.runs.start_ps[step, self._core]), int(data.trace.runs.end_ps[step, self._core])
        self.show_span(*(own if fit and own[0] >= 0 else (start, end)))
        self.reveal_core(self._core)

    def show_span(self, start: float, end: float) -> None:
        """Fill the view with a span of time and some room around it."""
        room = max(end - start, 1) * _ROOM
        self.show_x(start - room, end + room)

    def reveal_core(self, core: int) -> None:
        """Scroll until the lanes of a core are in view, its first one in any case."""
        head, room = self._lanes.head_of(core), self.cores_rect().height()
        if head is None or self._data is None:
            return
        rows = 1 + (len(self._data.cores[core].inner) if core in self._opened else 0)
        above, below = self._lanes.card_height + self._scroll, head.top + rows * head.height
        if head.top < above or rows * head.height > room:
            self._scroll_to_core(core)
        elif below > above + room:
            self.scroll_to(below - room - self._lanes.card_height)

    def _scroll_to_core(self, core: int) -> None:
        head = self._lanes.head_of(core)
        if head is not None:
            self.scroll_to(head.top - self._lanes.card_height)

    def reveal_time(self, start: float, end: float) -> None:
        """Move in time until a span is in view, without zooming."""
        axis = self.x_axis
        if start > axis.hi or end < axis.lo:
            self.show_x((start + end - axis.span) / 2, (start + end + axis.span) / 2)

    def step(self, dx: int, dy: int) -> bool:
        """Left and right walk over steps, up and down over cores."""
        data = self._data
        if data is None or not data.trace.steps:
            return False
        if dx:
            wanted = 0 if self._step < 0 else self._step + dx
            self.walked_step.emit(min(max(wanted, 0), len(data.trace.steps) - 1))
        else:
            self.walked_core.emit(min(max(self._core + dy, 0), data.trace.cores - 1))
        return True

    def _plain_key(self, key: Qt.Key) -> bool:
        middle, far = QRectF(self.plot_rect()).center(), px(2 * PAN_STEP)
        if self._pointer_x >= 0:
            middle.setX(self._pointer_x)
        match key:
            case Qt.Key.Key_W:
                self.zoom_by(ZOOM_STEP, middle)
            case Qt.Key.Key_S:
                self.zoom_by(1 / ZOOM_STEP, middle)
            case Qt.Key.Key_A:
                self.pan_by(far, 0)
            case Qt.Key.Key_D:
                self.pan_by(-far, 0)
            case Qt.Key.Key_Asterisk if self._data is not None:
                self.open_cores(frozenset(range(self._data.trace.cores)))
            case Qt.Key.Key_1:
                self.open_cores(frozenset())
            case _:
                return super()._plain_key(key)
        return True

    def begin_drag(self, item: Hashable, start: QPointF) -> Gesture | None:
        """On the ruler the moment is dragged."""
        if not isinstance(item, Spot) or item.kind != "moment":
            return None
        before = self.x_axis.to_px(self._moment) if self._moment >= 0 else start.x()
        return ScrubGesture(start.x(), before, lambda x: self.moment_chosen.emit(self._time_at(x)))

    # Painting

    def x_ticks(self) -> Ticks:
        """Round times."""
        return time_ticks(self.x_axis, max(2, int(self.plot_rect().width() / px(_TICK))))

    def y_ticks(self) -> Ticks:
        """Lanes have names instead."""
        return Ticks((), (), "")

    def paint_grid(self, painter: QPainter) -> None:
        """A quiet line at every tick of time."""
        frame.paint_grid(painter, self.plot_rect(), self.x_axis, self.x_ticks())

    def paint_plot(self, painter: QPainter, rect: QRectF) -> None:
        """Boxes, then the critical path over them, each below the lanes of the card."""
        lanes, below = self.lanes_in_view(), self.cores_rect()
        card = tuple(lane for lane in lanes if lane.core == CARD)
        for clip, some, path in ((below, lanes[len(card) :], lanes), (rect, card, card)):
            painter.setClipRect(clip)
            self.lanes_painter.paint(painter, rect, self.x_axis, some)
            if self._critical:
                self.lanes_painter.paint_critical(painter, rect, self.x_axis, path)

    def paint_labels(self, painter: QPainter) -> None:
        """The ruler and the names of lanes."""
        data, rect = self._data, self.plot_rect()
        if data is None:
            return
        frame.paint_ruler(painter, rect, self.x_axis, self.x_ticks())
        if self._step >= 0 and data.step_end[self._step] >= 0:
            ends = float(data.step_start[self._step]), float(data.step_end[self._step])
            frame.paint_extent(painter, rect, self.x_axis, ends)
        frame.paint_names(painter, (rect, self.cores_rect()), data, self.lanes_in_view(), self._core)
        frame.paint_thumb(painter, self.cores_rect(), self.scrolled)

    def paint_overlay(self, painter: QPainter, rect: QRectF) -> None:
        """What is under the pointer and when that is; the moment that is played."""
        inside, hover = self.plot_rect(), self.hover_item
        if isinstance(hover, Spot) and hover.kind == "box":
            frame.paint_outline(painter, inside, self.box_rect(hover))
        frame.paint_core(painter, self.cores_rect(), self.lanes_in_view(), self._hovered_core)
        if self._moment >= 0:
            frame.paint_moment(painter, inside, self.x_axis, self._moment)
        if inside.left() <= self._pointer_x <= inside.right():
            frame.paint_crosshair(painter, inside, self.x_axis, self._pointer_x)

    def theme_changed(self) -> None:
        """Colours and texts are made anew, and lanes have another height where the font has another size."""
        super().theme_changed()
        self.lanes_painter.forget_looks()
        self._lay_out()

    # Events (Qt's names)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """The cross hair follows the pointer."""
        self._pointer_x = event.position().x()
        super().mouseMoveEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """No cross hair."""
        self._pointer_x = -1.0
        super().leaveEvent(event)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """As many lanes as there is room for."""
        super().resizeEvent(event)
        self.scroll_to(self._scroll)
