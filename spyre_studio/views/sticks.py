"""The stick view: the selected buffer as sticks, the layout in words, and the layouts it could have.

Owns: which tensors are drawn (alone, before and after a copy, or a candidate), the header, the legend and the line
about the marked element.  Refuses: drawing, and changing the layout; that is a pin that the list of layouts asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QStackedLayout, QToolButton, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from compiler.layout import Arrangement
from compiler.layout_candidate import LayoutCandidate
from compiler.plan import Edit
from compiler.schedule import Schedule
from spyre_studio.buffer_facts import tensor_text
from spyre_studio.derived import buffers_of
from spyre_studio.edit_words import when_text
from spyre_studio.elided import ElidedLabel
from spyre_studio.legend import Entry, Legend
from spyre_studio.qt_theme import active_theme, font, px
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.state_page import StatePage
from spyre_studio.stick_model import NOBODY, StickModel, stick_model_of
from spyre_studio.stick_words import cut_sentences, device_dim_facts, figures, memory_sentence
from spyre_studio.theme import GRID
from spyre_studio.units import format_count, format_us
from spyre_studio.view_state import empty
from spyre_studio.views.core_ramp import CoreRamp
from spyre_studio.views.device_dims import DeviceDims
from spyre_studio.views.layout_list import LayoutList
from spyre_studio.views.stick_lesson import StickLesson
from spyre_studio.views.stick_paint import shades
from spyre_studio.views.stick_pictures import ONE_OVER_THE_OTHER, SIDE_BY_SIDE, Picture, StickPictures, Told
from spyre_studio.widgets import button, restyle, text_label

HINT: Final = "Point at a lane, or walk with the arrow keys, to follow its element to its byte."
ARROW: Final = " → "
_TENSOR, _MEMORY = "As the tensor looks", "As memory lies"


class SticksView(QWidget):
    """Shows one buffer, alone or beside the other side of a copy, or a candidate layout of it."""

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session, self.selection = session, selection
        self._shown: tuple[Compilation, str] | None = None
        self._schedule: Schedule | None = None
        self._model: StickModel | None = None
        self._edits: tuple[Edit, ...] = ()
        self._edit = 0
        self._owner, self._hovering = NOBODY, False
        self._preview: LayoutCandidate | None = None
        self.page, self.lesson = StatePage(), StickLesson()
        self.name, self.tensor = ElidedLabel(), QLabel()
        self.dims, self.words, self.figures = DeviceDims(), text_label("", "mute"), text_label("")
        self.looks, self.lies = _switch(_TENSOR), _switch(_MEMORY)
        self.copy, self.other = ElidedLabel(), button("Next copy", "quiet", "Show another copy of this buffer")
        self.back = button("Back to the plan", "quiet", "Leave the preview of a layout")
        self.pictures = StickPictures()
        self.ramp, self.legend, self.letters = CoreRamp(), Legend(), Legend()
        self.line = text_label(HINT, "mute")
        self.layouts = LayoutList(session)
        self._arrange()
        self._connect()

    # What is shown

    def show_buffer(self, compilation: Compilation, schedule: Schedule, name: str | None) -> None:
        """Show a buffer of a plan; without one, what a stick is."""
        if name is None:
            self._shown = None
            self._stack.setCurrentWidget(self.lesson)
            return
        if self._shown is None or self._shown[0] is not compilation or self._shown[1] != name:
            self._shown, self._schedule = (compilation, name), schedule
            self._model, self._preview, self._edit = stick_model_of(compilation, schedule, name), None, 0
            self._edits = tuple(edit for edit in compilation.plan.edits if name in (edit.target, edit.source))
            if self._model is not None:
                self._draw()
        if self._model is None:
            self._say_empty(compilation, schedule, name)
            return
        self._stack.setCurrentWidget(self._body)
        self._show_legend()
        self.layouts.show_buffer(compilation, name)

    @property
    def both(self) -> bool:
        """True while two pictures are shown."""
        return len(self.pictures.pictures) > 1

    @property
    def edit(self) -> Edit | None:
        """The copy that is shown before and after, None without one."""
        return self._edits[self._edit % len(self._edits)] if self._edits else None

    def show_pins(self) -> None:
        """The session's pins changed."""
        if self._shown is not None and self._model is not None:
            self.layouts.refresh()

    def _say_empty(self, compilation: Compilation, schedule: Schedule, name: str) -> None:
        shape = schedule.buffers[name].shape if name in schedule.buffers else ()
        if 0 in shape:
            state = empty("It has no elements", f"{tensor_text(schedule, name)} takes no sticks: one of its dims is 0.")
        else:
            state = empty("It is not on the device", f"The program of this plan has no tensor {name}.")
        self.page.show_state(state)
        self._stack.setCurrentWidget(self.page)

    def _draw(self) -> None:
        """Pictures and header for the buffer, the copy or the preview."""
        assert self._shown is not None
        assert self._schedule is not None
        compilation, name = self._shown
        pictures = self._pictures()
        shown = pictures[-1].model if self._preview is not None else self._model
        assert shown is not None
        self.pictures.show_pictures(pictures, compilation.plan.cores)
        self._reserve()
        self.name.say(name)
        self.tensor.setText(tensor_text(self._schedule, name))
        layout, shape = shown.layout, shown.tensor.shape
        self.dims.show_dims(device_dim_facts(layout, shape))
        self.words.setText(f"{cut_sentences(layout, shape)} {memory_sentence(layout)}")
        self.figures.setText(figures(shown))
        self._say_copy(compilation)
        self._show_legend()

    def _pictures(self) -> tuple[Picture, ...]:
        assert self._shown is not None
        assert self._schedule is not None
        assert self._model is not None
        compilation, _ = self._shown
        if self._preview is not None:
            preview = Picture(self._model.previewed(self._preview.layout), "preview")
            return (Picture(self._model, "this plan"), preview) if self._roomy() else (preview,)
        edit = self.edit
        if edit is None:
            return (Picture(self._model),)
        sides = (stick_model_of(compilation, self._schedule, side) for side in (edit.source, edit.target))
        before, after = sides
        if before is None or after is None:
            return (Picture(self._model),)
        return Picture(before, "before"), Picture(after, "after")

    def _say_copy(self, compilation: Compilation) -> None:
        edit = None if self._preview is not None else self.edit
        self.copy.setVisible(edit is not None or self._preview is not None)
        self.other.setVisible(edit is not None and len(self._edits) > 1)
        self.back.setVisible(self._preview is not None)
        if edit is None:
            self.copy.say("Preview: no plan has it so yet")
            return
        cost = next((step.total_us for step in compilation.cost.steps if step.step == edit.name), None)
        elements = buffers_of(compilation).get(edit.source)
        moved = f"{format_count(elements.elements, 'element')}" if elements is not None else ""
        number = f"{self._edit % len(self._edits) + 1} of {len(self._edits)}" if len(self._edits) > 1 else ""
        time = format_us(cost) if cost is not None else ""
        parts = (when_text(edit), moved, time, number)
        self.copy.say(" · ".join(part for part in parts if part))

    def _show_legend(self) -> None:
        assert self._shown is not None
        models = [picture.model for picture in self.pictures.pictures]
        owned = next((model for model in reversed(models) if model.owners.cores), None)
        cores = self._shown[0].plan.cores
        if owned is not None:
            colours = shades(active_theme(), cores)[0][:cores]
            self.ramp.show_ramp(f"{owned.owner_words} 0", str(cores - 1), colours)
        else:
            self.ramp.show_ramp(models[-1].owner_words if models else "", "", ())
        nobodys = [model for model in models if not model.owners.cores] if owned is not None else []
        self.legend.set_entries((*(Entry(one.owner_words, "mute") for one in nobodys[:1]), *_fillings(models)))
        self.letters.set_entries(_letters(models))
        self.letters.setVisible(bool(_letters(models)))

    # What the user does

    def _previewed(self, one: object) -> None:
        self._preview = one if isinstance(one, LayoutCandidate) else None
        if self._model is not None:
            self._draw()

    def _next_copy(self) -> None:
        self._edit += 1
        self._draw()

    def _tell(self, told: Sequence[Told]) -> None:
        """The way of the marked element, a line per picture."""
        lines = [f"{one.word}: {ARROW.join(one.path)}" if one.word else ARROW.join(one.path) for one in told]
        self.line.setText("\n".join(lines) or HINT)
        self.line.setToolTip("\n\n".join(one.detail for one in told))
        self.line.setProperty("tone", "" if lines else "mute")
        restyle(self.line)
        owners = [one.lane.core for one in told if one.lane.core != NOBODY]
        self._owner = owners[-1] if owners else NOBODY
        at = self._owner if self._owner != NOBODY and self.pictures.attended else None
        if at is not None or self._hovering:
            self._hovering = at is not None
            self.selection.hover_core(at)
        self._show_hover()
        mine = [one for one in told if one.word in ("", "preview", self._side())]
        self.dims.show_lane(mine[-1].lane.place.coordinates if mine else ())

    def _show_hover(self) -> None:
        """The core under the pointer in any view, else whose the marked element is."""
        if self.isVisible():
            core = self.selection.hovered_core
            self.pictures.show_core(NOBODY if core is None or self.pictures.pointed else core)
            wanted = self._owner if core is None else core
            self.ramp.show_core(wanted if wanted != NOBODY else None)

    def _side(self) -> str:
        """Which picture the header speaks of."""
        edit = self.edit
        if self._preview is not None or edit is None or self._shown is None:
            return ""
        return "before" if edit.source == self._shown[1] else "after"

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape leaves a preview."""
        if event.key() == Qt.Key.Key_Escape and self._preview is not None:
            self.layouts.leave_preview()
        else:
            super().keyPressEvent(event)

    # Arrangement

    def _reserve(self) -> None:
        """Room for the way of an element, so that nothing moves below the pointer when it is told."""
        lines = len(self.pictures.pictures) * (1 if self._wide() else 2)
        self.line.setFixedHeight(max(lines, 1) * self.line.fontMetrics().lineSpacing() + px(2))

    def _wide(self) -> bool:
        return self.width() >= px(SIDE_BY_SIDE)

    def _roomy(self) -> bool:
        """True if there is room for two pictures."""
        return self._wide() or self.pictures.height() >= px(ONE_OVER_THE_OTHER)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Pictures stand beside each other where there is room."""
        super().resizeEvent(event)
        self.pictures.show_stacked(not self._wide())
        across, down = QHBoxLayout.Direction.LeftToRight, QHBoxLayout.Direction.TopToBottom
        self._head.setDirection(across if self._wide() else down)
        self._reserve()
        if self._preview is not None and self._model is not None and self.both != self._roomy():
            self._draw()

    def _connect(self) -> None:
        self.lies.toggled.connect(self.pictures.show_memory)
        self.pictures.told.connect(self._tell)
        self.ramp.hovered.connect(lambda core: self.selection.hover_core(core if core >= 0 else None))
        self.selection.hovered.connect(self._show_hover)
        self.layouts.previewed.connect(self._previewed)
        self.other.clicked.connect(self._next_copy)
        self.back.clicked.connect(self.layouts.leave_preview)

    def _arrange(self) -> None:
        self._body = QWidget()
        self._stack = QStackedLayout(self)
        for widget in (self.lesson, self.page, self._body):
            self._stack.addWidget(widget)
        self.name.setFont(font("body", bold=True))
        self.line.setAlignment(Qt.AlignmentFlag.AlignTop)
        for label in (self.tensor, self.words, self.figures, self.line, self.copy):
            label.setFont(font("label"))
        for label in (self.tensor, self.copy):
            label.setProperty("tone", "mute")
        column = QVBoxLayout(self._body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(GRID * 0.75))
        column.addLayout(_row(px(GRID), (self.name, 1), (self.tensor, 0)))
        column.addLayout(self._header())
        group = QButtonGroup(self)
        for one in (self.looks, self.lies):
            group.addButton(one)
        self.looks.setChecked(True)
        column.addLayout(_row(px(GRID / 2), (self.looks, 0), (self.lies, 0), (QWidget(), 1)))
        column.addLayout(_row(px(GRID), (self.copy, 1), (self.other, 0), (self.back, 0)))
        column.addWidget(self.pictures, 1)
        column.addLayout(_row(px(2 * GRID), (self.ramp, 1), (self.legend, 0)))
        column.addWidget(self.letters)
        column.addWidget(self.line)
        column.addWidget(self.layouts)
        for label in self.findChildren(QLabel):
            label.setMinimumWidth(1)

    def _header(self) -> QHBoxLayout:
        """The device dims and the words, beside each other where there is room."""
        self._head = QHBoxLayout()
        self._head.setSpacing(px(GRID * 0.75))
        words = QVBoxLayout()
        words.setSpacing(px(GRID / 4))
        words.addWidget(self.words)
        words.addWidget(self.figures)
        words.addStretch(1)
        self._head.addWidget(self.dims, 1, Qt.AlignmentFlag.AlignTop)
        self._head.addLayout(words, 1)
        return self._head


def _switch(text: str) -> QToolButton:
    made = QToolButton()
    made.setText(text)
    made.setCheckable(True)
    made.setFont(font("label"))
    return made


def _row(spacing: int, *widgets: tuple[QWidget, int]) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(spacing)
    for widget, stretch in widgets:
        row.addWidget(widget, stretch)
    return row


def _fillings(models: Sequence[StickModel]) -> tuple[Entry, ...]:
    """What lies in lanes without an element."""
    found = []
    if any(model.padding_bytes > model.zero_bytes for model in models):
        found.append(Entry("padding", "mute", "hatch"))
    if any(model.zero_bytes for model in models):
        found.append(Entry("zeros", "mute", "rings"))
    return tuple(found)


def _letters(models: Sequence[StickModel]) -> tuple[Entry, ...]:
    """What a and b are, where a cast wove sticks."""
    woven = {model.layout.arrangement for model in models if not model.layout.sparse}
    if Arrangement.F16_TO_F32 in woven:
        return Entry("a: first stick of a pair", "matmul"), Entry("b: second stick", "reduction")
    if Arrangement.F32_TO_F16 in woven:
        return Entry("a: columns 0–31 of a stick", "matmul"), Entry("b: columns 32–63", "reduction")
    return ()
