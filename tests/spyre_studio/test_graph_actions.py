"""The graph's actions in the window: keys that fold and trace, colours, and pictures for files and the clipboard."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from spyre_studio.file_dialogs import FileDialogs
from spyre_studio.main_window import MainWindow
from spyre_studio.picture import SVG
from spyre_studio.theme import Theme
from spyre_studio.views.graph_measures import MEASURES
from tests.programs import attention
from tests.spyre_studio.door import Door, opened
from tests.spyre_studio.large import stack
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import quiet_settings


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, tmp_path: Path, dark: Theme) -> Iterator[MainWindow]:
    door = Door(quiet_settings(str(tmp_path)))
    made = opened(qtbot, qapp, door, None)
    door.put_model(compiled(program=attention(2, 64, 64)))
    with qtbot.waitActive(made):
        made.activateWindow()
    yield made
    made.close()


def answer(monkeypatch: pytest.MonkeyPatch, path: str, in_view: bool = False) -> None:
    monkeypatch.setattr(FileDialogs, "save_picture", lambda *_: (path, in_view))


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_a_picture_is_saved_and_told(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    path = tmp_path / f"graph.{kind}"
    answer(monkeypatch, str(path))
    window.actions_.trigger(f"save-{kind}")
    qtbot.waitUntil(path.exists)
    data = path.read_bytes()
    assert (b"softmax" in data or b"scores" in data) if kind == "svg" else not QImage.fromData(data).isNull()
    answer(monkeypatch, "")
    window.actions_.trigger(f"save-{kind}")
    assert sorted(each.name for each in tmp_path.iterdir() if "graph" in each.name) == [path.name]


def test_what_cannot_be_written_is_told_in_a_sentence(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, str(tmp_path / "nowhere" / "graph.png"))
    window.actions_.trigger("save-png")
    qtbot.waitUntil(window.banner.isVisible)
    assert "cannot be written" in window.banner.sentence


def test_the_part_in_view_is_smaller(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas = window.workbench.graph.canvas
    canvas.zoom_reset()
    whole, part = tmp_path / "whole.svg", tmp_path / "part.svg"
    for path, in_view in ((whole, False), (part, True)):
        answer(monkeypatch, str(path), in_view)
        window.actions_.trigger("save-svg")
        qtbot.waitUntil(path.exists)
    assert part.read_text().count("<text") < whole.read_text().count("<text")


def test_the_clipboard(window: MainWindow) -> None:
    window.actions_.trigger("copy-image")
    whole = QGuiApplication.clipboard().image()
    assert not whole.isNull()
    window.actions_.trigger("copy-view")
    assert QGuiApplication.clipboard().image().size() != whole.size()
    window.actions_.trigger("copy-svg")
    drawing = QGuiApplication.clipboard().mimeData().data(SVG).data()
    assert b"</svg>" in bytes(drawing)
    window.actions_.trigger("copy-view-svg")
    assert QGuiApplication.clipboard().mimeData().data(SVG).data() != drawing


def test_a_graph_that_nobody_could_read_is_refused(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spyre_studio.picture.MOST_SIDE", 20)
    window.actions_.trigger("copy-image")
    assert "nobody could read it" in window.banner.sentence
    assert "fold modules" in window.banner.sentence


def test_every_colouring_is_an_action(window: MainWindow) -> None:
    for key in (*(row.key for row in MEASURES), "fate", "kind", "residency"):
        window.actions_.trigger(f"colour-{key}")
        assert window.workbench.graph.look.colouring == key
        assert window.workbench.graph.overlay.colour.key == key


def press(window: MainWindow, key: Qt.Key) -> None:
    canvas = window.workbench.graph.canvas
    canvas.setFocus()
    QTest.keyClick(canvas, key)


def test_keys_trace_and_let_go(window: MainWindow) -> None:
    window.selection.select_op("exp")
    look = window.workbench.graph.look
    for key, way in ((Qt.Key.Key_BracketLeft, "up"), (Qt.Key.Key_BracketRight, "down"), (Qt.Key.Key_N, "near")):
        press(window, key)
        assert look.way == way
    press(window, Qt.Key.Key_N)
    assert look.way is None


def test_plus_and_minus_open_and_close_a_level(qtbot: QtBot, window: MainWindow) -> None:
    door = window.session
    assert isinstance(door, Door)
    door._model = None
    door.put_model(compiled(program=stack(4)))
    fold = window.workbench.graph.fold
    fold.close_all()
    press(window, Qt.Key.Key_Plus)
    once = fold.opened
    assert once
    press(window, Qt.Key.Key_Plus)
    assert fold.opened > once
    press(window, Qt.Key.Key_Minus)
    press(window, Qt.Key.Key_Minus)
    assert len(fold.opened) <= len(once)
    press(window, Qt.Key.Key_Asterisk)
    assert fold.opened > once
    press(window, Qt.Key.Key_1)
    assert fold.opened == frozenset()
