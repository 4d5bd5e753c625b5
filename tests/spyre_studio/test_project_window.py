"""Projects in the window: saved, closed, opened again and where one was; asked about, autosaved, taken back."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import wait
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QInputDialog, QMessageBox
from pytestqt.qtbot import QtBot

from compiler.pins import Pins
from spyre_studio.jobs import Jobs
from spyre_studio.main_window import MainWindow
from spyre_studio.project import ProjectView
from spyre_studio.project_document import read_project
from spyre_studio.project_recovery import Recovery
from spyre_studio.project_view import put_view, view_of
from spyre_studio.qt_theme import ThemeFollower
from spyre_studio.session import Session
from spyre_studio.theme import Theme
from spyre_studio.variant import FIRST
from spyre_studio.views import graph_layouts
from spyre_studio.views.compare import CompareView
from tests.programs import attention
from tests.spyre_studio.door import Door, opened
from tests.spyre_studio.plans import compiled, divided, write_model
from tests.spyre_studio.stage import quiet_settings

PATIENCE = 60_000


class Desk:
    """Opens windows on the same settings, one after the other."""

    def __init__(self, qtbot: QtBot, qapp: QApplication, folder: Path) -> None:
        self.qtbot, self.qapp, self.folder = qtbot, qapp, folder
        self.settings = quiet_settings(str(folder))
        self.store = QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)
        self.windows: list[MainWindow] = []

    def window(self, spec: Path | None = None) -> MainWindow:
        made = MainWindow(Session(Jobs(), self.settings), ThemeFollower(self.qapp, "dark"), self.store)
        self.qtbot.addWidget(made)
        made.resize(1400, 900)
        with self.qtbot.waitExposed(made):
            made.show()
        self.windows.append(made)
        if spec is not None:
            made.open(str(spec))
            self.settle(made)
        return made

    def settle(self, window: MainWindow) -> None:
        self.qtbot.waitUntil(lambda: not window.session.busy and bool(window.session.compilation), timeout=PATIENCE)

    def save(self, window: MainWindow, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(window.handlers.dialogs, "save_project", lambda name: str(path))
        with self.qtbot.waitSignal(window.session.saved, timeout=PATIENCE):
            window.actions_.trigger("save-project")

    def done(self) -> None:
        for window in self.windows:
            window.project._saved = window.project._state()
            window.close()


@pytest.fixture
def desk(qtbot: QtBot, qapp: QApplication, tmp_path: Path, dark: Theme) -> Iterator[Desk]:
    made = Desk(qtbot, qapp, tmp_path)
    yield made
    made.done()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path, attention(2, 64, 64))


def question(window: MainWindow, name: str) -> QMessageBox:
    box = window.findChild(QMessageBox, name)
    assert box is not None
    return box


def test_saved_closed_and_opened_one_is_where_one_was(
    desk: Desk, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = desk.window(model)
    assert window.windowTitle() == "attention – Spyre Studio"
    session = window.session
    session.pin_division("exp", {"b": 2})
    assert window.windowTitle() == "attention* – Spyre Studio"
    session.resolve()
    desk.settle(window)
    session.keep_variant("exp b 2")
    window.project.annotate("for Monday")
    window.selection.select_op("exp")
    window.selection.select_core(1)
    window.handlers.compare(FIRST, "exp b 2")
    window.workbench.docks["left"].hide()
    canvas = window.workbench.graph.canvas
    canvas.zoom_reset()
    canvas.zoom_in()
    canvas.pan_by(40, 30)
    place, zoom = window.selection.place, canvas.viewport
    desk.save(window, tmp_path / "work", monkeypatch)
    path = tmp_path / "work.spyre"
    assert window.windowTitle() == "work – Spyre Studio"
    assert session.settings.recent[0] == str(path)
    assert read_project(path).saved_as == ""
    assert window.close(), "nothing is asked, since nothing would be lost"

    again = desk.window(path)
    session = again.session
    assert again.windowTitle() == "work – Spyre Studio"
    assert not again.project.unsaved
    assert session.pins == divided("exp", b=2)
    assert (session.shown_variant, session.variants.chosen, again.project.note) == ("exp b 2", "exp b 2", "for Monday")
    assert again.selection.place == place
    bench = again.workbench
    assert bench.current_view == "compare"
    assert bench.docks["left"].isHidden()
    compare = bench.views["compare"]
    assert isinstance(compare, CompareView)
    assert compare.sides.names == (FIRST, "exp b 2")
    view = bench.graph.canvas
    desk.qtbot.waitUntil(lambda: view.viewport.zoom == pytest.approx(zoom.zoom), timeout=PATIENCE)
    assert view.viewport.x == pytest.approx(zoom.x)
    assert view.viewport.y == pytest.approx(zoom.y)
    session.show_variant(FIRST)
    assert again.windowTitle() == "work* – Spyre Studio"
    session.undo_stack.undo()
    assert again.windowTitle() == "work – Spyre Studio"


def test_a_pin_that_is_switched_off_is_saved_and_comes_back(
    desk: Desk, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = desk.window(model)
    window.session.pin_division("exp", {"b": 2})
    window.workbench.pins._switch("division:exp")
    assert window.project.unsaved, "a pin that rests would be lost"
    desk.save(window, tmp_path / "work.spyre", monkeypatch)
    assert window.windowTitle() == "work – Spyre Studio"
    window.workbench.pins._remove("division:exp")
    assert window.windowTitle() == "work* – Spyre Studio", "it was forgotten"
    window.project._saved = window.project._state()
    window.close()

    again = desk.window(tmp_path / "work.spyre")
    assert not again.session.pins
    assert again.windowTitle() == "work – Spyre Studio"
    assert [(card.key, card.off) for card in again.workbench.pins.cards] == [("division:exp", True)]
    again.workbench.pins._switch("division:exp")
    assert again.session.pins == divided("exp", b=2)
    assert again.project.unsaved


def test_closing_asks_and_every_answer_has_a_key(
    desk: Desk, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = desk.window(model)
    window.session.pin_division("exp", {"b": 2})
    assert not window.close()
    box = question(window, "unsaved")
    assert box.focusWidget() is not None or box.defaultButton() is not None
    QTest.keyClick(box, Qt.Key.Key_Escape)
    assert window.isVisible()
    desk.qtbot.waitUntil(lambda: not box.isVisible())
    monkeypatch.setattr(window.handlers.dialogs, "save_project", lambda name: str(tmp_path / name))
    box.deleteLater()
    desk.qtbot.waitUntil(lambda: window.findChild(QMessageBox, "unsaved") is None)
    assert not window.close()
    QTest.keyClick(question(window, "unsaved"), Qt.Key.Key_Return)
    desk.qtbot.waitUntil(lambda: not window.isVisible(), timeout=PATIENCE)
    assert read_project(tmp_path / "attention.spyre").pins == divided("exp", b=2)


def test_what_is_not_wanted_goes_with_the_window(desk: Desk, model: Path) -> None:
    window = desk.window(model)
    window.session.pin_division("exp", {"b": 2})
    assert not window.close()
    question(window, "unsaved").button(QMessageBox.StandardButton.Discard).click()
    assert not window.isVisible()


def test_another_model_is_asked_about_too(desk: Desk, model: Path, tmp_path: Path) -> None:
    window = desk.window(model)
    window.session.pin_division("exp", {"b": 2})
    window.open("softmax")
    assert window.session.opening == ""
    question(window, "unsaved").reject()
    assert window.session.pins == divided("exp", b=2)
    window.session.undo_stack.undo()
    other = tmp_path / "other"
    other.mkdir()
    window.open(str(write_model(other)))
    assert window.session.opening, "nothing was changed, nothing is asked"
    desk.settle(window)


def test_a_place_that_cannot_be_written_is_told_and_nothing_closes(
    desk: Desk, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = desk.window(model)
    window.session.pin_division("exp", {"b": 2})
    monkeypatch.setattr(window.handlers.dialogs, "save_project", lambda name: str(tmp_path / "none" / name))
    with desk.qtbot.waitSignal(window.session.failed, timeout=PATIENCE):
        window.actions_.trigger("save-project")
    assert "cannot be written" in window.banner.sentence
    assert window.project.path is None
    assert window.project.unsaved


def test_the_note_is_part_of_what_is_saved(desk: Desk, model: Path) -> None:
    window = desk.window(model)
    window.actions_.trigger("project-note")
    dialog = window.findChild(QInputDialog, "project-note")
    assert dialog is not None
    dialog.setTextValue("why\nnot")
    dialog.accept()
    assert window.project.note == "why\nnot"
    assert window.project.unsaved


# What a crash leaves behind


def test_autosaved_work_is_offered_and_taken_back(desk: Desk, model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "state" / "unsaved"
    window = desk.window(model)
    window.project.guard(Recovery(folder), every_ms=PATIENCE)
    window.project.autosave()
    assert not list(folder.glob("*.spyre")), "nothing is kept where nothing would be lost"
    window.session.pin_division("exp", {"b": 2})
    window.project.autosave()
    wait(window.project._autosaving._pieces)
    (kept,) = folder.glob("*.spyre")
    orphan = folder / "orphan.spyre"
    orphan.write_bytes(kept.read_bytes())
    window.session.undo_stack.undo()
    assert window.close()
    assert list(folder.glob("*.spyre")) == [orphan]

    later = desk.window()
    later.project.guard(Recovery(folder), every_ms=PATIENCE)
    box = question(later, "left-behind")
    next(button for button in box.buttons() if "Open" in button.text()).click()
    desk.settle(later)
    desk.qtbot.waitUntil(lambda: later.session.pins == divided("exp", b=2), timeout=PATIENCE)
    assert later.windowTitle() == "attention* – Spyre Studio"
    assert str(orphan) not in later.session.settings.recent
    assert not orphan.exists()
    assert len(list(folder.glob("*.spyre"))) == 1, "it is kept for this window now"
    assert not later.close()
    question(later, "unsaved").button(QMessageBox.StandardButton.Discard).click()
    assert not list(folder.glob("*.spyre"))


def test_what_was_not_taken_back_after_all_stays(
    desk: Desk, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").mkdir()
    orphan = tmp_path / "state" / "orphan.spyre"
    window = desk.window(model)
    desk.save(window, tmp_path / "work.spyre", monkeypatch)
    orphan.write_bytes((tmp_path / "work.spyre").read_bytes())
    window.session.pin_division("exp", {"b": 2})
    window.project.guard(Recovery(tmp_path / "state"), every_ms=PATIENCE)
    box = question(window, "left-behind")
    next(button for button in box.buttons() if "Open" in button.text()).click()
    question(window, "unsaved").reject()
    window.session.undo_stack.undo()
    window.project.autosave()
    assert list((tmp_path / "state").glob("*.spyre")) == [orphan], "nothing is unsaved any more"
    with desk.qtbot.waitSignal(window.session.restored, timeout=PATIENCE):
        window.open(str(tmp_path / "work.spyre"))
    assert orphan.exists()
    assert window.project.path == tmp_path / "work.spyre"


def test_what_is_left_behind_can_be_deleted_or_left(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.spyre").write_text("{}", encoding="utf-8")
    window = desk.window()
    window.project.guard(Recovery(tmp_path), every_ms=PATIENCE)
    question(window, "left-behind").done(QDialog.DialogCode.Rejected)
    assert (tmp_path / "a.spyre").exists()
    other = desk.window()
    window.project.end()
    other.project.guard(Recovery(tmp_path), every_ms=PATIENCE)
    box = question(other, "left-behind")
    next(button for button in box.buttons() if "Delete" in button.text()).click()
    assert not (tmp_path / "a.spyre").exists()


_CRASH = """
import os, sys
from pathlib import Path
from spyre_studio.project_recovery import Recovery
from spyre_studio.project_view import put_view, view_of
place = Recovery(Path(sys.argv[1])).place()
place.write_text("{}")
os._exit(1)
"""


def test_a_running_window_keeps_what_is_its_own(qapp: QApplication, tmp_path: Path) -> None:
    mine, other = Recovery(tmp_path), Recovery(tmp_path)
    place = mine.place()
    assert place is not None
    place.write_text("{}", encoding="utf-8")
    assert other.left() == ()
    subprocess.run([sys.executable, "-c", _CRASH, str(tmp_path)], check=False, timeout=60)
    (left,) = other.left()
    assert left.path != place
    assert mine.left() == (), "it is offered once"
    other.forget(left)
    mine.end()
    assert [path for path in tmp_path.iterdir() if path.suffix == ".spyre"] == []


def test_a_folder_that_cannot_be_used_keeps_nothing(qapp: QApplication, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    recovery = Recovery(tmp_path / "file")
    assert recovery.place() is None
    assert recovery.left() == ()
    recovery.end()


def test_a_new_window_has_nothing_to_save(desk: Desk) -> None:
    window = desk.window()
    assert not window.project.unsaved
    assert window.session.pins == Pins()
    window.actions_.trigger("save-project")
    assert window.project.path is None


@pytest.mark.parametrize("at_once", [300, 0], ids=["small", "large"])
def test_the_graph_is_shown_from_where_it_was(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    door = Door(quiet_settings(str(tmp_path)))
    window = opened(qtbot, qapp, door, None)
    door.put_model(compiled(program=attention(2, 64, 64)))
    monkeypatch.setattr(graph_layouts, "AT_ONCE", at_once)
    graph = window.workbench.graph
    graph.fold.close_all()
    put_view(window, ProjectView(opened=("block",), layout="no base64!", zoom=2.0, x=5.0, y=7.0, op="gone", core=99))
    qtbot.waitUntil(lambda: graph.canvas.viewport.zoom == pytest.approx(2.0))
    assert (round(graph.canvas.viewport.x), round(graph.canvas.viewport.y)) == (5, 7)
    assert graph.fold.opened == {"block"}
    seen = view_of(window)
    assert (seen.zoom, seen.opened) == (2.0, ("block",))
    assert seen.op, "what the plan does not have is passed over"
    window.close()
