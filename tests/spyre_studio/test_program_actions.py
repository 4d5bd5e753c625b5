"""Showing ops and buffers in the program view, from the keyboard and from menus elsewhere."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from spyre_studio.main_window import MainWindow
from spyre_studio.program_entry import add_show_in_program, program_view
from spyre_studio.theme import Theme
from spyre_studio.views.program import ProgramView
from tests.programs import attention
from tests.spyre_studio.door import Door, opened
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import quiet_settings


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, tmp_path: Path, dark: Theme) -> Iterator[MainWindow]:
    door = Door(quiet_settings(str(tmp_path)))
    made = opened(qtbot, qapp, door, None)
    door.put_model(compiled(program=attention(2, 64, 64)))
    yield made
    made.close()


def line_of(view: ProgramView) -> str:
    return view.lines.listing.text.line(view.lines.line)


def test_what_was_selected_last_is_shown(window: MainWindow) -> None:
    selection = window.selection
    assert not window.actions_.by_key["show-in-program"].isEnabled(), "nothing is selected"
    selection.select_op("exp")
    window.actions_.trigger("show-in-program")
    view = program_view(window)
    assert view.isVisible()
    assert line_of(view) == "  divide exp  j 32 x 2"
    selection.select_buffer("q")
    window.actions_.trigger("show-in-program")
    assert line_of(view).startswith("  layout q ")
    selection.select_op("sub")
    window.actions_.trigger("show-in-program")
    assert line_of(view).startswith("  divide sub ")


def test_the_passes_are_shown(window: MainWindow) -> None:
    window.actions_.trigger("show-passes")
    view = program_view(window)
    assert view.kind.key == "passes"
    assert view.lines.listing.text.line(0).startswith("passes of attention")


@pytest.mark.parametrize(("op", "buffer", "line"), [("exp", "", "  divide exp "), ("", "q", "  layout q ")])
def test_menus_elsewhere_have_an_entry(window: MainWindow, op: str, buffer: str, line: str) -> None:
    menu = QMenu()
    add_show_in_program(menu, window, op, buffer)
    (entry,) = menu.actions()
    assert entry.text() == "Show in program"
    entry.trigger()
    assert window.selection.buffer == buffer if buffer else window.selection.op == op
    assert line_of(program_view(window)).startswith(line)


def test_there_is_no_entry_for_nothing_and_none_outside_of_the_window(qtbot: QtBot, window: MainWindow) -> None:
    menu, alone = QMenu(), QWidget()
    qtbot.addWidget(alone)
    add_show_in_program(menu, window)
    add_show_in_program(menu, alone, "exp")
    assert menu.isEmpty()
