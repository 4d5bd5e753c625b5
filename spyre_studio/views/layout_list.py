"""The layouts a buffer could have as a table: what each would move, its bytes, and pinning one.

Owns: asking for candidates, the table and its buttons.  Refuses: the words (layout_choices), drawing a layout, and
changing anything; a pin is an intention for the session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QHeaderView, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from compiler.layout_candidate import LayoutCandidate
from spyre_studio.derived import buffers_of
from spyre_studio.failure import Failure
from spyre_studio.layout_choices import (
    PinNote,
    bytes_text,
    detail_of,
    elements_text,
    objection_to,
    pin_note,
    pin_objection,
    pinned_one,
    pins_for,
    share_text,
    title_of,
    us_text,
    without_pins,
)
from spyre_studio.qt_theme import active_theme, font, px
from spyre_studio.session import Session
from spyre_studio.table import Cell, Column, CopyableTable, Row, TableModel
from spyre_studio.theme import GRID, ROW, Tone
from spyre_studio.units import format_shape
from spyre_studio.while_alive import while_alive
from spyre_studio.widgets import Heading, button, restyle, text_label

if TYPE_CHECKING:
    from PySide6.QtCore import QPersistentModelIndex

_LEAST_NEEDED: Final = (9, 7, 8, 2, 3, 5)  # columns that go first where there is no room
_ROWS: Final = 6  # at most in view
_NOT: Final = "barred"
_PLAN: Final = "this plan"


def _state_colour(value: Cell) -> str:
    theme = active_theme()
    tones: dict[Cell, Tone] = {_NOT: "mute", _PLAN: "ok", "pinned": "accent", "pin refused": "bad"}
    return theme.tone_text(tones.get(value, "warn"))


COLUMNS: Final = (
    Column("sticks of", hint="The dim of the tensor that is cut into sticks"),
    Column("", colour=_state_colour, hint="The layout of this plan, a pin, or one that is not possible"),
    Column("device size", hint="Sizes of the device dims, the last one is the stick"),
    Column(
        "alone moves",
        elements_text,
        number=True,
        hint="Elements the whole graph restickifies if only this buffer changes",
    ),
    Column("alone µs", us_text, number=True, hint="Time of those copies"),
    Column(
        "follow moves",
        elements_text,
        number=True,
        hint="Elements restickified if everything else is chosen anew around it",
    ),
    Column("follow µs", us_text, number=True, hint="Time of those copies"),
    Column("bytes", bytes_text, number=True, hint="Device bytes of the buffer, padding included"),
    Column("padding", bytes_text, number=True, hint="Bytes that no element uses"),
    Column("of it", share_text, number=True, hint="Padding as a share of the bytes"),
)


class LayoutTable(CopyableTable):
    """One row is current; `committed` carries its key on Enter and on a double click."""

    committed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(TableModel(COLUMNS), "Layouts the buffer could have", parent)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setSortingEnabled(False)  # a handful of rows in the order of what they cost
        self.horizontalHeader().setSortIndicatorShown(False)
        self.doubleClicked.connect(self._commit)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter commits."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.keys():
            self.committed.emit(self.keys()[0])
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Other columns fit."""
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """Hide columns until the others fit, those that matter least first."""
        header = self.horizontalHeader()
        for place in range(len(COLUMNS)):
            self.setColumnHidden(place, False)
        needed = [max(header.sectionSizeHint(place), self.sizeHintForColumn(place)) for place in range(len(COLUMNS))]
        room = self.viewport().width() - sum(needed)
        for place in _LEAST_NEEDED:
            if room >= 0:
                break
            self.setColumnHidden(place, True)
            room += needed[place]
        for place in range(1, len(COLUMNS)):
            if not self.isColumnHidden(place):
                header.resizeSection(place, needed[place])
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)

    def _commit(self, _index: QModelIndex | QPersistentModelIndex) -> None:
        if self.keys():
            self.committed.emit(self.keys()[0])


class LayoutList(QWidget):
    """`previewed` carries the candidate to look at, None for the layout of the plan."""

    previewed = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._compilation: Compilation | None = None
        self._name = ""
        self._found: tuple[LayoutCandidate, ...] = ()
        self._asked: tuple[Compilation, str] | None = None
        self._waiting = ""
        self._rows_shown: list[Row] = []
        self._failure: Failure | None = None
        self._chosen: int | None = None
        self.heading = Heading("Layouts it could have")
        self.table = LayoutTable()
        self.told = text_label("", "mute")
        self.pin = button(
            "Pin this layout", "secondary", "Fix it and solve again (Enter, or a double click on its row)"
        )
        self.unpin = button("Unpin", "secondary", "Let the pipeline choose again")
        self.again = button("Try again", "secondary")
        self._arrange()

    # What is shown

    def show_buffer(self, compilation: Compilation, name: str) -> None:
        """Show the candidates of a buffer of a plan; they are asked for while somebody looks."""
        if compilation is not self._compilation or name != self._name:
            self._compilation, self._name = compilation, name
            self._found, self._failure, self._chosen = (), None, None
            self._asked = None
            self._ask()
        self.refresh()

    @property
    def candidates(self) -> tuple[LayoutCandidate, ...]:
        """What was found."""
        return self._found

    def refresh(self) -> None:
        """Pins changed, or an answer came."""
        if self._compilation is None:
            return
        note = pin_note(self._compilation, self.session.pins, self._name)
        rows = self._rows(note)
        if rows != self._rows_shown:  # a reset between the two clicks of a double click would lose it
            self._rows_shown = rows
            self.table.show_rows(lambda: rows)
            self.table.fit()
        self.table.select(() if self._chosen is None else (self._chosen,))
        self.table.setVisible(bool(self._found))
        high = px(ROW) * min(len(rows), _ROWS)
        self.table.setFixedHeight(self.table.horizontalHeader().sizeHint().height() + high + px(3))
        legal = sum(one.legal for one in self._found)
        count = f"{legal} possible of {len(self._found)}" if self._found else ""
        self.heading.set_heading("Layouts it could have", self._waiting or count)
        self._say(note)

    def _rows(self, note: PinNote) -> list[Row]:
        return [self._row(key, one, note) for key, one in enumerate(self._found)]

    def _row(self, key: int, one: LayoutCandidate, note: PinNote) -> Row:
        pinned = one is self._pinned()
        state = note.word if pinned and note.word else _PLAN if one.chosen else "" if one.legal else _NOT
        cells: tuple[Cell, ...] = (
            title_of(one),
            state,
            format_shape(one.layout.device_size),
            one.alone_elements,
            one.alone_us,
            one.follow_elements,
            one.follow_us,
            one.size_bytes,
            one.padding_bytes,
            one.padding_bytes / one.size_bytes,
        )
        return Row(key, cells, detail_of(one))

    def _say(self, note: PinNote) -> None:
        """The sentence below the table and what the buttons can do."""
        compilation = self._compilation
        assert compilation is not None
        one = self._current()
        program = compilation.problem.program
        why = pin_objection(program, self._name) if one is None else objection_to(one, self._found, program, self._name)
        pinned = one is not None and one is self._pinned()
        self.pin.setEnabled(one is not None and not why and not pinned)
        self.pin.setToolTip(f"Cannot be pinned: {why}" if why else "Fix it and solve again (Enter or double click)")
        self.unpin.setVisible(bool(note.word))
        self.again.setVisible(self._failure is not None)
        self.pin.setVisible(self._failure is None and one is not None)
        words, tone = self._words(one, why, note)
        self.told.setText(words)
        self.told.setVisible(bool(words))
        self.told.setProperty("tone", tone)
        restyle(self.told)

    def _words(self, one: LayoutCandidate | None, why: str, note: PinNote) -> tuple[str, Tone]:
        if self._failure is not None:
            failure = self._failure
            return f"{failure.what}: {failure.why}; {failure.remedy}.", "bad"
        if note.sentence and (one is None or one is self._pinned()):
            return note.sentence, note.tone
        if one is not None:
            unpinnable = f" It cannot be pinned: {why}." if why and one.legal else ""
            return detail_of(one) + unpinnable, "mute"
        if why:
            return f"Its layout cannot be pinned: {why}.", "mute"
        if not self._found:
            return ("Working out what each would move…" if self._waiting else ""), "mute"
        return "Click a row to see that layout, double-click to pin it.", "mute"

    def _current(self) -> LayoutCandidate | None:
        return self._found[self._chosen] if self._chosen is not None else None

    def _pinned(self) -> LayoutCandidate | None:
        return pinned_one(self._found, self.session.pins, self._name)

    # Asking

    def _ask(self) -> None:
        """Ask once per plan and buffer: at first what is quick, then what everything else would do."""
        compilation, name = self._compilation, self._name
        if compilation is None or not self.isVisible():
            return
        if self._asked is not None and self._asked[0] is compilation and self._asked[1] == name:
            return
        self._asked = (compilation, name)
        if name not in buffers_of(compilation):
            return
        self._request(compilation, name, follow=False)

    def _request(self, compilation: Compilation, name: str, follow: bool) -> None:
        self._waiting = "the rest of the graph…" if follow else "listing…"
        self.session.request_layouts(
            name,
            follow,
            while_alive(self, lambda found: self._answered(compilation, name, follow, found)),
            while_alive(self, lambda failure: self._failed(compilation, name, failure)),
        )

    def _answered(self, compilation: Compilation, name: str, follow: bool, found: tuple[LayoutCandidate, ...]) -> None:
        if compilation is not self._compilation or name != self._name:
            return
        shown = self._current()
        self._found, self._waiting, self._failure = found, "", None
        same = [place for place, one in enumerate(found) if shown is not None and one.layout == shown.layout]
        self._chosen = same[0] if same else None
        if not follow and any(one.legal and not one.chosen for one in found):
            self._request(compilation, name, follow=True)
        self.refresh()

    def _failed(self, compilation: Compilation, name: str, failure: Failure) -> None:
        if compilation is self._compilation and name == self._name:
            self._waiting, self._failure = "", failure
            self.refresh()

    def _try_again(self) -> None:
        self._asked, self._failure = None, None
        self._ask()
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Now candidates are wanted."""
        super().showEvent(event)
        self._ask()
        self.refresh()

    # What the user does

    def leave_preview(self) -> None:
        """Back to the layout of the plan."""
        if self._chosen is not None:
            self._chosen = None
            self.refresh()
            self.previewed.emit(None)

    def _went(self, keys: tuple[object, ...]) -> None:
        """A row was chosen: look at it."""
        self._chosen = keys[0] if keys and isinstance(keys[0], int) else None
        self.refresh()
        one = self._current()
        self.previewed.emit(None if one is None or one.chosen else one)

    def _committed(self, key: object) -> None:
        self._chosen = key if isinstance(key, int) else None
        self._pin()

    def _pin(self) -> None:
        one, compilation = self._current(), self._compilation
        if (
            one is None
            or compilation is None
            or objection_to(one, self._found, compilation.problem.program, self._name)
        ):
            return
        self.session.set_pins(pins_for(self.session.pins, self._name, one, self._found))

    def _unpin(self) -> None:
        self.session.set_pins(without_pins(self.session.pins, self._name))

    def _arrange(self) -> None:
        self.told.setFont(font("label"))
        self.told.setMinimumWidth(1)
        buttons = QHBoxLayout()
        buttons.setSpacing(px(GRID))
        for one in (self.pin, self.unpin, self.again):
            buttons.addWidget(one)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(GRID / 2))
        for widget in (self.heading, self.table, self.told):
            column.addWidget(widget)
        column.addLayout(buttons)
        self.table.chosen.connect(self._went)
        self.table.committed.connect(self._committed)
        self.pin.clicked.connect(self._pin)
        self.unpin.clicked.connect(self._unpin)
        self.again.clicked.connect(self._try_again)
