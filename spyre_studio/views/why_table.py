"""The list of what is not in LX: what each buffer would save there, why it is not, and what would change that.

Owns: the columns, and which reason and words are looked at. Refuses: the selection and pins; it says what was chosen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from spyre_studio.qt_theme import font, px
from spyre_studio.table import Cell, Column, CopyableTable, Row, TableModel
from spyre_studio.theme import GRID, PAD
from spyre_studio.units import format_bytes, format_count
from spyre_studio.why_not import WhyNot
from spyre_studio.widgets import button

_EVERY = ""
_SAVES = "Bytes from and to device memory that it would save in LX, as they are priced"


class WhyTable(QWidget):
    """`chosen` carries the name of a buffer, `pinned` the names that shall be kept in LX, `asked` a place on screen
    where a menu is wanted for the selected one."""

    chosen = Signal(str)
    pinned = Signal(object)
    asked = Signal(str, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: Sequence[WhyNot] = ()
        self.reasons, self.words, self.count = QComboBox(), QLineEdit(), QLabel()
        self.keep = button(
            "Keep in LX",
            "secondary",
            "Pin the selected buffers into the scratchpad (Ctrl+L); or drag a row: the map opens beside the list",
        )
        self.table = CopyableTable(TableModel(_COLUMNS), "Buffers that are not in LX", self)
        self._arrange()
        self._connect()

    def show_found(self, found: Sequence[WhyNot]) -> None:
        """Other buffers; the reason that is looked at stays if any of them has it."""
        self._found = found
        wanted, counts = self.reasons.currentData(), Counter(one.code for one in found)
        titles = {one.code: one.title for one in found}
        self.reasons.blockSignals(True)
        self.reasons.clear()
        self.reasons.addItem(f"Every reason ({len(found):,})", _EVERY)
        for code, count in counts.most_common():
            self.reasons.addItem(f"{titles[code].capitalize()} ({count:,})", code)
        self.reasons.setCurrentIndex(max(self.reasons.findData(wanted), 0))
        self.reasons.blockSignals(False)
        self._show()

    def buffer_at(self, pos: QPoint) -> str:
        """The buffer whose row is at a point of the table's viewport, '' for none."""
        index = self.table.indexAt(pos)
        return str(index.siblingAtColumn(0).data()) if index.isValid() else ""

    def select(self, name: str | None) -> None:
        """Show this buffer as selected; several rows stay selected if it is one of them."""
        selected = self.table.keys()
        if name is None or name not in selected:
            self.table.select([name] if name is not None else [])
        self._enable()

    def _show(self) -> None:
        code, words = self.reasons.currentData(), self.words.text().casefold().split()
        kept = [one for one in self._found if code in (_EVERY, one.code) and _has(one, words)]
        self.table.show_rows(lambda: [_row(one) for one in kept])
        saves = format_bytes(sum(one.saves for one in kept))
        shown = f"{len(kept):,} of " if len(kept) < len(self._found) else ""
        self.count.setText(f"{shown}{format_count(len(self._found), 'buffer')} · {saves} of traffic")
        self._enable()

    def _tell(self, keys: tuple[Hashable, ...]) -> None:
        self._enable()
        if keys:
            self.chosen.emit(str(keys[0]))

    def _enable(self) -> None:
        self.keep.setEnabled(bool(self.table.keys()))

    def _keep(self) -> None:
        self.pinned.emit(tuple(map(str, self.table.keys())))

    def _menu(self, at: QPoint) -> None:
        keys = self.table.keys()
        if keys:
            self.asked.emit(str(keys[0]), self.table.viewport().mapToGlobal(at))

    def _connect(self) -> None:
        self.reasons.currentIndexChanged.connect(lambda _place: self._show())
        self.words.textChanged.connect(lambda _text: self._show())
        self.keep.clicked.connect(self._keep)
        self.table.chosen.connect(self._tell)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._menu)

    def _arrange(self) -> None:
        self.reasons.setAccessibleName("Filter by reason")
        self.words.setPlaceholderText("Filter")
        self.words.setAccessibleName("Filter by words")
        self.words.setClearButtonEnabled(True)
        self.words.setMaximumWidth(px(24 * GRID))
        self.count.setFont(font("label"))
        self.count.setProperty("tone", "mute")
        row = QHBoxLayout()
        row.setContentsMargins(px(PAD), px(GRID / 2), px(GRID), px(GRID / 2))
        row.setSpacing(px(GRID))
        row.addWidget(self.reasons)
        row.addWidget(self.words)
        row.addWidget(self.count, 1)
        row.addWidget(self.keep)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.table, 1)


def _has(one: WhyNot, words: Sequence[str]) -> bool:
    text = f"{one.buffer} {one.title} {one.detail} {one.producer}".casefold()
    return all(word in text for word in words)


def _row(one: WhyNot) -> Row:
    hint = "\n".join(part for part in (f"{one.buffer}: {one.title}", one.detail, one.sentence, one.remedy) if part)
    cells = (one.buffer, one.saves, one.title, one.detail, one.sentence, one.remedy, one.size, one.producer)
    return Row(one.buffer, cells, hint)


def _bytes(cell: Cell) -> str:
    return format_count(float(cell))


_COLUMNS = (
    Column("buffer"),
    Column("saves, B", _bytes, number=True, hint=_SAVES),
    Column("reason", hint="Why it is not in LX"),
    Column("figures", hint="Why it is not, for this buffer", gives_way=1),
    Column("meaning", hint="What the reason means", gives_way=5),
    Column("to change", hint="What would bring it into LX", gives_way=2),
    Column("size, B", _bytes, number=True, hint="Of the whole buffer in device memory", gives_way=4),
    Column("made by", gives_way=6),
)
