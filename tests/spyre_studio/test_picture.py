"""Pictures to give away: sharp, not too large, texts as texts in a drawing, written whole or not at all."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from compiler.errors import InputError
from spyre_studio.picture import (
    MOST_PIXELS,
    MOST_SHAPES,
    MOST_SIDE,
    SVG,
    Picture,
    copy_image,
    copy_svg,
    save,
    scale_of,
    to_image,
    to_png,
    to_svg,
)
from spyre_studio.theme import Theme


def drawn(width: float = 200, height: float = 100, shapes: int = 1) -> Picture:
    """A text on red."""

    def paint(painter: QPainter, scale: float) -> None:
        painter.save()
        painter.scale(scale, scale)
        painter.fillRect(0, 0, round(width), round(height), "#ff0000")
        painter.drawText(QPointF(10, 50), "softmax <exp>")
        painter.restore()

    return Picture("a graph", width, height, shapes, "fold modules", paint)


def test_small_pictures_are_sharp(qapp: QApplication, dark: Theme) -> None:
    image = to_image(drawn())
    assert (image.width(), image.height()) == (400, 200)
    assert image.pixelColor(399, 199).name() == "#ff0000", "drawn up to the last pixel"


@pytest.mark.parametrize(("width", "height"), [(200, 30_000), (20_000, 100), (11_000, 11_000)])
def test_large_ones_are_made_smaller(width: float, height: float) -> None:
    scale = scale_of(drawn(width, height))
    assert 0.4 <= scale < 1
    assert max(width, height) * scale <= MOST_SIDE + 1
    assert width * height * scale**2 <= MOST_PIXELS * 1.001


def test_what_nobody_could_read_is_refused_with_a_remedy() -> None:
    with pytest.raises(InputError) as caught:
        to_image(drawn(200, 400_000))
    told = str(caught.value)
    assert "400,000" in told
    assert "fold modules" in told


def test_a_png_is_one(qapp: QApplication, dark: Theme) -> None:
    image = QImage.fromData(to_png(to_image(drawn())))
    assert (image.width(), image.height()) == (400, 200)


def test_texts_of_a_drawing_are_texts(qapp: QApplication, dark: Theme) -> None:
    made = to_svg(drawn()).decode()
    assert "softmax &lt;exp&gt;</text>" in made
    assert "<title>a graph</title>" in made
    assert 'viewBox="0 0 200 100"' in made
    assert QSvgRenderer(made.encode()).isValid()


def test_a_drawing_of_too_many_shapes_is_refused() -> None:
    assert to_svg(drawn(shapes=MOST_SHAPES))
    with pytest.raises(InputError, match="40,001 boxes and edges"):
        to_svg(drawn(shapes=MOST_SHAPES + 1))


def test_files_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "graph.svg"
    path.write_bytes(b"old")
    save(str(path), b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(InputError, match="cannot be written"):
        save(str(tmp_path / "nowhere" / "graph.svg"), b"new")


def test_the_clipboard_gets_pixels_or_a_drawing(qapp: QApplication, dark: Theme) -> None:
    size = copy_image(drawn())
    assert (size.width(), size.height()) == (400, 200)
    assert QGuiApplication.clipboard().image().size() == size
    count = copy_svg(drawn())
    data = QGuiApplication.clipboard().mimeData()
    assert len(data.data(SVG).data()) == count
    assert "</svg>" in data.text()
