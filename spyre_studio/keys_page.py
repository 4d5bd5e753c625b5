"""The page of keys: every action with its shortcuts, and what the mouse does on a picture, by menu.

Owns: the words and the dialog. Refuses: a list of its own; keys come from the table of actions.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from spyre_studio.actions import ACTIONS
from spyre_studio.qt_theme import px
from spyre_studio.table import Column, CopyableTable, Row, TableModel
from spyre_studio.theme import GRID, PAD

POINTER: Final = (
    ("Wheel", "Scroll"),
    ("Shift+wheel", "Scroll sideways"),
    ("Ctrl+wheel", "Zoom at the pointer"),
    ("Drag the background", "Move the picture"),
    ("Middle button, Space+drag", "Move the picture, wherever the drag begins"),
    ("Ctrl+drag", "Zoom to a box"),
    ("Shift+drag", "Select with a box"),
    ("Double click, Enter", "Open or close a module"),
    ("Arrow keys", "Along the data, or scroll when nothing is selected"),
    ("W, S", "Zoom in and out, in the timeline"),
    ("A, D", "Earlier and later, in the timeline"),
    ("*, 1", "Open and close all cores, in the timeline"),
    ("Wheel over the ruler", "Zoom in time, in the timeline"),
    ("Drag the ruler", "Pass through the run, in the timeline"),
)


def key_rows() -> tuple[Row, ...]:
    """One row per key: keys, what they do, where."""
    actions = [
        Row(
            each.key,
            (", ".join(each.shortcuts), each.text.rstrip("…"), _place(each.scope, each.menu)),
            each.tip,
        )
        for each in ACTIONS
        if each.shortcuts
    ]
    pointer = [Row(keys, (keys, what, "Pictures")) for keys, what in POINTER]
    return (*actions, *pointer)


def _place(scope: str, menu: str) -> str:
    return "Graph" if scope == "graph" else menu


class KeysPage(QDialog):
    """A table of keys that can be filtered by sorting and copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        columns = (Column("keys"), Column("what they do"), Column("where"))
        self.table = CopyableTable(TableModel(columns, key_rows()), "Keys", self)
        self.table.setColumnWidth(1, px(40 * GRID))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(PAD), px(PAD), px(PAD), px(PAD))
        column.setSpacing(px(PAD))
        column.addWidget(self.table)
        column.addWidget(buttons)
        self.resize(px(88 * GRID), px(72 * GRID))
