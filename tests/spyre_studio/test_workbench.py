"""The workbench while it is made in parts: what comes in between is shown by every part."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from spyre_studio.selection import Selection
from spyre_studio.views import VIEWS
from spyre_studio.workbench import Workbench
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage, quiet_settings


@pytest.mark.parametrize("parts", [0, 1, len(VIEWS)])
def test_a_plan_that_comes_while_views_are_made_is_in_all_of_them(qtbot: QtBot, tmp_path: Path, parts: int) -> None:
    session, selection = Stage(quiet_settings(str(tmp_path))), Selection()
    bench = Workbench(session, selection)
    qtbot.addWidget(bench)
    for _ in range(parts):
        next(bench.making)
    session.put(compiled())
    selection.retarget(session.compilation)
    assert list(bench.making) == [row.key for row in VIEWS[parts:]]
    bench.show()
    assert bench.tree.tree.root.children, "the tree has the plan's modules"
    selection.select_op("exp")
    assert [index.data() for index in bench.tree.selectionModel().selectedRows()] == ["exp"]
