"""The timeline view: when every unit of every core works, waits and for whom, as the simulator found it.

Owns: asking for the run of the plan on screen, lanes and fill over one axis of time, the table twin, the moment that is
played, and what is said where there is no run.  Refuses: simulating and painting; clicks go to the selection.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from frozendict import frozendict
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QHideEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from compiler.compilation import Compilation
from spyre_studio.derived import schedule_of
from spyre_studio.legend import Legend
from spyre_studio.occupancy import KINDS, kind_of
from spyre_studio.qt_theme import font, px
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.short_names import short_names
from spyre_studio.state_page import StatePage
from spyre_studio.theme import GRID, PAD
from spyre_studio.timeline_data import TimelineData, TrackKind
from spyre_studio.timeline_words import facts_of, step_line
from spyre_studio.view_state import READY, Badge, ViewState, empty, error, loading
from spyre_studio.views.paged import PagedView
from spyre_studio.views.timeline_canvas import TimelineCanvas
from spyre_studio.views.timeline_head import FactsLine
from spyre_studio.views.timeline_legend import kind_entries, wait_entries
from spyre_studio.views.timeline_palette import Codes
from spyre_studio.views.timeline_playback import Playback
from spyre_studio.views.timeline_spots import Spot
from spyre_studio.views.timeline_strip import TimelineStrip
from spyre_studio.views.timeline_table import TimelineTable
from spyre_studio.views.timeline_ties import TimelineTies
from spyre_studio.widgets import hairline

NOT_SIMULATED = empty(
    "Not simulated yet",
    "Run the plan against the clock of a simulated device, to see what every unit of every core does when.",
    "Simulate",
)
_WIDE = 1080  # px; below this the legend stands under the words
_LOW = 360  # px; below this everything but the lanes is lower
_LEAST = 240  # px; below this the fill of all cores waits
_HINT = "Click a box to follow its step. The wheel zooms over the ruler, Ctrl+wheel everywhere, F shows the step."
_ZOOM = " Ctrl+wheel zooms."


class TimelineView(PagedView):
    """The simulated run of the plan on screen."""

    key = "timeline"
    title = "Timeline"
    nothing = empty("No plan yet", "Open a model to see when every unit of every core works, and what it waits for.")

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(session, selection, parent)
        self._data: TimelineData | None = None
        self._kinds: Codes = np.zeros(0, np.intp)
        self._linking = self._following = False
        self.playback = Playback(self)
        self.waiting, self.content = StatePage(NOT_SIMULATED), QWidget()
        self.facts, self.line, self.legends = FactsLine(), QLabel(), (Legend(), Legend())
        self.canvas, self.strip, self.table = TimelineCanvas(), TimelineStrip(), TimelineTable()
        self.play_button, self.critical_button = QToolButton(), QToolButton()
        self.table_button, self.copy = QToolButton(), QToolButton()
        self.pictures = QWidget()
        self._arrange()
        self._connect()
        self.ties = TimelineTies(self)
        self._show_run()

    # What is shown

    def fill(self, compilation: Compilation) -> None:
        """Another plan: its run, which is asked for if nobody has done so yet."""
        self._data = None
        self.playback.pause()
        if self.session.timeline is None and self.session.not_simulated is None:
            self.session.simulate()
        self._show_run()

    def mark(self) -> None:
        """The selected step and core."""
        data = self._data
        if data is None:
            return
        step, core = data.places.get(self.selection.op or "", -1), min(self.selection.core, data.trace.cores - 1)
        self.canvas.show_marks(step, core)
        self.strip.show_core(core)
        self.table.select(self.selection.op)
        zoom = "" if self.table_shown else _ZOOM
        self.line.setText(f"{step_line(data, step)}{zoom}" if step >= 0 else _HINT)
        if step >= 0 and not self._following and data.step_end[step] >= 0:
            self.canvas.reveal_time(float(data.step_start[step]), float(data.step_end[step]))

    def show_badges(self, badges: tuple[Badge, ...]) -> None:
        """Over the lanes."""
        self.canvas.show_state(READY.with_badges(*badges))

    @property
    def data(self) -> TimelineData | None:
        """The run that is shown."""
        return self._data

    def run_state(self) -> ViewState:
        """Why there is no run, or READY."""
        session = self.session
        if self._data is not None:
            return READY
        failure = session.not_simulated
        if failure is not None:
            sentence = f"{failure.why}; {failure.remedy}."
            return error(f"No run of {failure.what}", sentence, "Simulate again", failure.details)
        if session.simulating:
            share, step = session.simulation_progress
            return loading("Simulating the run", step, share)
        return NOT_SIMULATED

    def _show_run(self) -> None:
        compilation = self.compilation
        data = self.session.timeline if compilation is self.session.compilation else None
        if compilation is not None and data is not None and data is not self._data:
            self._data = data
            self._show_data(data, compilation)
        state = self.run_state()
        self.waiting.show_state(state)
        self.content.setVisible(state.kind == "ready")

    def _show_data(self, data: TimelineData, compilation: Compilation) -> None:
        steps = {step.name: KINDS.index(kind_of(step)) for step in schedule_of(compilation).steps}
        names = short_names(compilation)
        self._kinds = np.array([steps.get(name, len(KINDS) - 1) for name in data.trace.steps], np.intp)
        titles = tuple(names.step(name) for name in data.trace.steps)
        machine = compilation.problem.device.machine
        units: Mapping[str, str] = frozendict((unit.name, unit.title) for unit in machine.units)
        self.playback.show_run(data.total_ps)
        self.facts.show_facts(facts_of(data, machine))
        self.canvas.show_data(data, self._kinds, titles, units)
        self.strip.show_data(data)
        self.table.show_data(data, self._kinds.tolist())
        for legend, entries in zip(self.legends, (kind_entries(self._kinds), wait_entries(data)), strict=True):
            legend.set_entries(entries)
        self._fit()
        self.mark()
        self.ties.show_data()

    # The moment that is played

    def toggle_play(self) -> None:
        """Play from the moment on, or stand still."""
        if self.playback.player.playing:
            self.playback.pause()
        elif self._data is not None:
            self.playback.play(self.canvas.x_axis.lo, self.canvas.x_axis.hi)

    def go_to(self, time_ps: float) -> None:
        """Another moment; what runs then is selected, now or soon."""
        if self._data is not None:
            self.playback.go_to(time_ps)

    def _show_moment(self, time_ps: float) -> None:
        self.canvas.show_moment(time_ps)
        self.strip.show_moment(time_ps)
        player, axis = self.playback.player, self.canvas.x_axis
        wanted = player.follow(axis.lo, axis.hi) if player.playing else None
        if wanted is not None:
            self.canvas.show_x(*wanted)

    def _follow(self) -> None:
        """Select the step that runs on the selected core at the moment, or ran there last."""
        data, time_ps = self._data, self.playback.player.time_ps
        if data is None or time_ps < 0:
            return
        step = data.step_at(min(self.selection.core, data.trace.cores - 1), time_ps)
        if step >= 0:
            self._following = True
            self.selection.follow_op(data.trace.steps[step])
            self._following = False

    def _show_playing(self) -> None:
        self.play_button.setText("Pause" if self.playback.player.playing else "Play")
        self.play_button.setAccessibleName(f"{self.play_button.text()} the simulated run")

    # What the user does

    def set_table(self, shown: bool) -> None:
        """The table of steps instead of the pictures."""
        self.table_button.setChecked(shown)
        self._centre.setCurrentWidget(self.table if shown else self.pictures)
        self.copy.setVisible(shown)
        for control in (self.play_button, self.critical_button):
            control.setVisible(not shown)
        if shown:
            self.playback.pause()
        self._fit()
        self.mark()

    @property
    def table_shown(self) -> bool:
        """True while the table stands for the pictures."""
        return self._centre.currentWidget() is self.table

    def toggle_critical(self) -> None:
        """The critical path over the lanes, or not."""
        self.critical_button.toggle()

    def _clicked(self, item: object, _modifiers: object) -> None:
        data = self._data
        if data is None:
            return
        match item:
            case Spot("moment", _, time_ps):
                self.go_to(float(time_ps))
            case Spot("name", number, _):
                self._name_clicked(data, number)
            case Spot("box", number, place):
                self._box_clicked(data, number, place)
            case _:
                self.selection.select_op(None)

    def _name_clicked(self, data: TimelineData, number: int) -> None:
        track = data.tracks[number]
        if track.core >= 0:
            self.selection.select_core(track.core)
        if track.kind is TrackKind.STEPS:
            self.canvas.toggle_core(track.core)

    def _box_clicked(self, data: TimelineData, number: int, place: int) -> None:
        track = data.tracks[number]
        if track.kind is TrackKind.KERNELS:
            kernel = data.trace.kernels[place]
            self.canvas.show_span(float(kernel.start_ps), float(kernel.end_ps))
            return
        core = data.trace.critical[place].core if track.kind is TrackKind.CRITICAL else track.core
        if core >= 0:
            self.selection.select_core(core)
        self.selection.select_op(data.trace.steps[int(track.step[track.box(place)[0]])])

    def _activated(self, item: object) -> None:
        """Zoom to a box; the name of a core opens by the click already, but not by Enter."""
        if self._data is None or not isinstance(item, Spot):
            return
        track = self._data.tracks[item.track]
        if item.kind == "box":
            _, start, end = track.box(item.place)
            self.canvas.show_span(float(start), float(end))
        elif item.kind == "name" and track.kind is TrackKind.STEPS:
            self.canvas.toggle_core(track.core)

    def _walked_step(self, step: int) -> None:
        if self._data is not None:
            self.selection.select_op(self._data.trace.steps[step])

    def _walked_core(self, core: int) -> None:
        self.selection.select_core(core)
        self.canvas.reveal_core(core)

    def _menu(self, _item: object, at: QPoint) -> None:
        data = self._data
        if data is None:
            return
        menu = QMenu(self)
        menu.addAction("Open all cores", lambda: self.canvas.open_cores(frozenset(range(data.trace.cores))))
        menu.addAction("Close all cores", lambda: self.canvas.open_cores(frozenset()))
        menu.addAction("Show the selected step", self.canvas.focus)
        menu.addAction("Show the whole run", self.canvas.fit_all)
        menu.popup(at)

    def _acted(self) -> None:
        if self.session.simulating:
            self.session.drop_simulation()
        else:
            self.session.simulate()

    def _link(self, source: TimelineCanvas | TimelineStrip, target: TimelineCanvas | TimelineStrip) -> None:
        if not self._linking:
            self._linking = True
            target.show_x(source.x_axis.lo, source.x_axis.hi)
            self._linking = False

    def _strip_clicked(self, item: object, _modifiers: object) -> None:
        if isinstance(item, tuple):
            self.selection.select_core(item[0])
            self.go_to(float(item[1]))

    # Arrangement

    def _arrange(self) -> None:
        self.play_button.setToolTip("Play the run: what is in view in ten seconds; graph and scratchpad follow")
        self.critical_button.setText("Critical path")
        self.critical_button.setToolTip("Outline the chain of steps and waits that decides how long the run takes")
        self.critical_button.setCheckable(True)
        self.critical_button.setChecked(True)
        self.table_button.setText("Table")
        self.table_button.setCheckable(True)
        self.table_button.setToolTip("Show the steps as a table that can be sorted, filtered and copied")
        self.copy.setText("Copy as CSV")
        self.copy.setToolTip("Copy the rows as shown, for a spreadsheet")
        self.copy.hide()
        self.line.setFont(font("label"))
        self.line.setToolTip(_HINT)
        self.line.setTextFormat(Qt.TextFormat.RichText)
        self.line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._show_playing()
        stacked = QVBoxLayout(self.pictures)
        stacked.setContentsMargins(0, 0, 0, 0)
        stacked.setSpacing(0)
        stacked.addWidget(self.canvas, 1)
        stacked.addWidget(self.strip)
        self._centre = QStackedLayout()
        column = QVBoxLayout(self.content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._row(self.facts, self.copy, self.play_button, self.critical_button, self.table_button))
        column.addWidget(hairline())
        column.addLayout(self._centre, 1)
        for page in (self.pictures, self.table):  # now that they have a parent: else each is a window
            self._centre.addWidget(page)
        column.addWidget(hairline())
        self._foot = self._row(self.line)
        for legend in self.legends:  # they never make the view wider or, as lines that wrap would, higher
            legend.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            self._foot.addWidget(legend, 0, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        column.addLayout(self._foot)
        whole = QVBoxLayout(self.body)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.waiting, 1)
        whole.addWidget(self.content, 1)

    def _row(self, first: QWidget, *others: QWidget) -> QBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(px(PAD), px(GRID / 2), px(PAD), px(GRID / 2))
        row.setSpacing(px(GRID))
        row.addWidget(first, 1)
        for other in others:
            row.addWidget(other)
        return row

    def _connect(self) -> None:
        self.canvas.clicked.connect(self._clicked)
        self.canvas.activated.connect(self._activated)
        self.canvas.walked_step.connect(self._walked_step)
        self.canvas.walked_core.connect(self._walked_core)
        self.canvas.moment_chosen.connect(self.go_to)
        self.canvas.menu_requested.connect(self._menu)
        self.canvas.view_changed.connect(lambda: self._link(self.canvas, self.strip))
        self.strip.view_changed.connect(lambda: self._link(self.strip, self.canvas))
        self.strip.clicked.connect(self._strip_clicked)
        self.strip.walked_core.connect(self._walked_core)
        self.table.chosen.connect(self.selection.select_op)
        self.play_button.clicked.connect(self.toggle_play)
        self.critical_button.toggled.connect(self.canvas.show_critical)
        self.table_button.toggled.connect(self.set_table)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.table.table.as_csv()))
        self.waiting.acted.connect(self._acted)
        self.session.simulated.connect(self._show_run)
        self.playback.moved.connect(self._show_moment)
        self.playback.due.connect(self._follow)
        self.playback.changed.connect(self._show_playing)

    def hideEvent(self, event: QHideEvent) -> None:
        """What nobody sees is not played."""
        super().hideEvent(event)
        self.playback.pause()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Other room."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """The legend beside the words, under them, or in place of them; what there is no room for waits."""
        wide, low, direction = self.width() >= px(_WIDE), self.height() < px(_LOW), QBoxLayout.Direction
        room = self.height() >= px(_LEAST)
        self._foot.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        self._foot.setSpacing(px(2 * GRID if wide else GRID / 2))
        self.line.setWordWrap(not wide)
        explained = (wide or room) and not self.table_shown
        for legend in self.legends:
            legend.setVisible(explained)
        self.line.setVisible(not explained or wide or not low)
        self.strip.setVisible(room)
        self.strip.set_low(low)
