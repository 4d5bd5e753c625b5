"""The tree of variants as Qt shows it: a row each, names and notes that can be edited in place.

Owns: items, alignment, marks and colours of a row. Refuses: changing a variant; `renamed` and `annotated` ask for it.
No item is asked for that Qt made, of a head or the root: Qt deletes those without telling Python, which would then
take what comes to lie at their place for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QIcon, QPainter, QPixmap, QStandardItem, QStandardItemModel

from spyre_studio.glossary import hinted
from spyre_studio.lights import draw_mark
from spyre_studio.qt_theme import font, px, qcolor
from spyre_studio.theme import Tone
from spyre_studio.variant_rows import CHECKS, COLUMNS, DELTA, NAME, NOISE_US, NOTE, ON_SCREEN, RIGHT, VariantRow

_MARK = 8  # px


class VariantsModel(QStandardItemModel):
    """`renamed` carries the old and the new name, `annotated` the name and the note."""

    renamed = Signal(str, str)
    annotated = Signal(str, str)

    def __init__(self, colour: Callable[[float], str], parent: QObject | None = None) -> None:
        """`colour` of a difference in µs, '' for the usual one."""
        super().__init__(parent)
        self._colour, self._quiet = colour, False
        self._names: dict[str, QStandardItem] = {}
        self._heads()
        self.itemChanged.connect(self._edited)

    def show_rows(self, rows: Sequence[VariantRow]) -> None:
        """Replace all rows, which come with parents before their children."""
        self._quiet = True
        self.clear()
        self._heads()
        self._names = {}
        for row in rows:
            items = self._items(row)
            holder = self._names.get(row.parent)
            (holder if holder is not None else self).appendRow(items)
            self._names[row.name] = items[NAME]
        self._quiet = False

    def index_of(self, name: str, column: int = NAME) -> QModelIndex:
        """Where a variant is; invalid if it is not there."""
        item = self._names.get(name)
        return item.index().siblingAtColumn(column) if item is not None else QModelIndex()

    def name_at(self, index: QModelIndex) -> str:
        """Which variant a row is."""
        return str(index.siblingAtColumn(NAME).data(Qt.ItemDataRole.UserRole) or "") if index.isValid() else ""

    def _heads(self) -> None:
        self.setHorizontalHeaderLabels([title for title, _ in COLUMNS])
        across, role = Qt.Orientation.Horizontal, Qt.ItemDataRole
        for place, (title, hint) in enumerate(COLUMNS):
            self.setHeaderData(place, across, hinted(title, hint), role.ToolTipRole)
            self.setHeaderData(place, across, _alignment(place), role.TextAlignmentRole)

    def _items(self, row: VariantRow) -> list[QStandardItem]:
        items = [QStandardItem(text) for text in row.cells]
        for place, item in enumerate(items):
            item.setEditable(place in {NAME, NOTE})
            item.setTextAlignment(_alignment(place))
            item.setData(row.name, Qt.ItemDataRole.UserRole)
            if place in RIGHT:
                item.setFont(font("label", mono=True))
        if row.status == ON_SCREEN:
            items[NAME].setFont(font("body", bold=True))
        if row.checks:
            items[CHECKS].setIcon(_mark(row.tone))
        colour = self._colour(row.delta_us) if abs(row.delta_us) > NOISE_US else ""
        if colour:
            items[DELTA].setForeground(qcolor(colour))
        spoken = ", ".join(f"{title} {text}" for (title, _), text in zip(COLUMNS, row.cells, strict=True) if text)
        items[NAME].setData(spoken, Qt.ItemDataRole.AccessibleTextRole)
        items[NAME].setToolTip(row.note or row.name)
        return items

    def _edited(self, item: QStandardItem) -> None:
        if self._quiet:
            return
        name = str(item.data(Qt.ItemDataRole.UserRole))
        text = " ".join(item.text().split())
        if item.column() == NAME and text != name:
            self.renamed.emit(name, text)
        elif item.column() == NOTE:
            self.annotated.emit(name, text)


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in RIGHT else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _mark(tone: Tone) -> QIcon:
    """The mark of a verdict, by shape and colour."""
    picture = QPixmap(px(_MARK) + 4, px(_MARK) + 4)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    draw_mark(painter, QPointF(picture.width() / 2, picture.height() / 2), tone, px(_MARK))
    painter.end()
    return QIcon(picture)
