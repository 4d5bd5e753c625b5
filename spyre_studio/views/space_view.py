"""The iteration space of an op over the cores: the grid, what the cores under the pointer own, and every operand.

Owns: keeping grid, words and operands at the same core, and the table twin.  Refuses: factors and pins; it tells which
core was chosen, which operand was opened, and which fuller division was asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from compiler.division import Division
from compiler.idle import Idle
from compiler.loops import LoopOp
from spyre_studio.division_model import owned
from spyre_studio.legend import Entry, WrappedLegend
from spyre_studio.qt_theme import font, px
from spyre_studio.short_names import ShortNames
from spyre_studio.slice_map import SliceMap
from spyre_studio.space_grid import SpaceGrid, handing_text
from spyre_studio.theme import GRID, Tone
from spyre_studio.views.core_grid import CoreGrid
from spyre_studio.views.core_table import CoreTable
from spyre_studio.views.slice_maps import MapPicture, SliceMaps
from spyre_studio.widgets import Heading, text_label

_BESIDE: Final = 3
_BESIDE_WIDE: Final = 4
_FULLER: Final = "fuller"
READS: Final = "reads"
WRITES: Final = "writes"
ARROW: Final = "→ "  # before what is written


@dataclass(frozen=True, slots=True, eq=False)
class SpaceShown:
    """An op under a division.  `operands`: the access ('reads', 'writes') of each map; `apart`: buffers whose other end
    is divided differently; `idle`: what is lost, None if nothing is."""

    op: LoopOp
    kind: str
    division: Division
    cores: int
    grid: SpaceGrid
    operands: tuple[tuple[str, SliceMap], ...]
    apart: Mapping[str, str]
    names: ShortNames
    idle: Idle | None

    def words(self, core: int) -> str:
        """What a core owns and what it does with its partial sums."""
        hands = handing_text(self.grid, core)
        return owned(self.op, self.division, core) + (f"; {hands}" if hands else "")


class SpaceView(QWidget):
    """`chosen` carries a core, `opened` a buffer whose handover was clicked, `fuller` factors that use more cores,
    `hovered` the core under the pointer (-1 for none)."""

    chosen = Signal(int)
    hovered = Signal(int)
    opened = Signal(str)
    fuller = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: SpaceShown | None = None
        self._core = 0
        self.heading = Heading("")
        self.table_button = QToolButton()
        self.grid, self.table = CoreGrid(), CoreTable()
        self.owns, self.lost = QLabel(), text_label("", "warn")
        self.legend = WrappedLegend()
        self.maps = SliceMaps("Slices of the operands", _BESIDE)
        self._arrange()
        self._connect()

    # What is shown

    def show_space(self, shown: SpaceShown, core: int) -> None:
        """Another op or division."""
        self._shown, self._core = shown, core
        self.grid.show_grid(shown.grid, shown.kind, shown.words)
        self.maps.show_pictures([self._picture(shown, *operand) for operand in shown.operands])
        self.table.show_cores(shown.op, shown.division, shown.cores, shown.operands, shown.grid)
        self.legend.setVisible(bool(shown.grid.chains) and not self.table.isVisible())
        self.lost.setText(_lost(shown))
        self.lost.setVisible(bool(self.lost.text()))
        self.show_core(core)

    def show_heading(self, title: str, note: str, tone: Tone) -> None:
        """The division in words, and what became of a pin."""
        self.heading.set_heading(title, note, tone)

    def show_core(self, core: int) -> None:
        """Another core is selected."""
        self._core = core
        self.grid.show_core(core)
        self.maps.show_core(core)
        self.table.select(core)
        self._say(core)

    def show_hover(self, core: int) -> None:
        """The core under the pointer in any view, -1 for none."""
        self.grid.show_hover(core)
        self.table.show_hover(core)
        self.maps.show_core(self._core, core)
        self._say(core if core >= 0 else self._core)

    def set_wide(self, wide: bool) -> None:
        """More room for the maps."""
        self.maps.set_room(_BESIDE_WIDE if wide else _BESIDE, 88 if wide else 64)

    def _say(self, core: int) -> None:
        words = self._shown.words(core) if self._shown else ""
        self.owns.setText(words)
        self.owns.setToolTip(words)

    @staticmethod
    def _picture(shown: SpaceShown, way: str, slices: SliceMap) -> MapPicture:
        sizes = zip(slices.names, slices.shape, strict=True)
        dims = " × ".join(f"{name} {size:,}" for name, size in sizes if size > 1)
        apart, name = shown.apart.get(slices.buffer, ""), shown.names.buffer(slices.buffer)
        note = f"≠ {apart}" if apart else dims or "a number"
        title = name if way == READS else f"{ARROW}{name}"
        return MapPicture(f"{way}:{slices.buffer}", title, note, slices, shown.kind, loud=bool(apart))

    # What the user does

    def _hovered(self, core: int) -> None:
        self.maps.show_core(self._core, core)
        self._say(core if core >= 0 else self._core)
        self.hovered.emit(core)

    def _lit(self, cores: object) -> None:
        owners: Sequence[int] = cores if isinstance(cores, tuple) else ()
        self.grid.show_lit(owners)
        self._say(owners[0] if owners else self._core)
        self.hovered.emit(owners[0] if owners else -1)

    def _linked(self, link: str) -> None:
        idle = self._shown.idle if self._shown else None
        if link == _FULLER and idle is not None:
            self.fuller.emit(idle.fuller)

    def _connect(self) -> None:
        self.grid.chosen.connect(self.chosen)
        self.grid.hovered.connect(self._hovered)
        self.maps.chosen.connect(self.chosen)
        self.maps.hovered.connect(self._lit)
        self.maps.opened.connect(lambda key: self.opened.emit(key.partition(":")[2]))
        self.table.chosen.connect(self.chosen)
        self.table.hovered.connect(self._hovered)
        self.table_button.toggled.connect(self.set_table)
        self.lost.linkActivated.connect(self._linked)

    def set_table(self, shown: bool) -> None:
        """The table of cores instead of the pictures."""
        self.table_button.setChecked(shown)
        self.table.setVisible(shown)
        self.grid.setVisible(not shown)
        self.legend.setVisible(not shown and bool(self.grid.grid.chains))
        self.maps.setVisible(not shown and bool(self.maps.pictures))

    def _arrange(self) -> None:
        self.table_button.setText("Table")
        self.table_button.setCheckable(True)
        self.table_button.setFont(font("label"))
        self.table_button.setToolTip("Show what each core owns as a table that can be copied")
        self.owns.setFont(font("label"))
        self.owns.setProperty("tone", "mute")
        self.owns.setWordWrap(True)
        self.owns.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        self.owns.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.owns.setFixedHeight(2 * self.owns.fontMetrics().lineSpacing() + 2)
        self.lost.setFont(font("label"))
        self.lost.setTextFormat(Qt.TextFormat.RichText)
        told = QHBoxLayout()
        told.setSpacing(px(GRID))
        told.addWidget(self.owns, 1)
        told.addWidget(self.table_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(GRID))
        column.addWidget(self.heading)
        column.addWidget(self.grid)
        column.addWidget(self.table)
        column.addWidget(self.legend)
        column.addLayout(told)
        column.addWidget(self.lost)
        column.addWidget(self.maps)
        self.table.hide()
        self.legend.hide()
        self.legend.set_entries((Entry("partial sums go on; Σ has the finished ones", "move"),))


def _lost(shown: SpaceShown) -> str:
    """Which cores idle and what would use them, with a link where a division does."""
    if shown.division.cores >= shown.cores:
        return ""
    if shown.idle is None:
        return f"{shown.division.cores} of {shown.cores} cores work: no loop has more parts to give."
    text = f"{shown.idle}."
    if not shown.idle.fuller:
        return text
    factors = " ".join(f"{loop} {factor}" for loop, factor in shown.idle.fuller.items())
    return text.replace(factors, f'<a href="{_FULLER}">{factors}</a>', 1)
