"""Numbers keep their first digits: columns and chips are as wide as what they hold, at every size of texts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QStandardItemModel
from PySide6.QtWidgets import QApplication, QStyleOptionViewItem, QTreeView
from pytestqt.qtbot import QtBot

from spyre_studio.bars import BarCell
from spyre_studio.number_text import characters_of, draw_number, number_width, shortened
from spyre_studio.qt_theme import active_theme, apply_theme, font, px, set_text_zoom
from spyre_studio.selection import Selection
from spyre_studio.theme import CELL_PAD, GRID, Theme
from spyre_studio.views.lx_tray import LxTray
from spyre_studio.views.module_rows import Item, listed
from spyre_studio.views.module_tree import ModuleTree
from spyre_studio.why_not import WhyNot
from tests.spyre_studio.hand import show
from tests.spyre_studio.stage import Stage, quiet_settings

LONG = 228_390.0  # us


@pytest.fixture(params=[1.0, 1.25, 2.0])
def zoom(request: pytest.FixtureRequest, qapp: QApplication, dark: Theme) -> Iterator[float]:
    """A size of texts."""
    set_text_zoom(request.param)
    apply_theme(qapp, active_theme())
    yield request.param
    set_text_zoom(1.0)
    apply_theme(qapp, active_theme())


def test_a_number_without_room_is_cut_at_its_end_and_says_so(dark: Theme) -> None:
    face = font("label", mono=True)
    assert shortened("228.39 ms", face, number_width(9)) == "228.39 ms"
    cut = shortened("228.39 ms", face, number_width(7))
    assert cut.startswith("228")
    assert cut.endswith("…")


def test_nothing_is_drawn_beyond_the_left_edge(dark: Theme) -> None:
    image = QImage(120, 20, QImage.Format.Format_RGB32)
    image.fill(0)
    painter = QPainter(image)
    painter.setFont(font("label", mono=True))
    painter.setPen(0xFFFFFF)
    draw_number(painter, QRectF(70, 0, 50, 20), "8,888,888.88 ms")
    painter.end()
    lit = [x for x in range(120) for y in range(20) if image.pixel(x, y) & 0xFFFFFF]
    assert lit
    assert min(lit) >= 69


def test_letters_of_the_longest() -> None:
    assert characters_of(()) == 0
    assert characters_of(("1.0", "228.39 ms", "")) == 9


@pytest.mark.parametrize("wide", [140, 200, 225, 400])
def test_times_in_the_tree_are_whole_or_absent(qtbot: QtBot, tmp_path: Path, zoom: float, wide: int) -> None:
    tree = ModuleTree(Stage(quiet_settings(str(tmp_path))), Selection())
    show(qtbot, tree, round(wide * zoom), 300)
    root = Item("")
    root.add(Item("decoder_stack", us=LONG))
    tree.tree.show(listed(root), timed=True)
    tree.resize(tree.width() + 1, 300)
    needed = number_width(len("228.39 ms")) + 2 * px(CELL_PAD)
    assert tree.isColumnHidden(1) == (wide == 140)
    assert wide == 140 or tree.columnWidth(1) >= needed


def test_a_cell_with_a_bar_has_room_for_a_long_number(qtbot: QtBot, zoom: float) -> None:
    model, view = QStandardItemModel(1, 1), QTreeView()
    qtbot.addWidget(view)
    model.setData(model.index(0, 0), "1,234,567.89 ms")
    option = QStyleOptionViewItem()
    option.widget = view
    hint = BarCell(number_width=4).sizeHint(option, model.index(0, 0))
    assert hint.width() >= number_width(len("1,234,567.89 ms"))


def test_the_chip_of_the_rest_is_as_wide_as_its_words(qtbot: QtBot, zoom: float) -> None:
    tray = LxTray()
    qtbot.addWidget(tray)
    tray.resize(round(420 * zoom), 90)
    found = [WhyNot(f"b{number}", 1 << 20, 1 << 20, "", "", "", "", "", "") for number in range(1_203)]
    tray.show_found(found, {}, {}, 1.0)
    rest = tray.chips[-1]
    assert rest.name.endswith("more")
    assert rest.rect.width() - 2 * px(GRID) >= QFontMetricsF(font("label")).horizontalAdvance(rest.name)
