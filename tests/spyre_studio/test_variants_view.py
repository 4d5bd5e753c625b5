"""The tree of variants on screen: figures, keys, editing in place, and the way to Compare."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit
from pytestqt.qtbot import QtBot

from compiler.compilation import Compilation
from compiler.pins import Pins
from spyre_studio.main_window import MainWindow
from spyre_studio.picker import Picker
from spyre_studio.theme import Theme
from spyre_studio.variant import FIRST
from spyre_studio.variant_rows import COLUMNS, variant_rows
from spyre_studio.views.compare import CompareView
from spyre_studio.views.variants import ONE, VariantsView
from tests.spyre_studio.door import Door, opened
from tests.spyre_studio.plans import compiled, divided
from tests.spyre_studio.stage import Stage, quiet_settings, staged

SPLIT = "sum i 4"


@pytest.fixture
def plans() -> tuple[Compilation, Compilation]:
    return compiled(), compiled(pins=divided("sum", i=4))


@pytest.fixture
def stage(tmp_path: Path, plans: tuple[Compilation, Compilation]) -> Stage:
    made = Stage(quiet_settings(str(tmp_path)))
    made.put(plans[0])
    made.put(plans[1])
    made.keep_variant(SPLIT)
    return made


@pytest.fixture
def view(qtbot: QtBot, stage: Stage, dark: Theme) -> VariantsView:
    shown, _ = staged(qtbot, stage, VariantsView, 1000, 300)
    return shown


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, tmp_path: Path, plans: tuple[Compilation, Compilation]) -> MainWindow:
    door = Door(quiet_settings(str(tmp_path)))
    made = opened(qtbot, qapp, door, None)
    door.put_model(plans[0])
    door.put(plans[1])
    return made


def test_rows_say_what_a_variant_costs_beside_its_parent(stage: Stage, plans: tuple[Compilation, Compilation]) -> None:
    first, second = variant_rows(stage.variants, stage.plan_of, stage.shown_variant)
    assert (first.name, first.depth, first.status, first.delta, first.pins) == (FIRST, 0, "known", "", 0)
    assert (second.name, second.depth, second.status, second.pins) == (SPLIT, 1, "on screen", 1)
    assert second.delta_us == pytest.approx(plans[1].cost.total_us - plans[0].cost.total_us)
    assert second.delta.startswith("▲" if second.delta_us > 0 else "▼")
    assert (second.tone, second.checks, second.made_for) == ("ok", "proved", "32 cores · staged")
    stage._set_pins(Pins())
    stage._options = type(stage.options)(seconds=1.0)
    stage.keep_variant("draft")
    draft = variant_rows(stage.variants, stage.plan_of, "")[-1]
    assert (draft.status, draft.checks, draft.cells[2:6]) == ("not solved", "", ("", "", "", ""))


def test_one_variant_says_how_to_make_more(qtbot: QtBot, tmp_path: Path, dark: Theme) -> None:
    alone = Stage(quiet_settings(str(tmp_path)))
    alone.put(compiled())
    view, _ = staged(qtbot, alone, VariantsView, 1200, 300)
    assert view.hint.text() == ONE
    assert [row.name for row in view.rows] == [FIRST]
    assert view.compare.isEnabled()


def test_without_a_model_it_says_what_to_do(qtbot: QtBot, tmp_path: Path, dark: Theme) -> None:
    view, _ = staged(qtbot, Stage(quiet_settings(str(tmp_path))), VariantsView)
    assert view.state.kind == "empty"
    assert "Open a model" in view.state.sentence


def test_enter_shows_and_arrows_move(view: VariantsView, stage: Stage, plans: tuple[Compilation, Compilation]) -> None:
    tree = view.tree
    tree.setFocus()
    assert tree.current == SPLIT
    QTest.keyClick(tree, Qt.Key.Key_Up)
    assert tree.current == FIRST
    QTest.keyClick(tree, Qt.Key.Key_Return)
    assert stage.compilation is plans[0]
    assert [row.status for row in view.rows] == ["on screen", "known"]
    assert not stage.asked, "nothing is made again"
    at = tree.visualRect(tree.variants.index_of(SPLIT)).center()
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseDClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert stage.compilation is plans[1]


def test_f2_renames_and_delete_removes(qtbot: QtBot, view: VariantsView, stage: Stage) -> None:
    view.tree.setFocus()
    QTest.keyClick(view.tree, Qt.Key.Key_F2)
    editor = view.tree.findChild(QLineEdit)
    assert editor is not None
    editor.setText("sum by rows")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [row.name for row in view.rows] == [FIRST, "sum by rows"])
    assert stage.variants.get("sum by rows")
    assert view.tree.current == "sum by rows"
    QTest.keyClick(view.tree, Qt.Key.Key_Delete)
    assert [row.name for row in view.rows] == [FIRST]
    stage.undo_stack.undo()
    assert [row.name for row in view.rows] == [FIRST, "sum by rows"]


def test_a_name_that_is_taken_comes_back(qtbot: QtBot, view: VariantsView, stage: Stage) -> None:
    view.begin_rename()
    editor = view.tree.findChild(QLineEdit)
    assert editor is not None
    editor.setText(FIRST)
    with qtbot.waitSignal(stage.failed):
        QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.tree.variants.index_of(SPLIT).data() == SPLIT)


def test_a_note_is_written_in_place(qtbot: QtBot, view: VariantsView, stage: Stage) -> None:
    view.note.click()
    editor = view.tree.findChild(QLineEdit)
    assert editor is not None
    editor.setText("  worth a try ")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.rows[1].note == "worth a try")
    assert stage.undo_stack.undoText() == f"Note on variant {SPLIT}"


def test_two_selected_variants_are_compared(qtbot: QtBot, view: VariantsView) -> None:
    told: list[tuple[str, str]] = []
    view.compared.connect(lambda before, after: told.append((before, after)))
    view.compare.click()
    view.tree.selectAll()
    view.compare.click()
    assert told == [(SPLIT, ""), (FIRST, SPLIT)]


# In the window


def test_keeping_proposes_a_name(qtbot: QtBot, window: MainWindow) -> None:
    window.actions_.trigger("keep-variant")
    dialog = window.findChild(QInputDialog, "variant-name")
    assert dialog is not None
    assert dialog.textValue() == SPLIT
    dialog.accept()
    assert window.session.variants.get(SPLIT)
    assert window.workbench.tabs.currentWidget() is window.workbench.views["variants"]


def compare_of(window: MainWindow) -> CompareView:
    view = window.workbench.views["compare"]
    assert isinstance(view, CompareView)
    return view


def test_variants_are_picked_by_name(qtbot: QtBot, window: MainWindow, plans: tuple[Compilation, Compilation]) -> None:
    window.session.keep_variant(SPLIT)
    window.actions_.trigger("show-variant")
    picker = window.findChild(Picker)
    assert picker is not None
    picker.line.setText("first")
    QTest.keyClick(picker.line, Qt.Key.Key_Return)
    assert window.session.compilation is plans[0]


def test_compare_takes_both_sides(qtbot: QtBot, window: MainWindow, plans: tuple[Compilation, Compilation]) -> None:
    session = window.session
    session.keep_variant(SPLIT)
    window.handlers.compare(FIRST, SPLIT)
    view = compare_of(window)
    assert view.isVisible()
    assert view.sides.names == (FIRST, SPLIT)
    assert any(row.name == "sum" and row.what == "division" for row in view.rows)
    total = view.total.text()
    session.show_variant(FIRST)
    assert view.total.text() == total, "what is compared stays, whatever is on screen"
    view.sides.left.setCurrentIndex(view.sides.left.findData(SPLIT))
    assert view.sides.plans() == (plans[1], plans[1])
    assert view.inside.isVisible()
    assert view.inside.state.title == "The plans are the same"
    view.sides.right.setCurrentIndex(0)
    assert view.sides.plans() == (plans[1], plans[0])
    assert view.table.isVisible()
    session.remove_variant(SPLIT)
    assert view.sides.names == ("", "")


def test_the_button_of_the_view_asks_the_window(qtbot: QtBot, window: MainWindow) -> None:
    window.workbench.show_view("variants")
    view = window.workbench.views["variants"]
    assert isinstance(view, VariantsView)
    view.keep.click()
    dialog = window.findChild(QInputDialog, "variant-name")
    assert dialog is not None
    dialog.reject()
    view.compared.emit(FIRST, "")
    assert compare_of(window).isVisible()


def test_a_side_without_a_plan_says_so_and_can_be_changed(qtbot: QtBot, window: MainWindow) -> None:
    session = window.session
    session.pin_division("max", {"i": 2})
    session.keep_variant("draft")
    window.handlers.compare("draft", "")
    view = compare_of(window)
    assert "no plan yet" in view.inside.state.sentence
    assert view.sides.isVisible()


def test_columns_that_are_left_out_are_told_and_can_be_shown(view: VariantsView) -> None:
    titles = [title for title, _ in COLUMNS]
    left_out = [titles[column] for column in range(len(COLUMNS)) if view.tree.isColumnHidden(column)]
    view.resize(480, 300)
    QApplication.processEvents()
    narrow = [titles[column] for column in range(len(COLUMNS)) if view.tree.isColumnHidden(column)]
    assert len(narrow) > len(left_out)
    assert view.more.isVisible()
    assert view.more.text() == f"+{len(narrow)}"
    assert all(title in view.more.toolTip() for title in narrow)
    shown = next(action for action in view.columns_menu().actions() if action.text() == "gap")
    shown.trigger()
    assert not view.tree.isColumnHidden(titles.index("gap"))
    view.resize(1600, 300)
    QApplication.processEvents()
    assert not view.more.isVisible()
