"""The sweep view: one knob turned through its values, plan by plan, as a picture and as a table.

Owns: the choice of the knob, which value is current, and what is said about it.  Refuses: making plans and putting one
on screen; the session does both.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QStackedLayout, QToolButton, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from spyre_studio.derived import ops_of
from spyre_studio.elided import ElidedLabel
from spyre_studio.legend import Entry, WrappedLegend
from spyre_studio.phases import phase_words
from spyre_studio.qt_theme import font, px
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.sweep import Base, Fault, Sweep
from spyre_studio.sweep_knobs import CORES, KNOBS, OP, fits
from spyre_studio.sweep_words import TERMS, figures_words
from spyre_studio.theme import GRID, PAD
from spyre_studio.view_state import READY, Badge, empty, loading
from spyre_studio.views.overlay import Chooser
from spyre_studio.views.paged import PagedView
from spyre_studio.views.sweep_plot import SweepPlot
from spyre_studio.views.sweep_table import SweepTable
from spyre_studio.widgets import button, hairline

_LEGEND: Final = (
    Entry("compute", "matmul", hint=TERMS["compute"]),
    Entry("device memory", "reduction", hint=TERMS["device memory"]),
    Entry("beside", "mute", hint=TERMS["beside"]),
    Entry("traffic", "hbm", hint="Bytes from and to device memory, beside the most of all values"),
    Entry("LX peak", "lx", hint="Bytes of LX in use at once on a core, as a share of what the plan may use"),
)
_HOW: Final = "Dots are predicted times, dashes bounds. Arrows choose a value, Enter puts its plan on screen."
NOTHING: Final = empty(
    "Nothing was swept yet",
    "A sweep makes the plan once for every value of one knob, all else the same, and shows what each costs.",
)
OLD: Final = Badge(
    "something changed since this sweep", "warn", "Pins, device or pipeline are others now. Sweep again to see."
)
_NO_OP: Final = "Select an op first: its splits are what is turned"


class SweepView(PagedView):
    """The sweep that runs, or ran last.  `asked` carries the key of the action that brings it to the front."""

    asked = Signal(str)
    key = "sweep"
    title = "Sweep"
    nothing = empty("No plan yet", "Open a model to see what cores, LX, pipelines or splits do to its time.")

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(session, selection, parent)
        self._drawn: tuple[Sweep | None, str] = (None, "")
        self._current = ""
        self.knob = Chooser("Knob", tuple((one.key, one.title) for one in KNOBS))
        self.subject, self.line = ElidedLabel(), ElidedLabel()
        self.run = button("Sweep", "primary", "Make the plan for every value of the knob (Ctrl+Alt+S picks one)")
        self.cancel = button("Cancel", "secondary", "End it; what was found stays")
        self.show_plan = button("Show this plan", "secondary", "Put it on screen as one step of undo (Enter)")
        self.keep = button("Keep as variant", "quiet", "Give the plan a name, without putting it on screen")
        self.plot, self.table = SweepPlot(), SweepTable()
        self.filter, self.copy, self.table_button = QLineEdit(), button("Copy CSV", "quiet"), QToolButton()
        self.legend, self.tools = WrappedLegend(), QWidget()
        self._arrange()
        self._connect()

    @property
    def current(self) -> str:
        """The setting that is meant, '' for none."""
        return self._current

    # What is shown

    def fill(self, _compilation: Compilation) -> None:
        """Another plan is on screen: another value is the present one."""
        self._refresh()

    def mark(self) -> None:
        """The op whose splits would be swept."""
        self._show_subject()

    def noted(self, _what: str) -> None:
        """Pins or options changed: a sweep may be of old ones."""
        self._refresh()

    def recolour(self) -> None:
        """Rows hold colours."""
        self._drawn = (None, "")
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """What happened meanwhile."""
        super().showEvent(event)
        self._refresh()

    def show_badges(self, badges: tuple[Badge, ...]) -> None:
        """Over the picture."""
        sweep = self.session.sweep
        if sweep is None:
            self.plot.show_state(NOTHING)
        elif not sweep.settings:
            self.plot.show_state(loading("Listing the splits of the op", action=""))
        else:
            old = (OLD,) if self.session.sweep_is_old else ()
            self.plot.show_state(READY.with_badges(*old))

    def choose(self, key: str) -> None:
        """Make a setting the current one."""
        self._current = key
        self._refresh()

    def start(self, knob: str = "") -> None:
        """Sweep a knob such as `cores` or `op:NAME`; '' for the one that is chosen here."""
        wanted = knob or self._chosen_knob()
        if wanted:
            self._current = ""
            self.session.start_sweep(wanted)

    def _begun(self, knob: str) -> None:
        """Whoever asked for a sweep wants to see it."""
        self.knob.choose(knob.partition(":")[0])
        if not self.isVisible():
            self.asked.emit("view-sweep")

    def set_table(self, shown: bool) -> None:
        """The table instead of the picture."""
        self.table_button.setChecked(shown)
        self._centre.setCurrentWidget(self.table if shown else self.plot)
        self.tools.setVisible(shown)
        self.legend.setVisible(not shown)

    def _refresh(self) -> None:
        if not self.isVisible():
            return
        sweep, shown = self.session.sweep, self.session.shown_setting
        keys = tuple(one.key for one in sweep.settings) if sweep else ()
        if self._current not in keys:
            self._current = shown
        self.plot.show_sweep(sweep, shown, self._current)
        if sweep is not None and self._moved(sweep, shown):
            self.table.show_sweep(sweep, shown)
        self.table.select([self._current] if self._current else [])
        self._drawn = (sweep, shown)
        self._say(sweep, shown)
        self._enable(sweep, shown)
        self._show_subject()
        self.show_badges(())

    def _moved(self, sweep: Sweep, shown: str) -> bool:
        """True if the table would say other things; how far the running one is, it does not say."""
        before, was_shown = self._drawn
        if before is None or shown != was_shown:
            return True
        return (before.settings, before.outcomes, before.running) != (sweep.settings, sweep.outcomes, sweep.running)

    def _say(self, sweep: Sweep | None, shown: str) -> None:
        one = sweep.setting(self._current) if sweep else None
        trying = sweep.setting(sweep.running) if sweep else None
        fetched = sweep.setting(self.session.fetching) if sweep else None
        if fetched is not None:
            self.line.say(f"Bringing the plan of {self.session.setting_words(fetched)}…")
        elif sweep is not None and trying is not None:
            share = "" if sweep.share is None else f" {sweep.share:.0%}"
            step = f"{phase_words(sweep.phase)}{share}"
            place = f"{len(sweep.outcomes) + 1} of {len(sweep.settings)}"
            self.line.say(f"{place}: {self.session.setting_words(trying)} · {step}")
        elif sweep is not None and one is not None:
            words = " · ".join(figures_words(sweep, one.key, shown))
            self.line.say(f"{self.session.setting_words(one)}: {words}")
        else:
            self.line.say(_HOW if sweep is not None else "")

    def _enable(self, sweep: Sweep | None, shown: str) -> None:
        running = self.session.sweeping
        self.run.setVisible(not running)
        self.cancel.setVisible(running)
        self.run.setText("Sweep again" if sweep is not None and sweep.knob == self._chosen_knob() else "Sweep")
        found = sweep is not None and sweep.figures(self._current) is not None
        for widget in (self.show_plan, self.keep, self.table_button, self._foot):
            widget.setVisible(sweep is not None)  # before the first sweep there is nothing that they could be about
        self.show_plan.setEnabled(found and self._current != shown)
        self.keep.setEnabled(found)

    def _show_subject(self) -> None:
        """The op of the knob, and whether there is anything to turn."""
        base = Base(self.session.device, self.session.options, self.session.pins, self.session.device)
        op = self.selection.op or ""
        splits = self.knob.key == OP
        self.subject.setVisible(splits)
        self.subject.say(f"of {op}" if op else _NO_OP)
        possible = bool(self._chosen_knob()) and fits(base, self.knob.key)
        self.run.setEnabled(possible)

    def _chosen_knob(self) -> str:
        """The knob that is chosen, with the selected op where it is about one; '' without an op of the model."""
        if self.knob.key != OP:
            return self.knob.key
        compilation, op = self.session.compilation, self.selection.op
        known = compilation is not None and op in ops_of(compilation)
        return f"{OP}:{op}" if known else ""

    # What the user does

    def _clicked(self, item: object, _modifiers: object = None) -> None:
        if isinstance(item, str):
            self.choose(item)

    def _picked(self, keys: tuple[Hashable, ...]) -> None:
        if keys:
            self.choose(str(keys[0]))

    def _commit(self, item: object) -> None:
        sweep = self.session.sweep
        if isinstance(item, str) and sweep is not None and not isinstance(sweep.outcomes.get(item), Fault | None):
            self.choose(item)
            self.session.show_setting(item)

    def _menu(self, item: object, at: QPoint) -> None:
        if isinstance(item, str):
            self.choose(item)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for one in (self.show_plan, self.keep):
            menu.addAction(one.text(), one.click).setEnabled(one.isEnabled())
        menu.addSeparator()
        menu.addAction("Copy as CSV", self._copy).setEnabled(self.session.sweep is not None)
        menu.popup(at)

    def _copy(self) -> None:
        if self.session.sweep is not None:
            self.table.show_sweep_now(self.session.sweep, self.session.shown_setting)
            QGuiApplication.clipboard().setText(self.table.as_csv())

    # Arrangement

    def _arrange(self) -> None:
        self.knob.setToolTip("\n".join(f"{one.title}: {one.hint}" for one in KNOBS))
        self.subject.setFont(font("label"))
        self.subject.setProperty("tone", "mute")
        self.filter.setPlaceholderText("Filter")
        self.filter.setAccessibleName("Filter the values")
        self.filter.setClearButtonEnabled(True)
        self.filter.setFixedWidth(px(24 * GRID))
        self.copy.setToolTip("All rows as shown, as comma-separated values")
        self.table_button.setText("Table")
        self.table_button.setCheckable(True)
        self.table_button.setToolTip("Show the values as a table that can be sorted, filtered and copied")
        self.line.setFont(font("label"))
        self.legend.set_entries(_LEGEND)
        head = QHBoxLayout()
        head.setContentsMargins(px(PAD), px(GRID / 2), px(GRID), px(GRID / 2))
        head.setSpacing(px(GRID))
        head.addWidget(self.knob)
        head.addWidget(self.run)
        head.addWidget(self.cancel)
        head.addWidget(self.subject, 1)
        head.addStretch(0)
        tools: tuple[QWidget, ...] = (self.show_plan, self.keep, self.table_button)
        for widget in tools:
            head.addWidget(widget)
        row = QHBoxLayout(self.tools)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(px(GRID))
        row.addWidget(self.filter)
        row.addWidget(self.copy)
        row.addStretch(1)
        self._centre = QStackedLayout()
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(hairline())
        column.addLayout(self._centre, 1)
        for page in (self.plot, self.table):  # now that they have a parent: else each is a window
            self._centre.addWidget(page)
        column.addWidget(hairline())
        column.addWidget(self._arranged_foot())
        self.set_table(False)
        self.knob.choose(CORES)

    def _arranged_foot(self) -> QWidget:
        """Legend or tools of the table, and the line about the current setting."""
        self._foot = QWidget()
        foot = QVBoxLayout(self._foot)
        foot.setContentsMargins(px(PAD), px(GRID / 2), px(PAD), px(GRID))
        foot.setSpacing(px(GRID / 2))
        foot.addWidget(self.legend)
        foot.addWidget(self.tools)
        foot.addWidget(self.line)
        return self._foot

    def _connect(self) -> None:
        self.session.swept.connect(self._refresh)
        self.session.sweep_begun.connect(self._begun)
        self.knob.chosen.connect(lambda _key: self._refresh())
        self.run.clicked.connect(lambda _checked=False: self.start(""))
        self.cancel.clicked.connect(self.session.end_sweep)
        self.show_plan.clicked.connect(lambda: self._commit(self._current))
        self.keep.clicked.connect(lambda: self.session.keep_setting(self._current))
        self.plot.clicked.connect(self._clicked)
        self.plot.walked.connect(self._clicked)
        self.plot.activated.connect(self._commit)
        self.plot.menu_requested.connect(self._menu)
        self.table.chosen.connect(self._picked)
        self.table.committed.connect(self._commit)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(
            lambda at: self._menu(None, self.table.viewport().mapToGlobal(at))
        )
        self.filter.textChanged.connect(self.table.filter)
        self.copy.clicked.connect(self._copy)
        self.table_button.toggled.connect(self.set_table)
