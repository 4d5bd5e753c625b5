"""Columns that give way where there is no room for all, in tables and in the tree of variants."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMenu, QToolButton
from pytestqt.qtbot import QtBot

from spyre_studio.columns import ColumnRoom, fitting, shrunk
from spyre_studio.columns_button import ColumnsButton
from spyre_studio.table import Column, CopyableTable, Row, TableModel
from spyre_studio.theme import Theme
from spyre_studio.variant_rows import NOTE
from spyre_studio.views.timeline import TimelineView
from spyre_studio.views.variants import VariantsView
from tests.programs import attention
from tests.spyre_studio.door import Door, opened
from tests.spyre_studio.hand import show
from tests.spyre_studio.plans import compiled, divided
from tests.spyre_studio.stage import Stage, quiet_settings, staged

DOCK = 725  # px; between the panels at the sides of a window of 1280


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    made = Stage(quiet_settings(str(tmp_path)))
    made.put(compiled(program=attention(2, 128, 64), cores=4))
    return made


def test_as_few_give_way_as_needed() -> None:
    assert fitting([100, 50, 50], [2, 1], 200) == frozenset()
    assert fitting([100, 50, 50], [2, 1], 199) == {2}
    assert fitting([100, 50, 50], [2, 1], 149) == {1, 2}
    assert fitting([100, 50, 50], [], 10) == frozenset()


def test_the_widest_words_are_cut_first_and_none_to_nothing() -> None:
    assert shrunk([100, 300, 200, 50], {0, 1, 2}, 80, 500) == [100, 175, 175, 50]
    assert shrunk([100, 300, 200, 50], {0, 1, 2}, 80, 650) == [100, 300, 200, 50]
    assert shrunk([100, 300, 200, 50], {0, 1, 2}, 80, 100) == [80, 80, 80, 50]
    assert sum(shrunk([271, 272, 272, 90], {0, 1, 2}, 96, 601)) <= 601


def test_what_a_person_chose_holds() -> None:
    room = ColumnRoom((2, 1)).choose(2, True)
    assert room.hidden([100, 50, 50], 150) == {1}
    assert room.choose(1, False).hidden([100, 50, 50], 1000) == {1}


def test_a_table_shows_what_it_has_room_for_and_copies_all(qtbot: QtBot, dark: Theme) -> None:
    columns = (Column("step"), Column("much less important", gives_way=2), Column("less", gives_way=1))
    table = CopyableTable(TableModel(columns, [Row("a", ("a" * 20, "b" * 20, "c" * 20))]), "made up")
    show(qtbot, table, 2000, 200)
    assert [table.isColumnHidden(place) for place in range(3)] == [False, False, False]
    needed = sum(table.columnWidth(place) for place in (1, 2))
    table.resize(needed + 60, 200)
    assert [table.isColumnHidden(place) for place in range(3)] == [False, True, False]
    assert table.as_csv().splitlines()[0] == "step,much less important,less"
    entry = table.columns_menu().actions()[0]
    assert (entry.text(), entry.isChecked()) == ("much less important", False)
    entry.trigger()
    assert [table.isColumnHidden(place) for place in range(3)] == [False, False, True], "another one gives way"
    table.resize(2000, 200)
    assert not any(table.isColumnHidden(place) for place in range(3))


def test_a_width_is_dragged_only_by_a_hand(qtbot: QtBot, dark: Theme, monkeypatch: pytest.MonkeyPatch) -> None:
    """A button that is held while the table takes its room, as when an edge of the window is dragged."""
    columns = (Column("step"), Column("more", gives_way=2), Column("less", gives_way=1))
    table = CopyableTable(TableModel(columns, [Row("a", ("a" * 20, "b" * 20, "c" * 20))]), "made up")
    header = table.horizontalHeader()
    monkeypatch.setattr("spyre_studio.table.QGuiApplication.mouseButtons", lambda: Qt.MouseButton.LeftButton)
    monkeypatch.setattr(header, "underMouse", lambda: True)
    monkeypatch.setattr(table, "horizontalHeader", lambda: header)
    show(qtbot, table, 2000, 200)
    table.resize(300, 200)
    assert table.isColumnHidden(1)
    table.resize(2000, 200)
    assert not table.isColumnHidden(1), "nobody dragged anything"
    header.resizeSection(2, 40)
    table.resize(300, 200)
    assert not table.isColumnHidden(1), "the widths that somebody dragged hold"


def test_the_table_of_the_timeline_does_not_scroll_sideways(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, _ = staged(qtbot, stage, TimelineView, DOCK, 400)
    view.set_table(True)
    QApplication.processEvents()
    table = view.table.table
    assert table.horizontalScrollBar().maximum() == 0
    shown = {table.model().headerData(n, Qt.Orientation.Horizontal) for n in range(13) if not table.isColumnHidden(n)}
    assert {"step", "time, µs", "predicted, µs", "bound by"} <= shown


def test_the_tree_of_variants_does_not_scroll_sideways(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, _ = staged(qtbot, stage, VariantsView, DOCK, 400)
    for name in ("context m 8", "a rather long name of a variant"):
        stage.keep_variant(name)
    QApplication.processEvents()
    assert view.tree.horizontalScrollBar().maximum() == 0
    assert not view.tree.isColumnHidden(0)
    assert not view.tree.isColumnHidden(2)
    view.tree.edit_at(NOTE)
    assert not view.tree.isColumnHidden(NOTE), "a note can be written where it was left out"


def test_the_button_says_how_many_are_left_out_and_shows_them(qtbot: QtBot, dark: Theme) -> None:
    columns = (Column("step"), Column("much less important", gives_way=2), Column("less", gives_way=1))
    table = CopyableTable(TableModel(columns, [Row("a", ("a" * 20, "b" * 20, "c" * 20))]), "made up")
    show(qtbot, table, 2000, 200)
    more = table.horizontalHeader().findChild(ColumnsButton)
    assert more is not None
    assert not more.isVisible()
    table.resize(120, 200)
    assert (more.text(), more.isVisible()) == ("+2", True)
    assert more.accessibleName() == "2 columns left out: much less important, less"
    assert more.geometry().right() == table.horizontalHeader().width() - 1
    more.click()
    menu = table.findChild(QMenu)
    assert menu is not None
    assert [entry.isChecked() for entry in menu.actions()] == [False, False]
    menu.close()


def test_no_title_lies_below_the_button(qtbot: QtBot, dark: Theme) -> None:
    columns = (Column("what"), Column("costs, µs", number=True), Column("where it is", gives_way=1))
    table = CopyableTable(TableModel(columns, [Row("a", ("layers.0.mlp.gate_proj", 1.5, "c" * 30))]), "made up")
    show(qtbot, table, 300, 200)
    more = table.horizontalHeader().findChild(ColumnsButton)
    assert more is not None
    for width in (300, 340):
        table.resize(width, 200)
        assert more.isVisible(), width
        assert table.columnViewportPosition(1) + table.columnWidth(1) <= more.geometry().left(), width


def test_no_table_of_the_window_scrolls_sideways(qtbot: QtBot, qapp: QApplication, tmp_path: Path, dark: Theme) -> None:
    door = Door(quiet_settings(str(tmp_path)))
    setattr(door.jobs, "submit", lambda *_, **__: None)  # noqa: B010  a view that asks waits
    window = opened(qtbot, qapp, door, None)
    window.resize(1280, 800)
    door.put_model(compiled(program=attention(2, 128, 64), cores=4))
    door.put(compiled(program=attention(2, 128, 64), cores=4, pins=divided("scores", i=4)))
    scrolled, seen = list[str](), set[str]()
    for key, view in window.workbench.views.items():
        window.workbench.show_view(key)
        for button in view.findChildren(QToolButton):
            if button.text() == "Table" and button.isVisible():
                button.setChecked(True)
        for _ in range(10):
            QApplication.processEvents()
        for table in (each for each in view.findChildren(CopyableTable) if each.isVisible()):
            seen.add(table.accessibleName())
            if table.horizontalScrollBar().maximum():
                scrolled.append(f"{key}: {table.accessibleName()}")
    window.close()
    assert scrolled == []
    assert len(seen) >= 5
