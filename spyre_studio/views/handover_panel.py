"""Where data changes hands between cores: two maps of the buffer side by side, and what each way out costs.

Owns: which pair of writer and reader is shown, asking for its prices, and the words of the ways.  Refuses: computing
prices, and changing anything; a way is an intention for the session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from compiler.handover import Handover, Way, WayKind
from compiler.plan import Slot
from spyre_studio.failure import Failure
from spyre_studio.handover_model import Pair
from spyre_studio.legend import Entry, WrappedLegend
from spyre_studio.qt_theme import font, px
from spyre_studio.session import Session
from spyre_studio.short_names import short_names
from spyre_studio.theme import GRID
from spyre_studio.units import format_number, format_us
from spyre_studio.views.graph_model import factors_text
from spyre_studio.views.line_list import Line, LineList
from spyre_studio.views.slice_maps import MapPicture, SliceMaps
from spyre_studio.while_alive import while_alive
from spyre_studio.widgets import Heading, text_label

if TYPE_CHECKING:
    from compiler.division import Division

_TITLES: Final = {
    WayKind.SPILL: "Through device memory",
    WayKind.RELAYOUT: "Over the ring",
    WayKind.READER_FOLLOWS: "Divide {reader} as {writer}",
    WayKind.WRITER_FOLLOWS: "Divide {writer} as {reader}",
}
_LEGEND: Final = (
    Entry("held", "lx"),
    Entry("needed, held elsewhere", "hbm", "hatch"),
    Entry("of cores that lack data", "hbm", "tint"),
)
_MEANING: Final = "Against both ops as they are divided, were the data at hand. Enter takes a way: it becomes a pin."


class HandoverPanel(QWidget):
    """`chosen` carries a core that was clicked in a map, `hovered` the one under the pointer (-1 for none)."""

    chosen = Signal(int)
    hovered = Signal(int)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._compilation: Compilation | None = None
        self._pairs: tuple[Pair, ...] = ()
        self._drafts: Mapping[str, Mapping[str, int]] = {}
        self._key = ""
        self._asked: object = None
        self._found: Handover | None = None
        self._failure = ""
        self._core = 0
        self.heading = Heading("Handed over")
        self.good = text_label("", "mute")
        self.choose = QComboBox()
        self.maps = SliceMaps("Who holds and who needs which part", 2)
        self.words, self.core_words = text_label(""), QLabel()
        self.legend = WrappedLegend()
        self.ways_heading = Heading("Ways out", "")
        self.ways = LineList("Ways out", whole=True)
        self.told = text_label("", "mute")
        self._parts = (
            self.choose,
            self.maps,
            self.legend,
            self.words,
            self.core_words,
            self.ways_heading,
            self.ways,
            self.told,
        )
        self._arrange()
        self._connect()

    # What is shown

    def show_pairs(
        self,
        compilation: Compilation,
        pairs: Sequence[Pair],
        handovers: int,
        drafts: Mapping[str, Mapping[str, int]],
        core: int,
    ) -> None:
        """The pairs of an op that are apart, of so many `handovers`; `drafts`: factors that are not those of the
        plan."""
        self._compilation, self._pairs, self._drafts, self._core = compilation, tuple(pairs), drafts, core
        self.setVisible(handovers > 0)
        for part in self._parts:
            part.setVisible(bool(pairs))
        self.choose.setVisible(len(pairs) > 1)
        self.good.setVisible(not pairs)
        self.good.setText("Every core finds on itself what it reads.")
        note = f"{len(pairs)} of {handovers} divided differently" if pairs else ""
        self.heading.set_heading("Handed over", note, "warn")
        self._show_choices()
        self._show_pair()

    def open_buffer(self, buffer: str) -> None:
        """Show the pair of this buffer."""
        found = next((pair for pair in self._pairs if pair.buffer == buffer), None)
        if found is not None:
            self._key = found.key
            self._show_choices()
            self._show_pair()

    @property
    def pair(self) -> Pair | None:
        """The pair on screen."""
        first = self._pairs[0] if self._pairs else None
        return next((pair for pair in self._pairs if pair.key == self._key), first)

    def show_core(self, core: int) -> None:
        """Another core is selected."""
        self._core = core
        self.maps.show_core(core)
        self._say_core(core)

    def show_hover(self, core: int) -> None:
        """The core under the pointer in any view, -1 for none."""
        self.maps.show_core(self._core, core)
        self._say_core(core if core >= 0 else self._core)

    def set_wide(self, wide: bool) -> None:
        """Maps beside the ways instead of over them."""
        across, down = QHBoxLayout.Direction.LeftToRight, QHBoxLayout.Direction.TopToBottom
        self._sides.setDirection(across if wide else down)
        self._sides.setSpacing(px(3 * GRID) if wide else px(GRID * 0.75))

    def showing(self) -> None:
        """It came into view: prices are asked for only then."""
        self._ask()

    def _show_choices(self) -> None:
        self.choose.blockSignals(True)
        self.choose.clear()
        for pair in self._pairs:
            buffer, writer, reader = self._short(pair)
            self.choose.addItem(f"{buffer}: {writer} → {reader}", pair.key)
        shown = self.pair
        self.choose.setCurrentIndex(self.choose.findData(shown.key) if shown is not None else -1)
        self.choose.blockSignals(False)

    def _show_pair(self) -> None:
        pair = self.pair
        if pair is None:
            self.maps.show_pictures(())
            return
        short = frozenset(core for core, lack in enumerate(pair.lacking) if lack)
        _, writer, reader = self._short(pair)
        written, read = _factors(pair.writer_division), _factors(pair.reader_division)
        self.maps.show_pictures(
            (
                MapPicture("held", f"written by {writer}", written, pair.held, "", own=pair.held_part),
                MapPicture("needed", f"read by {reader}", read, pair.needed, "", short, pair.own_part),
            )
        )
        self.words.setText(f"{pair.words()}.")
        self.show_core(self._core)
        self._ask()

    def _short(self, pair: Pair) -> tuple[str, str, str]:
        """Buffer, writer and reader in a word or two."""
        assert self._compilation is not None
        names = short_names(self._compilation)
        return names.buffer(pair.buffer), names.step(pair.writer), names.step(pair.reader)

    def _say_core(self, core: int) -> None:
        pair = self.pair
        self.core_words.setText(pair.core_words(core) if pair else "")

    # Prices

    def _ask(self) -> None:
        """Ask once per plan, pair and drafts, while somebody looks."""
        pair, compilation = self.pair, self._compilation
        if pair is None or compilation is None or not self.isVisible():
            return
        asked = (compilation, pair.key, {name: dict(factors) for name, factors in self._drafts.items()})
        if self._asked is not None and self._same(asked):
            return
        self._asked, self._found, self._failure = asked, None, ""
        self._show_ways()
        self.session.request_handover(
            pair.buffer,
            (pair.writer, pair.reader),
            self._drafts,
            while_alive(self, lambda found: self._answered(asked, found)),
            while_alive(self, lambda failure: self._failed(asked, failure)),
        )

    def _same(self, asked: tuple[Compilation, str, object]) -> bool:
        known = self._asked
        return isinstance(known, tuple) and known[0] is asked[0] and known[1:] == asked[1:]

    def _answered(self, asked: object, found: Handover) -> None:
        if asked is self._asked:
            self._found = found
            self._show_ways()

    def _failed(self, asked: object, failure: Failure) -> None:
        if asked is self._asked:
            self._failure = f"{failure.what}: {failure.why}; {failure.remedy}."
            self._show_ways()

    def _show_ways(self) -> None:
        found, pair = self._found, self.pair
        self.ways.setVisible(found is not None)
        self.ways_heading.set_heading("Ways out", "µs more" if found else "")
        self.told.setText(self._failure or ("Pricing the ways out…" if found is None else _MEANING))
        self.told.setProperty("tone", "bad" if self._failure else "mute")
        if found is None or pair is None or self._compilation is None:
            return
        spilled = not isinstance(self._compilation.plan.placement.get(pair.buffer), Slot)
        self.ways.show_lines([_line(way, self._short(pair), spilled) for way in found.ways])

    # What the user does

    def _picked(self) -> None:
        self._key = str(self.choose.currentData())
        self._show_pair()

    def _committed(self, key: str) -> None:
        """Take a way: divide an op as the other, go over the ring, or keep the buffer out of LX."""
        found = self._found
        way = next((way for way in found.ways if way.kind == key), None) if found else None
        if found is None or way is None or not way.possible:
            return
        if way.kind is WayKind.SPILL:
            self.session.pin_placement(found.buffer, "hbm")
        elif way.kind is WayKind.RELAYOUT:
            self.session.pin_relayout(found.buffer, "ring")
        else:
            op = found.reader if way.kind is WayKind.READER_FOLLOWS else found.writer
            self.session.pin_division(op, way.factors)

    def _hovered(self, cores: object) -> None:
        owners = cores if isinstance(cores, tuple) else ()
        self.show_hover(owners[0] if owners else -1)
        self.hovered.emit(owners[0] if owners else -1)

    def _connect(self) -> None:
        self.choose.currentIndexChanged.connect(lambda _place: self._picked())
        self.maps.hovered.connect(self._hovered)
        self.maps.chosen.connect(self.chosen)
        self.ways.committed.connect(self._committed)

    def _arrange(self) -> None:
        self.choose.setAccessibleName("Which buffer")
        self.choose.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.maps.set_room(2, 72)
        self.legend.set_entries(_LEGEND)
        for label in (self.words, self.core_words, self.told, self.good):
            label.setFont(font("label"))
            label.setMinimumWidth(1)
        self.core_words.setProperty("tone", "mute")
        self.core_words.setWordWrap(True)
        self.core_words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.core_words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.core_words.setFixedHeight(3 * self.core_words.fontMetrics().lineSpacing() + 2)
        self.ways.setToolTip("Enter or a double click takes a way: it becomes a pin")
        pictures, prices = QVBoxLayout(), QVBoxLayout()
        for part in self._parts:
            (prices if part in (self.ways_heading, self.ways, self.told) else pictures).addWidget(part)
        for box in (pictures, prices):
            box.setSpacing(px(GRID * 0.75))
            box.addStretch(1)
        self._sides = QHBoxLayout()
        self._sides.addLayout(pictures, 3)
        self._sides.addLayout(prices, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(GRID * 0.75))
        column.addWidget(self.heading)
        column.addWidget(self.good)
        column.addLayout(self._sides)
        column.addStretch(1)
        self.set_wide(False)


def _factors(division: Division) -> str:
    return factors_text({split.loop: split.factor for split in division.splits})


def _more(microseconds: float) -> str:
    """Under a heading that says µs."""
    if abs(microseconds) < 999.95:
        return format_number(microseconds, signed=True)
    return format_us(microseconds, signed=True)


def _line(way: Way, names: tuple[str, str, str], spilled: bool) -> Line:
    title = _TITLES[way.kind].format(writer=names[1], reader=names[2])
    if way.why_not:
        note = way.why_not
    elif way.kind is WayKind.SPILL:
        note = "as in this plan" if spilled else "the buffer leaves LX"
    elif way.kind is WayKind.RELAYOUT:
        note = "a copy for this reader, both in LX"
    else:
        note = f"{factors_text(way.factors)}; then it can stay in LX"
    priced = way.possible or way.kind is WayKind.RELAYOUT
    return Line(
        key=str(way.kind),
        title=title,
        note=note,
        value=_more(way.extra_us) if priced else "–",
        strong=way.kind is WayKind.SPILL and spilled,
        faded=not way.possible,
        hint="\n".join(part for part in (title, way.words, way.inputs, way.why_not) if part),
    )
