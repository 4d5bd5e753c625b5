"""Time bars: two lanes that run at once, and what comes behind both."""

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from spyre_studio.candidate_model import Lanes
from spyre_studio.legend import Entry, WrappedLegend
from spyre_studio.term_groups import ALONE, COMPUTE, MEMORY
from spyre_studio.theme import Theme
from spyre_studio.time_bar import draw_lanes
from tests.spyre_studio.hand import show


def drawn(lanes: Lanes, width: int = 100, height: int = 20) -> np.ndarray:
    """The pixels of a bar, (height, width)."""
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.black)
    painter = QPainter(image)
    draw_lanes(painter, QRectF(0, 0, width, height), lanes)
    painter.end()
    return np.frombuffer(image.constBits(), np.uint32).reshape(height, width) & 0xFFFFFF


def rows_of(pixels: np.ndarray, colour: str) -> set[int]:
    return set(np.flatnonzero((pixels == int(colour[1:], 16)).any(axis=1)).tolist())


def columns_of(pixels: np.ndarray, colour: str) -> set[int]:
    return set(np.flatnonzero((pixels == int(colour[1:], 16)).any(axis=0)).tolist())


def test_compute_is_above_memory_and_both_begin_at_the_left(qtbot: QtBot, dark: Theme) -> None:
    pixels = drawn(Lanes(((COMPUTE, 0.3),), ((MEMORY, 0.6),), ()))
    assert max(rows_of(pixels, dark.matmul)) < min(rows_of(pixels, dark.reduction))
    assert min(columns_of(pixels, dark.matmul)) <= 2
    assert min(columns_of(pixels, dark.reduction)) <= 2
    assert max(columns_of(pixels, dark.matmul)) < 32
    assert 55 < max(columns_of(pixels, dark.reduction)) < 62


def test_what_hides_behind_nothing_comes_after_both(qtbot: QtBot, dark: Theme) -> None:
    pixels = drawn(Lanes(((COMPUTE, 0.3),), ((MEMORY, 0.5),), ((ALONE, 0.2),)))
    assert min(columns_of(pixels, dark.mute)) >= 50
    assert rows_of(pixels, dark.mute) >= rows_of(pixels, dark.matmul) | rows_of(pixels, dark.reduction)


def test_one_lane_alone_is_in_the_middle(qtbot: QtBot, dark: Theme) -> None:
    rows = rows_of(drawn(Lanes((), ((MEMORY, 0.5),), ())), dark.reduction)
    assert abs((min(rows) + max(rows)) / 2 - 9.5) <= 1


def test_nothing_draws_nothing(qtbot: QtBot, dark: Theme) -> None:
    assert not drawn(Lanes()).any()


def test_a_long_legend_takes_more_lines(qtbot: QtBot, dark: Theme) -> None:
    legend = WrappedLegend()
    show(qtbot, legend, 600, 40)
    legend.set_entries([Entry("compute", "matmul"), Entry("memory", "reduction"), Entry("partial sums", "move")])
    one = legend.height()
    legend.resize(120, one)
    assert legend.height() > one
    legend.resize(600, legend.height())
    assert legend.height() == one
