"""The division of the selected op: its iteration space over the cores, an editor of its factors, the splits it could
have, and where its data changes hands.

Owns: the draft that the user makes, and asking for candidates. Refuses: deciding; a pin is an intention for the
session.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from compiler.schedule import Schedule
from spyre_studio.candidate_model import candidate_key, ranking_decides
from spyre_studio.division_model import OpSplits, pinned_factors, splits_of, title_of
from spyre_studio.division_pin import Note, is_pinned, pin_note
from spyre_studio.handover_model import Handovers, handovers_of
from spyre_studio.occupancy import kind_of
from spyre_studio.pin_change import without
from spyre_studio.qt_theme import px
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.short_names import short_names
from spyre_studio.slice_map import SliceMap, slice_map
from spyre_studio.space_grid import space_grid
from spyre_studio.theme import GRID, Tone
from spyre_studio.units import format_count
from spyre_studio.views.candidate_list import CandidatePanel, PinMark
from spyre_studio.views.candidate_menu import candidate_menu
from spyre_studio.views.handover_panel import HandoverPanel
from spyre_studio.views.space_view import READS, WRITES, SpaceShown, SpaceView
from spyre_studio.views.split_editor import SplitEditor
from spyre_studio.views.steady import scroll_area_of, steady
from spyre_studio.while_alive import while_alive
from spyre_studio.widgets import Heading, button, restyle, text_label

if TYPE_CHECKING:
    from compiler.candidates import Candidate

_WIDE: Final = 620  # px; from here on there are two columns
_HUGE: Final = 1180  # px; from here on there are three
_LIST: Final = 2  # row of the candidates, which take what is left
_BOTTOM: Final = 5  # row under everything
_STRETCH: Final = {"narrow": (1, 0, 0), "wide": (3, 2, 0), "huge": (4, 8, 4)}

Places = tuple[int, int, int, int]
"""Row, column, and how many of them."""


class DivisionPanel(QWidget):
    """Shows one op; what it could be told about others waits until it is visible."""

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session, self.selection = session, selection
        self._compilation: Compilation | None = None
        self._schedule: Schedule | None = None
        self._splits: OpSplits | None = None
        self._op, self._kind = "", "opaque"
        self._draft: dict[str, int] = {}
        self._drawn: tuple[Compilation, str, Mapping[str, int]] | None = None
        self._handovers = Handovers(0, ())
        self._candidates: tuple[Candidate, ...] = ()
        self._asked: tuple[Compilation, str] | None = None
        self._waiting = False
        self.space = SpaceView()
        self.editor_heading, self.editor = Heading("Loops"), SplitEditor()
        self.objection = text_label("", "warn")
        self.pin = button("Pin this split", "secondary", "Fix this division and solve again (Ctrl+Return)")
        self.unpin = button("Unpin", "secondary", "Let the pipeline choose again")
        self.reset = button("Reset", "quiet", "Back to the division of the plan")
        self.candidates = CandidatePanel()
        self.handovers = HandoverPanel(session)
        self.why_heading, self.why = Heading("Why this split"), text_label("", "mute")
        self._reason = (self.why_heading, self.why)
        self._mode = ""
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

    @property
    def is_asked(self) -> bool:
        """True if they are pinned, whether the plan has them yet or not."""
        asked = self.session.pins.division.get(self._op)
        return asked is not None and pinned_factors(asked) == self.draft

    def show_op(self, compilation: Compilation, op: str, schedule: Schedule) -> bool:
        """Show a step of a plan; False if it has no division to show."""
        if compilation is not self._compilation or op != self._op:
            known = self._compilation
            if op != self._op or known is None or known.problem.program is not compilation.problem.program:
                self._candidates = ()  # else those of the plan before stand there until the new ones come
            self._splits = splits_of(compilation, op, schedule)
            self._compilation, self._op, self._schedule = compilation, op, schedule
            if self._splits is not None:
                self._kind = kind_of(schedule.step_map[op])
                self._draft = {loop.name: self._splits.chosen.factor(loop.name) for loop in self._splits.loops}
            self._ask()
        self._show()
        return self._splits is not None

    def show_pins(self) -> None:
        """The session's pins changed."""
        self._show()

    def show_handover(self, buffer: str) -> None:
        """Bring a buffer that changes hands into view."""
        self.handovers.open_buffer(buffer)
        QTimer.singleShot(0, self, self._reveal_handovers)  # first everything takes its place

    def _reveal_handovers(self) -> None:
        area = scroll_area_of(self)
        if area is not None:
            area.verticalScrollBar().setValue(self.handovers.y())

    def _show_hover(self) -> None:
        """The core under the pointer in any view."""
        if self.isVisible():
            core = self.selection.hovered_core
            for part in (self.space, self.handovers):
                part.show_hover(-1 if core is None else core)

    def _hovered(self, core: int) -> None:
        self.selection.hover_core(core if core >= 0 else None)

    def _show(self) -> None:
        splits, compilation = self._splits, self._compilation
        if splits is None or compilation is None:
            return
        note, tone, detail = self._pin_note()
        division = splits.division(self._draft)
        title = title_of(division, splits.device.cores)
        drafted = self.is_draft and not self.is_asked
        self.space.show_heading(title, "draft" if drafted else note, "accent" if drafted else tone)
        self._draw(compilation, splits)
        self.space.show_core(self.selection.core)
        self.handovers.show_core(self.selection.core)
        self.editor.show_loops(splits.loops, self._draft)
        used = f"{division.cores} of {format_count(splits.device.cores, 'core')}"
        self.editor_heading.set_heading("Loops", used)
        self._show_buttons(splits.objection(self._draft), detail, tone)
        self._show_candidates()
        reason = compilation.plan.reasons.get(f"division:{self._op}", "")
        self.why_heading.setVisible(bool(reason))
        self.why.setVisible(bool(reason))
        self.why.setText(reason)

    def _draw(self, compilation: Compilation, splits: OpSplits) -> None:
        """Pictures, if they are not on screen already."""
        wanted = (compilation, self._op, self.draft)
        if self._drawn is not None and self._drawn[0] is compilation and self._drawn[1:] == wanted[1:]:
            return
        self._drawn = wanted
        division, names = splits.division(self._draft), short_names(compilation)
        self._handovers = handovers_of(compilation, self._op, division if self.is_draft else None)
        apart = {pair.buffer: pair.writer if pair.reader == self._op else pair.reader for pair in self._handovers.apart}
        shown = SpaceShown(
            op=splits.op,
            kind=self._kind,
            division=division,
            cores=splits.device.cores,
            grid=space_grid(splits.op, division, splits.device.cores),
            operands=self._operands(splits),
            apart={buffer: names.step(other) for buffer, other in apart.items()},
            names=names,
            idle=splits.idle(self.draft),
        )
        self.space.show_space(shown, self.selection.core)
        drafts = {self._op: self.draft} if self.is_draft else {}
        self.handovers.show_pairs(
            compilation, self._handovers.apart, self._handovers.count, drafts, self.selection.core
        )

    def _operands(self, splits: OpSplits) -> tuple[tuple[str, SliceMap], ...]:
        """What it reads and writes, a buffer once in each."""
        assert self._compilation is not None
        assert self._schedule is not None
        division, layouts = splits.division(self._draft), self._compilation.plan.layouts
        found = []
        for way, accesses in ((READS, splits.op.reads), (WRITES, splits.op.writes)):
            first = {one.buffer: place for place, one in reversed(tuple(enumerate(accesses)))}
            for access in (accesses[place] for place in sorted(first.values())):
                host, layout = self._schedule.buffers[access.buffer], layouts[access.buffer]
                slices = slice_map(splits.op, access, host, layout, division)
                if slices is not None:
                    found.append((way, slices))
        return tuple(found)

    def _show_buttons(self, objection: str, detail: str, tone: Tone) -> None:
        words = objection or detail
        self.objection.setText(f"{words.removesuffix('.')}." if words else "")
        self.objection.setVisible(bool(words))
        self.objection.setProperty("tone", "warn" if objection else tone)
        pinned, drafted = is_pinned(self.session.pins, self._op), self.is_draft and not self.is_asked
        self.pin.setProperty("primary", drafted)
        for widget in (self.objection, self.pin):
            restyle(widget)
        self.pin.setEnabled(not objection and (drafted or not pinned))
        self.unpin.setVisible(pinned)
        self.reset.setVisible(drafted)

    def _pin_note(self) -> Note:
        """The word for the pin of this op, its tone, and what became of it."""
        return pin_note(self._op, self.session.pins, self._compilation, self.session.solving)

    # Candidates

    def _ask(self) -> None:
        """Ask once per plan and op, and only while somebody looks."""
        compilation, op = self._compilation, self._op
        if not self.isVisible() or compilation is None or self._splits is None:
            return
        if self._asked is not None and self._asked[0] is compilation and self._asked[1] == op:
            return
        self._asked, self._waiting = (compilation, op), True
        self.session.request_candidates(op, while_alive(self, lambda found: self._answered(compilation, op, found)))

    def _answered(self, compilation: Compilation, op: str, found: tuple[Candidate, ...]) -> None:
        if compilation is self._compilation and op == self._op:
            self._waiting, self._candidates = False, found
            self._show_candidates()

    def _failed(self) -> None:
        if self._waiting:
            self._waiting, self._asked, self._candidates = False, None, ()
            self._show_candidates()

    def _show_candidates(self) -> None:
        splits = self._splits
        if splits is None:
            return
        word, tone, _ = self._pin_note()
        wanted = self.session.pins.division.get(self._op)
        pin = PinMark(pinned_factors(wanted), word, tone) if wanted is not None else PinMark()
        if not self._candidates:
            words = "Pricing every legal split of this op…" if self._waiting else "The worker could not list them."
            self.candidates.show_waiting(words, "listing…" if self._waiting else "not known")
        ranked = self._compilation is None or ranking_decides(self._compilation.plan.pipeline)
        self.candidates.show_candidates(self._candidates, splits.op, pin, ranked, self._in_plan_us())
        self.candidates.show_known(self._known())
        self.candidates.show_draft(self.draft)
        if self._waiting:
            self.candidates.heading.set_heading("Candidates", "listing…")

    def _in_plan_us(self) -> float:
        """What the op takes in the plan, -1 if nobody knows."""
        steps = self._compilation.cost.steps if self._compilation else ()
        return next((cost.total_us for cost in steps if cost.step == self._op), -1.0)

    def _known(self) -> dict[str, float]:
        """What the whole plan gains with candidates whose plans were made already, by their keys."""
        chosen = {candidate_key(one.factors) for one in self._candidates if one.chosen}
        known = {candidate_key(pinned_factors(one)): us for one, us in self.session.known_changes(self._op)}
        return {key: us for key, us in known.items() if key not in chosen}

    # What the user does

    def _chosen(self, factors: object) -> None:
        if isinstance(factors, Mapping):
            with steady(self.candidates):  # a second click means the same row
                self._redraft(factors)

    def _committed(self, factors: object) -> None:
        if isinstance(factors, Mapping):
            self.session.pin_division(self._op, factors)

    def _candidate_menu(self, factors: Mapping[str, int], legal: bool, at: QPoint) -> None:
        candidate_menu(self, self.session, self._op, factors, legal, at)

    def _edited(self) -> None:
        self._redraft(self.editor.factors)

    def _redraft(self, factors: Mapping[str, int]) -> None:
        self._draft = {name: factors.get(name, 1) for name in self._draft}
        self._show()

    def _pin_draft(self) -> None:
        if self.pin.isEnabled() and self._splits is not None:
            self.session.pin_division(self._op, self.draft)

    def _unpin(self) -> None:
        self.session.set_pins(without(self.session.pins, f"division:{self._op}", f"same:{self._op}"))

    def _reset(self) -> None:
        if self._splits is not None:
            self._redraft(self._splits.chosen.factors)

    def showEvent(self, event: QShowEvent) -> None:
        """Now candidates and prices are wanted."""
        super().showEvent(event)
        self._ask()
        self._show()
        self.handovers.showing()

    # Arrangement

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Columns, and a table, where there is room."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        mode = "huge" if self.width() >= px(_HUGE) else "wide" if self.width() >= px(_WIDE) else "narrow"
        if mode == self._mode:
            return
        self._mode = mode
        for part in self._places:
            self._grid.removeWidget(part)
        for part, places in self._places.items():
            self._grid.addWidget(part, *places[mode])
        for column in range(3):
            self._grid.setColumnStretch(column, _STRETCH[mode][column])
        for row in range(_BOTTOM + 1):
            self._grid.setRowStretch(row, 1 if row == (_BOTTOM if mode == "huge" else _LIST) else 0)
        self.space.set_wide(mode != "narrow")
        self.candidates.set_wide(mode != "narrow")
        self.handovers.set_wide(mode == "wide")

    def _arrange(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(px(GRID))
        for one in (self.pin, self.unpin, self.reset):
            buttons.addWidget(one)
        buttons.addStretch(1)
        loops, reason = QWidget(), QWidget()
        for holder, parts in ((loops, (self.editor_heading, self.editor, self.objection)), (reason, self._reason)):
            column = QVBoxLayout(holder)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(px(GRID))
            for part in parts:
                column.addWidget(part)
            if holder is loops:
                column.addLayout(buttons)
            column.addStretch(1)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(px(3 * GRID))
        self._grid.setVerticalSpacing(px(2 * GRID))
        self._places: dict[QWidget, dict[str, Places]] = {
            self.space: {"narrow": (0, 0, 1, 1), "wide": (0, 0, 2, 1), "huge": (0, 0, 1, 1)},
            loops: {"narrow": (1, 0, 1, 1), "wide": (0, 1, 1, 1), "huge": (1, 0, 1, 1)},
            self.candidates: {"narrow": (_LIST, 0, 1, 1), "wide": (_LIST, 0, 1, 2), "huge": (0, 1, _BOTTOM + 1, 1)},
            reason: {"narrow": (3, 0, 1, 1), "wide": (1, 1, 1, 1), "huge": (3, 0, 1, 1)},
            self.handovers: {"narrow": (4, 0, 1, 1), "wide": (4, 0, 1, 2), "huge": (0, 2, _BOTTOM + 1, 1)},
        }
        for label in self.findChildren(QLabel):
            label.setMinimumWidth(1)
        self._fit()

    def _connect(self) -> None:
        self.space.chosen.connect(self.selection.select_core)
        self.space.opened.connect(self.show_handover)
        self.space.fuller.connect(self._chosen)
        self.handovers.chosen.connect(self.selection.select_core)
        self.space.hovered.connect(self._hovered)
        self.handovers.hovered.connect(self._hovered)
        self.selection.hovered.connect(self._show_hover)
        self.editor.changed.connect(self._edited)
        self.candidates.chosen.connect(self._chosen)
        self.candidates.committed.connect(self._committed)
        self.candidates.menu_requested.connect(self._candidate_menu)
        self.pin.clicked.connect(self._pin_draft)
        self.unpin.clicked.connect(self._unpin)
        self.reset.clicked.connect(self._reset)
        self.session.failed.connect(self._failed)
        shortcut = QShortcut(QKeySequence("Ctrl+Return"), self, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(self._pin_draft)
