"""Tensors beside each other as maps of slices: which part each core reads or writes, and what it lacks of it.

Owns: drawing the maps with their words, the slice under the pointer, and telling it.  Refuses: which tensors, and what
slices mean; it is told `MapPicture`s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from spyre_studio.colour import mix
from spyre_studio.legend import TINT
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.slice_map import Floats, SliceMap
from spyre_studio.theme import GRID
from spyre_studio.units import format_bytes, format_count
from spyre_studio.views.paint import RectBatch, hatch

Part = tuple[Sequence[int], Sequence[int]]
"""First host coordinates and one past the last."""

_LINE: Final = 14  # px; a line of words
_HIGH: Final = 64  # px; of a picture
_GAP: Final = 1.5 * GRID  # between pictures
_OUTLINED: Final = 6  # px; smaller slices have no line around them
_THIN: Final = 4  # px; thinner slices have no gaps between them
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True, eq=False)
class MapPicture:
    """A tensor with a `title` and a `note`.  `kind` colours the slice of the selected core.

    `short`: cores that lack some of their slice; `own` gives the range of it that a core does hold.
    """

    key: str
    title: str
    note: str
    slices: SliceMap
    kind: str
    short: frozenset[int] = frozenset()
    own: Callable[[int], Part] | None = None
    loud: bool = False


class SliceMaps(QWidget):
    """`hovered` carries the cores of the slice under the pointer, `chosen` the core to select, `opened` the key of a
    picture whose words were clicked."""

    hovered = Signal(object)
    chosen = Signal(int)
    opened = Signal(str)

    def __init__(self, name: str, beside: int = 3, parent: QWidget | None = None) -> None:
        """`beside`: pictures in a row where there is room for no more."""
        super().__init__(parent)
        self.installEventFilter(self)
        self._pictures: tuple[MapPicture, ...] = ()
        self._beside = beside
        self._high: float = _HIGH
        self._core, self._walked = 0, -1
        self._under: tuple[int, int] | None = None
        self._batch = RectBatch()
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @property
    def pictures(self) -> tuple[MapPicture, ...]:
        """What is shown."""
        return self._pictures

    def show_pictures(self, pictures: Sequence[MapPicture]) -> None:
        """Other tensors."""
        self._pictures, self._under = tuple(pictures), None
        self.setVisible(bool(pictures))
        self._describe()
        self.updateGeometry()
        self.update()

    def show_core(self, core: int, walked: int = -1) -> None:
        """The selected core, and the one under the pointer elsewhere (-1 for none)."""
        self._core, self._walked = core, walked
        self._describe()
        self.update()

    def set_room(self, beside: int, high: float) -> None:
        """Pictures in a row, and how high each is in pixels of the reference screen."""
        if (beside, high) != (self._beside, self._high):
            self._beside, self._high = beside, high
            self.updateGeometry()
            self.update()

    def picture_rect(self, place: int) -> QRectF:
        """Where the slices of a picture are drawn."""
        room = self._room(place)
        top = room.top() + 2 * px(_LINE)
        return QRectF(room.left(), top, room.width(), px(self._high))

    def heightForWidth(self, _width: int) -> int:
        """Rows of pictures with their words."""
        rows = -(-len(self._pictures) // self._columns) if self._pictures else 0
        return round(rows * (3 * px(_LINE) + px(self._high)) + max(rows - 1, 0) * px(_GAP))

    def sizeHint(self) -> QSize:
        """As high as it needs."""
        return QSize(px(20 * GRID), self.heightForWidth(0))

    def minimumSizeHint(self) -> QSize:
        """Narrow is fine, low is not."""
        return QSize(px(8 * GRID), self.heightForWidth(0))

    @property
    def _columns(self) -> int:
        return max(1, min(self._beside, len(self._pictures)))

    def _room(self, place: int) -> QRectF:
        row, column = divmod(place, self._columns)
        width = (self.width() - px(_GAP) * (self._columns - 1)) / self._columns
        high = 3 * px(_LINE) + px(self._high)
        return QRectF(column * (width + px(_GAP)), row * (high + px(_GAP)), width, high)

    def _describe(self) -> None:
        self.setAccessibleDescription("; ".join(picture.slices.words(self._core) for picture in self._pictures))

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Every picture with its words."""
        painter = QPainter(self)
        for place, picture in enumerate(self._pictures):
            self._paint_words(painter, self._room(place), picture)
            self._paint_slices(painter, self.picture_rect(place), picture, place)
        painter.end()

    def _paint_words(self, painter: QPainter, room: QRectF, picture: MapPicture) -> None:
        theme, line = active_theme(), px(_LINE)
        core = self._walked if self._walked >= 0 else self._core
        title, micro = font("label"), font("micro", mono=True)
        lines = (
            (title, theme.text, picture.title, 0.0),
            (font("micro"), theme.warn_text if picture.loud else theme.mute, picture.note, line),
            (micro, theme.mute, _caption(picture.slices, core, micro, room.width()), room.height() - line),
        )
        for face, colour, text, top in lines:
            painter.setFont(face)
            painter.setPen(qcolor(colour))
            shown = QFontMetricsF(face).elidedText(text, Qt.TextElideMode.ElideMiddle, room.width())
            painter.drawText(QRectF(room.left(), room.top() + top, room.width(), line), _LEFT, shown)

    def _paint_slices(self, painter: QPainter, rect: QRectF, picture: MapPicture, place: int) -> None:
        theme, slices = active_theme(), picture.slices
        painter.save()
        painter.setClipRect(rect.adjusted(-1, -1, 1, 1))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.fillRect(rect, qcolor(theme.bg))
        pixels = _inside(rect, slices.rects)
        painter.setBrush(qcolor(mix(theme.panel, theme.text, 0.13)))
        self._batch.draw(painter, _apart(pixels, rect, slices))
        if picture.short:
            short = [tile for tile, owners in enumerate(slices.owners) if not picture.short.isdisjoint(owners)]
            rows = _apart(pixels, rect, slices)[[tile in short for tile in slices.tiles.tolist()]]
            painter.setBrush(qcolor(mix(theme.panel, theme.hbm, TINT)))
            self._batch.draw(painter, rows)
        core = self._walked if self._walked >= 0 else self._core
        self._paint_core(painter, rect, picture, core)
        if self._under is not None and self._under[0] == place:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(qcolor(theme.accent), 2))
            self._batch.draw(painter, pixels[slices.tiles == self._under[1]])
        painter.restore()

    def _paint_core(self, painter: QPainter, rect: QRectF, picture: MapPicture, core: int) -> None:
        """The slice of a core: filled, or only what it holds of it filled and the rest hatched."""
        theme, slices = active_theme(), picture.slices
        if core >= slices.cores:
            return
        whole = _inside(rect, slices.rects_of(slices.low[core].tolist(), slices.high[core].tolist()))
        colour = theme.kind(picture.kind) if picture.own is None else theme.lx
        if picture.own is not None:
            painter.setBrush(hatch(theme.hbm, theme.panel, self.devicePixelRatioF()))
            self._batch.draw(painter, whole)
            own = picture.own(core)
            held = _inside(rect, slices.rects_of(*own))
        else:
            held = whole
        painter.setBrush(qcolor(colour))
        self._batch.draw(painter, _seen(held))
        large = (whole[:, 2:] - whole[:, :2] >= px(_OUTLINED)).all(axis=1)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(qcolor(theme.text), 1.5))
        self._batch.draw(painter, whole[large])
        painter.setPen(Qt.PenStyle.NoPen)

    # What the user does

    def tile_at(self, pos: QPointF) -> tuple[int, int] | None:
        """Picture and slice under a point."""
        for place, picture in enumerate(self._pictures):
            rect = self.picture_rect(place)
            if rect.contains(pos):
                x, y = (pos.x() - rect.left()) / rect.width(), (pos.y() - rect.top()) / rect.height()
                tile = picture.slices.tile_at(x, y)
                return (place, tile) if tile >= 0 else None
        return None

    def owners_at(self, pos: QPointF) -> tuple[int, ...]:
        """The cores of the slice under a point."""
        found = self.tile_at(pos)
        return self._pictures[found[0]].slices.owners[found[1]] if found else ()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """A tooltip per slice."""
        if isinstance(event, QHelpEvent):
            at = QPointF(event.pos())
            found = self.tile_at(at)
            QToolTip.showText(event.globalPos(), self._hint(*found) if found else self._whole_hint(at), self)
            return True
        return False

    def _hint(self, place: int, tile: int) -> str:
        slices = self._pictures[place].slices
        cores = slices.owners[tile]
        many = ", ".join(map(str, cores[:8])) + ("…" if len(cores) > 8 else "")
        size = format_bytes(int(slices.bytes_per_core[cores[0]]))
        return f"{slices.words(cores[0])}\n{size}, {format_count(len(cores), 'core')}: {many}"

    def _whole_hint(self, pos: QPointF) -> str:
        """The whole tensor, over the words of a picture."""
        place = next((place for place in range(len(self._pictures)) if self._room(place).contains(pos)), -1)
        if place < 0:
            return ""
        picture = self._pictures[place]
        sizes = zip(picture.slices.names, picture.slices.shape, strict=True)
        dims = " × ".join(f"{name} {size:,}" for name, size in sizes)
        return "\n".join(part for part in (picture.slices.buffer, dims, picture.note) if part)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell the cores of the slice under the pointer."""
        found = self.tile_at(event.position())
        if found != self._under:
            self._under = found
            self.hovered.emit(self.owners_at(event.position()))
            self.update()
        over = self._title_at(event.position()) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def leaveEvent(self, _event: QEvent) -> None:
        """None."""
        self._under = None
        self.hovered.emit(())
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select a core of the slice, at each click the next; or open a picture by its words."""
        owners = self.owners_at(event.position())
        if owners:
            later = [core for core in owners if core > self._core]
            self.chosen.emit(later[0] if self._core in owners and later else owners[0])
            return
        title = self._title_at(event.position())
        if title is not None:
            self.opened.emit(title)

    def _title_at(self, pos: QPointF) -> str | None:
        """The key of the picture whose words are under a point, if they can be opened."""
        for place, picture in enumerate(self._pictures):
            room = self._room(place)
            if picture.loud and QRectF(room.left(), room.top(), room.width(), 2 * px(_LINE)).contains(pos):
                return picture.key
        return None


def _caption(slices: SliceMap, core: int, face: QFont, width: float) -> str:
    """The part of a core: as an index if that fits, else the divided dims alone."""
    words = slices.index_words(core)
    return words if QFontMetricsF(face).horizontalAdvance(words) <= width else slices.divided_words(core)


def _inside(rect: QRectF, shares: Floats) -> Floats:
    """Rectangles in 0..1 as pixels."""
    found = shares.copy()
    found[:, 0::2] = rect.left() + shares[:, 0::2] * rect.width()
    found[:, 1::2] = rect.top() + shares[:, 1::2] * rect.height()
    return found


def _apart(pixels: Floats, rect: QRectF, slices: SliceMap) -> Floats:
    """With a pixel between slices where they are large enough."""
    found = pixels.copy()
    if rect.width() / slices.columns >= px(_THIN):
        found[:, 2] -= 1
    if rect.height() / slices.rows >= px(_THIN):
        found[:, 3] -= 1
    return found


def _seen(pixels: Floats) -> Floats:
    """Not thinner than can be seen."""
    found = pixels.copy()
    found[:, 2] = found[:, 2].clip(min=found[:, 0] + 2)
    found[:, 3] = found[:, 3].clip(min=found[:, 1] + 2)
    return found
