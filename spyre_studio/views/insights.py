"""Insights: what costs most in the plan on screen, as a ranked table, and the one that is chosen in full beside it.

Owns: table, detail, and asking for savings. Refuses: finding anything and changing anything; session and selection do
what is wanted, `shown` says which view to bring to the front.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QSplitter, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from spyre_studio.background import Background
from spyre_studio.elided import ElidedLabel
from spyre_studio.insight import Insight, Remedy
from spyre_studio.insight_weighed import NOT_WEIGHED, Weighed
from spyre_studio.insight_words import NOTHING, moved_text, saved_us, short_headline
from spyre_studio.insights import KINDS, insights
from spyre_studio.qt_theme import active_theme, font, px
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.state_page import StatePage
from spyre_studio.step_opinion import StepOpinion
from spyre_studio.table import Cell, Column, CopyableTable, Row, TableModel
from spyre_studio.theme import GRID, PAD
from spyre_studio.units import format_number, format_us_below
from spyre_studio.view_state import READY, Badge, empty, loading
from spyre_studio.views.compare import delta_colour
from spyre_studio.views.insight_detail import InsightDetail
from spyre_studio.views.insight_names import named, shown_name
from spyre_studio.views.paged import PagedView
from spyre_studio.widgets import button, hairline

QUIET = empty("Nothing stands out", NOTHING)
LOOKING = loading("Looking for what costs most", action="")
_AT_ONCE: Final = 400  # steps; about 40 ms of looking
_ALONE: Final = 200  # steps; savings of smaller plans are worked out as soon as somebody looks
_TABLE: Final = 0.58  # of the width, at first
_NARROW: Final = 620  # px; below this the detail stands under the table


class InsightsView(PagedView):
    """`shown` carries the key of a view."""

    key = "insights"
    title = "Insights"
    nothing = empty("No plan yet", "Open a model to see what costs most in its plan, and what would help.")
    shown = Signal(str)

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(session, selection, parent)
        self._found: tuple[Insight, ...] = ()
        self._made_of: tuple[Compilation, int, Weighed] | None = None
        self._chosen, self._shared_out = "", False
        self.background = Background(self, patient=True)
        self.words, self.badge = ElidedLabel(), QLabel()
        self.weigh = button("Work out savings", "secondary", "Make the plan again with each remedy, aside")
        self.stop = button("Cancel", "quiet", "Stop working out savings")
        self.copy = button("Copy as CSV", "quiet", "Copy the rows as shown, for a spreadsheet")
        self.filter = QLineEdit()
        self._model = TableModel(self._columns())
        self.table, self.detail = CopyableTable(self._model, "Insights"), InsightDetail()
        self.halves, self.inside = QSplitter(), StatePage(READY)
        self._arrange()
        self._connect()

    @property
    def found(self) -> tuple[Insight, ...]:
        """What is listed."""
        return self._found

    # What is shown

    def fill(self, compilation: Compilation) -> None:
        """Look through another plan; savings of a small one are worked out at once."""
        self._chosen = ""
        self._look()
        if len(compilation.plan.divisions) <= _ALONE and "co-optimize" not in compilation.plan.pipeline:
            self.session.weigh()

    def mark(self) -> None:
        """The selection does not choose an insight: it is chosen here."""

    def noted(self, what: str) -> None:
        """Pins may have made the plan stale: then nothing can be done from it."""
        if what in {"pins", "state", "options"}:
            self._show_detail()

    def show_badges(self, badges: tuple[Badge, ...]) -> None:
        """Beside the headline."""
        self.badge.setText(", ".join(badge.text for badge in badges))
        self.badge.setVisible(bool(badges))

    def recolour(self) -> None:
        """Links and savings hold colours.  Qt dresses its widgets just now: they are replaced when it is through."""
        QTimer.singleShot(0, self, self._show_rows)

    def _opinions(self) -> tuple[StepOpinion, ...]:
        data = self.session.timeline
        return data.opinions if data is not None else ()

    def _look(self) -> None:
        compilation = self.compilation
        if compilation is None:
            return
        opinions, weighed = self._opinions(), self.session.weighed
        self._made_of = (compilation, len(opinions), weighed)
        if len(compilation.plan.divisions) <= _AT_ONCE:
            self._looked(insights(compilation, opinions, weighed))
            return
        self.inside.show_state(LOOKING if not self._found else READY)
        self.halves.setVisible(bool(self._found))
        self._say()
        self.background.run(lambda: insights(compilation, opinions, weighed), self._looked)

    def _looked(self, found: tuple[Insight, ...]) -> None:
        self._found = tuple(map(self.session.with_known, found))
        self._show_rows()

    def _show_rows(self) -> None:
        names = named(self._found, self.compilation) if self.compilation is not None else ()
        rows = zip(self._found, names, strict=True) if names else ()
        self._model.set_rows([Row(one.key, _cells(one, name), one.sentence) for one, name in rows])
        self.inside.show_state(QUIET if not self._found else READY)
        self.halves.setVisible(bool(self._found))
        keys = [one.key for one in self._found]
        if self._chosen not in keys:
            self._chosen = keys[0] if keys else ""
        self.table.select([self._chosen] if self._chosen else [])
        self._show_detail()
        self._say()

    def _show_detail(self) -> None:
        one = next((one for one in self._found if one.key == self._chosen), None)
        total = self.compilation.cost.total_us if self.compilation is not None else 0.0
        self.detail.show_insight(one, total, awake=not self.session.stale and not self.session.opening)

    def _say(self) -> None:
        session = self.session
        known, running = session.weighed is not NOT_WEIGHED, session.weighing
        share, step = session.weighing_progress
        if running:
            done = f" {share:.0%}" if share is not None else ""
            self.words.say(f"Working out what remedies save{done}{f': {step}' if step else ''}")
        elif session.not_weighed is not None:
            failure = session.not_weighed
            self.words.say(f"What remedies save is not known: {failure.what}: {failure.why}; {failure.remedy}.")
        else:
            self.words.say(short_headline(self._found, session.weighed))
        self.weigh.setVisible(bool(self._found) and not known and not running)
        self.stop.setVisible(running)

    # What the user does

    def _advised(self) -> None:
        compilation = self.compilation
        if compilation is None or not self.isVisible():
            return
        now = (compilation, len(self._opinions()), self.session.weighed)
        if self._made_of is None or any(new is not old for new, old in zip(now, self._made_of, strict=True)):
            self._look()
        else:
            self._say()

    def _choose(self, keys: tuple[Hashable, ...]) -> None:
        if not keys:
            return
        self._chosen = str(keys[0])
        self._show_detail()
        one = next((one for one in self._found if one.key == self._chosen), None)
        if one is not None:
            where = one.evidence
            step, buffer = next(iter(where.steps), None), next(iter(where.buffers), None)
            self.selection.select(op=step, buffer=buffer, core=where.core)

    def _go(self) -> None:
        """Show where the chosen one shows best."""
        one = next((one for one in self._found if one.key == self._chosen), None)
        if one is not None:
            self.shown.emit(one.evidence.view)

    def _point(self, what: str, name: str) -> None:
        if what == "step":
            self.selection.select(op=name)
        else:
            self.selection.select(buffer=name)
            self.shown.emit("scratchpad")

    def _take(self, remedy: Remedy) -> None:
        if remedy.changes:
            self.session.take(remedy)
        else:
            self.shown.emit(remedy.view)

    # Arrangement

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Side by side where there is room."""
        super().resizeEvent(event)
        narrow = self.width() < px(_NARROW)
        wanted = Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal
        if wanted != self.halves.orientation() or not self._shared_out:
            self._shared_out = True
            self.halves.setOrientation(wanted)
            whole = self.height() if narrow else self.width()
            self.halves.setSizes([round(_TABLE * whole), round((1 - _TABLE) * whole)])

    def _share(self, cell: Cell) -> float:
        most = max((one.cost_us for one in self._found), default=0.0)
        return float(cell) / most if most > 0 else 0.0

    def _columns(self) -> tuple[Column, ...]:
        saves = "What the nearest remedy saves of the predicted time: the plan was made again with it"
        return (
            Column("what", shown_name),
            Column("costs, µs", _cost, number=True, bar=self._share, hint="Predicted time that goes to it"),
            Column("saves, µs", _saves, number=True, hint=saves, colour=_saves_colour, gives_way=1),
            Column("kind", gives_way=2),
            Column(
                "moved",
                lambda cell: moved_text(float(cell)),
                number=True,
                hint="Bytes from and to device memory",
                gives_way=3,
            ),
            Column("nearest remedy", gives_way=4),
            Column("finding", gives_way=5),
        )

    def _connect(self) -> None:
        session = self.session
        session.advised.connect(self._advised)
        session.simulated.connect(self._advised)
        self.table.chosen.connect(self._choose)
        self.table.doubleClicked.connect(lambda _index: self._go())
        self.table.activated.connect(lambda _index: self._go())
        self.detail.taken.connect(self._take)
        self.detail.pointed.connect(self._point)
        self.weigh.clicked.connect(session.weigh)
        self.stop.clicked.connect(session.end_weighing)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.table.as_csv()))
        self.filter.textChanged.connect(self.table.filter)

    def _arrange(self) -> None:
        self.filter.setPlaceholderText("Filter")
        self.filter.setAccessibleName("Filter insights")
        self.filter.setMaximumWidth(px(24 * GRID))
        self.badge.setProperty("tone", "warn")
        for label in (self.words, self.badge):
            label.setFont(font("label"))
        head = QHBoxLayout()
        head.setContentsMargins(px(PAD), px(GRID / 2), px(GRID), px(GRID / 2))
        head.setSpacing(px(GRID))
        head.addWidget(self.words, 1)
        for each in (self.badge, self.stop, self.weigh, self.filter, self.copy):
            head.addWidget(each)
        self.halves.setChildrenCollapsible(False)
        self.halves.addWidget(self.table)
        self.halves.addWidget(self.detail)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(hairline())
        column.addWidget(self.inside, 1)
        column.addWidget(self.halves, 1)


def _cells(one: Insight, name: Cell) -> tuple[Cell, ...]:
    nearest, saved = one.nearest, saved_us(one)
    words = nearest.words if nearest is not None else ""
    saves = float("nan") if saved is None else saved
    return (name, one.cost_us, saves, KINDS[one.kind].title, one.cost_bytes, words, one.sentence)


def _cost(cell: Cell) -> str:
    return format_us_below(float(cell)) if float(cell) > 0 else ""


def _saves(cell: Cell) -> str:
    value = float(cell)
    if value != value:
        return ""
    return f"▼ {format_number(value)}" if value > 0 else f"▲ {format_number(-value)}" if value < 0 else "0"


def _saves_colour(cell: Cell) -> str:
    value = float(cell)
    return "" if value != value else delta_colour(-value, active_theme())
