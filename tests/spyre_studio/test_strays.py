"""Tests of what is held of Qt without hearing of its end: it is found, and what is often made anew leaves none."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from spyre_studio.variant_rows import COLUMNS, VariantRow
from spyre_studio.views.breadcrumb import Breadcrumb
from spyre_studio.views.variants_model import VariantsModel
from tests.spyre_studio.strays import strays

ROWS = tuple(
    VariantRow(name, parent, depth, "kept", 2.0, float("nan"), 1.0, 0.5, "ok", "3 of 3", 0, "32 cores", "")
    for name, parent, depth in (("first", "", 0), ("second", "first", 1))
)


def test_a_head_that_qt_made_and_deleted_is_found(qtbot: QtBot) -> None:
    before, model = strays(), QStandardItemModel()
    model.setHorizontalHeaderLabels(["name"])
    head = model.horizontalHeaderItem(0)
    assert len(strays()) == len(before) + 1
    head.setToolTip("while it is there")


def test_an_item_of_a_layout_is_found_once_its_widget_is_gone(qtbot: QtBot) -> None:
    page, label = QWidget(), QLabel("words")
    qtbot.addWidget(page)
    row, column = QHBoxLayout(), QVBoxLayout(page)
    row.addWidget(label)
    column.addLayout(row)  # which makes Python hold the items of the row
    before = strays()
    label.setParent(None)
    assert strays() == tuple(sorted([*before, "QWidgetItem"]))


def test_looking_leaves_nothing_held(qtbot: QtBot) -> None:
    page, label = QWidget(), QLabel("words")
    qtbot.addWidget(page)
    QVBoxLayout(page).addWidget(label)
    before = strays()
    label.setParent(None)
    assert strays() == before


def test_rows_of_variants_leave_none(qtbot: QtBot) -> None:
    before, model = strays(), VariantsModel(lambda _us: "")
    for _ in range(3):
        model.show_rows(ROWS)
        assert strays() == before
    assert (model.rowCount(), model.rowCount(model.index_of("first")), model.columnCount()) == (1, 1, len(COLUMNS))
    hint = model.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert COLUMNS[1][1] in str(hint)


def test_another_path_leaves_none(qtbot: QtBot) -> None:
    crumbs, before = Breadcrumb(), strays()
    qtbot.addWidget(crumbs)
    for path in (("model", "layers"), ("model",), ("model", "layers", "mlp")):
        crumbs.set_path(path)
        crumbs.fit(10)
        assert strays() == before
