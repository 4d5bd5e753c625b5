"""Verify: what the checker proved of the plan, and how the numbers of the simulated device compare with PyTorch.

Owns: the two halves of the page and asking for a verification. Refuses: checking and computing.
"""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from compiler.compilation import Compilation, Verdict
from simulator.report import VerifyReport
from spyre_studio.check_words import CHECK_WORDS
from spyre_studio.phases import phase_words
from spyre_studio.qt_theme import active_theme, font, px
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.state_page import StatePage
from spyre_studio.table import Cell, Column, CopyableTable, Row, TableModel
from spyre_studio.theme import GRID, PAD
from spyre_studio.units import format_count
from spyre_studio.verify_rows import NumberRow, headline, number_rows
from spyre_studio.view_state import READY, Badge, ViewState, empty, loading
from spyre_studio.views.line_list import Line, LineList
from spyre_studio.views.paged import PagedView
from spyre_studio.widgets import Heading, button, restyle, text_label

NOT_VERIFIED = empty(
    "Not verified yet",
    "Run the plan on a simulated device, core by core and slice by slice, and compare with PyTorch.",
    "Verify",
)
_NARROW = 640  # px


class VerifyView(PagedView):
    """Checks at the left, numbers at the right."""

    key = "verify"
    title = "Verify"
    nothing = empty("No plan yet", "Open a model to see what the checker proves of its plan.")

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(session, selection, parent)
        self._report: VerifyReport | None = None
        self._rows: tuple[NumberRow, ...] = ()
        self.checks_heading, self.checks = Heading("Checks of the plan"), LineList("Checks of the plan")
        self.numbers_heading = Heading("Numbers against PyTorch")
        self.verdict, self.sentence = QLabel(), text_label("", "mute")
        self.again = button("Verify again", "secondary")
        self._model = TableModel(_columns())
        self.table = CopyableTable(self._model, "Numbers against PyTorch, outputs and steps")
        self.waiting = StatePage(NOT_VERIFIED)
        self.halves = QSplitter(Qt.Orientation.Horizontal)
        self._found = QWidget()
        self._arrange()

    # What is shown

    def fill(self, compilation: Compilation) -> None:
        """The verdicts of another plan."""
        lines = [line for verdict in compilation.verdicts for line in _lines(verdict)]
        self.checks.show_lines(lines)
        bad = sum(not verdict.ok for verdict in compilation.verdicts)
        note = f"{format_count(bad, 'check')} failed" if bad else f"all {len(compilation.verdicts)} hold"
        self.checks_heading.set_heading("Checks of the plan", note, "bad" if bad else "ok")
        self._show_numbers()

    def mark(self) -> None:
        """The rows of the selected op."""
        op = self.selection.op
        wanted = [number for number, row in enumerate(self._rows) if row.step and row.step == op]
        if set(wanted) != set(self.table.keys()):
            self.table.select(wanted)

    def noted(self, what: str) -> None:
        """A verification began, ended or failed."""
        if what in {"verify", "state"} and self.compilation is not None:
            self._show_numbers()

    def show_badges(self, badges: tuple[Badge, ...]) -> None:
        """Beside the heading of the numbers."""
        note = ", ".join(badge.text for badge in badges)
        self.numbers_heading.set_heading("Numbers against PyTorch", note, "warn" if note else "mute")
        if self.session.verifying:
            self._show_numbers()

    def _show_numbers(self) -> None:
        report = self.session.verify_report
        if report is not self._report:
            self._report = report
            self._show_report(report)
        running = self.session.verifying
        state = self._verifying() if running else READY if report is not None else NOT_VERIFIED
        self.waiting.show_state(state)
        self._found.setVisible(state.kind == "ready")

    def _verifying(self) -> ViewState:
        phase = self.session.busy
        return loading("Verifying", "" if phase == "verify" else phase_words(phase))

    def _show_report(self, report: VerifyReport | None) -> None:
        self._rows = number_rows(report) if report is not None else ()
        self._model.set_rows([Row(number, _cells(row), row.first) for number, row in enumerate(self._rows)])
        if report is None:
            return
        title, tone, sentence = headline(report)
        mark = {"ok": "●", "bad": "■"}.get(tone, "")
        self.verdict.setText(f"{mark} {title}")
        self.verdict.setProperty("tone", tone)
        restyle(self.verdict)
        self.sentence.setText(sentence)
        self.mark()

    # What the user does

    def _acted(self) -> None:
        if self.session.verifying:
            self.session.cancel()
        else:
            self.session.verify()

    def _chosen(self, keys: tuple[Hashable, ...]) -> None:
        if not keys or not isinstance(keys[0], int):
            return
        row = self._rows[keys[0]]
        if row.step:
            self.selection.select_op(row.step)
        self.selection.select_buffer(row.buffer)

    # Arrangement

    def _arrange(self) -> None:
        self.verdict.setFont(font("body", bold=True))
        self.sentence.setFont(font("label"))
        self.sentence.setMinimumWidth(1)
        left, right = QWidget(), QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(px(PAD), px(1.5 * GRID), px(GRID), px(GRID))
        column.setSpacing(px(GRID))
        column.addWidget(self.checks_heading)
        column.addWidget(self.checks, 1)
        said = QVBoxLayout()
        said.setSpacing(px(GRID / 4))
        said.addWidget(self.verdict)
        said.addWidget(self.sentence)
        head = QHBoxLayout()
        head.addLayout(said, 1)
        head.addWidget(self.again, 0, Qt.AlignmentFlag.AlignTop)
        inner = QVBoxLayout(self._found)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(px(GRID))
        inner.addLayout(head)
        inner.addWidget(self.table, 1)
        column = QVBoxLayout(right)
        column.setContentsMargins(px(PAD), px(1.5 * GRID), px(PAD), 0)
        column.setSpacing(px(GRID))
        column.addWidget(self.numbers_heading)
        column.addWidget(self.waiting, 1)
        column.addWidget(self._found, 1)
        self.halves.addWidget(left)
        self.halves.addWidget(right)
        self.halves.setStretchFactor(0, 2)
        self.halves.setStretchFactor(1, 3)
        self.halves.setSizes([2 * px(_NARROW), 3 * px(_NARROW)])  # only their ratio counts
        self.halves.setChildrenCollapsible(False)
        whole = QVBoxLayout(self.body)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.halves)
        self.waiting.acted.connect(self._acted)
        self.again.clicked.connect(self._acted)
        self.table.chosen.connect(self._chosen)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Side by side, or one over the other where that is narrow."""
        super().resizeEvent(event)
        narrow = self.width() < px(_NARROW)
        self.halves.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)


def _lines(verdict: Verdict) -> list[Line]:
    """The check, and a row per violation under it."""
    words = CHECK_WORDS.get(verdict.check, "")
    count = "" if verdict.ok else format_count(len(verdict.violations), "violation")
    head = Line(
        verdict.check,
        verdict.check,
        words,
        count,
        mark="ok" if verdict.ok else "bad",
        strong=not verdict.ok,
        hint=words,
    )
    faults = [
        Line(f"{verdict.check}#{number}", violation, tone="bad", wrapped=True, hint=violation)
        for number, violation in enumerate(verdict.violations)
    ]
    return [head, *faults]


def _columns() -> tuple[Column, ...]:
    return (
        Column("result"),
        Column("of"),
        Column("verdict", colour=_verdict_colour),
        Column("max |d|", _small, number=True, hint="Largest difference of an element from PyTorch"),
        Column("max relative", _small, number=True),
        Column("rms", _small, number=True, hint="Root mean square of the differences"),
        Column("beyond", lambda cell: format_count(float(cell)), number=True, hint="Elements beyond rounding"),
        Column("elements", lambda cell: format_count(float(cell)), number=True),
        Column("first difference"),
    )


def _cells(row: NumberRow) -> tuple[Cell, ...]:
    figures = (row.max_abs, row.max_relative, row.rms, row.beyond, row.elements)
    return (row.name, row.what, row.verdict, *figures, row.first)


def _verdict_colour(cell: Cell) -> str:
    theme = active_theme()
    return theme.ok_text if cell in ("equal", "rounding") else theme.bad_text


def _small(cell: Cell) -> str:
    value = float(cell)
    return "0" if value == 0 else f"{value:.2e}"
