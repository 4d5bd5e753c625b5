"""Canvases answer to mouse, wheel and keys as promised, and say so when there is nothing to see."""

from collections.abc import Callable, Hashable

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from spyre_studio.qt_theme import apply_theme
from spyre_studio.theme import DARK, LIGHT, Theme
from spyre_studio.view_state import READY, empty, error, loading, partial, stale
from spyre_studio.viewport import Rect, Viewport2D
from spyre_studio.views.gestures import Gesture, PanGesture
from spyre_studio.views.viewport_canvas import ViewportCanvas
from tests.spyre_studio.hand import CONTROL, LEFT, MIDDLE, NONE, SHIFT, drag, show, turn_wheel

BOX = QRectF(100, 100, 60, 40)


class Plane(ViewportCanvas):
    """One red box, the item 'box', that stays put while everything else moves."""

    def __init__(self) -> None:
        super().__init__("test plane")
        self.painted = 0
        self.drag: Gesture | None = None
        self.chosen: Hashable | None = None

    def paint_content(self, painter: QPainter, rect: QRectF) -> None:
        self.painted += 1
        painter.fillRect(BOX, QColor("#ff0000"))

    def item_at(self, pos: QPointF) -> Hashable | None:
        return "box" if BOX.contains(pos) else None

    def tooltip_for(self, item: Hashable) -> str:
        return f"about {item}"

    def begin_drag(self, item: Hashable, start: QPointF) -> Gesture | None:
        return self.drag

    def current_item(self) -> Hashable | None:
        return self.chosen

    def selection_bounds(self) -> Rect | None:
        return Rect(900, 900, 1000, 950) if self.chosen else None


@pytest.fixture
def plane(qtbot: QtBot, dark: Theme) -> Plane:
    made = Plane()
    show(qtbot, made)
    made.set_bounds(Rect(0, 0, 2000, 2000))
    made.zoom_reset()
    return made


def test_plain_wheel_scrolls_and_shift_wheel_goes_sideways(plane: Plane) -> None:
    before = plane.viewport
    turn_wheel(plane, QPoint(50, 50), -1)
    assert plane.viewport == before.panned(0, -60)
    turn_wheel(plane, QPoint(50, 50), -1, SHIFT)
    assert plane.viewport == before.panned(-60, -60)


def test_control_wheel_zooms_at_the_pointer(plane: Plane) -> None:
    under = plane.viewport.to_world(300, 200)
    turn_wheel(plane, QPoint(300, 200), 2, CONTROL)
    assert plane.viewport.zoom == pytest.approx(1.0015**240)
    assert plane.viewport.to_world(300, 200) == pytest.approx(under)


def test_the_wheel_can_be_swapped(plane: Plane) -> None:
    plane.set_wheel_zooms(True)
    turn_wheel(plane, QPoint(50, 50), 1)
    assert plane.viewport.zoom > 1
    zoom = plane.viewport.zoom
    turn_wheel(plane, QPoint(50, 50), -1, CONTROL)
    assert plane.viewport.zoom == zoom


@pytest.mark.parametrize("button", [LEFT, MIDDLE])
def test_dragging_the_background_pans(plane: Plane, button: Qt.MouseButton) -> None:
    before = plane.viewport
    drag(plane, QPoint(300, 200), QPoint(250, 180), button=button)
    assert plane.viewport == before.panned(-50, -20)


def test_escape_takes_a_pan_back(plane: Plane) -> None:
    before = plane.viewport
    drag(plane, QPoint(300, 200), QPoint(250, 180), release=False)
    assert plane.viewport != before
    QTest.keyClick(plane, Qt.Key.Key_Escape)
    assert plane.viewport == before
    QTest.mouseRelease(plane, LEFT, NONE, QPoint(250, 180))
    assert plane.viewport == before


def test_control_drag_zooms_to_the_box(plane: Plane) -> None:
    x0, y0 = plane.viewport.to_world(200, 150)
    drag(plane, QPoint(200, 150), QPoint(300, 225), CONTROL)
    assert plane.viewport.zoom == pytest.approx(4)
    assert plane.viewport.to_world(0, 0) == pytest.approx((x0, y0))


def test_shift_drag_selects_a_rectangle(plane: Plane, qtbot: QtBot) -> None:
    before = plane.viewport
    with qtbot.waitSignal(plane.selected) as signal:
        drag(plane, QPoint(300, 250), QPoint(200, 200), SHIFT)
    assert signal.args == [QRectF(200, 200, 100, 50)]
    assert plane.viewport == before


def test_space_drag_pans_even_on_an_item(plane: Plane) -> None:
    plane.drag = PanGesture(QPointF(), lambda dx, dy: pytest.fail("the item must not be dragged"))
    before = plane.viewport
    QTest.keyPress(plane, Qt.Key.Key_Space)
    drag(plane, QPoint(120, 120), QPoint(100, 110))
    QTest.keyRelease(plane, Qt.Key.Key_Space)
    assert plane.viewport == before.panned(-20, -10)


def test_an_item_can_bring_its_own_drag(plane: Plane) -> None:
    moves: list[tuple[float, float]] = []
    plane.drag = PanGesture(QPointF(120, 120), lambda dx, dy: moves.append((dx, dy)))
    before = plane.viewport
    drag(plane, QPoint(120, 120), QPoint(140, 130))
    assert moves == [(10, 5), (10, 5), (0, 0)]
    assert plane.viewport == before


def test_clicks_name_the_item_and_the_keys_held(plane: Plane, qtbot: QtBot) -> None:
    with qtbot.waitSignal(plane.clicked) as signal:
        QTest.mouseClick(plane, LEFT, CONTROL, QPoint(120, 120))
    assert signal.args == ["box", CONTROL]
    with qtbot.waitSignal(plane.clicked) as signal:
        QTest.mouseClick(plane, LEFT, NONE, QPoint(10, 10))
    assert signal.args == [None, NONE]


def test_a_drag_is_not_a_click(plane: Plane, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(plane.clicked):
        drag(plane, QPoint(300, 200), QPoint(250, 180))


def test_double_click_and_enter_activate(plane: Plane, qtbot: QtBot) -> None:
    with qtbot.waitSignal(plane.activated) as signal:
        QTest.mouseDClick(plane, LEFT, NONE, QPoint(120, 120))
    assert signal.args == ["box"]
    with qtbot.assertNotEmitted(plane.activated):
        QTest.keyClick(plane, Qt.Key.Key_Return)
    plane.chosen = "box"
    with qtbot.waitSignal(plane.activated):
        QTest.keyClick(plane, Qt.Key.Key_Return)


def test_hover_tells_once_and_the_tooltip_comes(plane: Plane, qtbot: QtBot) -> None:
    seen: list[Hashable | None] = []
    plane.hovered.connect(seen.append)
    for at in (QPoint(120, 120), QPoint(121, 121), QPoint(10, 10)):
        QTest.mouseMove(plane, at)
    assert seen == ["box", None]
    QTest.mouseMove(plane, QPoint(120, 120))
    qtbot.waitUntil(lambda: QToolTip.text() == "about box", timeout=5000)
    assert plane.hover_item == "box"
    QApplication.sendEvent(plane, QEvent(QEvent.Type.Leave))
    assert plane.hover_item is None


def test_hovering_does_not_redraw_the_picture(plane: Plane) -> None:
    plane.grab()
    painted = plane.painted
    QTest.mouseMove(plane, QPoint(120, 120))
    plane.grab()
    assert plane.painted == painted
    plane.invalidate()
    plane.grab()
    assert plane.painted == painted + 1


@pytest.mark.parametrize(
    ("key", "held", "effect"),
    [
        (Qt.Key.Key_Plus, CONTROL, lambda view: view.zoomed(1.25, 200, 150)),
        (Qt.Key.Key_Equal, CONTROL, lambda view: view.zoomed(1.25, 200, 150)),
        (Qt.Key.Key_Minus, CONTROL, lambda view: view.zoomed(0.8, 200, 150)),
        (Qt.Key.Key_Right, NONE, lambda view: view.panned(-48, 0)),
        (Qt.Key.Key_Down, NONE, lambda view: view.panned(0, -48)),
    ],
)
def test_keys_zoom_and_scroll(
    plane: Plane, key: Qt.Key, held: Qt.KeyboardModifier, effect: Callable[[Viewport2D], Viewport2D]
) -> None:
    before = plane.viewport
    QTest.keyClick(plane, key, held)
    assert plane.viewport == effect(before)


def test_home_fits_and_control_0_is_100_percent(plane: Plane) -> None:
    QTest.keyClick(plane, Qt.Key.Key_Home)
    seen = plane.viewport.visible()
    assert seen.x0 <= 0
    assert seen.y1 >= 2000
    QTest.keyClick(plane, Qt.Key.Key_0, CONTROL)
    assert plane.viewport.zoom == 1


def test_f_centres_the_selection_and_f_again_fits_it(plane: Plane) -> None:
    before = plane.viewport
    QTest.keyClick(plane, Qt.Key.Key_F)
    assert plane.viewport == before  # nothing is selected
    plane.chosen = "box"
    plane.focus_selection(fit=False)
    assert plane.viewport.to_world(200, 150) == pytest.approx((950, 925))
    assert plane.viewport.zoom == 1
    QTest.keyClick(plane, Qt.Key.Key_Home)
    QTest.keyClick(plane, Qt.Key.Key_F)
    small = plane.viewport.zoom
    QTest.keyClick(plane, Qt.Key.Key_F)
    assert plane.viewport.zoom > small


def test_a_fitted_plane_stays_fitted_until_moved(plane: Plane) -> None:
    plane.fit_all()
    plane.resize(800, 600)
    assert plane.viewport.visible().width >= 2000
    plane.pan_by(-10, 0)
    zoom = plane.viewport.zoom
    plane.resize(400, 300)
    assert plane.viewport.zoom == zoom


def test_revealing_moves_no_more_than_needed(plane: Plane) -> None:
    before = plane.viewport
    inside = plane.viewport.visible()
    plane.reveal(Rect(*inside.centre, inside.centre[0] + 1, inside.centre[1] + 1))
    assert plane.viewport == before
    plane.reveal(Rect(1500, 1500, 1550, 1550))
    assert plane.viewport.visible().x1 == pytest.approx(1574)


def test_states_cover_the_picture_and_offer_the_action(plane: Plane, qtbot: QtBot) -> None:
    plane.show_state(empty("No plan yet", "Open a model to see its graph.", "Open a model"))
    assert plane.page.isVisible()
    with qtbot.waitSignal(plane.acted):
        QTest.mouseClick(plane.page.action, LEFT)
    plane.show_state(loading("Solving", "Placing buffers", 0.5))
    assert plane.page.action.text() == "Cancel"
    assert "Solving" in plane.page.accessibleName()
    before = plane.viewport
    turn_wheel(plane, QPoint(50, 50), -1)
    assert plane.viewport == before
    plane.show_state(READY)
    assert not plane.page.isVisible()
    assert plane.grab().toImage().pixelColor(120, 120) == QColor("#ff0000")


def test_errors_keep_their_details_until_asked(plane: Plane, qtbot: QtBot) -> None:
    plane.show_state(error("This file is not a model", "Export it again.", "Open another", "no entry model.json"))
    assert not plane.page.details.isVisible()
    QTest.mouseClick(plane.page.more, LEFT)
    assert plane.page.details.isVisible()
    assert plane.page.details.toPlainText() == "no entry model.json"


def test_badges_lie_over_the_picture(plane: Plane) -> None:
    plain = plane.grab().toImage()
    state = stale("pins changed since this plan")
    plane.show_state(state.with_badges(*state.badges, partial(200, 4096, "buffer")))
    assert "showing 200 of 4,096 buffers" in plane.accessibleDescription()
    badged = plane.grab().toImage()
    assert badged != plain
    assert badged.pixelColor(120, 120) == QColor("#ff0000")


def test_the_ring_is_for_the_keyboard(qtbot: QtBot, dark: Theme) -> None:
    window = QWidget()
    row = QHBoxLayout(window)
    first, second = Plane(), Plane()
    row.addWidget(first)
    row.addWidget(second)
    show(qtbot, window)
    with qtbot.waitActive(window):
        window.activateWindow()
    first.setFocus(Qt.FocusReason.MouseFocusReason)
    QTest.keyClick(first, Qt.Key.Key_Tab)
    assert second.hasFocus()
    assert second.grab().toImage().pixelColor(1, 100).name() == DARK.accent
    assert first.grab().toImage().pixelColor(1, 100).name() == DARK.bg
    QTest.mouseClick(second, LEFT, NONE, QPoint(10, 10))
    assert second.grab().toImage().pixelColor(1, 100).name() == DARK.bg


def test_a_new_theme_redraws(plane: Plane, qapp: QApplication) -> None:
    assert plane.grab().toImage().pixelColor(10, 10).name() == DARK.bg
    apply_theme(qapp, LIGHT)
    assert plane.grab().toImage().pixelColor(10, 10).name() == LIGHT.bg


def test_menu_key_asks_for_the_current_item(plane: Plane, qtbot: QtBot) -> None:
    plane.chosen = "chosen"
    reasons = QContextMenuEvent.Reason
    for reason, item in ((reasons.Mouse, "box"), (reasons.Keyboard, "chosen")):
        with qtbot.waitSignal(plane.menu_requested) as signal:
            QApplication.sendEvent(plane, QContextMenuEvent(reason, QPoint(120, 120), QPoint(5, 5)))
        assert signal.args == [item, QPoint(5, 5)]
