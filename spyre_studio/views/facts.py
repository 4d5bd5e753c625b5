"""Facts of the selection: what an op reads and writes and where that lies, its loops and body; a buffer and its pins.

Owns: the panel and its buttons. Refuses: changing anything; pins are intentions for the session.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from compiler.schedule import Schedule, Step
from compiler.text.loops_text import print_op
from spyre_studio.buffer_facts import (
    AccessFact,
    accesses,
    layout_sentence,
    pin_sentence,
    place_sentence,
    remedy,
    tensor_text,
)
from spyre_studio.elided import ElidedLabel
from spyre_studio.layout_choices import pin_objection
from spyre_studio.qt_theme import font, px
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.theme import GRID
from spyre_studio.units import format_bytes, format_count
from spyre_studio.views.line_list import Line, LineList
from spyre_studio.widgets import Card, Heading, button, hairline, restyle, text_label

_AUTOMATIC = "automatic"
_LISTING_LINES = 24


class BufferCard(Card):
    """One buffer: its place, the reason, what would change it, and its pins."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._buffer = ""
        self.name, self.tensor = ElidedLabel(), ElidedLabel()
        self.place, self.change = text_label(""), text_label("", "mute")
        self.layout_text, self.status = text_label("", "mute"), text_label("", "warn")
        self.keep = button("Keep in LX", "secondary", "Pin it into the scratchpad")
        self.out = button("Keep out", "secondary", "Pin it to device memory")
        self.free = button("Unpin", "quiet", "Remove the pin of its place")
        self.sticks, self.fixed = QComboBox(), text_label("", "mute")
        self.ways = QComboBox()
        self.unordered = button("Unpin the dim order", "quiet", "Remove the pin of its dim order")
        self._arrange()

    def show_buffer(self, compilation: Compilation, schedule: Schedule, name: str) -> None:
        """Show a buffer of a plan."""
        self._buffer = name
        plan, buffer = compilation.plan, schedule.buffers[name]
        place, layout = plan.placement[name], plan.layouts[name]
        self.name.say(name)
        self.tensor.say(tensor_text(schedule, name))
        self.place.setText(place_sentence(place))
        wanted = remedy(place)
        self.change.setText(f"What would change it: {wanted}")
        self.change.setVisible(bool(wanted))
        size = f"{format_count(layout.sticks, 'stick')}, {format_bytes(layout.size_bytes)}"
        reason = plan.reasons.get(f"layout:{name}", "")
        why = f" ({reason.partition('; ')[2] or reason})" if reason else ""
        words = layout_sentence(layout, buffer.shape)
        self.layout_text.setText(f"{words[:1].upper()}{words[1:]}; {size}{why}.")
        self._show_sticks(buffer.shape, pin_objection(compilation.problem.program, name))
        self._show_pins(compilation)

    def _show_sticks(self, shape: tuple[int, ...], objection: str) -> None:
        """The dims that can be pinned, and what already is; a pin that should not be can still be taken back."""
        self.sticks.blockSignals(True)
        self.sticks.clear()
        self.sticks.addItem(f"Sticks: {_AUTOMATIC}", -1)
        for dim, size in enumerate(shape):
            self.sticks.addItem(f"Sticks along dim {dim} ({size:,})", dim)
        pinned = self.session.pins.layout.get(self._buffer, -1)
        self.sticks.setCurrentIndex(max(self.sticks.findData(pinned), 0))
        self.sticks.blockSignals(False)
        self.sticks.setEnabled(not objection or pinned >= 0)
        self.sticks.setToolTip(f"Cannot be pinned: {objection}" if objection else "Which dim is cut into sticks")
        self.fixed.setText(f"Its layout cannot be pinned: {objection}.")
        self.fixed.setVisible(bool(objection))
        self.unordered.setVisible(self._buffer in self.session.pins.order)

    def _show_pins(self, compilation: Compilation) -> None:
        pins, solved, status = self.session.pins, compilation.problem.pins, compilation.plan.pins
        where = pins.placement.get(self._buffer, "")
        for one, value in ((self.keep, "lx"), (self.out, "hbm")):
            one.setEnabled(where != value)
        self.free.setVisible(bool(where))
        sentences = []
        if where:
            same = solved.placement.get(self._buffer) == where
            sentences.append(pin_sentence(status.get(f"placement:{self._buffer}"), same))
        self.ways.blockSignals(True)
        self.ways.setCurrentIndex(max(self.ways.findData(pins.relayout.get(self._buffer, "")), 0))
        self.ways.blockSignals(False)
        keys = [f"{kind}:{self._buffer}" for kind in ("layout", "order", "relayout")]
        for key in (key for key in keys if key in pins.keys):
            kind = key.partition(":")[0]
            same = getattr(pins, kind)[self._buffer] == getattr(solved, kind).get(self._buffer)
            sentences.append(pin_sentence(status.get(key), same))
        self.status.setText(" ".join(sentences))
        self.status.setVisible(bool(sentences))
        loud = "bad" if any("refused" in one for one in sentences) else "accent"
        self.status.setProperty("tone", loud)
        restyle(self.status)

    def _arrange(self) -> None:
        self.name.setFont(font("body", bold=True))
        self.tensor.setFont(font("label"))
        self.tensor.setProperty("tone", "mute")
        for label in (self.place, self.change, self.layout_text, self.status, self.fixed):
            label.setFont(font("label"))
            label.setMinimumWidth(1)
        self.sticks.setAccessibleName("Which dim is cut into sticks")
        self.sticks.setMinimumWidth(px(8 * GRID))
        buttons = QHBoxLayout()
        buttons.setSpacing(px(GRID))
        buttons.addWidget(self.keep)
        buttons.addWidget(self.out)
        buttons.addStretch(1)
        pinned = QHBoxLayout()
        pinned.addWidget(self.status, 1)
        pinned.addWidget(self.free, 0, Qt.AlignmentFlag.AlignTop)
        for widget in (self.name, self.tensor, self.place, self.change, self.layout_text):
            self.column.addWidget(widget)
        self.column.addLayout(pinned)
        self.column.addLayout(buttons)
        self.ways.setAccessibleName("How it gets to other cores")
        self.ways.setToolTip("Whether it may go over the ring, from scratchpad to scratchpad")
        for words, way in (
            (f"Relayout: {_AUTOMATIC}", ""),
            ("Relayout over the ring", "ring"),
            ("No relayout", "none"),
        ):
            self.ways.addItem(words, way)
        for below in (self.sticks, self.fixed, self.unordered, self.ways):
            self.column.addWidget(below)
        self.keep.clicked.connect(lambda: self.session.pin_placement(self._buffer, "lx"))
        self.out.clicked.connect(lambda: self.session.pin_placement(self._buffer, "hbm"))
        self.free.clicked.connect(lambda: self.session.unpin(f"placement:{self._buffer}"))
        self.unordered.clicked.connect(lambda: self.session.unpin(f"order:{self._buffer}"))
        self.sticks.currentIndexChanged.connect(self._stick_chosen)
        self.ways.currentIndexChanged.connect(self._way_chosen)

    def _way_chosen(self) -> None:
        way = str(self.ways.currentData())
        if way:
            self.session.pin_relayout(self._buffer, way)
        else:
            self.session.unpin(f"relayout:{self._buffer}")

    def _stick_chosen(self) -> None:
        dim = int(self.sticks.currentData())
        if dim >= 0:
            self.session.pin_layout(self._buffer, dim)
        else:
            self.session.unpin(f"layout:{self._buffer}")


class FactsPanel(QWidget):
    """Shows a step and a buffer, either of them or both."""

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.selection = selection
        self.card = BufferCard(session)
        self.reads_heading, self.writes_heading = Heading("Reads"), Heading("Writes")
        self.reads, self.writes = LineList("Reads", whole=True), LineList("Writes", whole=True)
        self.listing_heading, self.listing = Heading("Loops and body"), QPlainTextEdit()
        self._arrange()

    def show_facts(self, compilation: Compilation, schedule: Schedule, step: Step | None, buffer: str | None) -> None:
        """Show these of a plan."""
        self.card.setVisible(buffer is not None)
        if buffer is not None:
            self.card.show_buffer(compilation, schedule, buffer)
        for widget in (self.reads_heading, self.reads, self.writes_heading, self.writes):
            widget.setVisible(step is not None)
        self.listing.setVisible(step is not None)
        self.listing_heading.setVisible(step is not None)
        if step is None:
            return
        reads, writes = accesses(compilation, schedule, step)
        for facts, listed in ((reads, self.reads), (writes, self.writes)):
            listed.show_lines([_line(fact) for fact in facts])
            listed.select(buffer or "")
        self.reads_heading.setVisible(bool(reads))
        self.reads.setVisible(bool(reads))
        self._show_listing(_listing(step))

    def _show_listing(self, text: str) -> None:
        lines = min(text.count("\n") + 2, _LISTING_LINES)
        self.listing.setFixedHeight(self.listing.fontMetrics().lineSpacing() * lines + px(GRID))
        if text != self.listing.toPlainText():
            self.listing.setPlainText(text)

    def _arrange(self) -> None:
        self.listing.setReadOnly(True)
        self.listing.setFont(font("micro", mono=True))
        self.listing.setAccessibleName("Loops and body of the op")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(GRID))
        for widgets in ((self.card,), (self.reads_heading, self.reads), (self.writes_heading, self.writes)):
            for widget in widgets:
                column.addWidget(widget)
            column.addSpacing(px(GRID / 2))
        column.addWidget(hairline())
        column.addWidget(self.listing_heading)
        column.addWidget(self.listing)
        column.addStretch(1)
        for listed in (self.reads, self.writes):
            listed.chosen.connect(self.selection.select_buffer)
            listed.clicked.connect(lambda _index, here=listed: self.selection.select_buffer(here.key))
        for label in self.findChildren(QLabel):
            label.setMinimumWidth(1)


def _line(fact: AccessFact) -> Line:
    hint = f"{fact.buffer}\n{fact.shape}\n{fact.where}: {fact.note}"
    return Line(fact.buffer, fact.buffer, f"{fact.shape} · {fact.note}", fact.where, fate=fact.fate, hint=hint)


def _listing(step: Step) -> str:
    """The op as text, a loop, an access and an instruction a line."""
    loops = [f"{loop.name:<4} {loop.extent:>8,}  {loop.role}" for loop in step.op.loops]
    body = next((line for line in print_op(step.op) if line.startswith("    body")), "")
    steps = body.strip().removeprefix("body").strip().split("; ") if body else []
    kind = f"{step.op.kind} {step.op.combine}".strip()
    return "\n".join([kind, *loops, "", *steps] if steps else [kind, *loops])
