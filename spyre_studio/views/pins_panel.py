"""The pins: what the user fixed, what became of each, and what the last change did to the plan.

Owns: cards for a few pins, a list for many, the lines about the last change, and the menu of a pin. Refuses: judging a
pin; the plan says how it ended.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from compiler.pins import Pins, PinState
from spyre_studio.change_teller import ChangeTeller
from spyre_studio.last_change import LastChange
from spyre_studio.pin_menu import add_alike
from spyre_studio.qt_theme import font, px
from spyre_studio.selection import Selection
from spyre_studio.sentence import Sentence
from spyre_studio.session import Session
from spyre_studio.short_names import told_names
from spyre_studio.theme import GRID
from spyre_studio.views.graph_model import factors_text
from spyre_studio.views.pin_card import TONES, PinCard
from spyre_studio.views.pin_list import PinList, PinRow
from spyre_studio.widgets import SectionLabel, restyle, text_label

EMPTY = "Nothing is pinned. Choose a split in the inspector, or move a buffer into LX, to fix a decision."
_OF_OPS: Final = frozenset({"division", "tiles", "same"})
MANY: Final = 24
"""From so many pins on they are a list: cards of them all would take long, and nobody would find one."""


def pin_words(pins: Pins, key: str) -> str:
    """What a pin fixes. Examples: 'm 8 · n 4', 'keep in LX', 'sticks of d1'."""
    kind, _, name = key.partition(":")
    match kind:
        case "division":
            return factors_text(pins.division[name])
        case "tiles":
            return "tiles " + factors_text(pins.tiles[name])
        case "layout":
            return f"sticks of d{pins.layout[name]}"
        case "same":
            return f"division of {pins.same[name]}"
        case "relayout":
            return "over the ring" if pins.relayout[name] == "ring" else "not over the ring"
        case "order":
            return "dim order " + ", ".join(map(str, pins.order[name]))
        case _:
            return "keep in LX" if pins.placement[name] == "lx" else "keep in device memory"


class PinsPanel(QWidget):
    """All pins: a few in order of priority, many with those first that were not kept.  `told` carries one line about
    the last change, for whoever shows such lines."""

    told = Signal(str)

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._selection = session, selection
        self._head = SectionLabel("Pins")
        self._area, self._page = QScrollArea(self), QWidget()
        self.list = PinList()
        self.saving, self.outcome = text_label("", "mute"), text_label("", "mute")
        self.teller = ChangeTeller(session, self)
        self._cards: list[PinCard] = []
        self._shown: tuple[PinRow, ...] | None = None
        self._told: list[str] = []
        self._arrange()
        session.changed.connect(self._changed)
        self.teller.told.connect(self._tell)
        self.teller.tell_again()
        self.refresh()

    @property
    def cards(self) -> tuple[PinCard, ...]:
        """The cards from top to bottom; none where there are many pins."""
        return tuple(self._cards)

    def sentences(self) -> tuple[str, ...]:
        """The sentences below pins whose status has one, or the one of the empty panel."""
        return tuple(self._told)

    def show_compilation(self, _compilation: Compilation | None) -> None:
        """Another plan says other things about the pins."""
        self.refresh()

    def show_selection(self) -> None:
        """The selection does not change the list."""

    def refresh(self) -> None:
        """Show pins and their status."""
        rows = self._rows()
        if rows == self._shown:
            return
        self._shown = rows
        many = len(rows) >= MANY
        self._clear()
        if many:
            self.list.show_rows(rows)
        else:
            self._show_cards(rows)
        self._stack.setCurrentWidget(self.list if many else self._area)
        self._head.set_note(str(len(rows)) if rows else "")

    def _rows(self) -> tuple[PinRow, ...]:
        session = self._session
        pins, compilation = session.pins, session.compilation
        statuses = compilation.plan.pins if compilation and not session.stale else {}
        off = session.resting.beside(pins)
        return (
            *(PinRow(key, pin_words(pins, key), statuses.get(key), short=self._short_name(key)) for key in pins.keys),
            *(PinRow(key, pin_words(off, key), None, True, self._short_name(key)) for key in off.keys),
        )

    def _short_name(self, key: str) -> str:
        """What a pin is about, in few words that tell it from others; '' before there is a plan."""
        compilation, (kind, _, name) = self._session.compilation, key.partition(":")
        if compilation is None:
            return ""
        names = told_names(compilation)
        return names.step(name) if kind in _OF_OPS else names.buffer(name)

    def _show_cards(self, rows: tuple[PinRow, ...]) -> None:
        for row in rows:
            self._add(row)
        if not rows:
            sentence = text_label(EMPTY, "mute")
            sentence.setContentsMargins(px(GRID), 0, px(GRID), 0)
            self._column.addWidget(sentence)
            self._told.append(EMPTY)
        self._column.addStretch(1)

    def _add(self, row: PinRow) -> None:
        card = PinCard(row.key, row.words, row.status, row.off, row.short)
        card.removed.connect(self._remove)
        card.clicked.connect(self._select)
        card.switched.connect(self._switch)
        card.menu_requested.connect(self._menu)
        self._cards.append(card)
        self._column.addWidget(card)
        if row.status is not None and row.detail:
            tone = "mute" if row.status.state is PinState.HONOURED else TONES[row.status.state]
            card.setAccessibleDescription(row.detail)
            holder = QWidget(self._page)  # no mere layout, whose items Python would hold when it is long gone
            inside = QHBoxLayout(holder)
            inside.setContentsMargins(px(GRID), 0, px(GRID), px(GRID / 2))
            inside.addWidget(Sentence(row.detail, tone))
            self._column.addWidget(holder)
            self._told.append(row.detail)

    # What the user does

    def _select(self, key: str) -> None:
        kind, _, name = key.partition(":")
        if kind in _OF_OPS:
            self._selection.select_op(name)
        else:
            self._selection.select_buffer(name)

    def _remove(self, key: str) -> None:
        """A pin that is off is forgotten; any other is a step of undo."""
        if key in self._session.pins.keys:
            self._session.unpin(key)
        else:
            self._session.forget_pin(key)

    def _switch(self, key: str) -> None:
        """Off for a moment, or on again: both are steps of undo."""
        session = self._session
        if key in session.pins.keys:
            session.set_pins(session.resting.put(session.pins, key))
        else:
            session.set_pins(session.resting.take(session.pins, key))

    def _menu(self, key: str, at: QPoint) -> None:
        on = key in self._session.pins.keys
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Go there", lambda: self._select(key))
        menu.addAction("Switch off" if on else "Switch on", lambda: self._switch(key))
        menu.addAction("Remove" if on else "Forget", lambda: self._remove(key))
        kind, _, name = key.partition(":")
        add_alike(menu, name, self._session, buffer=kind not in _OF_OPS)
        menu.popup(at)

    # The last change

    def _tell(self, found: object) -> None:
        change = found if isinstance(found, LastChange) else None
        for label, words, tone in (
            (self.saving, change.saving if change else "", _tone(change)),
            (self.outcome, self._short(change.pins) if change else "", change.tone if change else "mute"),
        ):
            label.setText(words)
            label.setVisible(bool(words))
            label.setProperty("tone", tone)
            restyle(label)
        self.outcome.setToolTip("\n".join(change.details) if change else "")
        if change is not None:
            self.told.emit(" · ".join(part for part in (change.saving, change.pins) if part))

    def _short(self, outcome: str) -> str:
        """Without names where the list has them, first of all."""
        return outcome.partition(" (")[0] if len(self._session.pins.keys) >= MANY else outcome

    def _changed(self, what: str) -> None:
        if what in {"pins", "plan", "state"}:
            self.refresh()

    # Arrangement

    def _clear(self) -> None:
        self._cards.clear()
        self._told.clear()
        for old in self._page.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            old.hide()
            old.deleteLater()
        while self._column.takeAt(0) is not None:
            pass

    def _arrange(self) -> None:
        self._column = QVBoxLayout(self._page)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(px(GRID / 2))
        self._area.setWidget(self._page)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(GRID), px(GRID), px(GRID), px(GRID))
        column.setSpacing(px(GRID))
        head = QHBoxLayout()
        head.setContentsMargins(px(GRID), 0, px(GRID), 0)
        head.addWidget(self._head)
        column.addLayout(head)
        for label, hint in ((self.saving, "Against the plan before; Compare shows all of it"), (self.outcome, "")):
            label.setFont(font("label"))
            label.setContentsMargins(px(GRID), 0, px(GRID), 0)
            label.setToolTip(hint)
            label.hide()
            column.addWidget(label)
        self.list.clicked.connect(self._select)
        self.list.removed.connect(self._remove)
        self.list.switched.connect(self._switch)
        self.list.menu_requested.connect(self._menu)
        self._stack = QStackedLayout()
        column.addLayout(self._stack, 1)
        self._stack.addWidget(self._area)
        self._stack.addWidget(self.list)


def _tone(change: LastChange | None) -> str:
    """Less time is good news, more is a warning."""
    if change is None or change.saving.startswith(("same", "the same")):
        return "mute"
    return "warn" if change.saving.startswith("+") else "ok"
