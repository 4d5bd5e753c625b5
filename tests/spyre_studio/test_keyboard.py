"""Everything that the mouse reaches is reached by the keyboard: the focus chain of every page, and every action.

What takes clicks is found, not listed: controls of Qt, and our own widgets that deal with presses.
"""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QHeaderView,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from spyre_studio.actions import ACTIONS
from spyre_studio.choice_list import ChoiceList
from spyre_studio.colour import MIN_MARK, MIN_TEXT, contrast
from spyre_studio.columns_button import ColumnsButton
from spyre_studio.file_dialogs import FileDialogs
from spyre_studio.main_window import MainWindow
from spyre_studio.picker import Picker
from spyre_studio.text_zoom_apply import wear_text_size
from spyre_studio.theme import THEMES, Theme
from spyre_studio.views import VIEWS
from spyre_studio.views.minimap import Minimap
from spyre_studio.views.slice_maps import SliceMaps
from tests.programs import attention
from tests.spyre_studio.door import Door, opened
from tests.spyre_studio.plans import compiled

CONTROLS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
)
ELSEWHERE = (
    Minimap,  # moves the picture: arrows, zoom keys, Home and F do on the graph
    SliceMaps,  # chooses a core: arrows do in the grid of cores above it
    ChoiceList,  # the line above it has the keyboard, and arrows and Enter go to the list
    QHeaderView,  # sorts: the table has a key for it
    ColumnsButton,  # opens the menu of the table: so does the key for menus on that
)
MOST = 300  # more than any page has


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, door: Door, dark: Theme) -> Iterator[MainWindow]:
    made = opened(qtbot, qapp, door, None)
    made.resize(1600, 1000)
    yield made
    made.close()


@pytest.fixture
def bench(qtbot: QtBot, window: MainWindow, door: Door) -> MainWindow:
    """The window with a plan, awake."""
    door.put_model(compiled(program=attention()))
    with qtbot.waitActive(window):
        window.activateWindow()
    return window


def reached(start: QWidget, back: bool = False) -> list[QWidget]:
    """What Tab goes to from here until it comes to something it was at."""
    start.setFocus()
    seen: list[QWidget] = []
    focused = QApplication.focusWidget()
    while focused is not None and focused not in seen and len(seen) < MOST:
        seen.append(focused)
        if back:
            QTest.keyClick(focused, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
        else:
            QTest.keyClick(focused, Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
    return seen


def takes_clicks(widget: QWidget) -> bool:
    if isinstance(widget, CONTROLS):
        return True
    own = (each for each in type(widget).__mro__ if each.__module__.startswith("spyre_studio"))
    return any({"mousePressEvent", "mouseReleaseEvent"} & each.__dict__.keys() for each in own)


def left_out(page: QWidget, seen: list[QWidget]) -> list[str]:
    """Words for what takes clicks on a page and was not reached."""
    missing = [
        each
        for each in page.findChildren(QWidget)
        if each.isVisible() and each.isEnabled() and takes_clicks(each) and not isinstance(each, ELSEWHERE)
        if each not in seen and each.focusProxy() not in seen
    ]
    return [f"{type(each).__name__} {each.accessibleName() or each.objectName() or each.toolTip()}" for each in missing]


def nameless(seen: list[QWidget]) -> list[str]:
    """What a screen reader would be silent about."""
    quiet = [
        each for each in seen if not each.accessibleName() and not (isinstance(each, QAbstractButton) and each.text())
    ]
    return [f"{type(each).__name__} in {type(each.parent()).__name__}" for each in quiet]


def test_the_start_page(window: MainWindow) -> None:
    seen = reached(window.start)
    assert left_out(window, seen) == []
    assert nameless(seen) == []


@pytest.mark.parametrize("key", [row.key for row in VIEWS])
def test_the_workbench_with_each_view_in_front(bench: MainWindow, key: str) -> None:
    bench.workbench.show_view(key)
    seen = reached(bench.workbench.graph.canvas)
    assert len(seen) > 20
    assert left_out(bench, seen) == []
    assert nameless(seen) == []


@pytest.mark.parametrize("key", ["graph", "scratchpad", "verify", "inspector"])
def test_a_view_alone(bench: MainWindow, key: str) -> None:
    bench.workbench.full.enter(key)
    focused = QApplication.focusWidget()
    assert focused is not None
    seen = reached(focused)
    assert left_out(bench, seen) == []
    assert bench.workbench.full.back in seen


def test_tab_goes_the_same_way_back(bench: MainWindow) -> None:
    there = reached(bench.workbench.graph.canvas)
    back = reached(bench.workbench.graph.canvas, back=True)
    assert set(there) == set(back)


def test_the_palette_reaches_its_list_by_arrows(bench: MainWindow) -> None:
    bench.actions_.trigger("go-to")
    picker = bench.findChild(Picker)
    assert picker is not None
    assert picker.list.focusPolicy() == Qt.FocusPolicy.NoFocus
    for row in (1, 2, 3):
        QTest.keyClick(picker.line, Qt.Key.Key_Down)
        assert picker.list.row == row


def test_every_action_is_in_menus_and_palette(bench: MainWindow) -> None:
    found = {choice.key for choice in bench.actions_.choices("")}
    assert {row.key for row in ACTIONS if bench.actions_.by_key[row.key].isEnabled()} - found == {"palette"}
    first = [QMenu.menuInAction(menu) for menu in bench.menuBar().actions()]
    inner = [QMenu.menuInAction(action) for menu in first for action in menu.actions()]
    in_menus = {action.objectName() for menu in (*first, *filter(None, inner)) for action in menu.actions()}
    assert {row.key for row in ACTIONS} <= in_menus
    letters = [menu.text() for menu in bench.menuBar().actions()]
    assert all("&" in text for text in letters), "Alt and a letter open each menu"


QUIET = ("quit", "full-screen")  # would end the test, or need a window manager


def test_every_action_can_be_done_from_the_palette(bench: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    for ask in ("open_model", "open_pins", "save_plan", "save_pins", "save_project"):
        monkeypatch.setattr(FileDialogs, ask, lambda *_: "")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    monkeypatch.setattr(FileDialogs, "export", lambda *_: ("", ""))
    monkeypatch.setattr(FileDialogs, "save_picture", lambda *_: ("", False))
    monkeypatch.setattr(FileDialogs, "save_report", lambda *_: ("", ""))
    done = []
    for row in ACTIONS:
        bench.selection.select_op("exp")
        bench.selection.select_buffer("exp")
        if row.key in QUIET or not bench.actions_.by_key[row.key].isEnabled():
            continue
        bench.actions_.trigger(row.key)
        QApplication.processEvents()
        for dialog in bench.findChildren(QDialog):
            dialog.close()
        assert "mistake of its own" not in bench.banner.sentence, row.key
        done.append(row.key)
    assert len(done) > len(ACTIONS) * 0.7
    bench.session.settings.set("text_size", "100")
    wear_text_size(bench.session.settings)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_the_texts_of_palette_and_strip_are_readable(theme: Theme) -> None:
    for ground in (theme.panel, theme.selection, theme.hover):
        assert contrast(theme.text, ground) >= MIN_TEXT, "names"
        assert contrast(theme.mute, ground) >= MIN_TEXT, "notes, keys, and what makes no sense now"
    assert contrast(theme.accent_text, theme.panel) >= MIN_TEXT, "the button that goes back"
    for ground in (theme.bg, theme.panel, theme.raised):
        assert contrast(theme.mute, ground) >= MIN_MARK, "the line around"
