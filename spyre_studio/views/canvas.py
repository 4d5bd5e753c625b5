"""The base of every drawn view: one way to scroll, zoom, pan, hover, click, focus and say that there is nothing to see.

Owns: events, the cached picture with a live overlay, the focus ring, tooltips, badges and the state page. Refuses:
what is drawn and how far one can zoom; `PlotCanvas` (axes) and `ViewportCanvas` (plane) add the coordinates.

A subclass implements `paint_content` and, as far as it has them, `item_at`, `tooltip_for`, `paint_overlay`,
`begin_drag`, and the navigation methods `pan_by`, `zoom_by`, `zoom_to`, `zoom_reset`, `fit_all`, `focus_selection`.
Items are named by any hashable value of the view's choice. After a change of data call `invalidate()`.
"""

from collections.abc import Hashable
from typing import Final

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from spyre_studio.pill import draw_pill, pill_size
from spyre_studio.qt_theme import active_theme, px, qcolor
from spyre_studio.state_page import StatePage
from spyre_studio.theme import GRID, RADIUS
from spyre_studio.view_state import READY, ViewState
from spyre_studio.views.gestures import Gesture
from spyre_studio.views.pointer import Pointer

ZOOM_STEP: Final = 1.25  # of one key press
PAN_STEP: Final = 48  # px of one arrow key press
_ARROWS: Final = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
BY_KEYBOARD: Final = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
_LOOKS: Final = (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange)


class Canvas(QWidget):
    """A picture that can be moved and asked. Signals carry the item (None for the background)."""

    hovered = Signal(object)  # item under the pointer changed
    clicked = Signal(object, object)  # item, keyboard modifiers
    activated = Signal(object)  # double click, or Enter on `current_item()`
    selected = Signal(QRectF)  # Shift+drag drew this rectangle (pixels)
    menu_requested = Signal(object, object)  # item, global position
    acted = Signal()  # the button of the state page
    view_changed = Signal()  # zoom or position changed, by whatever means

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls the picture."""
        super().__init__(parent)
        self.installEventFilter(self)
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._picture: QPixmap | None = None
        self._ring = False
        self._focused_before = False
        self._pointer = Pointer(self)
        self._page = StatePage(READY, self)
        self._page.acted.connect(self.acted)

    # What a subclass may implement

    def paint_content(self, painter: QPainter, rect: QRectF) -> None:
        """Draw the picture into `rect` (pixels); called only after `invalidate`, and for exports."""

    def paint_overlay(self, painter: QPainter, rect: QRectF) -> None:
        """Draw what follows the pointer or the selection; called at every repaint, so keep it cheap."""

    def item_at(self, pos: QPointF) -> Hashable | None:
        """The topmost item under `pos`, None for the background."""
        return None

    def tooltip_for(self, item: Hashable) -> str:
        """Text (plain or rich) shown 300 ms after the pointer came to rest on `item`; '' for none."""
        return ""

    def current_item(self) -> Hashable | None:
        """The item that Enter activates: the selected one."""
        return None

    def wheel_zooms_at(self, pos: QPointF) -> bool:
        """True where a plain wheel has nothing to scroll and zooms instead: over an axis, for instance."""
        return False

    def begin_drag(self, item: Hashable, start: QPointF) -> Gesture | None:
        """A gesture for a drag that began on `item`; None pans."""
        return None

    def step(self, dx: int, dy: int) -> bool:
        """An arrow key: move the selection (dx, dy in -1..1, down is positive); False scrolls instead."""
        return False

    def pan_by(self, dx: float, dy: float) -> None:
        """Move the content by (dx, dy) pixels."""

    def zoom_by(self, factor: float, at: QPointF) -> None:
        """Magnify by `factor`; what is under `at` stays there."""

    def zoom_to(self, rect: QRectF) -> None:
        """Fill the view with the rectangle (pixels)."""

    def zoom_reset(self) -> None:
        """100 %."""

    def fit_all(self) -> None:
        """Everything in view."""

    def focus_selection(self, fit: bool) -> None:
        """Bring the selection into view; with `fit`, fill the view with it."""

    def badge_top(self) -> float:
        """Where the row of badges begins, in pixels from the top."""
        return px(GRID)

    def badge_place(self, width: float) -> QPointF:
        """Where the row begins, of which the width is known."""
        return QPointF((self.width() - width) / 2, self.badge_top())

    def theme_changed(self) -> None:
        """Drop cached colours and texts; the picture is redrawn anyway."""

    # What callers use

    def invalidate(self) -> None:
        """The data or the view changed: draw the picture anew at the next repaint."""
        self._picture = None
        self.update()

    def show_state(self, state: ViewState) -> None:
        """Ready, empty, loading or error, and the badges over the picture."""
        self._page.show_state(state)
        self.setAccessibleDescription(", ".join(badge.text for badge in state.badges) or state.title)
        self.update()

    @property
    def state(self) -> ViewState:
        """The state on screen."""
        return self._page.state

    @property
    def page(self) -> StatePage:
        """The page that covers the picture while the state is not 'ready'."""
        return self._page

    @property
    def hover_item(self) -> Hashable | None:
        """The item under the pointer."""
        return self._pointer.item

    def forget_pointer(self) -> None:
        """For subclasses, before they show something else: what was under the pointer, or pressed, is no more."""
        self._pointer.forget()

    def set_wheel_zooms(self, zooms: bool) -> None:
        """A setting: the plain wheel zooms and Ctrl+wheel scrolls."""
        self._pointer.wheel_zooms = zooms

    def zoom_in(self) -> None:
        """One step closer, around the middle."""
        self.zoom_by(ZOOM_STEP, QRectF(self.rect()).center())

    def zoom_out(self) -> None:
        """One step away, around the middle."""
        self.zoom_by(1 / ZOOM_STEP, QRectF(self.rect()).center())

    def focus(self) -> None:
        """Bring the selection into view; a second time in a row, fill the view with it."""
        self.focus_selection(self._focused_before)
        self._focused_before = not self._focused_before

    def moved(self) -> None:
        """For subclasses: zoom or position changed."""
        self.invalidate()
        self.view_changed.emit()

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The cached picture, then the overlay, badges and the focus ring."""
        painter = QPainter(self)
        try:
            self._paint(painter)
        finally:
            painter.end()  # also where painting fails: Qt takes a painter that stays for its own mistake

    def _paint(self, painter: QPainter) -> None:
        if self.state.kind == "ready":
            painter.drawPixmap(0, 0, self._cached())
            painter.save()
            self.paint_overlay(painter, QRectF(self.rect()))
            painter.restore()
            if self._pointer.gesture is not None:
                self._pointer.gesture.paint(painter)
            self._paint_badges(painter)
        else:
            painter.fillRect(self.rect(), qcolor(active_theme().bg))
        if self._ring and self.hasFocus():
            self._paint_ring(painter)

    def _cached(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        if self._picture is None or self._picture.devicePixelRatio() != ratio:
            picture = QPixmap(max(1, round(self.width() * ratio)), max(1, round(self.height() * ratio)))
            picture.setDevicePixelRatio(ratio)
            picture.fill(qcolor(active_theme().bg))
            painter = QPainter(picture)
            try:
                self.paint_content(painter, QRectF(self.rect()))
            finally:
                painter.end()
            self._picture = picture
        return self._picture

    def _paint_badges(self, painter: QPainter) -> None:
        badges = self.state.badges
        total = sum(pill_size(badge.text)[0] for badge in badges) + px(GRID) * (len(badges) - 1)
        at = self.badge_place(total)
        for badge in badges:
            at.setX(draw_pill(painter, at, badge.text, badge.tone).right() + px(GRID))

    def _paint_ring(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(qcolor(active_theme().accent), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS, RADIUS)

    # Events (Qt's names)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A picture of another size."""
        super().resizeEvent(event)
        self._page.setGeometry(self.rect())
        self.invalidate()

    def changeEvent(self, event: QEvent) -> None:
        """Another theme or font."""
        super().changeEvent(event)
        if event.type() in _LOOKS:
            self.theme_changed()
            self.invalidate()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Tooltips come from the pointer's own, shorter wait."""
        return event.type() == QEvent.Type.ToolTip

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll or zoom."""
        if self._drawn():
            self._pointer.wheel(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag; the focus ring is for the keyboard."""
        self._show_ring(False)
        if self._drawn():
            self._pointer.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Hover or drag."""
        if self._drawn():
            self._pointer.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Click, or the end of a drag."""
        self._pointer.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Activate the item."""
        item = self.item_at(event.position())
        if self._drawn() and item is not None and event.button() == Qt.MouseButton.LeftButton:
            self.activated.emit(item)

    def leaveEvent(self, _event: QEvent) -> None:
        """Nothing is under the pointer any more."""
        self._pointer.leave()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for a menu on the item under the pointer, or with the Menu key on the current one."""
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        item = self.item_at(QPointF(event.pos())) if by_mouse else self.current_item()
        self.menu_requested.emit(item, event.globalPos())

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring to those who came by keyboard."""
        super().focusInEvent(event)
        self._show_ring(event.reason() in BY_KEYBOARD)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """No ring, no held key."""
        super().focusOutEvent(event)
        self._pointer.space = False
        self._show_ring(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Navigation by keys; anything else goes on to the parent."""
        if not (self._drawn() and self._key(event)):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Space let go."""
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._pointer.space = False
        super().keyReleaseEvent(event)

    def _drawn(self) -> bool:
        return self.state.kind == "ready"

    def _show_ring(self, shown: bool) -> None:
        self._ring = shown
        self.update()

    def _key(self, event: QKeyEvent) -> bool:
        """Do what the key says; False if it says nothing here."""
        key, control = Qt.Key(event.key()), bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if key != Qt.Key.Key_F:
            self._focused_before = False
        if control:
            return self._control_key(key)
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            return False
        if key in _ARROWS:
            dx, dy = _ARROWS[key]
            if not self.step(dx, dy):
                self.pan_by(-dx * px(PAN_STEP), -dy * px(PAN_STEP))
            return True
        return self._plain_key(key)

    def _control_key(self, key: Qt.Key) -> bool:
        match key:
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.zoom_in()
            case Qt.Key.Key_Minus:
                self.zoom_out()
            case Qt.Key.Key_0:
                self.zoom_reset()
            case _:
                return False
        return True

    def _plain_key(self, key: Qt.Key) -> bool:
        match key:
            case Qt.Key.Key_F:
                self.focus()
            case Qt.Key.Key_Home:
                self.fit_all()
            case Qt.Key.Key_Space:
                self._pointer.space = True
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                if self.current_item() is None:
                    return False
                self.activated.emit(self.current_item())
            case Qt.Key.Key_Escape:
                if not self._pointer.cancel():
                    self.clicked.emit(None, Qt.KeyboardModifier.NoModifier)
            case _:
                return False
        return True
