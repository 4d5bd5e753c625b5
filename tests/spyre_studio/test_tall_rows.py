"""Rows of trees are as high as those of tables, also where they are measured before anything is dressed."""

import pytest
from PySide6.QtWidgets import QTreeView
from pytestqt.qtbot import QtBot

from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import px
from spyre_studio.selection import Selection
from spyre_studio.theme import ROW, Theme
from spyre_studio.views.module_tree import ModuleTree
from tests.spyre_studio.door import Door
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage


def test_a_tree_without_a_sheet(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    stage.put(compiled())
    tree = ModuleTree(stage, Selection(None))
    tree.setColumnHidden(1, True)
    assert not tree.styleSheet()
    assert tree.rowHeight(tree.model().index(0, 0)) == px(ROW)
    tree.deleteLater()


@pytest.mark.parametrize("view", ["graph", "variants"])
def test_trees_of_the_window(qtbot: QtBot, window: MainWindow, door: Door, view: str) -> None:
    door.put_model(compiled())
    window.workbench.show_view(view)
    trees = [tree for tree in window.findChildren(QTreeView) if tree.model().rowCount()]
    assert trees
    for tree in trees:
        assert tree.rowHeight(tree.model().index(0, 0)) >= px(ROW), tree.accessibleName()
