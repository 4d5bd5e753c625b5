"""The dialog of exports: what is picked, how it begins, what it has no words for, and what is asked for in the end."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from compiler.emit import FORMATS, ready
from spyre_studio.export_dialog import Export, ExportDialog
from spyre_studio.main_window import MainWindow
from spyre_studio.preview import Preview
from spyre_studio.theme import Theme
from tests.compiler.formats.exported import example
from tests.spyre_studio.door import Door
from tests.spyre_studio.hand import show
from tests.spyre_studio.stage import Stage


@pytest.fixture
def dialog(qtbot: QtBot, stage: Stage, dark: Theme) -> ExportDialog:
    stage.put(example("mlp"))
    made = ExportDialog(stage)
    show(qtbot, made, 1000, 640)
    return made


def test_every_format_is_there_and_shows_how_it_begins(dialog: ExportDialog) -> None:
    model = dialog.list.model()
    assert [model.index(row, 0).data() for row in range(model.rowCount())] == [row.title for row in FORMATS.values()]
    for name, row in FORMATS.items():
        dialog.pick(name)
        assert dialog.wanted == Export(row, dialog.wanted.chosen)
        assert dialog.note.text() == row.note
        nothing = ready(example("mlp"), name).nothing
        assert bool(dialog.text.toPlainText()) != bool(nothing)
        assert nothing in dialog.text.placeholderText()
        assert dialog.files.isVisible() == row.folder
        said = not ready(example("mlp"), name).limits
        assert dialog.export.isEnabled() == (said and not nothing)
        assert dialog.limits.isHidden() == dialog.partial.isHidden() == said


def test_choices_of_a_format_change_how_it_begins(dialog: ExportDialog, stage: Stage) -> None:
    dialog.pick("ktir")
    assert "#ktdp.memory_space" in dialog.text.toPlainText()
    dialog.choices["spelling"].setCurrentText("old")
    assert "#ktdp.spyre_memory_space" in dialog.text.toPlainText()
    assert dialog.wanted.chosen == {"spelling": "old"}
    dialog.pick("plan-json")
    assert dialog.wanted.chosen == {}
    assert "preview ktir spelling=old" in stage.asked


def test_what_cannot_be_said_is_left_out_only_if_somebody_says_so(dialog: ExportDialog, stage: Stage) -> None:
    stage.put(example("convnet"))
    dialog.pick("opspec-json")
    assert "stem.conv.conv/pad: it does several things in one loop nest" in dialog.limits.text()
    assert dialog.partial.isVisible()
    assert not dialog.export.isEnabled()
    dialog.partial.setChecked(True)
    assert dialog.export.isEnabled()
    assert dialog.wanted.partial
    dialog.pick("plan-json")
    other = dialog.wanted
    assert not other.partial
    dialog.pick("kernels")
    assert dialog.partial.checkState() is Qt.CheckState.Unchecked


def test_only_the_newest_beginning_is_shown(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    stage.put(example("mlp"))
    stage.answers = False
    dialog = ExportDialog(stage)
    show(qtbot, dialog, 1000, 640)
    assert not dialog.export.isEnabled()
    dialog.pick("ktir")
    stage.answers = True
    dialog.pick("device-mlir")
    shown = dialog.text.toPlainText()
    stage.answers = False
    for callback in stage.waiting_previews:
        callback(Preview("late", (), False, ()))
    assert dialog.text.toPlainText() == shown
    dialog.close()


def test_from_the_window_to_the_file(
    qtbot: QtBot, window: MainWindow, door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    door.put_model(example("mlp"))
    monkeypatch.setattr(window.handlers.dialogs, "export", lambda model, row: str(tmp_path / f"{model}{row.suffix}"))
    window.actions_.trigger("export")
    dialog = window.findChild(ExportDialog)
    assert dialog is not None
    dialog.pick("ktir")
    QTest.keyClick(dialog.list, Qt.Key.Key_Return)
    assert door.asked[-1] == f"export ktir {tmp_path / 'mlp.mlir'} {{'spelling': 'new'}}"
    QApplication.processEvents()
    assert [word for word in door.asked if word.startswith("export")] == door.asked[-1:], "once"
    assert not dialog.isVisible()


def test_nothing_is_exported_where_no_place_is_named(
    qtbot: QtBot, window: MainWindow, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    door.put_model(example("mlp"))
    monkeypatch.setattr(window.handlers.dialogs, "export", lambda _model, _row: "")
    window.actions_.trigger("export")
    dialog = window.findChild(ExportDialog)
    assert dialog is not None
    dialog.export.click()
    assert dialog.isVisible()
    assert not any(word.startswith("export") for word in door.asked)
    dialog.close_button.click()
    assert not dialog.isVisible()
