"""The division of the selected op: its cores as a grid, an editor of its factors, and the splits it could have.

Owns: the draft that the user makes, and asking for candidates. Refuses: deciding; a pin is an intention for the
session.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from compiler.pins import PinState
from compiler.schedule import Schedule
from spyre_studio.division_model import OpSplits, grid_of, owned, pinned_factors, splits_of, title_of
from spyre_studio.elided import ElidedLabel
from spyre_studio.legend import Entry, Legend
from spyre_studio.occupancy import kind_of
from spyre_studio.qt_theme import font, px
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.theme import GRID, Tone
from spyre_studio.units import format_count
from spyre_studio.views.candidate_list import candidate_key, candidate_lines, groups_of
from spyre_studio.views.core_grid import CoreGrid
from spyre_studio.views.line_list import ROW_HEIGHT, LineList
from spyre_studio.views.split_editor import SplitEditor
from spyre_studio.widgets import Heading, button, restyle, text_label

if TYPE_CHECKING:
    from compiler.candidates import Candidate

_ROWS = 5  # candidates in view at least


class DivisionPanel(QWidget):
    """Shows one op; what it could be told about others waits until it is visible."""

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session, self.selection = session, selection
        self._compilation: Compilation | None = None
        self._splits: OpSplits | None = None
        self._op, self._kind = "", "opaque"
        self._draft: dict[str, int] = {}
        self._candidates: tuple[Candidate, ...] = ()
        self._asked: tuple[Compilation, str] | None = None
        self._waiting = False
        self.heading = Heading("")
        self.grid = CoreGrid()
        self.owns = ElidedLabel()
        self.editor_heading = Heading("Loops")
        self.editor = SplitEditor()
        self.objection = text_label("", "warn")
        self.pin = button("Pin this split", "secondary", "Fix this division and solve again (Ctrl+Return)")
        self.unpin = button("Unpin", "secondary", "Let the pipeline choose again")
        self.reset = button("Reset", "quiet", "Back to the division of the plan")
        self.list_heading = Heading("Candidates")
        self.list = LineList("Candidate divisions")
        self.waiting_text = text_label("", "mute")
        self.legend = Legend()
        self.why_heading = Heading("Why this split")
        self.why = text_label("", "mute")
        self._arrange()
        self._connect()

    # What is shown

    @property
    def draft(self) -> Mapping[str, int]:
        """The factors on screen, those above 1."""
        return pinned_factors(self._draft)

    @property
    def is_draft(self) -> bool:
        """True if they are not those of the plan."""
        return self._splits is not None and self.draft != self._splits.chosen.factors

    def show_op(self, compilation: Compilation, op: str, schedule: Schedule) -> bool:
        """Show a step of a plan; False if it has no division to show."""
        if compilation is not self._compilation or op != self._op:
            self._splits = splits_of(compilation, op, schedule)
            self._compilation, self._op = compilation, op
            if self._splits is not None:
                self._kind = kind_of(schedule.step_map[op])
                self._draft = {loop.name: self._splits.chosen.factor(loop.name) for loop in self._splits.loops}
            self._candidates = ()
            self._ask()
        self._show()
        return self._splits is not None

    def show_pins(self) -> None:
        """The session's pins changed."""
        self._show()

    def show_core(self, core: int) -> None:
        """Outline another core."""
        self.grid.show_core(core)
        self._say_owned(core)

    def _show(self) -> None:
        splits, compilation = self._splits, self._compilation
        if splits is None or compilation is None:
            return
        division = splits.division(self._draft)
        note, tone, detail = self._pin_note()
        title = title_of(division, splits.device.cores)
        self.heading.set_heading(title, "draft" if self.is_draft else note, "accent" if self.is_draft else tone)
        self.grid.show_grid(grid_of(division), splits.device.cores, self._kind, self._owned)
        self.show_core(self.selection.core)
        self.editor.show_loops(splits.loops, self._draft)
        used = f"{division.cores} of {format_count(splits.device.cores, 'core')}"
        self.editor_heading.set_heading("Loops", used)
        objection = splits.objection(self._draft)
        self._say_objection(objection, detail, tone)
        self.pin.setProperty("primary", self.is_draft)
        restyle(self.pin)
        self.pin.setEnabled(not objection and (self.is_draft or not self._pinned()))
        self.unpin.setVisible(self._pinned())
        self.reset.setVisible(self.is_draft)
        self._show_candidates()
        reason = compilation.plan.reasons.get(f"division:{self._op}", "")
        self.why_heading.setVisible(bool(reason))
        self.why.setText(reason)

    def _say_objection(self, objection: str, detail: str, tone: Tone) -> None:
        words = objection or detail
        self.objection.setText(f"{words.removesuffix('.')}." if words else "")
        self.objection.setVisible(bool(words))
        self.objection.setProperty("tone", "warn" if objection else tone)
        restyle(self.objection)

    def _pinned(self) -> bool:
        return self._op in self.session.pins.division

    def _pin_note(self) -> tuple[str, Tone, str]:
        """The word for the pin of this op, its tone, and what became of it."""
        compilation = self._compilation
        wanted = self.session.pins.division.get(self._op)
        solved = compilation.problem.pins.division.get(self._op) if compilation else None
        if wanted != solved:
            return ("pin not solved yet" if wanted is not None else "unpinned, not solved yet"), "warn", ""
        status = compilation.plan.pins.get(f"division:{self._op}") if compilation else None
        if status is None:
            return "", "mute", ""
        match status.state:
            case PinState.HONOURED:
                return "pinned", "accent", ""
            case PinState.ADJUSTED:
                return "pin adjusted", "warn", status.detail
            case PinState.REFUSED:
                return "pin refused", "bad", status.detail

    def _owned(self, core: int) -> str:
        splits = self._splits
        return owned(splits.op, splits.division(self._draft), core) if splits else ""

    def _say_owned(self, core: int) -> None:
        self.owns.say(self._owned(core if core >= 0 else self.selection.core))

    # Candidates

    def _ask(self) -> None:
        """Ask once per plan and op, and only while somebody looks."""
        compilation, op = self._compilation, self._op
        if not self.isVisible() or compilation is None or self._splits is None:
            return
        if self._asked is not None and self._asked[0] is compilation and self._asked[1] == op:
            return
        self._asked, self._waiting = (compilation, op), True
        self.session.request_candidates(op, lambda found: self._answered(compilation, op, found))

    def _answered(self, compilation: Compilation, op: str, found: tuple[Candidate, ...]) -> None:
        if compilation is self._compilation and op == self._op:
            self._waiting, self._candidates = False, found
            self._show_candidates()

    def _failed(self) -> None:
        if self._waiting:
            self._waiting, self._asked = False, None
            self._show_candidates()

    def _show_candidates(self) -> None:
        found = self._candidates
        legal = sum(one.legal for one in found)
        note = "listing…" if self._waiting else f"{legal} legal · µs and points" if found else "not known"
        self.list_heading.set_heading("Candidates", note)
        self.list.show_lines(candidate_lines(found))
        self.list.select(next((candidate_key(one) for one in found if one.factors == self.draft), ""))
        self.list.setVisible(bool(found))
        self.waiting_text.setVisible(not found)
        self.waiting_text.setText(
            "Pricing every legal split of this op…" if self._waiting else "The worker could not list the candidates."
        )
        entries = tuple(Entry(group.title, group.token) for group in groups_of(found))
        self.legend.set_entries(entries)
        self.legend.setVisible(len(entries) > 1)

    # What the user does

    def _candidate(self, key: str) -> Candidate | None:
        return next((one for one in self._candidates if candidate_key(one) == key), None)

    def _chosen(self, key: str) -> None:
        one = self._candidate(key)
        if one is not None:
            self._redraft(one.factors)

    def _committed(self, key: str) -> None:
        one = self._candidate(key)
        if one is not None and one.legal:
            self.session.pin_division(self._op, one.factors)

    def _edited(self) -> None:
        self._redraft(self.editor.factors)

    def _redraft(self, factors: Mapping[str, int]) -> None:
        self._draft = {name: factors.get(name, 1) for name in self._draft}
        self._show()

    def _pin_draft(self) -> None:
        if self.pin.isEnabled() and self._splits is not None:
            self.session.pin_division(self._op, self.draft)

    def _unpin(self) -> None:
        self.session.unpin(f"division:{self._op}")

    def _reset(self) -> None:
        if self._splits is not None:
            self._redraft(self._splits.chosen.factors)

    def showEvent(self, event: QShowEvent) -> None:
        """Now candidates are wanted."""
        super().showEvent(event)
        self._ask()
        self._show()

    # Arrangement

    def _arrange(self) -> None:
        self.legend.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.owns.setFont(font("label"))
        self.owns.setProperty("tone", "mute")
        self.list.setMinimumHeight(px(ROW_HEIGHT) * _ROWS)
        buttons = QHBoxLayout()
        buttons.setSpacing(px(GRID))
        for one in (self.pin, self.unpin, self.reset):
            buttons.addWidget(one)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(GRID))
        column.addWidget(self.heading)
        column.addWidget(self.grid)
        column.addWidget(self.owns)
        column.addSpacing(px(GRID))
        column.addWidget(self.editor_heading)
        column.addWidget(self.editor)
        column.addWidget(self.objection)
        column.addLayout(buttons)
        column.addSpacing(px(GRID))
        column.addWidget(self.list_heading)
        column.addWidget(self.waiting_text)
        column.addWidget(self.list, 1)
        column.addWidget(self.legend)
        column.addSpacing(px(GRID))
        column.addWidget(self.why_heading)
        column.addWidget(self.why)
        column.addStretch(0)
        for label in self.findChildren(QLabel):
            label.setMinimumWidth(1)

    def _connect(self) -> None:
        self.grid.chosen.connect(self.selection.select_core)
        self.grid.hovered.connect(self._say_owned)
        self.editor.changed.connect(self._edited)
        self.list.chosen.connect(self._chosen)
        self.list.committed.connect(self._committed)
        self.pin.clicked.connect(self._pin_draft)
        self.unpin.clicked.connect(self._unpin)
        self.reset.clicked.connect(self._reset)
        self.session.failed.connect(self._failed)
        shortcut = QShortcut(QKeySequence("Ctrl+Return"), self, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(self._pin_draft)
