"""The scratchpad view: what lies where in one core's LX, how full all cores are, and why the rest is elsewhere.

Owns: the pictures with their common steps, following one buffer, carrying buffers in and out, and saying what became
of such pins. Refuses: deciding anything; clicks go to the selection, pins to the session.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from spyre_studio.background import Background
from spyre_studio.conflict_model import Remedy, conflicts_of
from spyre_studio.lx_room import StepRoom, fit_of
from spyre_studio.lx_trail import Station, part_words, trail_of
from spyre_studio.lx_want import bar_of, want_of
from spyre_studio.occupancy import Occupancy, occupancy_of
from spyre_studio.pin_change import with_placement
from spyre_studio.pin_menu import add_buffer, add_unpin
from spyre_studio.program_entry import add_show_in_program
from spyre_studio.qt_theme import px
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.units import format_count
from spyre_studio.view_state import READY, Badge, ViewState, empty, loading
from spyre_studio.views.conflict_deeds import do
from spyre_studio.views.gestures import Gesture
from spyre_studio.views.graph_names import titles_of
from spyre_studio.views.lx_carry import Carry, CarryGesture, CarrySource
from spyre_studio.views.lx_map import Spot
from spyre_studio.views.lx_menus import fill_plot_menu
from spyre_studio.views.lx_panels import LxPanels, Page
from spyre_studio.views.lx_rooms import LxRooms
from spyre_studio.views.lx_tray import MOST
from spyre_studio.views.lx_window import SharedSteps
from spyre_studio.views.lx_words import buffer_line
from spyre_studio.views.paged import PagedView
from spyre_studio.why_not import why_not_of

_LEAST = 320  # px; the controls fit into that without the legend
_FEW = 1500  # buffers; of more, what was not derived yet is derived on a thread of its own


class ScratchpadView(PagedView):
    """LX of one core, LX of all cores, and what is not in LX.  `apart_asked` carries a buffer of which one wants to see
    who holds and who needs which part."""

    apart_asked = Signal(str)

    key = "scratchpad"
    title = "Scratchpad"
    nothing = empty("No plan yet", "Open a model to see which buffers live in the scratchpad of each core, and when.")

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(session, selection, parent)
        self._data: Occupancy | None = None
        self._first = True
        self._preparing = False
        self._asked = ""  # the buffer that was pinned here last
        self.background, self.rooms = Background(self), LxRooms(self)
        self.panels = parts = LxPanels(self.body)
        self.map, self.heat, self.strip, self.tray = parts.map, parts.heat, parts.strip, parts.tray
        self.table, self.steps, self.cores, self.why = parts.table, parts.steps, parts.cores, parts.why
        self.conflict, self.trail, self.line = parts.conflict, parts.trail, parts.line
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(parts)
        self.setMinimumWidth(px(_LEAST))
        self.carry = Carry(self, self.map)
        self.shared = SharedSteps((self.map, self.heat, self.strip), selection, session.settings, self)
        self._connect()
        self._connect_hands()

    # What is shown

    def state_now(self) -> ViewState:
        """As any view; a large plan takes a moment to lay out."""
        state = super().state_now()
        if state.kind == "ready" and self._preparing and self._shown is not None:
            count = format_count(len(self._shown.plan.placement), "buffer")
            return loading(
                "Laying out the scratchpad",
                f"{count} over {format_count(len(self._shown.cost.steps), 'step')}",
                action="",
            )
        return state

    def fill(self, compilation: Compilation) -> None:
        """Another plan; what is in view stays in view if it can."""
        known = occupancy_of.known(compilation) and why_not_of.known(compilation)
        self.carry.cancel()
        self._preparing = not known and len(compilation.plan.placement) > _FEW
        if not self._preparing:
            self.background.cancel()
            self._show_plan(compilation)
            return
        self._data = None
        self.background.run(lambda: _derive(compilation), lambda _done: self._derived(compilation))

    def _derived(self, compilation: Compilation) -> None:
        if compilation is self._shown:
            self._preparing = False
            self._show_plan(compilation)
            self.mark()
            self._show_state()

    def _show_plan(self, compilation: Compilation) -> None:
        self._data = data = occupancy_of(compilation)
        with self.shared.changing(len(data.steps)):
            self.map.show_data(data, titles_of(compilation))
            self.heat.show_data(data)
            self.strip.show_data(data)
        self.rooms.show_data(data)
        self.table.show_data(data)
        self.cores.show_data(data)
        self.why.show_found(why_not_of(compilation))
        self._show_tray(compilation)
        if self._first:
            self._first = False
            self.panels.range.choose("whole" if self.map.starts_whole else "used")
        self.map.show_range(self.panels.range.key == "whole")
        self.conflict.show_conflicts(conflicts_of(compilation), self._asked)

    def _show_tray(self, compilation: Compilation) -> None:
        found, pipeline = why_not_of(compilation), self.session.options.pipeline
        bars = ((one.buffer, bar_of(compilation, one.buffer, pipeline)) for one in found[:MOST])
        rate = compilation.problem.device.number("hbm_one_way_bytes_per_ns") * 1000
        self.tray.show_found(found, titles_of(compilation), {name: bar for name, bar in bars if bar}, rate)

    def mark(self) -> None:
        """The selected buffer, step and core."""
        data, place = self._data, self.selection.place
        if data is None:
            return
        core = min(place.core, data.cores - 1)
        step = -1 if place.step is None else place.step
        self.map.show_core(core)
        self.map.show_marks(data.resident_map.get(place.buffer or "", -1), step)
        self.heat.show_marks(core, step)
        self.strip.show_step(step)
        self.rooms.ask(core, lambda room: self._show_room(core, room))
        self.table.select(place.buffer)
        self.steps.select(place.step)
        self.cores.select(core)
        self.why.select(place.buffer)
        self.tray.select(place.buffer)
        self._mark_followed(data, core)

    def _show_room(self, core: int, room: StepRoom) -> None:
        data = self._data
        if data is not None:
            self.map.show_room(room)
            self.strip.show_room(room, core)
            self.steps.show_room(data, room)

    def _mark_followed(self, data: Occupancy, core: int) -> None:
        """All forms of the selected buffer while it is followed, and the line about it."""
        buffer, shown = self.selection.buffer or "", self._shown
        followed = self.following and bool(buffer) and shown is not None
        self.panels.show_following(followed)
        words = buffer_line(data, buffer)
        if followed and shown is not None:
            trail = trail_of(shown, data, buffer)
            rows = [data.resident_map[form] for form in trail.forms if form in data.resident_map]
            self.map.show_followed(rows or (-1,))
            self.heat.show_followed(rows)
            self.table.show_family(trail.forms)
            self.trail.show_trail(trail)
            self.trail.show_step(self.selection.step)
            self.heat.describe = partial(part_words, shown, buffer)
            part = part_words(shown, buffer, core)
            words = f"{words} {part[:1].upper()}{part[1:]}." if part else words
        else:
            self.map.show_followed(())
            self.heat.show_followed(())
            self.heat.describe = None
            self.table.show_family(())
        self.panels.say(words)

    def show_badges(self, badges: tuple[Badge, ...]) -> None:
        """Over the map; also that nothing lives in LX."""
        if self._data is not None and not self._data.residents:
            badges = (*badges, Badge("no buffer lives in LX under this plan", "warn", "The table says why."))
        self.map.show_state(READY.with_badges(*badges))

    def noted(self, what: str) -> None:
        """Another pipeline may make clones, or none."""
        if what == "options" and self._data is not None and self._shown is not None:
            self._show_tray(self._shown)
            self.tray.select(self.selection.buffer)

    def showEvent(self, event: QShowEvent) -> None:
        """Other views may have moved the steps in view."""
        super().showEvent(event)
        self.shared.look()

    # Pages

    def set_table(self, shown: bool) -> None:
        """The table of buffers, steps or cores, whichever was chosen last, instead of the pictures."""
        if shown:
            self.panels.show_twin()
        else:
            self.panels.show_page("pictures")

    def set_why(self, shown: bool) -> None:
        """The list of what is not in LX instead of the pictures."""
        self.panels.show_page("why" if shown else "pictures")

    def set_following(self, follow: bool) -> None:
        """Follow the selected buffer, whichever that is, or none."""
        self.panels.follow.setChecked(follow)

    @property
    def following(self) -> bool:
        """True while the selected buffer is followed."""
        return self.panels.follow.isChecked()

    @property
    def table_shown(self) -> bool:
        """True while a table stands for the pictures."""
        return self.panels.table_button.isChecked()

    # What the user does

    def keep(self, buffer: str, where: str) -> None:
        """Pin a buffer to `lx` or `hbm`, and explain it if that does not come out."""
        self._asked = buffer
        self.selection.select_buffer(buffer)
        self.session.pin_placement(buffer, where)

    def _map_clicked(self, item: object, _modifiers: object) -> None:
        match item:
            case Spot("box", row) if self._data is not None:
                self.selection.select_buffer(self._data.residents[row].name)
            case Spot("step", number):
                self.selection.select_step(number)
            case _:
                self.selection.select_buffer(None)

    def _map_activated(self, item: object) -> None:
        if isinstance(item, Spot) and item.kind == "box" and self._data is not None:
            self.selection.select_op(self._data.residents[item.number].producer)

    def _heat_clicked(self, item: object, _modifiers: object) -> None:
        if isinstance(item, tuple):
            self.selection.select_core(item[0])

    def _step_clicked(self, item: object, _modifiers: object) -> None:
        if isinstance(item, int):
            self.selection.select_step(item)

    def _send_out(self, row: int) -> None:
        if self._data is not None:
            self.keep(self._data.residents[row].name, "hbm")

    def _keep_all(self, buffers: object) -> None:
        """Pin buffers into LX, as one step of undo."""
        if isinstance(buffers, tuple) and buffers:
            pins = self.session.pins
            for buffer in buffers:
                pins = with_placement(pins, buffer, "lx")
            self._asked = buffers[0]
            self.session.set_pins(pins)

    def _map_menu(self, item: object, at: QPoint) -> None:
        if isinstance(item, Spot) and item.kind == "box" and self._data is not None:
            self._menu(self._data.residents[item.number].name, at)
        else:
            self._plot_menu("table", item, at)

    def _plot_menu(self, twin: Page, item: object, at: QPoint) -> None:
        if self._data is not None:
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            fill_plot_menu(menu, item, self.selection, self.panels, twin)
            menu.popup(at)

    def _menu(self, buffer: str, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        add_buffer(menu, buffer, self.session, named=True)
        add_unpin(menu, (buffer,), self.session)
        menu.addSeparator()
        menu.addAction(f"Follow {buffer}", lambda: self._follow(buffer))
        add_show_in_program(menu, self.window(), buffer=buffer)
        menu.popup(at)

    def _follow(self, buffer: str) -> None:
        self.selection.select_buffer(buffer)
        self.set_following(True)

    def _go_to(self, station: object) -> None:
        if isinstance(station, Station):
            self.selection.select(op=station.op or None, buffer=station.buffer)
            if station.step >= 0:
                self.shared.bring(station.step)

    def _remedy(self, remedy: object) -> None:
        """Do what somebody chose against a conflict."""
        if not isinstance(remedy, Remedy):
            return
        do(remedy, self.session, self.selection)
        if remedy.deed == "step":
            self.shared.bring(int(remedy.target))
        if remedy.deed == "apart":
            self.apart_asked.emit(remedy.target)

    def _copy(self) -> None:
        tables = {"why": self.why.table, "steps": self.steps.table, "cores": self.cores.table}
        QGuiApplication.clipboard().setText(tables.get(self.panels.page, self.table.table).as_csv())

    def _linked(self, _link: str) -> None:
        if self.selection.buffer is not None:
            self.apart_asked.emit(self.selection.buffer)

    # Carrying

    def lift(self, buffer: str, at: QPointF, out: bool = False) -> bool:
        """Take a buffer up at a place on screen: into LX, or `out` of it."""
        data, shown = self._data, self._shown
        if data is None or shown is None or buffer not in shown.plan.placement:
            return False
        want = want_of(shown, buffer, self.session.options.pipeline)
        sized = want.size > 0 and not out and not want.barred
        fit = fit_of(data, buffer, want.size, (want.first, want.last), want.cores) if sized else None
        self.panels.carrying(not out)
        self.carry.begin(want, fit, out, at)
        return True

    def _lift_box(self, row: int, start: QPointF) -> Gesture | None:
        """A box of the map; a copy that the plan makes by itself stays where it is, and the picture is moved."""
        data, shown = self._data, self._shown
        if data is None or shown is None:
            return None
        name = data.residents[row].name
        if bar_of(shown, name, self.session.options.pipeline):
            return None
        self.lift(name, self.map.mapToGlobal(start), out=True)
        return CarryGesture(self.map, self.carry)

    def _carrying(self, carrying: bool) -> None:
        self.tray.show_target(carrying and self.carry.out)
        if not carrying:
            self.panels.carrying(False)

    # Connections

    def _connect(self) -> None:
        self.map.clicked.connect(self._map_clicked)
        self.map.walked.connect(lambda spot: self._map_clicked(spot, None))
        self.map.activated.connect(self._map_activated)
        self.map.menu_requested.connect(self._map_menu)
        self.heat.menu_requested.connect(partial(self._plot_menu, "cores"))
        self.strip.menu_requested.connect(partial(self._plot_menu, "steps"))
        self.heat.clicked.connect(self._heat_clicked)
        self.heat.walked.connect(self.selection.select_core)
        self.heat.hovered.connect(lambda item: self.selection.hover_core(item[0] if isinstance(item, tuple) else None))
        self.strip.clicked.connect(self._step_clicked)
        self.strip.walked.connect(self.selection.select_step)
        self.selection.hovered.connect(lambda: self.heat.show_pointed(self.selection.hovered_core))
        for table in (self.table, self.why, self.tray):
            table.chosen.connect(self.selection.select_buffer)
            table.asked.connect(self._menu)
        self.steps.chosen.connect(self.selection.select_step)
        self.cores.chosen.connect(self.selection.select_core)
        self.trail.chosen.connect(self._go_to)
        self.conflict.chosen.connect(self._remedy)
        self.line.linkActivated.connect(self._linked)

    def _connect_hands(self) -> None:
        parts = self.panels
        self.why.pinned.connect(self._keep_all)
        self.tray.kept.connect(lambda buffer: self.keep(buffer, "lx"))
        self.tray.more.connect(lambda: self.set_why(True))
        self.map.sent_out.connect(self._send_out)
        self.map.lift = self._lift_box
        self.carry.dropped.connect(self.keep)
        self.carry.changed.connect(self._carrying)
        viewport = self.why.table.viewport()
        CarrySource(viewport, self.why.table, self.carry, self.why.buffer_at, self.lift)
        CarrySource(self.tray, self.tray, self.carry, self.tray.buffer_at, self.lift)
        parts.range.chosen.connect(lambda key: self.map.show_range(key == "whole"))
        parts.table_button.toggled.connect(self.set_table)
        parts.twin.chosen.connect(parts.show_twin)
        parts.why_button.toggled.connect(self.set_why)
        parts.follow.toggled.connect(lambda _on: self.mark())
        parts.copy.clicked.connect(self._copy)


def _derive(compilation: Compilation) -> None:
    """What the view begins with, kept for when it asks."""
    occupancy_of(compilation)
    why_not_of(compilation)
    titles_of(compilation)
