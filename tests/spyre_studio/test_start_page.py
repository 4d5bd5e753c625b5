"""The start page: examples, recent files that are still there, and what it tells when one is chosen."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from resources.examples import NAMES
from spyre_studio.settings import Settings
from spyre_studio.start_page import StartPage, drop_words
from spyre_studio.theme import Theme
from tests.spyre_studio.hand import show
from tests.spyre_studio.stage import quiet_settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return quiet_settings(str(tmp_path))


@pytest.fixture
def page(qtbot: QtBot, settings: Settings, dark: Theme) -> StartPage:
    made = StartPage(settings)
    show(qtbot, made, 1200, 800)
    return made


def test_every_bundled_example_is_offered_with_its_title(qtbot: QtBot, page: StartPage) -> None:
    assert tuple(row.text() for row in page.examples) == NAMES
    assert all(row.words for row in page.examples)
    with qtbot.waitSignal(page.chosen) as told:
        page.examples[2].click()
    assert told.args == ["attention"]


def test_a_row_is_reached_and_pressed_by_keyboard(qtbot: QtBot, page: StartPage) -> None:
    page.examples[0].setFocus()
    with qtbot.waitSignal(page.chosen) as told:
        QTest.keyClick(page.examples[0], Qt.Key.Key_Space)
    assert told.args == ["softmax"]
    assert page.examples[0].accessibleName().startswith("softmax: ")


def test_open_asks_for_a_file(qtbot: QtBot, page: StartPage) -> None:
    with qtbot.waitSignal(page.browse):
        page.open_button.click()


def test_recent_files_come_and_what_is_gone_is_not_offered(
    qtbot: QtBot, page: StartPage, settings: Settings, tmp_path: Path
) -> None:
    assert not page.recent
    model = tmp_path / "model.pt2"
    model.touch()
    script = tmp_path / "make.py"
    script.touch()
    for spec in (str(model), f"{script}:factory", "decoder", str(tmp_path / "gone.pt2"), "no-example"):
        settings.add_recent(spec)
    assert [row.text() for row in page.recent] == ["decoder", "make.py:factory", "model.pt2"]
    assert page.recent[2].words == str(tmp_path)
    with qtbot.waitSignal(page.chosen) as told:
        page.recent[1].click()
    assert told.args == [f"{script}:factory"]


def test_it_can_be_drawn_in_both_states(page: StartPage, settings: Settings) -> None:
    alone = page.grab().toImage()
    settings.add_recent("mlp")
    page.refresh()
    QTest.qWait(0)
    assert page.grab().toImage() != alone


@pytest.mark.parametrize("spec", ["decoder_stack?layers=40&hidden=4096", "decoder?sequence=64"])
def test_an_example_with_parameters_is_remembered(qtbot: QtBot, page: StartPage, settings: Settings, spec: str) -> None:
    settings.add_recent(spec)
    assert [(row.text(), row.words) for row in page.recent] == [(spec, "bundled example")]
    with qtbot.waitSignal(page.chosen) as told:
        page.recent[0].click()
    assert told.args == [spec]


def test_a_factory_with_parameters_is_remembered(page: StartPage, settings: Settings, tmp_path: Path) -> None:
    script = tmp_path / "make.py"
    script.touch()
    settings.add_recent(f"{script}:factory?rows=0.5")
    assert [row.words for row in page.recent] == [str(tmp_path)]


@pytest.mark.parametrize("installed", [True, False])
def test_a_config_is_asked_for_only_where_it_can_be_opened(monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    monkeypatch.setattr("spyre_studio.start_page.find_spec", lambda _name: object() if installed else None)
    assert ("config.json" in drop_words()) is installed
