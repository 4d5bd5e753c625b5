"""The scratchpad view: what lies where in one core's LX, how full all cores are, and why the rest is elsewhere.

Owns: the two pictures side by side, their common steps, the line about the selected buffer, the table twin and the list
of what is elsewhere. Refuses: changing anything; clicks go to the selection, pins to the session.
"""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSplitter, QStackedLayout, QToolButton, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from compiler.plan import ReasonCode
from compiler.reasons import REASONS
from spyre_studio.legend import KINDS, Legend
from spyre_studio.occupancy import Occupancy, Outside, Resident, occupancy_of
from spyre_studio.pin_change import with_placement
from spyre_studio.pin_menu import add_buffer, add_unpin
from spyre_studio.qt_theme import font, px
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.theme import GRID, PAD
from spyre_studio.units import format_bytes, format_count, format_hex
from spyre_studio.view_state import READY, Badge, empty
from spyre_studio.views.buffer_table import BufferTable
from spyre_studio.views.graph_names import titles_of
from spyre_studio.views.lx_heat import LxHeat
from spyre_studio.views.lx_map import LxMap, Spot
from spyre_studio.views.overlay import Chooser
from spyre_studio.views.paged import PagedView
from spyre_studio.views.why_table import WhyTable
from spyre_studio.why_not import why_not_of
from spyre_studio.widgets import hairline, text_label

_RANGES = (("used", "in use"), ("whole", "up to the budget"))
_APART = (ReasonCode.DIVISION_MISMATCH, ReasonCode.PARTIAL_SUMS)
_SHOW_APART = "Who holds what, and what it costs"
_LEAST = 320  # px; the controls fit into that without the legend
_LEGEND = 640  # px; below this there is no room for the legend beside the controls
_NARROW = 560  # px; below this the pictures stand one over the other, or the second one waits


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
        self._linking = False
        self.map, self.heat, self.table, self.why = LxMap(), LxHeat(), BufferTable(), WhyTable()
        self.pictures = QSplitter(Qt.Orientation.Horizontal)
        self.line = text_label("")
        self.range = Chooser("Addresses", _RANGES)
        self.table_button, self.why_button, self.copy = QToolButton(), QToolButton(), QToolButton()
        self.legend = Legend(KINDS)
        self._arrange()
        self._connect()

    # What is shown

    def fill(self, compilation: Compilation) -> None:
        """Another plan; what is in view stays in view if it can."""
        first = self._data is None
        self._data = data = occupancy_of(compilation)
        self.map.show_data(data, titles_of(compilation))
        self.heat.show_data(data)
        self.table.show_data(data)
        self.why.show_found(why_not_of(compilation))
        if first:
            self.range.choose("whole" if self.map.starts_whole else "used")
        self.map.show_range(self.range.key == "whole")

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
        self.table.select(place.buffer)
        self.why.select(place.buffer)
        self.line.setText(_line(data, place.buffer or ""))

    def show_badges(self, badges: tuple[Badge, ...]) -> None:
        """Over the map; also that nothing lives in LX."""
        if self._data is not None and not self._data.residents:
            badges = (*badges, Badge("no buffer lives in LX under this plan", "warn", "The table says why."))
        self.map.show_state(READY.with_badges(*badges))

    def set_table(self, shown: bool) -> None:
        """The table of buffers instead of the pictures."""
        self._show_page(self.table if shown else self.pictures)

    def set_why(self, shown: bool) -> None:
        """The list of what is not in LX instead of the pictures."""
        self._show_page(self.why if shown else self.pictures)

    def _show_page(self, page: QWidget) -> None:
        self._centre.setCurrentWidget(page)
        for button, own in ((self.table_button, self.table), (self.why_button, self.why)):
            button.blockSignals(True)
            button.setChecked(page is own)
            button.blockSignals(False)
        self.range.setVisible(page is self.pictures)
        self.copy.setVisible(page is not self.pictures)
        self._fit()

    @property
    def table_shown(self) -> bool:
        """True while the table stands for the pictures."""
        return self._centre.currentWidget() is self.table

    # What the user does

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

    def _keep(self, buffers: object) -> None:
        """Pin buffers into LX, as one step of undo."""
        if isinstance(buffers, tuple):
            pins = self.session.pins
            for buffer in buffers:
                pins = with_placement(pins, buffer, "lx")
            self.session.set_pins(pins)

    def _map_menu(self, item: object, at: QPoint) -> None:
        if isinstance(item, Spot) and item.kind == "box" and self._data is not None:
            self._menu(self._data.residents[item.number].name, at)

    def _menu(self, buffer: str, at: QPoint) -> None:
        menu = QMenu(self)
        add_buffer(menu, buffer, self.session, named=True)
        add_unpin(menu, (buffer,), self.session)
        menu.popup(at)

    def _copy(self) -> None:
        table = self.why.table if self._centre.currentWidget() is self.why else self.table.table
        QGuiApplication.clipboard().setText(table.as_csv())

    def _linked(self, _link: str) -> None:
        if self.selection.buffer is not None:
            self.apart_asked.emit(self.selection.buffer)

    def _range_chosen(self, key: str) -> None:
        self.map.show_range(key == "whole")

    def _link(self, source: LxMap | LxHeat, target: LxMap | LxHeat) -> None:
        if not self._linking:
            self._linking = True
            target.show_x(source.x_axis.lo, source.x_axis.hi)
            self._linking = False

    # Arrangement

    def _arrange(self) -> None:
        self.setMinimumWidth(px(_LEAST))
        self.pictures.addWidget(self.map)
        self.pictures.addWidget(self.heat)
        self.pictures.setStretchFactor(0, 3)
        self.pictures.setStretchFactor(1, 2)
        self.pictures.setChildrenCollapsible(False)
        self.table_button.setText("Table")
        self.table_button.setCheckable(True)
        self.table_button.setToolTip("Show the buffers as a table that can be sorted and copied")
        self.why_button.setText("Not in LX")
        self.why_button.setCheckable(True)
        self.why_button.setToolTip("Show what is not in LX, why, and what it would save there")
        self.copy.setText("Copy as CSV")
        self.copy.setToolTip("Copy the rows as shown, for a spreadsheet")
        self.copy.hide()
        self.line.setFont(font("label"))
        self.line.setTextFormat(Qt.TextFormat.RichText)
        self._centre = QStackedLayout()
        self._centre.addWidget(self.pictures)
        self._centre.addWidget(self.table)
        self._centre.addWidget(self.why)
        controls = QHBoxLayout()
        controls.setContentsMargins(px(PAD), px(GRID / 2), px(GRID), px(GRID / 2))
        controls.setSpacing(px(GRID))
        controls.addWidget(self.legend)
        controls.addStretch(1)
        for control in (self.copy, self.range, self.why_button, self.table_button):
            controls.addWidget(control)
        words = QHBoxLayout()
        words.setContentsMargins(px(PAD), 0, px(PAD), px(GRID))
        words.addWidget(self.line)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._centre, 1)
        column.addWidget(hairline())
        column.addLayout(controls)
        column.addLayout(words)

    def _connect(self) -> None:
        self.map.clicked.connect(self._map_clicked)
        self.map.walked.connect(lambda spot: self._map_clicked(spot, None))
        self.map.activated.connect(self._map_activated)
        self.map.view_changed.connect(lambda: self._link(self.map, self.heat))
        self.heat.clicked.connect(self._heat_clicked)
        self.heat.walked.connect(self.selection.select_core)
        self.heat.view_changed.connect(lambda: self._link(self.heat, self.map))
        self.table.chosen.connect(self.selection.select_buffer)
        self.map.menu_requested.connect(self._map_menu)
        self.table.asked.connect(self._menu)
        self.why.chosen.connect(self.selection.select_buffer)
        self.why.pinned.connect(self._keep)
        self.why.asked.connect(self._menu)
        self.range.chosen.connect(self._range_chosen)
        self.table_button.toggled.connect(self.set_table)
        self.why_button.toggled.connect(self.set_why)
        self.copy.clicked.connect(self._copy)
        self.line.linkActivated.connect(self._linked)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Other room."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Side by side, or one over the other where that is narrow and tall; no legend where there is no room."""
        narrow, tall = self.width() < px(_NARROW), self.height() > px(_NARROW) * 0.8
        self.pictures.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)
        self.heat.setVisible(not narrow or tall)
        self.legend.setVisible(self.width() >= px(_LEGEND) and self._centre.currentWidget() is self.pictures)


def _line(data: Occupancy, buffer: str) -> str:
    """One or two sentences about the selected buffer, '' for none."""
    if buffer in data.resident_map:
        return _resident_line(data.residents[data.resident_map[buffer]])
    if buffer in data.outside_map:
        return _outside_line(data.outside[data.outside_map[buffer]])
    count = format_count(len(data.residents), "buffer")
    return f"{count} in LX, {format_count(len(data.outside))} in device memory. Select one to follow it."


def _resident_line(one: Resident) -> str:
    taken = f", in place of {escape(one.in_place_of)}" if one.in_place_of else ""
    size = f"{format_bytes(one.size)} on each of {format_count(one.cores, 'core')}"
    where = f"<b>{escape(one.name)}</b> stays in LX at {format_hex(one.address)}"
    return f"{where}: {size}, steps {one.first} to {one.last}{taken}."


def _outside_line(one: Outside) -> str:
    reason = REASONS[ReasonCode(one.code)] if one.code else None
    if reason is None:
        return f"<b>{escape(one.name)}</b> lies in device memory."
    figures = f" ({escape(one.detail)})" if one.detail else ""
    why = escape(reason.sentence.removesuffix("."))
    link = f' <a href="apart">{_SHOW_APART}</a>' if reason.code in _APART else ""
    return (
        f"<b>{escape(one.name)}</b> is in device memory: {escape(reason.title)}. {why}{figures}. "
        f"<b>To change:</b> {escape(reason.remedy)}{link}"
    )
