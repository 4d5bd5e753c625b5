"""The tray: buffers that are not in LX and would save most there, as chips that can be dragged into the map.

Owns: which chips have room, their looks, and choosing one by mouse and keys. Refuses: pins and the selection; it says
what was chosen. It is also where a box from the map is dropped to keep it out of LX.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID, PAD, RADIUS_SMALL
from spyre_studio.told_apart import told_apart
from spyre_studio.units import format_bytes, format_us
from spyre_studio.views.paint import hatch
from spyre_studio.why_not import WhyNot

MOST: Final = 60  # chips at most
_HIGH, _GAP, _NAME = 22, 4, 168  # px of a chip, between chips, and of the longest name
_MORE: Final = ""  # key of the chip that stands for the rest


@dataclass(frozen=True, slots=True)
class Chip:
    """A buffer's chip, or that of the rest (`buffer` ''): what it says and where it is."""

    buffer: str
    name: str
    note: str
    rect: QRectF


class LxTray(QWidget):
    """`chosen` and `kept` carry a buffer (Enter keeps it in LX), `asked` also where on screen a menu is wanted; `more`:
    the list of all of them is wanted."""

    chosen = Signal(str)
    kept = Signal(str)
    asked = Signal(str, QPoint)
    more = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.installEventFilter(self)
        self.setAccessibleName("Buffers that are not in LX, those first that would save most")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(px(120))
        self.setMouseTracking(True)
        self._found: Sequence[WhyNot] = ()
        self._wanted: Sequence[WhyNot] = ()
        self._titles: Mapping[str, str] = {}
        self._barred: Mapping[str, str] = {}
        self._bytes_per_us = 1.0
        self._selected: str | None = None
        self._at = 0
        self._target = False
        self._chips: tuple[Chip, ...] = ()
        self.set_lines(3)

    def show_found(
        self,
        found: Sequence[WhyNot],
        titles: Mapping[str, str],
        barred: Mapping[str, str],
        bytes_per_us: float,
    ) -> None:
        """Other buffers, those first that save most; `barred`: why no pin brings one into LX; `bytes_per_us` is the
        rate of device memory."""
        self._found, self._barred, self._bytes_per_us = found, barred, bytes_per_us
        self._titles = told_apart({one.buffer: titles.get(one.buffer, one.buffer) for one in found[:MOST]})
        self._wanted = [one for one in found[:MOST] if one.saves > 0]
        self._at = 0
        self._place()

    def set_lines(self, lines: int) -> None:
        """How many lines of chips there are."""
        self.setFixedHeight(px(_HIGH) + lines * px(_HIGH + _GAP) + px(GRID))
        self._place()

    def select(self, buffer: str | None) -> None:
        """Mark a buffer as selected, here or elsewhere."""
        self._selected = buffer
        self._at = next((place for place, chip in enumerate(self._chips) if buffer and chip.buffer == buffer), self._at)
        self.update()

    def show_target(self, target: bool) -> None:
        """A box is carried that can be dropped here."""
        self._target = target
        self.update()

    @property
    def chips(self) -> tuple[Chip, ...]:
        """What is shown, in reading order; the last one may stand for the rest."""
        return self._chips

    def buffer_at(self, pos: QPoint) -> str:
        """The buffer whose chip is there, '' for none."""
        chip = self._chip_at(pos)
        return chip.buffer if chip else ""

    def hint(self, buffer: str) -> str:
        """What a chip stands for, in rich text."""
        one = next((one for one in self._found if one.buffer == buffer), None)
        if one is None:
            return "The list of all buffers that are not in LX"
        time = format_us(one.saves / self._bytes_per_us)
        lines = [
            f"<b>{escape(one.buffer)}</b>: {escape(one.title)}",
            f"in LX it would save {format_bytes(one.saves)} from and to device memory, about {time} at its rate",
            f"{format_bytes(one.size)} in all",
        ]
        bar = self._barred.get(buffer, "")
        lines.append(f"No pin brings it into LX. {escape(bar)}" if bar else "Drag it into the map, or press Enter")
        return "<br>".join(lines)

    # Where chips are

    def resizeEvent(self, event: QResizeEvent) -> None:
        """More or fewer chips."""
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        """Another font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._place()

    def _place(self) -> None:
        """Chips beside each other in lines; what has no room is counted by the last one."""
        name, note = QFontMetricsF(font("label")), QFontMetricsF(font("micro", mono=True))
        right, bottom = self.width() - px(GRID), self.height() - px(GRID / 2)
        total = len(self._found)
        rest = max(map(name.horizontalAdvance, (f"{total:,} more", f"{total:,} in all"))) + px(2 * GRID) + 1
        left, top, chips = float(px(GRID)), float(px(_HIGH)), list[Chip]()
        for number, one in enumerate(self._wanted):
            shown = name.elidedText(self._titles.get(one.buffer, one.buffer), Qt.TextElideMode.ElideMiddle, px(_NAME))
            words = format_bytes(one.saves)
            wide = px(4 * GRID) + name.horizontalAdvance(shown) + note.horizontalAdvance(words)
            last_line = top + 2 * px(_HIGH + _GAP) > bottom
            others = rest + px(_GAP) if number + 1 < len(self._found) else 0
            if left + wide + (others if last_line else 0) > right and left > px(GRID):
                if last_line:
                    break
                left, top = float(px(GRID)), top + px(_HIGH + _GAP)
            chips.append(Chip(one.buffer, shown, words, QRectF(left, top, wide, px(_HIGH))))
            left += wide + px(_GAP)
        left_out = len(self._found) - len(chips)
        if left_out:
            if left + rest > right and top + 2 * px(_HIGH + _GAP) <= bottom:
                left, top = float(px(GRID)), top + px(_HIGH + _GAP)
            words = f"{left_out:,} more" if chips else f"{left_out:,} in all"
            chips.append(Chip(_MORE, words, "", QRectF(left, top, rest, px(_HIGH))))
        self._chips = tuple(chips)
        self._at = min(self._at, max(len(chips) - 1, 0))
        self.update()

    def _chip_at(self, pos: QPoint) -> Chip | None:
        return next((chip for chip in self._chips if chip.rect.contains(QPointF(pos))), None)

    # What the user does

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click selects the buffer, or asks for the list."""
        chip = self._chip_at(event.position().toPoint())
        if chip is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self._go(self._chips.index(chip))
        if chip.buffer == _MORE:
            self.more.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """As Enter."""
        if self._chip_at(event.position().toPoint()) is not None:
            self._enter()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows, Home and End choose; Enter keeps the buffer in LX."""
        last = len(self._chips) - 1
        places = {
            Qt.Key.Key_Left: self._at - 1,
            Qt.Key.Key_Up: self._at - 1,
            Qt.Key.Key_Right: self._at + 1,
            Qt.Key.Key_Down: self._at + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        key = Qt.Key(event.key())
        if last < 0:
            super().keyPressEvent(event)
        elif key in places and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self._go(min(max(places[key], 0), last))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Under the pointer, or on the chip that the keys are at."""
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        chip = self._chip_at(event.pos()) if by_mouse else self._current()
        if chip is not None and chip.buffer != _MORE:
            self.asked.emit(
                chip.buffer, event.globalPos() if by_mouse else self.mapToGlobal(chip.rect.center().toPoint())
            )

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """The tooltip of the chip under the pointer."""
        if not isinstance(event, QHelpEvent) or event.type() is not QEvent.Type.ToolTip:
            return False
        chip = self._chip_at(event.pos())
        if chip is not None:
            QToolTip.showText(event.globalPos(), self.hint(chip.buffer), self)
        else:
            QToolTip.hideText()
        return True

    def _current(self) -> Chip | None:
        return self._chips[self._at] if self._at < len(self._chips) else None

    def _go(self, place: int) -> None:
        self._at = place
        chip = self._chips[place]
        self.setAccessibleDescription(f"{chip.name} {chip.note}".strip())
        if chip.buffer != _MORE:
            self.chosen.emit(chip.buffer)
        self.update()

    def _enter(self) -> None:
        chip = self._current()
        if chip is None:
            return
        if chip.buffer == _MORE:
            self.more.emit()
        elif chip.buffer not in self._barred:
            self.kept.emit(chip.buffer)

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Heading and chips; the whole tray while something can be dropped on it."""
        theme, painter = active_theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), qcolor(theme.bg))
        head = QRectF(px(GRID), 0, self.width() - px(PAD), px(_HIGH))
        painter.setFont(font("label", bold=True))
        painter.setPen(qcolor(theme.text))
        middle = Qt.AlignmentFlag.AlignVCenter
        title = "Drop it here: device memory" if self._target else "Not in LX"
        painter.drawText(head, middle | Qt.AlignmentFlag.AlignLeft, title)
        self._paint_note(painter, head, QFontMetricsF(font("label", bold=True)).horizontalAdvance(title))
        for place, chip in enumerate(self._chips):
            self._paint_chip(painter, chip, place == self._at and self.hasFocus())
        if self._target:
            painter.setPen(QPen(qcolor(theme.accent), 2))
            painter.setBrush(qcolor(theme.accent, 0.1))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(2, 1, -2, -1), RADIUS_SMALL, RADIUS_SMALL)
        painter.end()

    def _paint_note(self, painter: QPainter, head: QRectF, taken: float) -> None:
        if self._target:
            return
        least = "drag into the map" if self._wanted else ""
        words = f"traffic it would save · {least}" if self._wanted else "nothing would save traffic there"
        metrics = QFontMetricsF(font("micro"))
        if metrics.horizontalAdvance(words) > head.width() - taken - px(GRID):
            words = least
        painter.setFont(font("micro"))
        painter.setPen(qcolor(active_theme().mute))
        painter.drawText(head, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, words)

    def _paint_chip(self, painter: QPainter, chip: Chip, at: bool) -> None:
        theme = active_theme()
        barred, selected = chip.buffer in self._barred, chip.buffer != _MORE and chip.buffer == self._selected
        pen = QPen(qcolor(theme.accent if at or selected else theme.line), 2 if at else 1)
        if barred and not at:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(qcolor(theme.selection if selected else theme.bg if barred else theme.raised))
        painter.drawRoundedRect(chip.rect.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS_SMALL, RADIUS_SMALL)
        inside = chip.rect.adjusted(px(GRID), 0, -px(GRID), 0)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(font("label"))
        painter.setPen(qcolor(theme.accent_text if chip.buffer == _MORE else theme.mute if barred else theme.text))
        if chip.buffer == _MORE:
            shown = painter.fontMetrics().elidedText(chip.name, Qt.TextElideMode.ElideRight, round(inside.width()))
            painter.drawText(inside, Qt.AlignmentFlag.AlignCenter, shown)
            return
        mark = QRectF(inside.left() - px(2), inside.center().y() - px(4), px(8), px(8))
        painter.fillRect(mark, hatch(theme.hbm, None, self.devicePixelRatioF()))
        painter.drawText(inside.adjusted(px(10), 0, 0, 0), middle | Qt.AlignmentFlag.AlignLeft, chip.name)
        painter.setFont(font("micro", mono=True))
        painter.setPen(qcolor(theme.mute))
        painter.drawText(inside, middle | Qt.AlignmentFlag.AlignRight, chip.note)
