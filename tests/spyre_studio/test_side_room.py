"""No part of the window lies over another, however narrow it is and large its texts."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from spyre_studio.main_window import MainWindow
from spyre_studio.text_zoom_apply import wear_text_size
from spyre_studio.theme import Theme
from spyre_studio.views import VIEWS
from tests.spyre_studio.door import Door, opened
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import quiet_settings


def settle() -> None:
    for _ in range(10):
        QApplication.processEvents()


def overlaps(window: MainWindow) -> list[str]:
    """Parts of the window that lie over another one or stick out, by name."""
    bench = window.workbench
    parts = {key: dock.geometry() for key, dock in bench.docks.items() if dock.isVisible()}
    parts["graph"] = bench.graph.geometry()
    outside = [key for key, where in parts.items() if not bench.panels.rect().contains(where)]
    return outside + [
        f"{one} over {two}" for one in parts for two in parts if one < two and parts[one].intersects(parts[two])
    ]


@pytest.mark.parametrize(("percent", "width", "height"), [("100", 960, 600), ("150", 1280, 800), ("200", 1280, 800)])
def test_no_part_lies_over_another(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, dark: Theme, percent: str, width: int, height: int
) -> None:
    door = Door(quiet_settings(str(tmp_path)))
    setattr(door.jobs, "submit", lambda *_, **__: None)  # noqa: B010  a view that asks waits
    door.settings.set("text_size", percent)
    window = opened(qtbot, qapp, door, None)
    try:
        window.resize(width, height)
        door.put_model(compiled())
        settle()
        found = {}
        for row in VIEWS:
            window.workbench.show_view(row.key)
            settle()
            found[row.key] = overlaps(window)
        assert not any(found.values()), found
    finally:
        door.settings.set("text_size", "100")
        wear_text_size(door.settings)
        window.close()


def test_panels_come_back_with_the_room(qtbot: QtBot, qapp: QApplication, tmp_path: Path, dark: Theme) -> None:
    door = Door(quiet_settings(str(tmp_path)))
    door.settings.set("text_size", "150")
    window = opened(qtbot, qapp, door, None)
    try:
        window.resize(1000, 800)
        door.put_model(compiled())
        settle()
        docks = window.workbench.docks
        assert docks["left"].isHidden()
        assert "Ctrl+B" in window.status.words.text()
        docks["left"].show()
        window.resize(1010, 800)
        assert not docks["left"].isHidden(), "what was shown by hand stays"
        window.resize(2200, 1200)
        settle()
        assert not docks["left"].isHidden()
        assert not docks["right"].isHidden()
        window.workbench.toggle("left")
        window.resize(2300, 1200)
        assert docks["left"].isHidden(), "what was hidden by hand stays hidden"
    finally:
        door.settings.set("text_size", "100")
        wear_text_size(door.settings)
        window.close()


def test_the_tree_of_modules_is_never_blank(qtbot: QtBot, qapp: QApplication, tmp_path: Path, dark: Theme) -> None:
    door = Door(quiet_settings(str(tmp_path)))
    window = opened(qtbot, qapp, door, None)

    def rows() -> int:
        settle()
        tree = window.workbench.tree
        assert tree.viewport().height() > 0
        return tree.model().rowCount()

    assert window.workbench.tree.model().rowCount() == 0, "views that are made before there is a model"
    door.put_model(compiled())
    assert rows() == 1
    window.maker.renew(lambda: None)
    assert rows() == 1, "after another size of texts"
    window.workbench.toggle("left")
    door.put(compiled(pipeline="searched"))
    window.workbench.toggle("left")
    assert rows() == 1, "a plan that came while it was hidden"
    window.workbench.full.enter("timeline")
    window.workbench.full.leave()
    assert rows() == 1
    window.close()
