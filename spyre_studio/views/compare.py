"""Compare: what one plan decides differently from another, why, and what that costs or saves.

At first they are the plan on screen and the one before it; each can be a variant.

Owns: the summary and the table. Refuses: judging; blue is faster, orange is slower.
"""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from compiler.diff import PlanDiff, diff
from spyre_studio.background import Background
from spyre_studio.colour import readable
from spyre_studio.diff_rows import DiffRow, diff_rows
from spyre_studio.elided import ElidedLabel
from spyre_studio.qt_theme import active_theme, font, px
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.state_page import StatePage
from spyre_studio.table import Cell, Column, CopyableTable, Row, TableModel
from spyre_studio.theme import GRID, PAD, Theme
from spyre_studio.units import MINUS, format_bytes, format_count, format_number, format_us
from spyre_studio.view_state import READY, Badge, ViewState, empty, loading
from spyre_studio.views.overlay import Chooser
from spyre_studio.views.paged import PagedView
from spyre_studio.views.variants_sides import Sides
from spyre_studio.widgets import hairline

NOTHING_BEFORE = empty("Nothing to compare yet", "Re-solve or pin something to compare the plan with the one before.")
NOT_SOLVED = empty("Nothing to compare yet", "One of the two has no plan yet. Show it in Variants to make it.")
SAME = empty("The plans are the same", "What changed between them made no decision different, and no step faster.")
COMPARING = loading("Comparing the plans", action="")
_SHOWN = (("main", "decisions and times"), ("time", "times only"), ("all", "everything"))
_AT_ONCE = 400  # steps; about 50 ms of comparing
_NOISE_US = 5e-4  # what rounds to nothing in the table


class CompareView(PagedView):
    """Totals on top, a row per difference below."""

    key = "compare"
    title = "Compare"
    nothing = empty("No plan yet", "Open a model, then pin a split to see what that changes.")

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(session, selection, parent)
        self._diff: PlanDiff | None = None
        self._rows: tuple[DiffRow, ...] = ()
        self._pair: tuple[Compilation | None, Compilation | None] = (None, None)
        self.sides = Sides(session)
        self.inside = StatePage()
        self.background = Background(self, patient=True)
        self.total, self.more, self.badge = QLabel(), ElidedLabel(), QLabel()
        self.shown = Chooser("Show", _SHOWN)
        self._model = TableModel(_columns())
        self.table = CopyableTable(self._model, "Differences between the plans")
        self._arrange()

    # What is shown

    def fill(self, _compilation: Compilation) -> None:
        """Compare another pair."""
        self._pair = self.sides.plans()
        before, after = self._pair
        self._diff = None
        self.background.cancel()
        if before is None or after is None:
            return
        if len(after.plan.divisions) <= _AT_ONCE:
            self._compared(diff(before, after))
        else:
            self.background.run(lambda: diff(before, after), self._compared)

    def noted(self, _what: str) -> None:
        """A variant has come or gone, or got a plan."""
        self._follow()

    def choose(self, before: str, after: str) -> None:
        """Compare two variants; '' is the plan before, or the plan on screen."""
        self.sides.choose(before, after)

    def showEvent(self, event: QShowEvent) -> None:
        """What happened to variants meanwhile."""
        super().showEvent(event)
        self._follow()

    def _follow(self) -> None:
        self.sides.refresh()
        now = self.sides.plans()
        if any(new is not old for new, old in zip(now, self._pair, strict=True)) and self._shown is not None:
            self.fill(self._shown)
        self._show_state()

    def mark(self) -> None:
        """The rows of the selected op or buffer."""
        place = self.selection.place
        wanted = [
            number
            for number, row in enumerate(self._rows)
            if row.name == (place.buffer if row.is_buffer else place.op) and row.name
        ]
        if set(wanted) != set(self.table.keys()):
            self.table.select(wanted)

    def state_now(self) -> ViewState:
        """Also: there is no plan before, or it is the same."""
        state = super().state_now()
        if state.kind != "ready":
            return state
        why = self._why_nothing()
        self.inside.show_state(why if self._choosable else READY)
        ready = self.inside.isHidden()
        for widget in (self.table, self.total, self.more):
            widget.setVisible(ready)
        return state if self._choosable or why.kind == "ready" else why.with_badges(*state.badges)

    @property
    def _choosable(self) -> bool:
        """True once there is something to choose between; then the choice stays in sight whatever comes of it."""
        return len(self.session.variants) > 1 or any(self.sides.names)

    def _why_nothing(self) -> ViewState:
        """Why there are no differences to show, READY if there are."""
        before, after = self._pair
        if before is None or after is None:
            return NOT_SOLVED if any(self.sides.names) else NOTHING_BEFORE
        if self._diff is None:
            return COMPARING
        return SAME if self._diff.same else READY

    def show_badges(self, badges: tuple[Badge, ...]) -> None:
        """Beside the totals."""
        self.badge.setText(", ".join(badge.text for badge in badges))
        self.badge.setVisible(bool(badges))

    def recolour(self) -> None:
        """The totals hold a colour."""
        if self._diff is not None:
            self._say(self._diff)

    @property
    def rows(self) -> tuple[DiffRow, ...]:
        """All differences, whether they are shown or not."""
        return self._rows

    def _compared(self, found: PlanDiff) -> None:
        self._diff, self._rows = found, diff_rows(found)
        self._say(found)
        self._show_rows()
        self._show_state()

    def _say(self, found: PlanDiff) -> None:
        total = found.total
        colour = delta_colour(total.delta_us, active_theme()) or active_theme().text
        delta = format_us(total.delta_us, signed=True) if abs(total.delta_us) > _NOISE_US else "same time"
        self.total.setText(
            f"{format_us(total.before_us)} → <b>{format_us(total.after_us)}</b> &nbsp; "
            f"<span style='color:{colour}'><b>{delta}</b></span>"
        )
        words = [_changed("device memory", *found.hbm_bytes, format_bytes)]
        words.append(_changed("restickified elements", *found.restickify_elements, format_count))
        decisions = sum(row.kind == "decision" for row in self._rows)
        words.append(format_count(decisions, "decision differs", "decisions differ"))
        self.more.say(" · ".join(word for word in words if word))

    def _show_rows(self) -> None:
        key = self.shown.key
        kept = [
            (number, row)
            for number, row in enumerate(self._rows)
            if key == "all"
            or (key == "main" and row.kind == "decision")
            or (row.kind != "minor" and abs(row.delta_us) > _NOISE_US)
        ]
        self._model.set_rows([Row(number, _cells(row), row.cause) for number, row in kept])
        self.mark()

    # What the user does

    def _chosen(self, keys: tuple[Hashable, ...]) -> None:
        if not keys or not isinstance(keys[0], int):
            return
        row = self._rows[keys[0]]
        if row.is_buffer:
            self.selection.select_buffer(row.name)
        else:
            self.selection.select_op(row.name)

    # Arrangement

    def _arrange(self) -> None:
        self.total.setFont(font("body"))
        self.total.setTextFormat(Qt.TextFormat.RichText)
        for label, tone in ((self.more, "mute"), (self.badge, "warn")):
            label.setFont(font("label"))
            label.setProperty("tone", tone)
        self.badge.setMinimumWidth(1)
        head = QHBoxLayout()
        head.setContentsMargins(px(PAD), px(GRID / 2), px(GRID), px(GRID / 2))
        head.setSpacing(px(2 * GRID))
        head.addWidget(self.sides)
        head.addWidget(self.total)
        head.addWidget(self.more, 1)
        head.addWidget(self.badge)
        head.addWidget(self.shown)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(hairline())
        column.addWidget(self.inside, 1)
        column.addWidget(self.table, 1)
        self.sides.changed.connect(self._follow)
        self.shown.chosen.connect(self._show_rows)
        self.table.chosen.connect(self._chosen)


def _columns() -> tuple[Column, ...]:
    return (
        Column("name"),
        Column("what"),
        Column("time, µs", _delta, number=True, colour=lambda cell: delta_colour(float(cell), active_theme())),
        Column("before"),
        Column("after"),
        Column("cause"),
    )


def _cells(row: DiffRow) -> tuple[Cell, ...]:
    return (row.name, row.what, row.delta_us, row.before, row.after, row.cause)


def _delta(cell: Cell) -> str:
    """A signed number with a mark of its direction, so that colour is not the only sign."""
    value = float(cell)
    if abs(value) <= _NOISE_US:
        return ""
    return f"{'▲' if value > 0 else '▼'} {format_number(value, 2, signed=True)}"


def delta_colour(delta: float, theme: Theme) -> str:
    """Text in blue for less, in orange for more, the usual colour for the same."""
    if abs(delta) <= _NOISE_US:
        return ""
    end = theme.difference[-1] if delta > 0 else theme.difference[0]
    return readable(end, (theme.bg, theme.panel, theme.raised, theme.selection), theme.text)


def _changed(what: str, before: int, after: int, write: object) -> str:
    """'device memory −1.50 MiB', '' where nothing changed."""
    if before == after or not callable(write):
        return ""
    return f"{what} {'+' if after > before else MINUS}{write(abs(after - before))}"
