"""The table twin: values written for people, sorted as values, filtered, selected and copied."""

from collections.abc import Hashable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from spyre_studio.bars import BAR_ROLE
from spyre_studio.table import Cell, Column, CopyableTable, Row, TableModel
from spyre_studio.theme import Theme
from spyre_studio.units import format_bytes, format_number
from tests.spyre_studio.hand import LEFT, NONE, show


def number(value: Cell) -> str:
    return format_number(float(value))


def size(value: Cell) -> str:
    return format_bytes(float(value))


COLUMNS = (
    Column("op"),
    Column("time, µs", number, number=True, bar=lambda value: float(value) / 100),
    Column("bytes", size, number=True, hint="in LX", colour=lambda value: "#ff0000" if float(value) > 5000 else ""),
)
ROWS = (
    Row("a", ("attn.q_proj", 21.4, 2048), "first"),
    Row("b", ("attn.scores", 9.8, 1024)),
    Row("c", ("mlp.up", 100.0, 10240)),
)


@pytest.fixture
def table(qtbot: QtBot, dark: Theme) -> CopyableTable:
    made = CopyableTable(TableModel(COLUMNS, ROWS), "ops by time")
    show(qtbot, made)
    return made


def names(table: CopyableTable) -> list[Hashable]:
    return [row.key for row in table.shown()]


def test_cells_are_written_aligned_and_coloured(table: CopyableTable) -> None:
    model = table.model()
    assert [model.index(0, column).data() for column in range(3)] == ["attn.q_proj", "21.4", "2 KiB"]
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    assert model.index(0, 1).data(Qt.ItemDataRole.TextAlignmentRole) == right
    assert model.index(0, 1).data(BAR_ROLE) == pytest.approx(0.214)
    assert model.index(2, 2).data(Qt.ItemDataRole.ForegroundRole).name() == "#ff0000"
    assert model.index(0, 2).data(Qt.ItemDataRole.ForegroundRole) is None
    assert model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == "first"
    assert model.headerData(2, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole) == "in LX"
    assert model.headerData(0, Qt.Orientation.Horizontal) == "op"


def test_rows_keep_their_order_until_sorted_by_value(table: CopyableTable) -> None:
    assert names(table) == ["a", "b", "c"]
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert names(table) == ["b", "a", "c"]  # 9.8 < 21.4 < 100.0, although '100.0' < '21.4' < '9.8'
    table.sortByColumn(2, Qt.SortOrder.DescendingOrder)
    assert names(table) == ["c", "a", "b"]


def test_filter_looks_into_all_columns(table: CopyableTable) -> None:
    table.filter("ATTN")
    assert names(table) == ["a", "b"]
    table.filter("10 KiB")
    assert names(table) == ["c"]
    table.filter("")
    assert len(table.shown()) == 3


def test_selection_is_told_by_key_and_only_when_the_user_made_it(table: CopyableTable, qtbot: QtBot) -> None:
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    with qtbot.assertNotEmitted(table.chosen):
        table.select(["c", "b", "no such row"])
    assert table.keys() == ("b", "c")
    with qtbot.waitSignal(table.chosen) as signal:
        # A click, and not selectRow(), which looks at the keys that an earlier test left pressed.
        where = table.visualRect(table.model().index(1, 0)).center()
        QTest.mouseClick(table.viewport(), LEFT, NONE, where)
    assert signal.args == [("a",)]


def test_arrow_keys_move_the_selection(table: CopyableTable, qtbot: QtBot) -> None:
    table.select(["a"])
    with qtbot.waitSignal(table.chosen) as signal:
        QTest.keyClick(table, Qt.Key.Key_Down)
    assert signal.args == [("b",)]


def test_copy_takes_the_selection_or_everything(table: CopyableTable) -> None:
    assert table.copied().splitlines() == [
        "op\ttime, µs\tbytes",
        "attn.q_proj\t21.4\t2 KiB",
        "attn.scores\t9.8\t1 KiB",
        "mlp.up\t100.0\t10 KiB",
    ]
    table.select(["b"])
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "op\ttime, µs\tbytes\nattn.scores\t9.8\t1 KiB"


def test_rows_are_24_pixels_high(table: CopyableTable) -> None:
    assert {table.rowHeight(row) for row in range(3)} == {24}


def test_columns_fit_their_values_and_the_first_takes_the_rest(table: CopyableTable) -> None:
    header = table.horizontalHeader()
    assert sum(header.sectionSize(place) for place in range(3)) == table.viewport().width()
    wide = "a value much wider than its title"
    grown = CopyableTable(TableModel((Column("op"), Column("x")), [Row(0, ("a", wide))]), "wide")
    assert grown.columnWidth(1) >= grown.fontMetrics().horizontalAdvance(wide)


def test_rows_can_be_replaced(table: CopyableTable) -> None:
    source = TableModel(COLUMNS, ROWS)
    source.set_rows(ROWS[:1])
    assert source.rowCount() == 1
    with pytest.raises(ValueError, match="row 'x' has 1 cells for 3 columns"):
        source.set_rows([Row("x", ("alone",))])
    assert source.rows == ROWS[:1]


def test_rows_are_made_when_the_table_is_seen(qtbot: QtBot, dark: Theme) -> None:
    made: list[int] = []

    def rows() -> tuple[Row, ...]:
        made.append(1)
        return ROWS

    table = CopyableTable(TableModel(COLUMNS), "ops by time")
    told: list[object] = []
    table.chosen.connect(told.append)
    table.show_rows(rows)
    table.select(["b"])
    assert (made, table.shown()) == ([], ())
    show(qtbot, table)
    assert (made, table.shown(), table.keys(), told) == ([1], ROWS, ("b",), [])
    table.show_rows(rows)
    assert made == [1, 1], "a table on screen shows other rows at once"
    assert table.keys() == ("b",), "the selection outlives the rows"


def test_a_selection_is_found_in_sorted_and_filtered_rows(table: CopyableTable) -> None:
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    table.select(["a", "b"])
    assert table.keys() == ("a", "b")
    table.filter("scores")
    table.select(["a", "b"])
    assert table.keys() == ("b",), "what is filtered out cannot be selected"


def test_the_first_column_stays_readable_and_takes_what_is_left(qtbot: QtBot, dark: Theme) -> None:
    rows = [Row(number, (f"layers.0.attn.softmax/{number}", 1.0, 64)) for number in range(3)]
    table = CopyableTable(TableModel(COLUMNS, rows), "ops by time")
    show(qtbot, table, 200, 200)
    needed = table.sizeHintForColumn(0)
    assert table.columnWidth(0) == needed, "the table scrolls rather than shortening it"
    table.resize(900, 200)
    assert table.columnWidth(0) > needed


def test_columns_fit_other_rows_too(qtbot: QtBot, dark: Theme) -> None:
    table = CopyableTable(TableModel(COLUMNS, [Row("a", ("a", 1.0, 64))]), "ops by time")
    show(qtbot, table, 900, 200)
    before = table.columnWidth(2)
    table.show_rows(lambda: [Row("a", ("a", 1.0, 10**15))])
    assert table.columnWidth(2) > before


def test_what_is_selected_stays_so_when_rows_are_sorted(qtbot: QtBot, dark: Theme) -> None:
    cells = (3.0, float("nan"), 1.0, float("inf"), 2.0)
    model = TableModel((Column("value", number=True),), [Row(number, (cell,)) for number, cell in enumerate(cells)])
    table = CopyableTable(model, "values")
    show(qtbot, table)
    table.select([0, 2])
    table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    assert [row.key for row in table.shown()] == [2, 4, 0, 3, 1], "what is no number comes last"
    assert table.keys() == (2, 0)
    table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    assert table.keys() == (0, 2)
    model.set_rows([Row("new", (9.0,)), *model.rows])
    assert table.shown()[0].key == 1
    table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
    assert table.shown()[0].key == "new"


def test_long_values_have_the_room_that_is_to_spare(qtbot: QtBot, dark: Theme) -> None:
    long = "needs 98,304 B per core in steps 3 to 12; the largest gap is 65,536 B, so that 32,768 B are lacking"
    table = CopyableTable(TableModel((Column("name"), Column("figures")), [Row("a", ("a", long))]), "values")
    show(qtbot, table, 500, 200)
    cut = table.columnWidth(1)
    assert cut < table.sizeHintForColumn(1)
    table.resize(1600, 200)
    qtbot.waitUntil(lambda: table.columnWidth(1) >= table.sizeHintForColumn(1))
    table.resize(500, 200)
    qtbot.waitUntil(lambda: table.columnWidth(1) == cut)


def test_whoever_sorts_sees_what_comes_first(qtbot: QtBot, dark: Theme) -> None:
    many = tuple(Row(number, (f"op{number}", float(number), 1)) for number in range(200))
    made = CopyableTable(TableModel(COLUMNS, many), "ops by time")
    qtbot.addWidget(made)
    made.resize(400, 200)
    show(qtbot, made)
    made.select([150])
    assert made.verticalScrollBar().value() > 0
    made.horizontalHeader().setSortIndicator(1, Qt.SortOrder.DescendingOrder)
    assert made.verticalScrollBar().value() == 0
    assert made.keys() == (150,)
