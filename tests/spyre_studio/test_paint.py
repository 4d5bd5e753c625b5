"""Batches, labels, dashes, hatches and heat images put the right pixels down."""

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from PySide6.QtWidgets import QApplication

from spyre_studio.qt_theme import apply_theme, font, qcolor
from spyre_studio.theme import DARK, LIGHT
from spyre_studio.views.paint import (
    Labels,
    LineBatch,
    RectBatch,
    draw_arrows,
    fate_pen,
    hatch,
    heat_image,
    route_path,
)


@pytest.fixture
def image(qapp: QApplication) -> QImage:
    apply_theme(qapp, DARK)
    made = QImage(100, 60, QImage.Format.Format_RGB32)
    made.fill(QColor("#000000"))
    return made


def colour(image: QImage, x: int, y: int) -> str:
    return image.pixelColor(x, y).name()


def lit(image: QImage) -> int:
    """Number of pixels that are not black."""
    pixels = np.frombuffer(image.constBits(), np.uint32)
    return int((pixels != 0xFF000000).sum())


def test_rectangles_land_where_their_corners_say(image: QImage) -> None:
    painter = QPainter(image)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor("#ff0000"))
    RectBatch().draw(painter, np.array([[10.0, 10, 20, 20], [50, 30, 60, 40]]))
    painter.end()
    assert colour(image, 15, 15) == colour(image, 55, 35) == "#ff0000"
    assert colour(image, 30, 15) == "#000000"
    assert lit(image) == 200


def test_a_batch_grows_and_shrinks(image: QImage) -> None:
    """A larger batch moves the buffer; shapes of the old one must not be drawn from it."""
    batch = RectBatch()
    painter = QPainter(image)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor("#00ff00"))
    for count in (1, 300, 5000, 2, 0):
        image.fill(QColor("#000000"))
        places = np.arange(count) % 100
        batch.draw(painter, np.stack([places, np.zeros(count), places + 1, np.ones(count)], axis=1).astype(float))
        assert lit(image) == min(count, 100)
    painter.end()


def test_codes_choose_brushes_and_pens(image: QImage) -> None:
    painter = QPainter(image)
    painter.setPen(Qt.PenStyle.NoPen)
    rects = np.array([[0.0, 0, 10, 10], [20, 0, 30, 10], [40, 0, 50, 10]])
    RectBatch().draw_by_code(painter, rects, np.array([1, 0, 1]), [QColor("#ff0000"), QColor("#0000ff")])
    lines = np.array([[0.0, 30, 99, 30], [0, 40, 99, 40]])
    LineBatch().draw_by_code(painter, lines, np.array([0, 1]), [QPen(QColor("#ffffff")), QPen(QColor("#00ff00"))])
    painter.end()
    assert [colour(image, x, 5) for x in (5, 25, 45)] == ["#0000ff", "#ff0000", "#0000ff"]
    assert [colour(image, 50, y) for y in (30, 40)] == ["#ffffff", "#00ff00"]


def test_labels_are_cut_to_their_width(image: QImage) -> None:
    labels = Labels(font("body"))
    painter = QPainter(image)
    painter.setPen(QColor("#ffffff"))
    labels.draw(painter, 5, 5, "a name that is much too long for this place", 40)
    painter.end()
    assert lit(image) > 0
    right = np.frombuffer(image.constBits(), np.uint32).reshape(60, 100)[:, 46:]
    assert (right == 0xFF000000).all()


def test_labels_without_room_are_left_out(image: QImage) -> None:
    painter = QPainter(image)
    painter.setPen(QColor("#ffffff"))
    Labels(font("body")).draw(painter, 5, 5, "name", 6)
    painter.end()
    assert lit(image) == 0


def test_numbers_end_at_their_right_edge(image: QImage) -> None:
    labels = Labels(font("body", mono=True))
    painter = QPainter(image)
    painter.setPen(QColor("#ffffff"))
    labels.draw_right(painter, 90, 5, "412.6")
    painter.end()
    columns = (np.frombuffer(image.constBits(), np.uint32).reshape(60, 100) != 0xFF000000).any(axis=0)
    assert 84 <= np.flatnonzero(columns)[-1] <= 90


def test_fates_differ_without_colour(qapp: QApplication) -> None:
    apply_theme(qapp, LIGHT)
    patterns = [tuple(fate_pen(fate).dashPattern()) for fate in ("lx", "hbm", "move")]
    assert len(set(patterns)) == 3
    assert fate_pen("hbm").color().name() == LIGHT.hbm
    assert fate_pen("lx").style() == Qt.PenStyle.SolidLine


def test_hatch_covers_a_part_and_wraps_evenly(image: QImage) -> None:
    painter = QPainter(image)
    painter.fillRect(QRectF(0, 0, 60, 60), hatch("#ffffff", "#000000"))
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(60, 100)[:, :60]
    assert 0.1 < (pixels & 0xFF).mean() / 255 < 0.5
    np.testing.assert_array_equal(pixels[:8, :8], pixels[8:16, 24:32])


def test_arrowheads_point_down_or_up(image: QImage) -> None:
    painter = QPainter(image)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor("#ffffff"))
    draw_arrows(painter, np.array([[20.0, 30], [20, 30], [70, 30]]), np.array([False, False, True]), 10)
    painter.end()
    assert [colour(image, x, 24) for x in (20, 70)] == ["#ffffff", "#000000"]
    assert [colour(image, x, 36) for x in (20, 70)] == ["#000000", "#ffffff"]


def test_a_route_becomes_a_path_through_its_points() -> None:
    path = route_path(np.array([[0.0, 0], [0, 10], [40, 50], [40, 60]]))
    assert path.boundingRect() == QRectF(0, 0, 40, 60)
    assert path.elementCount() == 6  # move, line, three points of the curve, line


def test_heat_images_have_one_pixel_per_value() -> None:
    levels = np.array([[0, 255], [128, 1], [7, 9]], np.uint8)
    image = heat_image(levels, DARK.fill)
    assert (image.width(), image.height()) == (2, 3)
    assert image.pixelColor(0, 0) == qcolor(DARK.fill[0])
    assert image.pixelColor(1, 0) == qcolor(DARK.fill[255])
    assert image.pixelColor(0, 1) == qcolor(DARK.fill[128])
    odd = heat_image(np.arange(15, dtype=np.uint8).reshape(3, 5), LIGHT.fill)
    assert odd.pixelColor(4, 2) == qcolor(LIGHT.fill[14])
    assert heat_image(np.zeros((0, 0), np.uint8), LIGHT.fill).isNull()
