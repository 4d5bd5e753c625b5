"""Nothing is clipped: every text of the window fits where it stands, or is shortened with its whole in a tooltip."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QPushButton,
    QTabBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from spyre_studio.elided import ElidedLabel
from spyre_studio.low_room import LowRoom
from spyre_studio.main_window import MainWindow
from spyre_studio.text_zoom_apply import wear_text_size
from spyre_studio.theme import Theme
from spyre_studio.views.inspector import InspectorView
from tests.programs import attention
from tests.spyre_studio.door import Door, opened
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import quiet_settings
from tests.spyre_studio.verified import wrong

SLACK = 2  # px; glyphs may reach over their advance
INSPECTOR = ("Division", "Sticks", "Facts", "Cost")


@pytest.fixture
def door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Door:
    """What views ask the worker for is never answered: they wait, and say so."""
    made = Door(quiet_settings(str(tmp_path)))
    monkeypatch.setattr(made.jobs, "submit", lambda *_, **__: None)
    return made


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, door: Door, dark: Theme) -> Iterator[MainWindow]:
    made = opened(qtbot, qapp, door, None)
    made.resize(1280, 800)
    yield made
    door.settings.set("text_size", "100")
    wear_text_size(door.settings)
    made.close()


def settle() -> None:
    for _ in range(20):
        QApplication.processEvents()


def clipped(root: QWidget) -> list[str]:
    """What a text needs and has, for each that is cut without saying so."""
    return [words for widget in root.findChildren(QWidget) if widget.isVisible() for words in _cut(widget)]


def _cut(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QTabBar):
        for place in range(widget.count()):
            text, wide = widget.tabText(place), widget.tabRect(place).width()
            if widget.fontMetrics().horizontalAdvance(text) > wide + SLACK:
                yield f"tab {text}: {wide} px"
        return
    text = widget.text() if isinstance(widget, QLabel | QAbstractButton) else ""
    if not text or _told(widget):
        return
    needed, room = _needed(widget, text), widget.rect()
    if needed.width() > room.width() + SLACK or needed.height() > room.height() + SLACK:
        yield (
            f"{type(widget).__name__} {text!r} needs {needed.width()} x {needed.height()}, "
            f"has {room.width()} x {room.height()}"
        )


def _told(widget: QWidget) -> bool:
    """True if a shortened text can be read in full elsewhere."""
    return isinstance(widget, ElidedLabel) and bool(widget.toolTip())


def _needed(widget: QWidget, text: str) -> QSize:
    if isinstance(widget, QLabel):
        return _label(widget, text)
    words = widget.fontMetrics().size(Qt.TextFlag.TextShowMnemonic, text)
    if isinstance(widget, QPushButton | QToolButton | QCheckBox):
        return words
    return QSize(0, 0)  # painted by itself: its own tests look at it


def _label(label: QLabel, text: str) -> QSize:
    if label.textFormat() is Qt.TextFormat.RichText or (text.startswith("<") and ">" in text):
        document = QTextDocument()
        document.setDefaultFont(label.font())
        document.setHtml(text)
        document.setDocumentMargin(0)
        if label.wordWrap():
            document.setTextWidth(label.width())
        return document.size().toSize()
    flags = Qt.TextFlag.TextWordWrap if label.wordWrap() else Qt.TextFlag.TextExpandTabs
    wide = label.contentsRect().width() if label.wordWrap() else 1 << 16
    return label.fontMetrics().boundingRect(QRect(0, 0, wide, 1 << 16), int(flags), text).size()


def every_view(window: MainWindow) -> Iterator[str]:
    """Show them one after the other."""
    bench = window.workbench
    for key in bench.views:
        bench.show_view(key)
        bench.give_room()
        settle()
        yield key
    inspector = bench.views["inspector"]
    assert isinstance(inspector, InspectorView)
    for tab in INSPECTOR:
        inspector.show_tab(tab)
        settle()
        yield tab


@pytest.mark.parametrize("size", [(1280, 800), (2560, 1440)])
def test_a_plan(window: MainWindow, door: Door, size: tuple[int, int]) -> None:
    window.resize(*size)
    door.put_model(compiled(program=attention(2, 128, 64), cores=4))
    settle()
    assert {key: found for key in every_view(window) if (found := clipped(window))} == {}


def test_a_plan_that_is_stale_and_one_with_wrong_numbers(window: MainWindow, door: Door) -> None:
    compilation, report = wrong()
    door.put_model(compilation)
    door.put_report(report)
    op = next(op for op in compilation.problem.program.ops if op.loops)
    window.selection.select_op(op.name)
    door.pin_division(op.name, {op.loops[0].name: 2})
    settle()
    assert door.stale
    assert {key: found for key in every_view(window) if (found := clipped(window))} == {}


def test_nothing_open(window: MainWindow) -> None:
    settle()
    assert clipped(window) == []


@pytest.mark.parametrize("percent", ["150", "200"])
def test_larger_text(qtbot: QtBot, qapp: QApplication, door: Door, dark: Theme, percent: str) -> None:
    door.settings.set("text_size", percent)
    made = opened(qtbot, qapp, door, None)
    made.resize(1280, 800)
    try:
        door.put_model(compiled(program=attention(2, 128, 64), cores=4))
        settle()
        assert {key: found for key in every_view(made) if (found := clipped(made))} == {}
    finally:
        door.settings.set("text_size", "100")
        wear_text_size(door.settings)
        made.close()


@pytest.mark.parametrize("percent", ["100", "200"])
def test_views_that_are_given_little_height_are_scrolled(
    qtbot: QtBot, qapp: QApplication, door: Door, dark: Theme, percent: str
) -> None:
    door.settings.set("text_size", percent)
    made = opened(qtbot, qapp, door, None)
    made.resize(1280, 800)
    try:
        door.put_model(compiled(program=attention(2, 128, 64), cores=4))
        settle()
        bench = made.workbench
        assert bench.docks["bottom"].geometry().bottom() < bench.panels.height(), "it ends above the status line"
        area = bench.docks["bottom"].widget()
        assert isinstance(area, LowRoom)
        assert (area.verticalScrollBar().maximum() > 0) is (percent == "200")
        assert area.horizontalScrollBar().maximum() == 0
    finally:
        door.settings.set("text_size", "100")
        wear_text_size(door.settings)
        made.close()


def test_a_cut_text_is_found(qtbot: QtBot, dark: Theme) -> None:
    root = QWidget()
    qtbot.addWidget(root)
    label, shortened = QLabel("a rather long text", root), ElidedLabel("a rather long text", root)
    button, box = QPushButton("another rather long text", root), QComboBox(root)
    box.addItem("x")
    for place, widget in enumerate((label, shortened, button)):
        widget.setGeometry(0, 40 * place, 30, 30)
    root.resize(300, 200)
    root.show()
    assert [words.split(" ")[0] for words in clipped(root)] == ["QLabel", "QPushButton"]
    shortened.setToolTip("")
    assert len(clipped(root)) == 3
