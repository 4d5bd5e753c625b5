"""Links in the real window: followed when the plan is there, honest about what it does not have, copied and opened."""

import os
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from spyre_studio.deep_link import read_link
from spyre_studio.jobs import Jobs
from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import ThemeFollower
from spyre_studio.session import Session
from spyre_studio.theme import Theme
from tests.spyre_studio.door import LinkedDoor
from tests.spyre_studio.plans import compiled, write_model
from tests.spyre_studio.stage import quiet_settings

PATIENCE = 60_000


@pytest.fixture
def door(tmp_path: Path) -> LinkedDoor:
    return LinkedDoor(quiet_settings(str(tmp_path)))


def follow(window: MainWindow, door: LinkedDoor, link: str) -> str:
    """Open a link and let its plan arrive; returns what the banner says."""
    window.open(link)
    door.put_model(compiled())
    return window.banner.sentence if window.banner.isVisible() else ""


def read(door: LinkedDoor) -> list[str]:
    """What was opened, from first to last."""
    return [asked for asked in door.asked if asked.startswith("open ")]


def test_the_place_is_shown_as_soon_as_the_plan_is_there(window: MainWindow, door: LinkedDoor) -> None:
    assert follow(window, door, "softmax#op=max&core=7&view=timeline&buffer=exp") == ""
    assert door.asked[0] == "open softmax"
    place = window.selection.place
    assert (place.op, place.core, place.buffer) == ("max", 7, "exp")
    assert window.workbench.current_view == "timeline"


def test_a_step_alone_selects_its_op(window: MainWindow, door: LinkedDoor) -> None:
    assert follow(window, door, "softmax#step=0") == ""
    assert window.selection.step == 0


def test_what_the_plan_does_not_have_is_one_sentence_and_the_rest_is_shown(
    window: MainWindow, door: LinkedDoor
) -> None:
    said = follow(window, door, "softmax#op=nope&core=99&buffer=exp&view=moon&step=1&shade=3")
    assert said.count("Not all of the link could be followed") == 1
    for words in ("op nope", "core 99 (its cores are 0 to 31)", "view moon", "shade=3"):
        assert words in said
    assert window.selection.buffer == "exp"
    assert window.selection.step == 1, "the step stands in for the op that there is not"


def test_op_and_step_that_do_not_meet(window: MainWindow, door: LinkedDoor) -> None:
    said = follow(window, door, "softmax#op=max&step=3")
    assert "op max at step 3 (it runs at step 0)" in said
    assert window.selection.op == "max"


def test_the_place_of_a_link_is_not_that_of_what_is_opened_next(window: MainWindow, door: LinkedDoor) -> None:
    window.open("gone.json#op=max&core=7")
    follow(window, door, "softmax")
    assert window.selection.core == 0


def test_a_copied_link_comes_back_to_the_same_place(window: MainWindow, door: LinkedDoor) -> None:
    follow(window, door, "softmax")
    window.selection.select_op("exp")
    window.selection.select_buffer("max")
    window.selection.select_core(5)
    window.workbench.show_view("roofline")
    window.actions_.trigger("copy-link")
    copied = QApplication.clipboard().text()
    assert read_link(copied).spec == "softmax"
    assert "quotes" in window.status.words.text()
    before = window.selection.place
    window.workbench.show_view("verify")
    window.actions_.trigger("open-link")
    assert door.asked.count("open softmax") == 1, "it is open already"
    assert window.selection.place == before
    assert window.workbench.current_view == "roofline"


def test_a_link_into_what_is_open_reads_it_anew_only_where_its_file_has_changed(
    window: MainWindow, door: LinkedDoor, tmp_path: Path
) -> None:
    path = write_model(tmp_path)
    other = tmp_path / "other.json"
    other.symlink_to(path)
    follow(window, door, str(path))
    reads = [f"open {path}"]
    window.session.pin_division("exp", {"i": 2})
    window.open(f"{other}#op=exp&core=5&view=roofline")
    assert (read(door), window.selection.op, window.selection.core) == (reads, "exp", 5)
    assert window.session.undo_stack.canUndo()
    assert window.workbench.current_view == "roofline"
    window.session.undo_stack.undo()
    window.open(str(path))
    reads.append(f"open {path}")
    assert read(door) == reads, "no place in it: somebody wants the file"
    door.changed.emit("model")
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    window.open(f"{path}#core=7")
    assert read(door) == [*reads, f"open {path}"]
    window.open("softmax#core=1")
    assert read(door)[-1] == "open softmax"


def test_a_clipboard_without_a_link_is_said(window: MainWindow, door: LinkedDoor) -> None:
    QApplication.clipboard().setText("two\nlines")
    window.actions_.trigger("open-link")
    assert "The clipboard holds no link" in window.banner.sentence
    assert not [asked for asked in door.asked if asked.startswith("open")]


def test_the_graph_is_the_view_where_the_bottom_is_closed(window: MainWindow, door: LinkedDoor) -> None:
    follow(window, door, "softmax")
    window.workbench.toggle("bottom")
    assert read_link(window.links.here()).place.view == "graph"


def test_a_link_into_a_project_goes_further_than_the_project_remembers(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, dark: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = opened_with_worker(qtbot, qapp, tmp_path)
    try:
        settle(qtbot, window, str(write_model(tmp_path)))
        window.selection.select_op("exp")
        path = tmp_path / "my work.spyre"
        monkeypatch.setattr(window.handlers.dialogs, "save_project", lambda _name: str(path))
        with qtbot.waitSignal(window.session.saved, timeout=PATIENCE):
            window.actions_.trigger("save-project")
        window.workbench.full.enter("roofline")
        assert read_link(window.links.here()).spec == str(path)
        os.utime(path, (1, 1))  # as if another program had written it
        with qtbot.waitSignal(window.session.restored, timeout=PATIENCE):
            window.open(f"{path}#core=7&buffer=max&view=verify&hue=3")
        place = window.selection.place
        assert (place.op, place.buffer, place.core) == ("exp", "max", 7), "what the link does not say is the project's"
        assert window.workbench.current_view == "verify"
        assert window.workbench.full.key == ""
        assert "hue=3" in window.banner.sentence
        window.session.pin_division("exp", {"i": 2})
        window.open(f"{path}#core=2")
        assert (window.session.opening, window.selection.core) == ("", 2), "it is open: nothing is read or asked"
        assert window.session.undo_stack.canUndo()
        with qtbot.waitSignal(window.session.saved, timeout=PATIENCE):
            window.actions_.trigger("save-project")
        window.open(f"{path}#core=3")
        assert (window.session.opening, window.selection.core) == ("", 3)
    finally:
        window.close()


def opened_with_worker(qtbot: QtBot, qapp: QApplication, folder: Path) -> MainWindow:
    session = Session(Jobs(), quiet_settings(str(folder)))
    window = MainWindow(session, ThemeFollower(qapp, "dark"))
    qtbot.addWidget(window)
    window.resize(1400, 900)
    window.show()
    return window


def settle(qtbot: QtBot, window: MainWindow, spec: str) -> None:
    window.open(spec)
    qtbot.waitUntil(lambda: window.session.compilation is not None and not window.session.busy, timeout=PATIENCE)
