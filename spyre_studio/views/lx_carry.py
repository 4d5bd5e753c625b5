"""Carrying a buffer by hand: into the scratchpad map to keep it in LX, out of it to keep it in device memory.

Owns: the ghost under the pointer, where a drop counts, moving the map while the pointer is at its edge, and mouse
gestures that begin on other widgets. Refuses: pins; it says what was dropped where.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QWidget

from spyre_studio.lx_room import Fit
from spyre_studio.lx_want import Want
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID, RADIUS, Tone
from spyre_studio.units import format_bytes, format_count
from spyre_studio.views.lx_map import LxMap, Offer
from spyre_studio.views.lx_words import carry_sentence

TICK_MS: Final = 40
_EDGE: Final = 24  # px; nearer to the edge of the plot than that, the map moves
_PACE: Final = 14.0  # px that it moves in a tick
_WIDEST: Final = 320  # px of the ghost
_LEFT: Final = Qt.MouseButton.LeftButton


class Ghost(QWidget):
    """What is carried: its name, its size on a core, and one line about what dropping it would do."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.name, self.size_words, self.sentence = "", "", ""
        self._tone: Tone = "mute"
        self.hide()

    def say(self, name: str, size_words: str, sentence: str, tone: Tone) -> None:
        """Other words; it grows with them."""
        self.name, self.size_words, self.sentence, self._tone = name, size_words, sentence, tone
        self.resize(self.sizeHint())
        self.update()

    def sizeHint(self) -> QSize:
        """Two lines, and the sentence in as many as it needs."""
        wide = px(_WIDEST) - 2 * px(GRID)
        head = QFontMetrics(font("body", bold=True))
        lines = QFontMetrics(font("label"))
        room = lines.boundingRect(QRect(0, 0, wide, 9999), Qt.TextFlag.TextWordWrap, self.sentence)
        across = max(
            min(head.horizontalAdvance(self.name), wide), lines.horizontalAdvance(self.size_words), room.width()
        )
        return QSize(across + 2 * px(GRID) + 2, head.height() + lines.height() + room.height() + 2 * px(GRID))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A raised ground with a line in the colour of the verdict."""
        theme, painter = active_theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(qcolor(theme.tone(self._tone)), 1.5))
        painter.setBrush(qcolor(theme.raised, 0.94))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS, RADIUS)
        inside = self.rect().adjusted(px(GRID), px(GRID / 2), -px(GRID), -px(GRID / 2))
        face = font("body", bold=True)
        painter.setFont(face)
        painter.setPen(qcolor(theme.text))
        head = QFontMetrics(face)
        painter.drawText(
            inside, Qt.AlignmentFlag.AlignLeft, head.elidedText(self.name, Qt.TextElideMode.ElideMiddle, inside.width())
        )
        inside.setTop(inside.top() + head.height())
        painter.setFont(font("label"))
        painter.setPen(qcolor(theme.mute))
        painter.drawText(inside, Qt.AlignmentFlag.AlignLeft, self.size_words)
        inside.setTop(inside.top() + QFontMetrics(font("label")).height() + px(GRID / 2))
        painter.setPen(qcolor(theme.tone_text(self._tone)))
        painter.drawText(inside, Qt.TextFlag.TextWordWrap, self.sentence)
        painter.end()


class Carry(QObject):
    """A buffer between press and release. `dropped` carries its name and where to keep it, `lx` or `hbm`; `changed`
    tells that carrying began or is over."""

    dropped = Signal(str, str)
    changed = Signal(bool)

    def __init__(self, host: QWidget, plot: LxMap) -> None:
        super().__init__(host)
        self._host, self._map = host, plot
        self.ghost = Ghost(host)
        self._want: Want | None = None
        self._fit: Fit | None = None
        self._out = False
        self._at = QPointF()
        self._timer = QTimer(self, interval=TICK_MS)
        self._timer.timeout.connect(self.tick)

    @property
    def want(self) -> Want | None:
        """What is carried, None if nothing is."""
        return self._want

    @property
    def out(self) -> bool:
        """True while a buffer is carried out of the scratchpad."""
        return self._want is not None and self._out

    def begin(self, want: Want, fit: Fit | None, out: bool, at: QPointF) -> None:
        """Take a buffer up at a place on screen."""
        self._want, self._fit, self._out = want, fit, out
        cores = format_count(want.cores, "core")
        size = f"{format_bytes(want.size)} on each of {cores}" if want.size else "size on a core not known"
        self.ghost.say(want.buffer, size, carry_sentence(want, fit, out), self._tone())
        self.ghost.show()
        self.ghost.raise_()
        self._timer.start()
        self.changed.emit(True)
        self.move(at)

    def move(self, at: QPointF) -> None:
        """The pointer is elsewhere on screen."""
        if self._want is None:
            return
        self._at = at
        pos = self._host.mapFromGlobal(at).toPoint() + QPoint(px(2 * GRID), px(2 * GRID))
        most = self._host.rect().bottomRight() - QPoint(self.ghost.width(), self.ghost.height())
        self.ghost.move(max(min(pos.x(), most.x()), 0), max(min(pos.y(), most.y()), 0))
        if self._fit is not None and not self._out:
            welcome = self._over_map(at) and not self._want.barred
            self._map.show_offer(Offer(self._fit, welcome, self._map.mapFromGlobal(at)))

    def drop(self, at: QPointF) -> None:
        """Let it go: on the map a buffer stays in LX, elsewhere one from the map stays out of it."""
        want, out = self._want, self._out
        inside = self._over_map(at)
        self._end()
        if want is None or inside == out or want.barred:
            return
        self.dropped.emit(want.buffer, "hbm" if out else "lx")

    def cancel(self) -> None:
        """Nothing happened."""
        self._end()

    def tick(self) -> None:
        """Move the map if something is carried into it and the pointer is at its edge."""
        if self._want is None or self._out or not self._over_map(self._at):
            return
        pos, inside, edge = self._map.mapFromGlobal(self._at), self._map.plot_rect(), px(_EDGE)
        across = (pos.x() < inside.left() + edge) - (pos.x() > inside.right() - edge)
        down = (pos.y() < inside.top() + edge) - (pos.y() > inside.bottom() - edge)
        if across or down:
            self._map.pan_by(across * _PACE, down * _PACE)

    def _tone(self) -> Tone:
        assert self._want is not None
        if self._out:
            return "accent"
        if self._want.barred:
            return "bad"
        lacking = self._fit is not None and self._want.size > 0 and self._fit.lacking
        return "warn" if self._want.doubt or lacking else "ok"

    def _over_map(self, at: QPointF) -> bool:
        return self._map.isVisible() and self._map.plot_rect().contains(self._map.mapFromGlobal(at))

    def _end(self) -> None:
        if self._want is None:
            return
        self._want = self._fit = None
        self._timer.stop()
        self.ghost.hide()
        self._map.show_offer(None)
        self.changed.emit(False)


class CarryGesture:
    """A drag on the map that carries a box."""

    cursor = Qt.CursorShape.ClosedHandCursor

    def __init__(self, plot: LxMap, carry: Carry) -> None:
        self._map, self._carry = plot, carry

    def move(self, pos: QPointF) -> None:
        """The pointer is at `pos` (pixels of the map)."""
        self._carry.move(self._map.mapToGlobal(pos))

    def finish(self, pos: QPointF) -> None:
        """Let it go."""
        self._carry.drop(self._map.mapToGlobal(pos))

    def cancel(self) -> None:
        """Escape was pressed."""
        self._carry.cancel()

    def paint(self, painter: QPainter) -> None:
        """The ghost is a widget of its own."""


class CarrySource(QObject):
    """Begins to carry what is dragged off a widget. `pick` names the buffer under a point of it, '' for none; `lift`
    takes a name and a place on screen, and says whether there is something to carry."""

    def __init__(
        self,
        widget: QWidget,
        keys: QWidget,
        carry: Carry,
        pick: Callable[[QPoint], str],
        lift: Callable[[str, QPointF], bool],
    ) -> None:
        """`keys` has the keyboard while the button is held down."""
        super().__init__(widget)
        self._carry, self._pick, self._lift = carry, pick, lift
        self._widget, self._keys = widget, keys
        self._name, self._press, self._carrying = "", QPoint(), False
        widget.installEventFilter(self)
        if keys is not widget:
            keys.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Presses, moves and releases; Escape while something is carried."""
        kind = event.type()
        if isinstance(event, QKeyEvent):
            return kind is QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape and self._cancelled()
        if watched is self._widget and isinstance(event, QMouseEvent):
            return self._mouse(kind, event)
        if kind is QEvent.Type.Hide and watched is self._widget:
            self._cancelled()
        return False

    def _mouse(self, kind: QEvent.Type, event: QMouseEvent) -> bool:
        """True for what the widget must not see."""
        match kind:
            case QEvent.Type.MouseButtonPress if event.button() == _LEFT:
                self._press = event.position().toPoint()
                plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
                self._name = self._pick(self._press) if plain else ""
                return False
            case QEvent.Type.MouseMove if self._name and event.buttons() & _LEFT:
                self._moved(event)
                return True
            case QEvent.Type.MouseButtonRelease if event.button() == _LEFT:
                return self._released(event)
            case _:
                return False

    def _moved(self, event: QMouseEvent) -> None:
        if self._carrying:
            self._carry.move(event.globalPosition())
            return
        way = (event.position().toPoint() - self._press).manhattanLength()
        if way >= QApplication.startDragDistance():
            self._carrying = self._lift(self._name, event.globalPosition())
            barred = self._carry.want is not None and bool(self._carry.want.barred)
            self._widget.setCursor(Qt.CursorShape.ForbiddenCursor if barred else Qt.CursorShape.ClosedHandCursor)

    def _released(self, event: QMouseEvent) -> bool:
        carrying = self._let_go()
        if carrying:
            self._carry.drop(event.globalPosition())
        return carrying

    def _cancelled(self) -> bool:
        carrying = self._let_go()
        if carrying:
            self._carry.cancel()
        return carrying

    def _let_go(self) -> bool:
        """Nothing is held any more; True if something was carried."""
        carrying, self._carrying, self._name = self._carrying, False, ""
        if carrying:
            self._widget.unsetCursor()
        return carrying
