"""Pictures for files and the clipboard: something that paints itself, as pixels or as a drawing in SVG.

Owns: sizes and their limits, both forms, writing a file whole or not at all, the clipboard. Refuses: what is painted.
Whatever is too large as pixels is made smaller, until its texts could not be read: then a sentence says what to do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import BinaryIO, Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMimeData, QRectF, QSize
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from compiler.errors import InputError
from spyre_studio.output_file import write_output_with

MOST_SIDE: Final = 16_384  # px; what other programs open
MOST_PIXELS: Final = 80_000_000  # 320 MB while it is made
LEAST_SCALE: Final = 0.4  # below it the graph has no titles
MOST_SHAPES: Final = 40_000  # boxes and edges of a drawing; browsers take seconds beyond
SVG: Final = "image/svg+xml"
_DPI: Final = 96  # of CSS: one unit is one pixel in a browser
_SHARP: Final = 2.0  # pixels per unit of a small picture, so that it can be enlarged a little


@dataclass(frozen=True, slots=True)
class Picture:
    """`width` and `height` at 100 %; `paint(painter, scale)` draws it into that size times `scale`.

    `shapes` is how many things are drawn; `remedy` what to do if it is too large.
    """

    title: str
    width: float
    height: float
    shapes: int
    remedy: str
    paint: Callable[[QPainter, float], None]


def scale_of(picture: Picture) -> float:
    """Pixels per unit: sharp if it is small, less than one if it is large; InputError if that could not be read."""
    side = MOST_SIDE / max(picture.width, picture.height, 1.0)
    area = sqrt(MOST_PIXELS / max(picture.width * picture.height, 1.0))
    scale = min(_SHARP, side, area)
    if scale < LEAST_SCALE:
        size = f"{picture.width:,.0f} × {picture.height:,.0f} pixels"
        why = f"it has {size}, and made small enough ({MOST_SIDE:,} a side) nobody could read it"
        raise InputError("the picture", why, picture.remedy)
    return scale


def to_image(picture: Picture) -> QImage:
    """As pixels, see `scale_of`."""
    scale = scale_of(picture)
    image = QImage(
        QSize(max(1, round(picture.width * scale)), max(1, round(picture.height * scale))),
        QImage.Format.Format_RGB32,
    )
    painter = QPainter(image)
    picture.paint(painter, scale)
    painter.end()
    return image


def to_png(image: QImage) -> bytes:
    """Pixels as a PNG file; may be called on any thread, as long as nobody else has the image."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stub wants str for a format
    buffer.close()
    return bytes(data.data())


def to_svg(picture: Picture) -> bytes:
    """As a drawing whose texts are texts; InputError if it has too many shapes for the programs that show them."""
    if picture.shapes > MOST_SHAPES:
        why = f"it has {picture.shapes:,} boxes and edges, more than the {MOST_SHAPES:,} that other programs show"
        raise InputError("the drawing", why, picture.remedy)
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(_DPI)
    generator.setTitle(picture.title)
    generator.setDescription("Made with Spyre Studio")
    generator.setSize(QSize(max(1, round(picture.width)), max(1, round(picture.height))))
    generator.setViewBox(QRectF(0, 0, picture.width, picture.height))
    painter = QPainter(generator)
    picture.paint(painter, 1.0)
    painter.end()
    buffer.close()
    return bytes(data.data())


def save(path: str, made: bytes) -> None:
    """Write a picture whole or not at all; InputError if it cannot be written."""

    def write(file: BinaryIO) -> None:
        file.write(made)

    write_output_with(path, write)


def copy_image(picture: Picture) -> QSize:
    """Put it on the clipboard as pixels; tells how many."""
    image = to_image(picture)
    QGuiApplication.clipboard().setImage(image)
    return image.size()


def copy_svg(picture: Picture) -> int:
    """Put it on the clipboard as a drawing, and as the text of it; tells how many bytes."""
    made = to_svg(picture)
    data = QMimeData()
    data.setData(SVG, QByteArray(made))
    data.setText(made.decode("utf-8"))
    QGuiApplication.clipboard().setMimeData(data)
    return len(made)
