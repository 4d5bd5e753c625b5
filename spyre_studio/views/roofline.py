"""The roofline view: what bounds every step, compute or memory, and how close it comes to that.

Owns: picture, table twin, the line about the selected step, and what is said where there is nothing to draw.  Refuses:
changing anything; clicks go to the selection.
"""

from __future__ import annotations

from html import escape
from math import ceil, floor

from frozendict import frozendict
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QToolButton, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from spyre_studio.legend import KINDS, Legend
from spyre_studio.qt_theme import font, px
from spyre_studio.roofline_model import Roofline, left_out, roofline_of
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.shared_axis import LINKED
from spyre_studio.short_names import short_names
from spyre_studio.step_times import step_numbers
from spyre_studio.theme import GRID, PAD
from spyre_studio.view_state import READY, Badge, empty
from spyre_studio.views.paged import PagedView
from spyre_studio.views.roofline_plot import RooflinePlot
from spyre_studio.views.roofline_table import RooflineTable
from spyre_studio.widgets import hairline, text_label

NOTHING = empty(
    "Nothing computes for itself here",
    "No step of this plan has arithmetic and a time of its own; the table says more.",
)


class RooflineView(PagedView):
    """All steps against the roofs of the device."""

    key = "roofline"
    title = "Roofline"
    nothing = empty("No plan yet", "Open a model to see which steps are bound by memory and which by compute.")

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(session, selection, parent)
        self._data: Roofline | None = None
        self._numbers: frozendict[str, int] = frozendict()
        self.plot, self.table = RooflinePlot(), RooflineTable()
        self.line = text_label("")
        self.table_button = QToolButton()
        self.legend = Legend(KINDS[:3])
        self._arrange()
        self._connect()

    # What is shown

    def fill(self, compilation: Compilation) -> None:
        """Another plan."""
        self._data = data = roofline_of(compilation)
        self._numbers = step_numbers(compilation)
        names = short_names(compilation)
        titles = frozendict((place, names.step(name)) for place, name in enumerate(data.names))
        self.plot.show_data(data, titles)
        self.table.show_data(data)
        self._show_window()

    def mark(self) -> None:
        """The selected step."""
        data, op = self._data, self.selection.op
        if data is None:
            return
        place = data.places.get(op or "", -1)
        self.plot.show_step(place)
        self.table.select(op)
        if place < 0:
            self.line.setText(
                "Click a mark to follow its step. Under the slope memory is the bound, under the roof compute."
            )
        else:
            self.line.setText(f"<b>{escape(data.names[place])}</b>: {escape(data.words(place))}")

    def show_badges(self, badges: tuple[Badge, ...]) -> None:
        """Over the picture; also which steps are not in it."""
        data = self._data
        if data is None:
            return
        missing = len(data.names) - len(data.drawn)
        if missing:
            shown = Badge(f"showing {len(data.drawn):,} of {len(data.names):,} steps", "mute", left_out(data))
            badges = (*badges, shown)
        window = self._window
        if window is not None:
            near = f"steps {floor(window[0]):,}–{ceil(window[1]) - 1:,} in view elsewhere"
            badges = (*badges, Badge(near, "accent", "The others are faint; View > Link time and steps ends that"))
        self.plot.show_state(READY.with_badges(*badges) if len(data.drawn) else NOTHING)
        self.plot.setToolTip("")

    @property
    def _window(self) -> tuple[float, float] | None:
        """The steps that other pictures have in view, None for all."""
        return self.selection.window if self.session.settings.on(LINKED) else None

    def _show_window(self) -> None:
        data, window = self._data, self._window
        if data is None:
            return
        near = None
        if window is not None:
            numbers = ((place, self._numbers.get(name, -1)) for place, name in enumerate(data.names))
            near = frozenset(place for place, number in numbers if number + 1 > window[0] and number < window[1])
        self.plot.show_near(near)
        self._show_state()

    def set_table(self, shown: bool) -> None:
        """The table of steps instead of the picture."""
        self.table_button.setChecked(shown)
        self._centre.setCurrentWidget(self.table if shown else self.plot)
        self.legend.setVisible(not shown)

    @property
    def table_shown(self) -> bool:
        """True while the table stands for the picture."""
        return self._centre.currentWidget() is self.table

    # What the user does

    def _clicked(self, item: object, _modifiers: object) -> None:
        if self._data is not None and isinstance(item, int):
            self.selection.select_op(self._data.names[item])
        else:
            self.selection.select_op(None)

    def _walked(self, step: int) -> None:
        if self._data is not None:
            self.selection.select_op(self._data.names[step])

    # Arrangement

    def _arrange(self) -> None:
        self.table_button.setText("Table")
        self.table_button.setCheckable(True)
        self.table_button.setToolTip("Show the steps as a table that can be sorted and copied")
        self.line.setFont(font("label"))
        self.line.setTextFormat(Qt.TextFormat.RichText)
        self._centre = QStackedLayout()
        controls = QHBoxLayout()
        controls.setContentsMargins(px(PAD), px(GRID / 2), px(GRID), px(GRID / 2))
        controls.setSpacing(px(GRID))
        controls.addWidget(self.legend)
        controls.addStretch(1)
        controls.addWidget(self.table_button)
        words = QHBoxLayout()
        words.setContentsMargins(px(PAD), 0, px(PAD), px(GRID))
        words.addWidget(self.line)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._centre, 1)
        for page in (self.plot, self.table):  # now that they have a parent: else each is a window
            self._centre.addWidget(page)
        column.addWidget(hairline())
        column.addLayout(controls)
        column.addLayout(words)

    def _connect(self) -> None:
        self.plot.clicked.connect(self._clicked)
        self.plot.walked.connect(self._walked)
        self.table.chosen.connect(self.selection.select_op)
        self.table_button.toggled.connect(self.set_table)
        self.selection.moved.connect(self._show_window)
        self.session.settings.changed.connect(lambda key: self._show_window() if key == LINKED else None)
