"""Palette and Go to in the real window: prefixes, kinds of places, what was used last, screen readers."""

from collections.abc import Iterator
from statistics import median
from time import perf_counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from spyre_studio.main_window import MainWindow
from spyre_studio.palette_match import Target, ranked
from spyre_studio.palette_places import PREFIXES, found_places, kind_of, places_in
from spyre_studio.palette_rows import rows
from spyre_studio.picker import Picker
from spyre_studio.theme import Theme
from tests.spyre_studio.door import Door, opened
from tests.spyre_studio.hand import show
from tests.spyre_studio.plans import compiled


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, door: Door, dark: Theme) -> Iterator[MainWindow]:
    made = opened(qtbot, qapp, door, None)
    door.put_model(compiled())
    yield made
    made.close()


def asked(window: MainWindow, action: str, text: str) -> Picker:
    """The dialog with a text typed into it; dialogs before it are on their way out."""
    window.actions_.trigger(action)
    picker = window.findChildren(Picker)[-1]
    QTest.keyClicks(picker.line, text)
    return picker


def go(window: MainWindow, text: str, action: str = "go-to") -> None:
    QTest.keyClick(asked(window, action, text).line, Qt.Key.Key_Return)


def test_each_prefix_leaves_its_kinds_and_no_other() -> None:
    places = places_in(compiled())
    for prefix in PREFIXES:
        kinds = {kind_of(target.key) for target in found_places(places, f"{prefix.letter} ")}
        assert kinds, prefix.noun
        assert kinds <= prefix.kinds
    assert {kind_of(target.key) for target in places.every} >= {"op", "buffer", "core", "view"}
    assert [target.key for target in found_places(places, "c 17")] == ["core:17"]
    assert [target.key for target in found_places(places, "B exp")] == ["buffer:exp"]
    assert [target.key for target in found_places(places, "o exp")][:1] == ["op:exp"]
    assert not found_places(places, "v exp")


def test_a_letter_without_a_space_is_a_name() -> None:
    places = places_in(compiled())
    assert any(kind_of(target.key) == "op" for target in found_places(places, "s"))


def test_going_to_each_kind(window: MainWindow) -> None:
    go(window, "c 7")
    assert window.selection.core == 7
    assert window.workbench.tabs.currentWidget() is window.workbench.views["scratchpad"]
    go(window, "b exp")
    assert window.selection.buffer == "exp"
    go(window, "o max")
    assert window.selection.op == "max"
    go(window, "v roofl")
    assert window.workbench.tabs.currentWidget() is window.workbench.views["roofline"]
    compilation = window.session.compilation
    assert compilation is not None
    kernel = compilation.plan.kernels[0]
    go(window, f"k {kernel.name}")
    assert window.selection.op == kernel.steps[0]


def test_where_one_was_last_comes_first(window: MainWindow) -> None:
    go(window, "o sum")
    go(window, "c 3")
    picker = asked(window, "go-to", "")
    assert [choice.key for choice in picker.list.choices[:2]] == ["core:3", "op:sum"]


def test_an_angle_bracket_asks_for_actions(window: MainWindow) -> None:
    go(window, "> ops table")
    assert window.workbench.graph.table_shown
    assert window.session.settings.used == ("table",)


def test_an_action_that_was_picked_leads_the_palette(window: MainWindow) -> None:
    go(window, "ops table", "palette")
    assert asked(window, "palette", "").list.choices[0].key == "table"


def test_what_makes_no_sense_now_is_said_and_cannot_be_picked(window: MainWindow) -> None:
    picker = asked(window, "palette", "undo")
    choice = picker.list.choices[0]
    assert (choice.key, choice.note, choice.enabled) == ("undo", "not now", False)
    QTest.keyClick(picker.line, Qt.Key.Key_Return)
    assert picker.isVisible()


def test_escape_closes_and_nothing_happens(window: MainWindow) -> None:
    before = window.selection.place
    picker = asked(window, "go-to", "c 7")
    QTest.keyClick(picker.line, Qt.Key.Key_Escape)
    assert not picker.isVisible()
    assert window.selection.place == before


def test_a_screen_reader_hears_which_row_the_line_stands_for(window: MainWindow) -> None:
    picker = asked(window, "go-to", "c 1")
    assert picker.line.accessibleName() == "Go to an op, buffer, core, kernel or view"
    count = len(picker.list.choices)
    assert picker.line.accessibleDescription() == f"Core 1, core, 1 of {count}"
    QTest.keyClick(picker.line, Qt.Key.Key_Down)
    assert picker.line.accessibleDescription() == f"Core 10, core, 2 of {count}"
    QTest.keyClicks(picker.line, "qqq")
    assert picker.line.accessibleDescription() == "Nothing has this in its name"


def test_a_keystroke_with_its_list_is_one_frame_among_5000_ops(qtbot: QtBot, dark: Theme) -> None:
    targets = [
        Target.of(f"{kind}:{i}", f"layers.{i // 40}.block_{i % 40}/softmax_{i}", "pointwise · m 16", kind)
        for kind in ("op", "buffer")
        for i in range(5000)
    ]
    over = QWidget()
    show(qtbot, over, 900, 600)
    picker = Picker("Go to", "Where to?", lambda text: rows(ranked(targets, text)), over)
    picker.open_over(over)
    times = []
    for letter in "softmax 12 laz":
        start = perf_counter()
        QTest.keyClicks(picker.line, letter)
        QApplication.processEvents()
        times.append(perf_counter() - start)
    picker.close()
    assert median(times) < 0.016


def test_pipelines_and_examples_are_found_by_their_names(window: MainWindow, door: Door) -> None:
    keys = [row.key for row in window.actions_.choices("pipeline co")]
    assert keys[0] == "pipeline:co-optimized"
    assert "example:attention" in [row.key for row in window.actions_.choices("attention")]
    assert not [row for row in window.actions_.choices("") if ":" in row.key], "nor do they fill the list of all"
    window.handlers._palette._do("example:attention")
    assert door.asked[-1] == "open attention"
    window.handlers._palette._go("pipeline:co-optimized")
    assert door.options.pipeline == "co-optimized"
    assert door.settings.used[:2] == ("pipeline:co-optimized", "example:attention")
