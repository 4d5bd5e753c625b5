"""The stick view: the selected buffer as sticks, which element sits in which stick, lane, core and address.

Owns: the picture, before and after a restickify side by side, and the line about the marked lane. Refuses: changing
the layout; that is a pin of the facts.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from compiler.schedule import Schedule
from compiler.text.plan_text import print_layout
from spyre_studio.buffer_facts import tensor_text
from spyre_studio.elided import ElidedLabel
from spyre_studio.legend import Entry, Legend
from spyre_studio.qt_theme import active_theme, font, px
from spyre_studio.selection import Selection
from spyre_studio.stick_model import StickModel, stick_model_of
from spyre_studio.theme import GRID
from spyre_studio.views.core_ramp import CoreRamp
from spyre_studio.views.stick_canvas import StickCanvas, core_shades
from spyre_studio.widgets import text_label

_HINT = "Point at a lane, or walk with the arrow keys, to see its element."


class SticksView(QWidget):
    """Shows one buffer, and the other side of a restickify if there is one."""

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.selection = selection
        self._shown: tuple[Compilation, str] | None = None
        self._named: StickModel | None = None
        self.name, self.tensor, self.layout_text = ElidedLabel(), ElidedLabel(), text_label("")
        self.first, self.second = StickCanvas("Sticks of the buffer"), StickCanvas("Sticks after the restickify")
        self.pictures = QSplitter(Qt.Orientation.Vertical)
        self.line = text_label(_HINT, "mute")
        self.ramp, self.legend = CoreRamp(), Legend((Entry("padding", "mute", "hatch"),))
        self._arrange()

    def show_buffer(self, compilation: Compilation, schedule: Schedule, name: str) -> bool:
        """Show a buffer of a plan; False if it has no elements or there is none."""
        if self._shown is not None and self._shown[0] is compilation and self._shown[1] == name:
            self._show_ramp(compilation.plan.cores)
            return True
        before, after = _sides(compilation, name)
        first, second = stick_model_of(compilation, schedule, before), None
        if first is None:
            return False
        if after:
            second = stick_model_of(compilation, schedule, after)
        self._shown = (compilation, name)
        cores = compilation.plan.cores
        self.first.show_model(
            first, cores, _cut(first, "before: " if second else ""), first.summary() if second else ""
        )
        self.second.setVisible(second is not None)
        if second is not None:
            self.second.show_model(second, cores, _cut(second, "after: "), second.summary())
        self._say(compilation, schedule, name, first if name == before or second is None else second)
        return True

    @property
    def both(self) -> bool:
        """True while both sides of a restickify are shown."""
        return not self.second.isHidden()

    def _say(self, compilation: Compilation, schedule: Schedule, name: str, model: StickModel) -> None:
        self.name.say(name)
        self.tensor.say(tensor_text(schedule, name))
        self.layout_text.setText(f"{model.summary()}\n{_layout_lines(model)}")
        self._named = model
        self._show_ramp(compilation.plan.cores)
        padded = any(canvas.model is not None and canvas.model.padding_bytes for canvas in (self.first, self.second))
        self.legend.setVisible(padded)
        self.line.setText(_HINT)

    def _show_ramp(self, cores: int) -> None:
        model = self._named
        owned = model is not None and bool(model.owners.cores)
        colours = core_shades(active_theme(), cores)[:cores] if owned else ()
        words = "held by core 0" if model is not None and model.in_lx else "written by core 0"
        self.ramp.show_ramp(*((words, str(cores - 1)) if owned else ("filled by the host", "")), colours)

    def _point(self, canvas: StickCanvas, lane: object) -> None:
        """A lane was pointed at: mark it, say it, and find its element on the other side."""
        model = canvas.model
        if model is None or not isinstance(lane, tuple):
            return
        canvas.mark(lane)
        self.line.setText(model.describe(*lane))
        other = self.second if canvas is self.first else self.first
        index = model.lane(*lane).index
        if not self.both or other.model is None:
            return
        there = other.model.find(index) if index is not None else None
        other.mark(there)
        if there is not None:
            sides = (model, other.model) if canvas is self.first else (other.model, model)
            lanes = (lane, there) if canvas is self.first else (there, lane)
            words = (side.describe(*place) for side, place in zip(sides, lanes, strict=True))
            self.line.setText(
                "\n".join(f"{when}: {word}" for when, word in zip(("before", "after"), words, strict=True))
            )

    def _arrange(self) -> None:
        self.name.setFont(font("body", bold=True))
        self.tensor.setFont(font("label"))
        self.tensor.setProperty("tone", "mute")
        self.layout_text.setFont(font("micro", mono=True))
        self.layout_text.setProperty("tone", "mute")
        self.line.setFont(font("label"))
        self.line.setMinimumHeight(2 * self.line.fontMetrics().lineSpacing())
        self.line.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.pictures.addWidget(self.first)
        self.pictures.addWidget(self.second)
        self.pictures.setChildrenCollapsible(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(GRID / 2))
        for widget in (self.name, self.tensor, self.layout_text):
            column.addWidget(widget)
        column.addWidget(self.pictures, 1)
        legends = QHBoxLayout()
        legends.setSpacing(px(2 * GRID))
        legends.addWidget(self.ramp, 1)
        legends.addWidget(self.legend)
        column.addLayout(legends)
        column.addWidget(self.line)
        for canvas in (self.first, self.second):
            canvas.hovered.connect(lambda lane, here=canvas: self._point(here, lane))
            canvas.clicked.connect(lambda lane, _held, here=canvas: self._point(here, lane))
            canvas.walked.connect(lambda lane, here=canvas: self._point(here, lane))
        for label in self.findChildren(QLabel):
            label.setMinimumWidth(1)


def _sides(compilation: Compilation, name: str) -> tuple[str, str]:
    """Source and target of the restickify that makes or reads a buffer; the buffer alone if there is none."""
    edits = compilation.plan.edits
    made = next((edit for edit in edits if edit.target == name), None)
    edit = made or next((edit for edit in edits if edit.source == name), None)
    return (edit.source, edit.target) if edit is not None else (name, "")


def _layout_lines(model: StickModel) -> str:
    parts = print_layout(model.layout).split("  ")[1:]
    return "\n".join([f"size {parts[0]}", *(part for part in parts[1:] if part != "standard")])


def _cut(model: StickModel, prefix: str) -> str:
    layout = model.layout
    cut = "sparse sticks" if layout.sparse else f"sticks along dim {layout.stick_dim}"
    return f"{prefix}{cut}" if prefix else cut[:1].upper() + cut[1:]
