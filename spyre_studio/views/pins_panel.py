"""The pins: what the user fixed, what became of each, and the way to take it back.

Owns: the list of cards. Refuses: judging a pin; the plan says how it ended.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QToolButton, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from compiler.pins import Pins, PinState, PinStatus
from spyre_studio.elided import ElidedLabel
from spyre_studio.pill import Pill
from spyre_studio.qt_theme import font, px
from spyre_studio.selection import Selection
from spyre_studio.sentence import Sentence
from spyre_studio.session import Session
from spyre_studio.theme import GRID, Tone
from spyre_studio.views.graph_model import factors_text
from spyre_studio.widgets import Card, SectionLabel, text_label

_TONES: dict[PinState, Tone] = {PinState.HONOURED: "ok", PinState.ADJUSTED: "warn", PinState.REFUSED: "bad"}
EMPTY = "Nothing is pinned. Choose a split in the inspector, or move a buffer into LX, to fix a decision."


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


class PinCard(Card):
    """One pin; `removed` and `clicked` carry its key."""

    removed = Signal(str)
    clicked = Signal(str)

    def __init__(self, key: str, words: str, status: PinStatus | None, parent: QWidget | None = None) -> None:
        """`status` None: the plan on screen was made without this pin."""
        super().__init__(parent)
        self.key = key
        name = ElidedLabel(key.partition(":")[2])
        name.setFont(font("body", bold=True))
        what = ElidedLabel(words)
        what.setProperty("tone", "mute")
        self.pill = Pill(str(status.state), _TONES[status.state]) if status else Pill("not solved", "mute")
        self.remove = QToolButton()
        self.remove.setText("✕")
        self.remove.setToolTip("Remove this pin (undo brings it back)")
        self.remove.setAccessibleName(f"Remove the pin of {name.text()}")
        self.remove.clicked.connect(lambda: self.removed.emit(self.key))
        self.column.setSpacing(0)
        for first, second in ((name, self.remove), (what, self.pill)):
            line = QHBoxLayout()
            line.addWidget(first, 1)
            line.addWidget(second, 0, Qt.AlignmentFlag.AlignVCenter)
            self.column.addLayout(line)
        self.setAccessibleName(f"{name.text()}: {words}, {self.pill.text}")

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click anywhere on the card selects what it speaks of."""
        super().mouseReleaseEvent(event)
        self.clicked.emit(self.key)


class PinsPanel(QWidget):
    """All pins in order of priority."""

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._selection = session, selection
        self._head = SectionLabel("Pins")
        self._area, self._page = QScrollArea(self), QWidget()
        self._cards: list[PinCard] = []
        self._shown: tuple[object, ...] = ()
        self._told: list[str] = []
        self._arrange()
        session.changed.connect(self._changed)
        self.refresh()

    @property
    def cards(self) -> tuple[PinCard, ...]:
        """The cards from top to bottom."""
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
        pins, compilation = self._session.pins, self._session.compilation
        statuses = compilation.plan.pins if compilation and not self._session.stale else {}
        shown = (*((key, pin_words(pins, key), statuses.get(key)) for key in pins.keys),)
        if shown == self._shown and self._column.count():
            return
        self._shown = shown
        self._clear()
        for key, words, status in shown:
            self._add(key, words, status)
        if not shown:
            sentence = text_label(EMPTY, "mute")
            sentence.setContentsMargins(px(GRID), 0, px(GRID), 0)
            self._column.addWidget(sentence)
            self._told.append(EMPTY)
        self._column.addStretch(1)
        self._head.set_note(str(len(shown)) if shown else "")

    def _add(self, key: str, words: str, status: PinStatus | None) -> None:
        card = PinCard(key, words, status)
        card.removed.connect(self._session.unpin)
        card.clicked.connect(self._select)
        self._cards.append(card)
        self._column.addWidget(card)
        if status is not None and status.detail:
            tone = "mute" if status.state is PinState.HONOURED else _TONES[status.state]
            card.setAccessibleDescription(status.detail)
            holder = QHBoxLayout()
            holder.setContentsMargins(px(GRID), 0, px(GRID), px(GRID / 2))
            holder.addWidget(Sentence(status.detail, tone))
            self._column.addLayout(holder)
            self._told.append(status.detail)

    def _select(self, key: str) -> None:
        kind, _, name = key.partition(":")
        if kind in {"division", "tiles", "same"}:
            self._selection.select_op(name)
        else:
            self._selection.select_buffer(name)

    def _changed(self, what: str) -> None:
        if what in {"pins", "plan", "state"}:
            self.refresh()

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
        column.addWidget(self._area, 1)
