"""The stick canvas: colours of lanes, walking by keys, what comes into view, and that nothing is drawn twice."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from compiler.layout import stick_layout
from spyre_studio.qt_theme import apply_theme
from spyre_studio.stick_grid import StickGrid, memory_grid, tensor_grid
from spyre_studio.stick_model import StickModel
from spyre_studio.theme import DARK, LIGHT, Theme
from spyre_studio.views.stick_canvas import StickCanvas
from spyre_studio.views.stick_paint import Scene, Window, picture, shades
from tests.spyre_studio.hand import show
from tests.spyre_studio.stick_cases import CASES, STANDARD, TO_F32, Case, dense, layout_of, model_of, rows_model

CORES = 4


@pytest.fixture
def canvas(qtbot: QtBot, dark: Theme) -> StickCanvas:
    made = StickCanvas("Sticks")
    show(qtbot, made, 420, 260)
    return made


def put(canvas: StickCanvas, model: StickModel, memory: bool = False) -> StickGrid:
    shape = model.tensor.shape
    grid = memory_grid(model.layout, shape) if memory else tensor_grid(model.layout, shape)
    canvas.show_scene(Scene(model, grid, CORES), "Sticks", "")
    return grid


def colours(image: QImage) -> list[list[str]]:
    return [[image.pixelColor(x, y).name() for x in range(image.width())] for y in range(image.height())]


def drawn(canvas: StickCanvas) -> list[list[str]]:
    """The lanes in view, as colours."""
    scene = canvas.scene
    assert scene is not None
    window = Window.of(scene.grid, canvas.x_axis, canvas.y_axis)
    return colours(picture(scene, window, window.area.intersected(canvas.plot_rect()))[0])


def near(canvas: StickCanvas, row: float, column: float) -> str:
    """The colour of a place of the picture on screen."""
    image = canvas.grab().toImage()
    at = QPointF(canvas.x_axis.to_px(column), canvas.y_axis.to_px(row)).toPoint()
    return image.pixelColor(at).name()


def test_lanes_have_the_colour_of_their_core(canvas: StickCanvas) -> None:
    put(canvas, rows_model(8, 128, CORES))
    canvas.fit_all()
    first, _ = shades(DARK, CORES)
    assert drawn(canvas) == [[first[row // 2]] * 128 for row in range(8)]
    assert first[CORES] not in first[:CORES], "nobody is a colour of its own"


def test_where_no_element_lies_the_ground_shows(canvas: StickCanvas) -> None:
    put(canvas, model_of(stick_layout((4, 70), (70, 1), 64, padding=((0, 8),)), (4, 70)))
    canvas.fit_all()
    row = drawn(canvas)[0]
    assert len(set(row[:70])) == 1
    assert set(row[70:]) == {"#000000"}, "transparent: hatched below"
    assert set(drawn(canvas)[5]) == {"#000000"}
    shown = canvas.grab().toImage()
    top, low = (canvas.y_axis.to_px(value) for value in (4.2, 7.8))
    ringed = {
        shown.pixelColor(round(canvas.x_axis.to_px(30.0)) + x, round(y)).name() for x in range(20) for y in (top, low)
    }
    hatched = {
        shown.pixelColor(round(canvas.x_axis.to_px(90.0)) + x, round(canvas.y_axis.to_px(1.3))).name()
        for x in range(20)
    }
    assert DARK.bg in hatched
    assert DARK.bg not in ringed, "zeros have another ground than padding"


def test_the_sticks_of_a_pair_have_two_tones(canvas: StickCanvas) -> None:
    put(canvas, model_of(layout_of(((4, 128), None, 32, TO_F32, ())), (4, 128)))
    canvas.fit_all()
    first, second = shades(DARK, CORES)
    assert drawn(canvas)[0][:12] == [first[CORES]] * 4 + [second[CORES]] * 4 + [first[CORES]] * 4


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_layout_is_drawn_at_every_zoom(canvas: StickCanvas, case: Case, theme: Theme, qapp: QApplication) -> None:
    apply_theme(qapp, theme)
    for memory in (False, True):
        grid = put(canvas, model_of(layout_of(case), case[0]), memory)
        canvas.mark((grid.rows - 1, grid.columns - 1))
        for zoom in (1.0, 0.3, 8.0, 8.0):
            canvas.zoom_by(zoom, canvas.plot_rect().center())
            assert not canvas.grab().isNull()


def test_it_begins_with_sticks_that_can_be_read_and_stays_so_when_resized(canvas: StickCanvas) -> None:
    put(canvas, rows_model(1024, 4096, CORES))
    lanes = canvas.x_axis.span
    assert lanes % 64 == 0
    assert canvas.x_axis.pixels_per_value * 64 >= 54
    canvas.resize(820, 260)
    assert canvas.x_axis.span > lanes
    canvas.pan_by(-200, 0)
    moved = (canvas.x_axis.lo, canvas.x_axis.span)
    canvas.resize(420, 260)
    assert (canvas.x_axis.lo, canvas.x_axis.span) == moved, "who moved keeps the place"


def test_keys_walk_the_lanes(canvas: StickCanvas) -> None:
    put(canvas, rows_model(64, 256, CORES))
    canvas.setFocus()
    walked: list[object] = []
    canvas.walked.connect(walked.append)
    control = Qt.KeyboardModifier.ControlModifier
    for key, held in (
        (Qt.Key.Key_Right, None),
        (Qt.Key.Key_Right, None),
        (Qt.Key.Key_Down, None),
        (Qt.Key.Key_End, None),
        (Qt.Key.Key_Down, None),
        (Qt.Key.Key_End, control),
        (Qt.Key.Key_Right, None),
        (Qt.Key.Key_Home, None),
        (Qt.Key.Key_Home, control),
    ):
        QTest.keyClick(canvas, key, held or Qt.KeyboardModifier.NoModifier)
    assert walked == [(0, 0), (0, 1), (1, 1), (1, 255), (2, 255), (63, 255), (63, 255), (63, 0), (0, 0)]
    QTest.keyClick(canvas, Qt.Key.Key_PageDown)
    assert canvas.cursor_lane is not None
    assert canvas.cursor_lane[0] > 4


def test_what_is_walked_to_comes_into_view_with_its_stick(canvas: StickCanvas) -> None:
    put(canvas, rows_model(1024, 4096, CORES))
    canvas.reveal((700, 2000))
    stick = 2000 // 64 * 64
    assert canvas.x_axis.lo <= stick
    assert canvas.x_axis.hi >= stick + 64
    assert canvas.y_axis.lo <= 699
    assert canvas.y_axis.hi >= 702
    before = canvas.x_axis, canvas.y_axis
    canvas.reveal((700, 2001), centre=True)
    assert (canvas.x_axis, canvas.y_axis) == before, "what is in view stays where it is"
    canvas.reveal((300, 2001), centre=True)
    assert abs(canvas.y_axis.to_px(300.5) - canvas.plot_rect().center().y()) < 2


def test_plus_and_minus_zoom_around_the_lane_and_0_shows_all(canvas: StickCanvas) -> None:
    put(canvas, rows_model(64, 256, CORES))
    canvas.mark((3, 5))
    span = canvas.x_axis.span
    QTest.keyClick(canvas, Qt.Key.Key_Plus)
    assert canvas.x_axis.span < span
    QTest.keyClick(canvas, Qt.Key.Key_Minus)
    assert canvas.x_axis.span == pytest.approx(span)
    QTest.keyClick(canvas, Qt.Key.Key_0)
    assert (canvas.x_axis.span, canvas.y_axis.span) == (256, 64)


def test_lanes_are_pointed_at_and_nothing_beyond_the_last(canvas: StickCanvas) -> None:
    put(canvas, model_of(layout_of(((67,), None, 64, STANDARD, ())), (67,)))
    middle = QPointF(canvas.x_axis.to_px(66.5), canvas.y_axis.to_px(0.5))
    assert canvas.item_at(middle) == (0, 66)
    assert canvas.item_at(QPointF(1, 1)) is None
    assert canvas.y_axis.pixels_per_value <= 41, "a single stick does not fill the picture"


def test_the_marked_lane_and_its_stick_are_drawn(canvas: StickCanvas) -> None:
    put(canvas, rows_model(64, 256, CORES))
    plain = canvas.grab().toImage()
    canvas.mark((2, 70))
    marked = canvas.grab().toImage()
    assert near(canvas, 2.2, 70.5) == DARK.warn
    edge = QPoint(round(canvas.x_axis.to_px(64.0)), round(canvas.y_axis.to_px(2.5)))
    assert marked.pixelColor(edge).name() == DARK.text
    canvas.point((9, 200))
    assert near(canvas, 2.2, 70.5) != DARK.warn, "the lane that is pointed at goes first"
    canvas.point(None)
    canvas.mark(None)
    assert canvas.grab().toImage() == plain


def test_the_next_stick_of_memory_is_pointed_to(canvas: StickCanvas) -> None:
    model = rows_model(8, 256, CORES)
    grid = put(canvas, model)
    canvas.mark((3, 70))
    there = model.next_stick(grid.place(3, 70).coordinates)
    assert there is not None
    assert grid.locate(there) == (4, 70)
    first = canvas.grab().toImage()
    canvas.mark((7, 255))
    assert model.next_stick(grid.place(7, 255).coordinates) is None
    assert first != canvas.grab().toImage()


def test_millions_of_elements_are_sampled_not_drawn(canvas: StickCanvas) -> None:
    shape = (1 << 15, 1 << 14)
    model = model_of(stick_layout(shape, dense(shape), 64), shape)
    grid = put(canvas, model)
    canvas.fit_all()
    scene = canvas.scene
    assert scene is not None
    rect = canvas.plot_rect()
    image, _ = picture(scene, Window.of(grid, canvas.x_axis, canvas.y_axis), rect)
    assert image.width() * image.height() <= rect.width() * rect.height() * 1.1


def test_numbers_have_room_or_are_left_out(canvas: StickCanvas) -> None:
    """With words the picture differs from the one without, and not at the overview."""
    put(canvas, rows_model(64, 256, CORES))
    near_by = len({name for row in colours(canvas.grab().toImage()) for name in row})
    canvas.resize(420, 120)
    canvas.fit_all()
    assert near_by > 20
    assert canvas.y_axis.pixels_per_value < 5
